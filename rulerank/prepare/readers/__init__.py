"""Readers: one file for each format; each hands its records to a Gatherer and notes what is wrong by line."""
