"""The checker: pure functions from a history and the log to violations. It knows nothing of servers and databases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tests.e2e.faults.history import DECISIONS, Act, LogRow, Outcome, Snapshot, Violation


def check_log(acts: Sequence[Act], rows: Sequence[LogRow], overlap: int) -> list[Violation]:
    """Check everything that the log of one campaign and the acts on it can say together."""
    return [
        *check_acts(acts, rows),
        *check_unasked(acts, rows),
        *check_undo(acts, rows),
        *check_order(acts, rows),
        *check_graders(rows, overlap),
    ]


# Every act exactly once, and nothing else ----------------------------------------------------------------------------


class Index:
    """The log by what tells acts apart: the token of a decision or undo, the text of a draft or note."""

    def __init__(self, rows: Iterable[LogRow]) -> None:
        self.tokens: dict[str, list[LogRow]] = defaultdict(list)
        self.texts: dict[tuple[str, str], list[LogRow]] = defaultdict(list)
        for row in rows:
            if row.token is not None:
                self.tokens[row.token].append(row)
            if row.kind in ("draft", "note"):
                self.texts[row.kind, row.text].append(row)

    def of(self, act: Act) -> list[LogRow]:
        """Return the rows that stand where an act's own would stand, whatever they say."""
        if act.kind == "draft":
            return self.texts.get(("draft", act.text), [])
        return self.tokens.get(act.mark, [])

    def notes(self, act: Act) -> list[LogRow]:
        """Return the notes that a decision left."""
        return self.texts.get(("note", act.text), []) if act.text and act.kind in DECISIONS else []


def says(row: LogRow, act: Act) -> bool:
    """Say whether a row is what an act asked for."""
    if row.kind != act.kind or row.person != act.person or row.grade != act.grade:
        return False
    if act.kind == "draft" and row.text != act.text:
        return False
    return act.kind == "undo" or row.row == act.row


def check_acts(acts: Sequence[Act], rows: Sequence[LogRow]) -> list[Violation]:
    """Acknowledged: in the log once, as asked. Refused: not there. Unknown: at most once."""
    index, asked, found = Index(rows), _asked(acts), []
    for act in acts:
        own = [row for row in index.of(act) if says(row, act)]
        notes = index.notes(act)
        if len(own) > 1 or len(notes) > 1:
            found.append(Violation("doubled", f"{act} is in the log {max(len(own), len(notes))} times"))
        if act.outcome is Outcome.ACKNOWLEDGED:
            if not own:
                others = index.of(act)
                if others:
                    found.append(Violation("changed", f"{act} was acknowledged, but the log has {others[0]}"))
                else:
                    found.append(Violation("lost", f"{act} was acknowledged and is not in the log"))
            elif act.kind in DECISIONS and act.text and not notes:
                found.append(Violation("lost", f"the note of {act} was acknowledged and is not in the log"))
        # Another tab may have asked for the same with success; then the row is that tab's.
        elif act.outcome is Outcome.REFUSED and ((own and not asked[_content(act)]) or notes):
            found.append(Violation("refused but written", f"{act}; {(own or notes)[0]}"))
    return found


def _content(act: Act) -> tuple[object, ...]:
    return (act.mark, act.kind, act.person, act.row, act.grade)


def _asked(acts: Sequence[Act]) -> Counter[tuple[object, ...]]:
    """Count what was asked for and not refused: two tabs may ask for the same, and then one row is of both."""
    return Counter(_content(act) for act in acts if act.outcome is not Outcome.REFUSED)


def check_unasked(acts: Sequence[Act], rows: Sequence[LogRow]) -> list[Violation]:
    """Nothing stands in the log that nobody asked for."""
    marks: dict[str, list[Act]] = defaultdict(list)
    drafts = {act.text for act in acts if act.kind == "draft"}
    notes = {act.text for act in acts if act.kind in DECISIONS and act.text}
    for act in acts:
        marks[act.mark].append(act)
    found = []
    for row in rows:
        if row.kind == "draft":
            asked = row.text in drafts
        elif row.kind == "note":
            asked = row.text in notes
        else:
            asked = any(says(row, act) for act in marks.get(row.token or "", []))
        if not asked:
            found.append(Violation("not asked for", str(row)))
    return found


# Undo ----------------------------------------------------------------------------------------------------------------


def check_undo(acts: Sequence[Act], rows: Sequence[LogRow]) -> list[Violation]:
    """An undo takes back one decision: the person's own, their last that stands, and the one that it names."""
    found: list[Violation] = []
    standing: dict[int | None, list[LogRow]] = defaultdict(list)
    undone: set[int] = set()
    names = {act.mark: act.takes_back for act in acts if act.kind == "undo" and act.takes_back is not None}
    for row in rows:
        if row.kind in DECISIONS:
            standing[row.person].append(row)
        elif row.kind == "undo":
            last = standing[row.person][-1] if standing[row.person] else None
            if row.undoes in undone:
                found.append(Violation("undone twice", str(row)))
            elif last is None or last.id != row.undoes:
                found.append(Violation("wrong undo", f"{row}, but the last that stands is {last}"))
            else:
                named = names.get(row.token or "")
                if named is not None and last.id != named:
                    found.append(Violation("wrong undo", f"{row} took back {last}, but named event {named}"))
                standing[row.person].pop()
            undone.add(row.undoes or 0)
    return found


# Order ---------------------------------------------------------------------------------------------------------------


def check_order(acts: Sequence[Act], rows: Sequence[LogRow]) -> list[Violation]:
    """What was acknowledged before another act was begun stands before it: no older draft lies over a newer one."""
    index, asked = Index(rows), _asked(acts)
    placed = []
    for act in acts:
        own = [row for row in index.of(act) if says(row, act)]
        alone = asked[_content(act)] == 1 or act.kind == "draft"
        if own and alone and act.outcome is Outcome.ACKNOWLEDGED and act.completed is not None:
            placed.append((act, own[0]))
    ended = sorted(placed, key=lambda pair: pair[0].completed or 0.0)
    found, place, latest = [], 0, None
    for act, row in sorted(placed, key=lambda pair: pair[0].invoked):
        while place < len(ended) and (ended[place][0].completed or 0.0) < act.invoked:
            if latest is None or ended[place][1].id > latest[1].id:
                latest = ended[place]
            place += 1
        if latest is not None and latest[1].id > row.id:
            words = f"{row} of {act} stands before {latest[1]} of {latest[0]}, which was acknowledged before it began"
            found.append(Violation("out of order", words))
    return found


def check_prefix(earlier: Snapshot, later: Snapshot) -> list[Violation]:
    """The log is appended to, and nothing else: what was read once is read again, and what is new comes after it."""
    count = len(earlier.rows)
    if later.rows[:count] == earlier.rows:
        return []
    after = dict(enumerate(later.rows))
    place = next(n for n, row in enumerate(earlier.rows) if after.get(n) != row)
    return [Violation("log rewritten", f"at place {place} stood {earlier.rows[place]}, now {after.get(place)}")]


# People --------------------------------------------------------------------------------------------------------------


def check_graders(rows: Sequence[LogRow], overlap: int) -> list[Violation]:
    """At no moment has a document grades of more people than were asked for."""
    acts: dict[tuple[int, int | None], list[LogRow]] = defaultdict(list)
    people: dict[int, set[int | None]] = defaultdict(set)
    by_id = {row.id: row for row in rows}
    found, told = [], set()
    for row in rows:
        if row.kind in DECISIONS:
            acts[row.row, row.person].append(row)
            people[row.row].add(row.person)
        elif row.kind == "undo" and row.undoes in by_id:
            taken = by_id[row.undoes]
            if taken in acts[taken.row, taken.person]:
                acts[taken.row, taken.person].remove(taken)
        else:
            continue
        graders = [p for p in people[row.row] if acts[row.row, p] and acts[row.row, p][-1].kind == "grade"]
        if len(graders) > overlap and row.row not in told:
            told.add(row.row)
            words = f"document {row.row} has grades of {len(graders)} people with overlap {overlap} after {row}"
            found.append(Violation("too many graders", words))
    return found


def graders_of(rows: Sequence[LogRow]) -> dict[int, set[int | None]]:
    """Return who stands by a grade of each document at the end of the log."""
    undone = {row.undoes for row in rows if row.kind == "undo"}
    last = {(row.row, row.person): row for row in rows if row.kind in DECISIONS and row.id not in undone}
    graders: dict[int, set[int | None]] = defaultdict(set)
    for (document, person), row in last.items():
        if row.kind == "grade":
            graders[document].add(person)
    return graders


def check_held(snapshot: Snapshot, overlap: int) -> list[Violation]:
    """No document is held or graded by more people than were asked for: with overlap 1, by nobody but one."""
    people: dict[int, set[int | None]] = defaultdict(set)
    for document, person in snapshot.held:
        people[document].add(person)
    graders = graders_of(snapshot.rows)
    found = []
    for document, holders in people.items():
        together = holders | graders.get(document, set())
        if len(together) > overlap:
            words = f"document {document} is held or graded by {sorted(together, key=str)} with overlap {overlap}"
            found.append(Violation("held by too many", words))
    return found


def check_present(acts: Sequence[Act], snapshot: Snapshot) -> list[Violation]:
    """Whatever was acknowledged before the log was read is in what was read."""
    index, found = Index(snapshot.rows), []
    for act in acts:
        done = act.outcome is Outcome.ACKNOWLEDGED and act.completed is not None and act.completed < snapshot.at
        if done and not index.of(act):
            found.append(Violation("lost", f"{act} was acknowledged and was not in the log that was read afterwards"))
    return found


# Processes -----------------------------------------------------------------------------------------------------------


def check_same(what: str, answers: Mapping[str, object]) -> list[Violation]:
    """Every process gives the same answer."""
    first = next(iter(answers.values()), None)
    if all(answer == first for answer in answers.values()):
        return []
    told = "; ".join(f"{process}: {str(answer)[:300]}" for process, answer in answers.items())
    return [Violation("processes differ", f"{what}: {told}")]
