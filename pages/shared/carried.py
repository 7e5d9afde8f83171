"""Answers in JSON: whatever a text holds, what goes to a browser can be read there."""

from __future__ import annotations

import json
from typing import Any


def encode(data: Any) -> bytes:
    """Return data as JSON. Halves of characters, which UTF-8 has no bytes for, become U+FFFD; no number is NaN."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
