"""Backups: one file that holds everything of a database; how it is written, checked and restored."""
