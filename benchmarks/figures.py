"""Options of all benchmarks, and where they leave their figures: `--json PATH`, or `results/NAME.json`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from children import gpu, machine, untuned
from plot import Row, plot
from timing import FEWEST_ROUNDS

_FOLDER: Final = Path(__file__).resolve().parent
_RESULTS: Final = _FOLDER / "results"


class Chart(Struct, frozen=True):
    """The plot beside the figures: rows with the value that each should reach."""

    title: str
    rows: Sequence[Row]
    bar: float
    unit: str = "x"
    lower_is_better: bool = False


def options(doc: str | None, name: str, rounds: int | None = None) -> argparse.ArgumentParser:
    """The options that all scripts have; `name` is that of their results, without a suffix.

    Scripts that run in rounds have `--rounds` too, `rounds` if it is not given.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json",
        type=Path,
        metavar="PATH",
        default=results(name),
        help="where to save the figures, and a plot beside them (default: %(default)s)",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="few rounds of small sizes, in seconds, to see that all runs; saved only where --json says",
    )
    if rounds is not None:
        parser.add_argument("--rounds", type=int, default=rounds, help="(default: %(default)s)")
    return parser


def parsed(parser: argparse.ArgumentParser, given: Sequence[str] | None = None) -> argparse.Namespace:
    """What was asked for; `--quick` means the fewest rounds, and no figures saved unless `--json` says where.

    A script that the environment keeps from comparing with libraries as they are begins again without that.
    """
    chosen = parser.parse_args(given)
    clean = untuned(os.environ)
    if given is None and clean != dict(os.environ) and _FOLDER in Path(sys.argv[0]).resolve().parents:
        os.execve(sys.executable, sys.orig_argv, clean)
    if chosen.quick:
        if "rounds" in chosen:
            chosen.rounds = min(chosen.rounds, FEWEST_ROUNDS)
        if chosen.json == parser.get_default("json"):
            chosen.json = None
    return chosen


def results(name: str) -> Path:
    """Where figures are kept if nothing else is said."""
    return _RESULTS / f"{name}.json"


def tell(overall: Mapping[str, object]) -> None:
    """Print what all cases amount to, by what is compared."""
    for what, value in overall.items():
        print(f"{what}: {value}")


def save(
    path: Path | None, cases: object, overall: Mapping[str, object] | None = None, chart: Chart | None = None
) -> None:
    """Write the machine and the GPU, if one was used, the cases, and what they amount to, of whatever JSON and `Struct`
    know; draw the chart beside it.

    Nothing without a path.
    """
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    used = {} if (name := gpu()) is None else {"gpu": name}
    figures = {"machine": machine(), **used, "cases": cases, "overall": overall or {}}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n")
    if chart is not None:
        plot(path, chart.title, chart.rows, chart.bar, chart.unit, lower_is_better=chart.lower_is_better)
