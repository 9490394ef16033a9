"""The tables of speeds, from what the benchmarks saved: every figure in them is one of `benchmarks/results`.

    python scripts/speed_table.py [--write] [--results FOLDER]

Prints what docs/speed.md has of every claim (speed_claims.py). With `--write` it replaces that there, and README's
table of the headlines, between the two comments that name this script. A claim without measurements in its results is
an error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from speed_claims import GPU, Claim, Section, claims, sections

ROOT: Final = Path(__file__).resolve().parent.parent
BEGIN: Final = "<!-- written by scripts/speed_table.py -->"
END: Final = "<!-- end of what scripts/speed_table.py writes -->"
HEAD: Final = (
    "| what | script | machine | median; of several cases their geometric mean | lowest | highest | below 1 |",
    "|---|---|---|---|---|---|---|",
)
SHORT_HEAD: Final = ("| what | median; of several cases their geometric mean | lowest |", "|---|---|---|")


class Results:
    """What the benchmarks saved, each file read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, Mapping[str, Any]] = {}

    def of(self, claim: Claim) -> Mapping[str, Any]:
        """All of the file that a claim names; nothing if there is no file, or one from before there was anything about
        all cases in it (a list)."""
        if claim.results not in self._read:
            path = self._folder / f"{claim.results}.json"
            content: Any = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            self._read[claim.results] = cast("Mapping[str, Any]", content) if isinstance(content, dict) else {}
        return self._read[claim.results]


def page(results: Results, wanted: Iterable[Section]) -> Iterator[str]:
    """The lines of docs/speed.md; SystemExit where something is not measured."""
    for section in wanted:
        yield from ("", f"## {section.title}", "", *HEAD)
        yield from (row(claim, results.of(claim)) for claim in section.claims)


def headlines(results: Results, wanted: Iterable[Claim]) -> Iterator[str]:
    """The lines of README's table; SystemExit where something is not measured."""
    yield from SHORT_HEAD
    for claim in wanted:
        if claim.headline:
            median, lowest, *_ = _figures(claim, results.of(claim))
            yield f"| {_what(claim, results.of(claim))} | {median} | {lowest} |"


def row(claim: Claim, results: Mapping[str, Any]) -> str:
    """One line of docs/speed.md."""
    figures = _figures(claim, results)
    return f"| {_what(claim, results)} | `{claim.script}` | {results['machine']} | " + " | ".join(figures) + " |"


def _what(claim: Claim, results: Mapping[str, Any]) -> str:
    """What a claim says, and on which GPU that was."""
    if not claim.what.startswith(GPU):
        return claim.what
    if "gpu" not in results:
        raise SystemExit(
            f"benchmarks/results/{claim.results}.json does not say on which GPU; run {claim.script} on one"
        )
    return f"{results['gpu']}: {claim.what.removeprefix(GPU)}"


def _figures(claim: Claim, results: Mapping[str, Any]) -> list[str]:
    """One case has quartiles and extremes of its rounds, several have the cases at both ends."""
    overall = results.get("overall", {})
    if claim.key not in overall:
        raise SystemExit(f"benchmarks/results/{claim.results}.json says nothing of {claim.key!r}; run {claim.script}")
    value, unit = overall[claim.key], claim.unit
    if "geometric_mean" in value:
        return [
            f"{value['geometric_mean']:.2f}, {value['cases']} cases",
            f"{_spread(value['lowest'])}, {_case(value['lowest_case'])}",
            f"{_spread(value['highest'])}, {_case(value['highest_case'])}",
            f"{value['below_one']} of {value['cases']}",
        ]
    return [f"{_spread(value)}{unit}", f"{value['lowest']:.2f}{unit}", f"{value['highest']:.2f}{unit}", ""]


def _spread(value: Mapping[str, float]) -> str:
    return f"{value['median']:.2f} [{value['lower']:.2f}, {value['upper']:.2f}]"


def _case(name: str) -> str:
    return " ".join(name.split())


def replaced(text: str, lines: Iterable[str]) -> str:
    """A page with these lines between the two comments; SystemExit if they are not there."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"the page lacks {BEGIN!r} or {END!r}")
    return before + BEGIN + "\n\n" + "\n".join(lines).strip("\n") + "\n\n" + END + after


def _rewrite(path: Path, lines: Iterable[str]) -> None:
    path.write_text(replaced(path.read_text(encoding="utf-8"), lines), encoding="utf-8")


def main() -> None:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="into docs/speed.md and README")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    options = parser.parse_args()
    results = Results(options.results)
    if options.write:
        _rewrite(ROOT / "docs" / "speed.md", page(results, sections()))
        _rewrite(ROOT / "README.md", headlines(results, claims()))
    else:
        sys.stdout.write("\n".join(page(results, sections())) + "\n")


if __name__ == "__main__":
    main()
