"""Discussions: documents that somebody flagged, and what was said about them."""
