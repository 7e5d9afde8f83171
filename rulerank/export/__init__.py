"""Exports: LETOR and related files, read back and compared before they are delivered.

    data = make_bundle(collection, events, {"campaign": "News", "aggregation": "majority"})

A format is one file of `rulerank.export.formats` that registers itself; screens and tests pick it up from `formats`.
"""

from rulerank.export.bundle import CheckFailedError, check, export_files, make_bundle, write_bundle
from rulerank.export.export import Export, needs_numbers
from rulerank.export.formats.base import Format, formats
from rulerank.export.preview import ExportPreview, FilePreview, FoldPreview, SetPreview, preview

__all__ = [
    "CheckFailedError",
    "Export",
    "ExportPreview",
    "FilePreview",
    "FoldPreview",
    "Format",
    "SetPreview",
    "check",
    "export_files",
    "formats",
    "make_bundle",
    "needs_numbers",
    "preview",
    "write_bundle",
]
