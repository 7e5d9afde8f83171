"""My labels: what one person decided so far, to look through and to change."""
