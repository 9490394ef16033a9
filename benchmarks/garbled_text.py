"""How near to the damage the first error stands: one edit in what `mlir-opt` printed, for each kind of edit.

The texts are those in `tests/frontends/mlir/printed`. Of the edits that make a program wrong, the share is told whose
first error begins within a line of it (the bar is 95 %); others leave it right, or are found on a line further away.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Final

from msgspec import Struct

import figures
from tilewright.diagnostics import Report, Severity, Source
from tilewright.frontends.mlir import read_mlir_file

BAR: Final = 0.95
_TEXTS: Final = Path(__file__).parent.parent / "tests" / "frontends" / "mlir" / "printed"
_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|[A-Za-z_0-9$.]+|[%@#!^][A-Za-z_0-9$.-]*|->|[^\s/]')


class Place(Enum):
    """Where the first error of a text stands."""

    NOWHERE = "no error"
    NEAR = "within a line"
    FAR = "further away"


class Edited(Struct, frozen=True):
    """A text with an edit at an offset."""

    text: str
    at: int


class Case(Struct, frozen=True):
    """Edits of one kind: how many there were, made the program wrong, and were found within a line; and that share."""

    edit: str
    tried: int
    wrong: int
    near: int
    share: float


def _token(rng: random.Random, text: str) -> re.Match[str]:
    return rng.choice(list(_TOKEN.finditer(text)))


def _replaced(text: str, begin: int, end: int, by: str) -> Edited:
    return Edited(text[:begin] + by + text[end:], begin)


def _exchanged(rng: random.Random, text: str) -> Edited:
    token = _token(rng, text)
    return _replaced(text, *token.span(), _token(rng, text)[0])


def _dropped(rng: random.Random, text: str) -> Edited:
    return _replaced(text, *_token(rng, text).span(), "")


def _doubled(rng: random.Random, text: str) -> Edited:
    token = _token(rng, text)
    return _replaced(text, token.end(), token.end(), f" {token[0]}")


def _mistyped(rng: random.Random, text: str) -> Edited:
    token = _token(rng, text)
    at = rng.randrange(*token.span())
    return _replaced(text, at, at + 1, rng.choice("abxyz019%#@()[]{}<>:,=-"))


def _lost(rng: random.Random, text: str) -> Edited:
    at = rng.randrange(*_token(rng, text).span())
    return _replaced(text, at, at + 1, "")


EDITS: Final[Mapping[str, Callable[[random.Random, str], Edited]]] = {
    "a token in the place of another": _exchanged,
    "a token left out": _dropped,
    "a token twice": _doubled,
    "a character mistyped": _mistyped,
    "a character left out": _lost,
}


def place_of(edited: Edited) -> Place:
    """Where the first error stands."""
    report = Report()
    read_mlir_file(Source("edited.mlir", edited.text), report)
    first = next((found for found in report.diagnostics if found.severity is Severity.ERROR), None)
    if first is None:
        return Place.NOWHERE
    place = first.location.primary
    assert place is not None, str(first)
    lines = [edited.text.count("\n", 0, at) for at in (edited.at, place.start)]
    return Place.NEAR if abs(lines[0] - lines[1]) <= 1 else Place.FAR


def case(edit: str, count: int, rng: random.Random, texts: list[str]) -> Case:
    """So many edits of one kind."""
    found = [place_of(EDITS[edit](rng, rng.choice(texts))) for _ in range(count)]
    near = found.count(Place.NEAR)
    wrong = near + found.count(Place.FAR)
    return Case(edit, count, wrong, near, near / max(wrong, 1))


def main() -> None:
    parser = figures.options(__doc__, "garbled_text")
    parser.add_argument("--count", type=int, default=500, help="edits of each kind (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    options = figures.parsed(parser)
    texts = [path.read_text() for path in sorted(_TEXTS.glob("*.mlir"))]
    count, rng = 20 if options.quick else options.count, random.Random(options.seed)
    cases = [case(edit, count, rng, texts) for edit in EDITS]
    wrong, near = sum(one.wrong for one in cases), sum(one.near for one in cases)
    cases.append(Case("all", count * len(EDITS), wrong, near, near / max(wrong, 1)))
    print(f"{'edit':<32} {'tried':>6} {'wrong':>6} {'near':>6} {'share':>8}")
    for one in cases:
        print(f"{one.edit:<32} {one.tried:>6} {one.wrong:>6} {one.near:>6} {one.share:>8.1%}")
    overall = {"share of first errors within a line": near / max(wrong, 1), "bar": BAR}
    figures.save(options.json, cases, overall)


if __name__ == "__main__":
    main()
