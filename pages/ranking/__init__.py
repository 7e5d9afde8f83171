"""Ranking: a query's documents in a ranker's order, and the rules behind each score."""
