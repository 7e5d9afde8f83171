"""What the screens share: colours, figures, tables and small pieces of a page."""
