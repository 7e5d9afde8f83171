"""Home: campaigns, and how far they are."""
