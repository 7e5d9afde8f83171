"""Label: one document at a time, one key per grade."""
