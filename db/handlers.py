"""What the worker can do: each module imported here enters its handlers into `db.jobs.HANDLERS`."""

from db import replay, simulating

__all__ = ["replay", "simulating"]
