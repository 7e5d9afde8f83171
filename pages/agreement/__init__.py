"""Agreement: how far people agree, and the decisions that settle disputes."""
