"""People: accounts and roles."""
