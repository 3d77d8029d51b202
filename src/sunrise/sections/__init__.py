"""Sections of the settings, by what they set."""
