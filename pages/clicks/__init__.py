"""Clicks: click models learned from a log, and rankings measured by them."""
