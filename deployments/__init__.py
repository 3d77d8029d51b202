"""Schedules and services as data: what runs when, and where."""
