"""Fitted models on disk, as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rulerank.clicks import documents, result
from rulerank.clicks.documents import DocumentFit
from rulerank.clicks.result import Fit
from rulerank.errors import InputError
from rulerank.files import write_whole
from rulerank.foreign.decoding import decode_whole, parse_json


def fit_from_dict(saved: Any) -> Fit | DocumentFit:
    """Make the fit that its `to_dict` described."""
    kind = saved.get("format") if isinstance(saved, Mapping) else None
    if kind == result.FORMAT:
        return Fit.from_dict(saved)
    if kind == documents.FORMAT:
        return DocumentFit.from_dict(saved)
    raise InputError("this is not a click model saved by rulerank")


def save_fit(fit: Fit | DocumentFit, path: str | os.PathLike[str]) -> None:
    """Write a fit as JSON, whole or not at all."""
    write_whole(path, (json.dumps(fit.to_dict(), indent=1, allow_nan=False) + "\n").encode())


def load_fit(path: str | os.PathLike[str]) -> Fit | DocumentFit:
    """Read a fit that `save_fit` wrote."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        saved = parse_json(decode_whole(data, os.fspath(path)))
    except InputError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    return fit_from_dict(saved)
