"""Your sessions: where you are signed in."""
