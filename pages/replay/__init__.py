"""Replay: samplers side by side on known grades, label by label."""
