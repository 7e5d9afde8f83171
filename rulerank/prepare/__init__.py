"""From texts to a collection: read documents and queries, choose candidates, compute features, write it all.

from rulerank.prepare import Options, prepare, read_collection, write_prepared

gathered = read_collection("cran")
prepared = prepare(gathered, Options(candidates=100))
write_prepared(prepared, "cran.letor")
"""

from rulerank.prepare.archives import describe_workbook, looks_like_zip
from rulerank.prepare.files import DataFile, file_at, files_of, zip_files
from rulerank.prepare.gathered import Gathered, LeftOut
from rulerank.prepare.layout import KINDS, Layout, Named, find_layout
from rulerank.prepare.prepare import Options, Prepared, prepare
from rulerank.prepare.problems import BadRecordsError, FileProblem
from rulerank.prepare.read import TextReading, read_collection, read_files
from rulerank.prepare.readers.columns import Columns, guess_columns
from rulerank.prepare.readers.table import TableHead, table_head
from rulerank.prepare.write import part_of, paths_for, read_analyser, read_feature_names, write_prepared

__all__ = [
    "KINDS",
    "BadRecordsError",
    "Columns",
    "DataFile",
    "FileProblem",
    "Gathered",
    "Layout",
    "LeftOut",
    "Named",
    "Options",
    "Prepared",
    "TableHead",
    "TextReading",
    "describe_workbook",
    "file_at",
    "files_of",
    "find_layout",
    "guess_columns",
    "looks_like_zip",
    "part_of",
    "paths_for",
    "prepare",
    "read_analyser",
    "read_collection",
    "read_feature_names",
    "read_files",
    "table_head",
    "write_prepared",
    "zip_files",
]
