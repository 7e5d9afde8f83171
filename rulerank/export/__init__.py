"""What leaves the house: LETOR files and their kin, read back and compared before they are handed out.

    data = make_bundle(collection, events, {"campaign": "News", "aggregation": "majority"})

A format is one file of `rulerank.export.formats` that registers itself; screens and tests pick it up from `formats`.
"""

from rulerank.export.bundle import CheckFailedError, check, export_files, make_bundle, write_bundle
from rulerank.export.export import Export
from rulerank.export.formats.base import Format, formats
from rulerank.export.preview import FilePreview, FoldPreview, Preview, SetPreview, preview

__all__ = [
    "CheckFailedError",
    "Export",
    "FilePreview",
    "FoldPreview",
    "Format",
    "Preview",
    "SetPreview",
    "check",
    "export_files",
    "formats",
    "make_bundle",
    "preview",
    "write_bundle",
]
