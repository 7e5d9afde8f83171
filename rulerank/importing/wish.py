"""How texts are to be read and prepared, as plain values that a page writes and a worker reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rulerank.importing.brought import at_path, uploaded, with_roles
from rulerank.importing.files import Upload
from rulerank.prepare import Columns, DataFile, Options, Reading, TableHead


@dataclass(frozen=True)
class Bundle:
    """Files of texts that somebody brought: uploads, or what is at a path on the server."""

    uploads: tuple[Upload, ...] = ()
    path: str = ""

    def files(self) -> tuple[DataFile, ...]:
        """Return the files; a zip counts as the files in it."""
        return uploaded(self.uploads) if self.uploads else at_path(Path(self.path.strip()).expanduser())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"uploads": [each.to_dict() for each in self.uploads], "path": self.path}

    @staticmethod
    def from_dict(saved: Mapping[str, Any]) -> Bundle:
        """Return what `to_dict` described."""
        return Bundle(tuple(map(Upload.from_dict, saved["uploads"])), saved["path"])


@dataclass(frozen=True)
class Wish:
    """How files of texts become a collection: what each file is, where it does not tell, how it is read, and options.

    Roles are names of files by role; without any, the files tell what they are.
    """

    roles: tuple[tuple[str, tuple[str, ...]], ...] = ()
    how: Reading = Reading()  # noqa: RUF009 (frozen)
    options: Options = Options()  # noqa: RUF009 (frozen)

    def chosen(self, files: Sequence[DataFile]) -> tuple[DataFile, ...]:
        """Return the files as somebody has divided them."""
        return with_roles(files, dict(self.roles)) if self.roles else tuple(files)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"roles": dict(self.roles), "how": asdict(self.how), "options": asdict(self.options)}

    @staticmethod
    def from_dict(saved: Mapping[str, Any]) -> Wish:
        """Return what `to_dict` described."""
        how = Reading(**_tuples(saved["how"]))
        how = replace(
            how,
            document_columns=columns_from(saved["how"]["document_columns"]),
            query_columns=columns_from(saved["how"]["query_columns"]),
        )
        roles = tuple((role, tuple(names)) for role, names in saved["roles"].items())
        return Wish(roles, how, Options(**_tuples(saved["options"])))


def columns_from(saved: Mapping[str, Any] | None) -> Columns | None:
    """Return columns that were written as plain values."""
    return None if saved is None else Columns(**_tuples(saved))


def head_from(saved: Mapping[str, Any]) -> TableHead:
    """Return the beginning of a table that was written as plain values."""
    rows = tuple(tuple(row) for row in saved["rows"])
    return TableHead(tuple(saved["names"]), rows, columns_from(saved["guess"]))


def _tuples(saved: Mapping[str, Any]) -> dict[str, Any]:
    """JSON knows lists alone, where ours never change."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in saved.items()}
