"""From files that somebody brought to a campaign: read them, look at what is in them, and divide the rows.

No screen and no database: a page asks, a worker reads, and what passes between them are plain values and a folder.
"""
