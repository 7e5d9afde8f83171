"""People: accounts, passwords, sessions, and what their browsers keep."""
