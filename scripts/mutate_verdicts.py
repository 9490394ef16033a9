"""What became of mutants: on file, as a table by folder and as an exit status."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

BAR_OF_ALL: Final = 85
BAR_OF_A_FOLDER: Final = 75
"""Per cent of mutants that tests have to notice."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant: `killed` by which tests, or nothing noticed.

    `unsound` is what the tests say that fail without it; then it was not tried. `digest` is the mutant's.
    """

    name: str
    room: str
    killed: bool
    seconds: float
    by: str = ""
    unsound: str = ""
    digest: str = ""

    def __str__(self) -> str:
        if self.unsound:
            said = "not tried, its tests fail without it"
        else:
            said = f"killed by {self.by}" if self.killed else "SURVIVED"
        return f"{self.seconds:6.1f} s  {self.name}: {said}"


def read_verdicts(paths: Iterable[Path]) -> list[Verdict]:
    """Those of all files: of each mutant and its digest that by which it is dead, which nobody tried again, else the
    last."""
    entries: list[dict[str, Any]] = [entry for path in paths for entry in json.loads(path.read_text())]
    found: dict[tuple[str, str], Verdict] = {}
    for verdict in (Verdict(**entry) for entry in entries):
        key = verdict.name, verdict.digest
        if key not in found or not found[key].killed:
            found[key] = verdict
    return list(found.values())


def write_verdicts(verdicts: Sequence[Verdict], path: Path) -> None:
    """A line for each, in order of name. Whoever is stopped while writing leaves the file as it was."""
    lines = [json.dumps(_told(v)) for v in sorted(verdicts, key=lambda v: v.name)]
    new = path.with_name(path.name + ".new")
    new.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    new.replace(path)


def _told(verdict: Verdict) -> dict[str, Any]:
    return {key: value for key, value in asdict(verdict).items() if value != ""}


def share(verdicts: Sequence[Verdict]) -> float:
    """Per cent that were killed."""
    return 100 * sum(v.killed for v in verdicts) / len(verdicts)


def by_room(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """Verdicts of each folder, in order of name."""
    return {room: [v for v in verdicts if v.room == room] for room in sorted({v.room for v in verdicts})}


def table(verdicts: Sequence[Verdict], skipped: int, untried: int = 0) -> str:
    """Killed and tried by folder, then the survivors."""
    lines = ["| folder | killed | of | % |", "|---|---|---|---|"]
    for room, own in [*by_room(verdicts).items(), ("all", list(verdicts))]:
        lines.append(f"| {room} | {sum(v.killed for v in own)} | {len(own)} | {share(own):.0f} |")
    survivors = [f"survived: {v.name} ({v.room})" for v in verdicts if not v.killed]
    left = [f"{untried} others neither"] if untried else []
    return "\n".join([*lines, f"{skipped} equivalent mutants were not tried", *left, *survivors])


def shortfalls(verdicts: Sequence[Verdict]) -> list[str]:
    """What is below the bar: all, and folders."""
    found = [f"all: {share(verdicts):.0f} % < {BAR_OF_ALL} %"] if share(verdicts) < BAR_OF_ALL else []
    low = [(room, share(own)) for room, own in by_room(verdicts).items() if share(own) < BAR_OF_A_FOLDER]
    return [*found, *(f"{room}: {percent:.0f} % < {BAR_OF_A_FOLDER} %" for room, percent in low)]


def summary(verdicts: Sequence[Verdict], skipped: int, untried: int = 0) -> tuple[str, int]:
    """The table and what is wrong, and the exit status that says so."""
    sound = [v for v in verdicts if not v.unsound]
    low = shortfalls(sound) if sound else []
    lines = [table(sound, skipped, untried)] if sound else []
    lines += [f"below the bar: {line}" for line in low]
    failures = list(dict.fromkeys(v.unsound for v in verdicts if v.unsound))
    for failure in failures:
        names = ", ".join(v.name for v in verdicts if v.unsound == failure)
        lines.append(f"not tried: {names}, because without any mutant {failure}")
    return "\n".join(lines), 2 if failures else 1 if low else 0
