"""What several screens share: layout, documents, and waiting for long work."""
