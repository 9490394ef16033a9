"""Where benchmarks leave their figures: `--json PATH` of every script, `results/NAME.json` if it is not given."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

_RESULTS: Final = Path(__file__).parent / "results"


def options(doc: str | None, name: str) -> argparse.ArgumentParser:
    """The options that all scripts have; `name` is that of their results, without a suffix."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json",
        type=Path,
        metavar="PATH",
        default=results(name),
        help="where to save the figures, and a plot beside them (default: %(default)s)",
    )
    return parser


def results(name: str) -> Path:
    """Where figures are kept if nothing else is said."""
    return _RESULTS / f"{name}.json"


def save(path: Path, figures: object) -> None:
    """Write figures, of whatever JSON knows, for `plot` to draw beside them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
