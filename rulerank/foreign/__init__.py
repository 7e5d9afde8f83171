"""Data from elsewhere: how bytes become text, how text becomes numbers, and what may be kept of it."""
