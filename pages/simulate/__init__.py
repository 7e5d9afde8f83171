"""Simulate: samplers and rankers compared on known grades."""
