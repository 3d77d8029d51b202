"""Scorers: how an observation without an importance gets one."""
