"""What the command line does with the app's database: backup, restore, and the way back for an administrator.

The library must not import the database: `rulerank.cli.database` finds this module by its name, when such a command is
called. Each function returns the one line that is printed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

from db.backup.archive import Manifest, read_manifest
from db.backup.restore import restore
from db.backup.write import backup, backup_name
from db.people.accounts import People
from db.people.person import LOCAL, Person, name_key
from db.store.engine import Database
from db.store.errors import DatabaseError
from db.store.migrate import newest, refuse_newer, revision
from db.store.sqlite_copy import reachable
from rulerank.audit import audit
from rulerank.errors import InputError

SHELL = "the command line"
MOST_NAMES = 10


def write_backup(url: str, target: Path) -> str:
    """Write a backup into a new file, or under a name of its own into a folder, beside a running server."""
    database = _existing(url)
    try:
        _revision(database)
        path = backup(database, target / backup_name() if target.is_dir() else target)
        manifest = read_manifest(path)
        audit("backup", by=SHELL, database=_shown(database), file=path, bytes=path.stat().st_size)
    finally:
        database.close()
    if manifest.problem:
        raise DatabaseError(
            f"{path} was written, but the database holds something that is not right, and a restore will refuse it: "
            f"{manifest.problem}"
        )
    return f"wrote {path}: {path.stat().st_size:,} bytes with {_counts(manifest)}"


def restore_backup(source: Path, url: str, *, overwrite: bool) -> str:
    """Make a database of a backup that is proven to be whole; an existing one is replaced on demand only, and kept."""
    restored = restore(source, url, overwrite=overwrite)
    target = Database(url)
    audit("restore", by=SHELL, file=source, database=_shown(target), kept=restored.kept)
    more = f"; what was there is {restored.kept}" if restored.kept is not None else ""
    remark = f". {restored.remark}" if restored.remark else ""
    return f"restored {source} into {target}{more}{remark}"


def reset_password(url: str, name: str, ask: Callable[[str], str]) -> str:
    """Give somebody the password that `ask` returns for their name; whoever is signed in as them is signed out."""
    database = _existing(url)
    try:
        found = _revision(database)
        if found != newest():
            raise DatabaseError(
                f"{database} has schema {found!r}, and this version works with {newest()!r}; start the app, "
                "which brings it up to date"
            )
        people = People(database)
        person = _named(people, name)
        ended = len(people.sessions.of(person.id))
        people.set_password(person.id, ask(person.name))
        audit("password-reset", by=SHELL, person=person.name, sessions_ended=ended, database=_shown(database))
    finally:
        database.close()
    return f"{person.name} ({person.role}) has a new password; sessions that were ended: {ended}"


def _existing(url: str) -> Database:
    """Return a database that is there; a wrong path must not become an empty one."""
    database = Database(url, create=False)
    if database.path is not None and not database.path.is_file():
        raise DatabaseError(f"there is no database {database.path}; give --database, or set RULERANK_DATABASE")
    return database


def _revision(database: Database) -> str:
    """Return the schema revision of a database of ours."""
    with reachable(database), database.read() as connection:
        found = revision(connection)
    if found is None:
        raise DatabaseError(f"{database} is not one of rulerank's: it has no schema revision")
    refuse_newer(str(database), found)
    return found


def _named(people: People, name: str) -> Person:
    """Return the active person of a name; capitals make no difference."""
    by_key = {name_key(each.name): each for each in people.list() if each.name != LOCAL}
    person = by_key.get(name_key(name))
    if person is None:
        close = difflib.get_close_matches(name_key(name), by_key, n=1, cutoff=0.5)
        names = [each.name for each in by_key.values()]
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        hint = f"did you mean {by_key[close[0]].name!r}? " if close else ""
        known = f"people: {', '.join(names[:MOST_NAMES])}{more}" if names else "nobody has an account yet"
        raise InputError(f"nobody is named {name!r}; {hint}{known}")
    if not person.active:
        raise InputError(f"{person.name} was deactivated, and could not sign in; an administrator activates them first")
    return person


def _counts(manifest: Manifest) -> str:
    rows = {name: int(contents["rows"]) for name, contents in manifest.tables.items()}
    return ", ".join(
        f"{rows.get(table, 0):,} {words}"
        for table, words in (("campaigns", "campaigns"), ("label_events", "events"), ("people", "people"))
    )


def _shown(database: Database) -> str:
    """Return the URL of a database without its password."""
    return database.url.render_as_string(hide_password=True)
