"""Progress: how good the ranker in training is, and how near the stop is."""
