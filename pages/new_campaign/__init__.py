"""New campaign: from files to a stored campaign."""
