"""Export: what leaves a campaign, checked by reading it back."""
