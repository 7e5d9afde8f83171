"""Competence: where each query-level function is right."""
