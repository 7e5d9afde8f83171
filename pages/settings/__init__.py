"""Settings: what can be changed about a running campaign, what was changed, and how it is paused and ended."""
