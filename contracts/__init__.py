"""Pandera contracts: one for every frame that crosses a border."""
