"""The database: collections, campaigns, people, claims, and the label log that everything else is a fold of."""
