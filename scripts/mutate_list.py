"""The mutants of scripts/mutants/*.toml: which there are, what they make of a file, in which order they are tried."""

from __future__ import annotations

import argparse
import ast
import hashlib
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "scripts" / "mutants"
_DEEP: Final = (("targets",), ("frontends",))


class Misfit(ValueError):
    """A mutant that cannot be made: its text does not stand in its file once, or what comes of it is no Python."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mistake: `was` stands in `file` once; `equivalent` says why no test could ever notice, where that is so."""

    name: str
    file: str
    was: str
    becomes: str
    tests: tuple[str, ...]
    equivalent: str = ""

    @property
    def room(self) -> str:
        """The folder that the table counts it under: two levels for targets and frontends, one for the others."""
        parts = Path(self.file).relative_to("src/tilewright").parts[:-1]
        return "/".join(parts[:2] if parts[:1] in _DEEP else parts[:1]) or "(top)"

    @property
    def digest(self) -> str:
        """What a verdict holds for: the mistake and the tests that should notice it, not the rest of the code."""
        told = repr((self.file, self.was, self.becomes, self.tests))
        return hashlib.sha256(told.encode()).hexdigest()[:12]


def mutants() -> list[Mutant]:
    """All entries of all lists, in order."""
    found: list[Mutant] = []
    for path in sorted(FOLDER.glob("*.toml")):
        entries: list[dict[str, Any]] = tomllib.loads(path.read_text())["mutant"]
        found += [_entry(entry) for entry in entries]
    return found


def _entry(entry: Mapping[str, Any]) -> Mutant:
    name, file, was, becomes = (str(entry[key]) for key in ("name", "file", "was", "becomes"))
    return Mutant(name, file, was, becomes, tuple(map(str, entry["tests"])), str(entry.get("equivalent", "")))


def mutated(mutant: Mutant, root: Path = ROOT) -> str:
    """The file with the mistake in it. Raises Misfit, with where the text stands now, unless it is there once."""
    path = root / mutant.file
    text = path.read_text() if path.exists() else None
    count = 0 if text is None else text.count(mutant.was)
    if text is not None and count == 1:
        return text.replace(mutant.was, mutant.becomes)
    found = (
        f"there is no {mutant.file}" if text is None else f"its text stands {count} times in {mutant.file}, not once"
    )
    others = [str(other) for other in _holding(mutant.was, root) if str(other) != mutant.file]
    hint = f"; it stands in {', '.join(others)}" if others and count == 0 else ""
    raise Misfit(f"{mutant.name}: {found}{hint}")


def _holding(text: str, root: Path) -> Iterator[Path]:
    for path in sorted((root / "src").rglob("*.py")):
        if text in path.read_text():
            yield path.relative_to(root)


def misfits(chosen: Sequence[Mutant]) -> list[str]:
    """What cannot be made any longer, and why."""
    found: list[str] = []
    for mutant in chosen:
        try:
            mutated(mutant)
        except Misfit as error:
            found.append(str(error))
    return found


def check_syntax(mutant: Mutant, root: Path = ROOT) -> None:
    """Raises Misfit unless a test could meet the mistake: what is no Python fails everything."""
    try:
        ast.parse(mutated(mutant, root))
    except SyntaxError as error:
        raise Misfit(f"{mutant.name}: what it makes of {mutant.file} is no Python: {error}") from None


def in_order(chosen: Sequence[Mutant], root: Path = ROOT) -> list[Mutant]:
    """Those with little text of tests first, and one for each set of tests before the second of any.

    So a run that is cut off has tried many, and no two wait for what the same tests say of the code as it is.
    """
    sizes = {tests: sum(_size(root / test.split("::")[0]) for test in tests) for tests in {m.tests for m in chosen}}
    seen: Counter[tuple[str, ...]] = Counter()
    ranked: list[tuple[int, int, Mutant]] = []
    for mutant in chosen:
        ranked.append((seen[mutant.tests], sizes[mutant.tests], mutant))
        seen[mutant.tests] += 1
    return [mutant for *_, mutant in sorted(ranked, key=lambda entry: entry[:2])]


def _size(path: Path) -> int:
    files = path.rglob("*.py") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


@dataclass(frozen=True, slots=True)
class Part:
    """The `number`-th of `count` parts: mutants of the same tests are in the same one, which asks them once."""

    number: int = 1
    count: int = 1

    def of(self, chosen: Sequence[Mutant]) -> list[Mutant]:
        """The part of these, in their order."""
        tests = list(dict.fromkeys(m.tests for m in chosen))
        own = set(tests[self.number - 1 :: self.count])
        return [m for m in chosen if m.tests in own]


def part(text: str) -> Part:
    """The part that `K/N` names."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError(f"{text!r} is not K/N with K from 1 to N")
    return Part(int(number), int(count))
