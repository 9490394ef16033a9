"""All benchmark scripts save their figures in one way."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(
    path.stem for path in BENCHMARKS.glob("*.py") if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
)


def test_the_scripts_are_found() -> None:
    assert {"batched_gemm", "launch", "parse", "vector_ops"} <= set(SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_says_where_its_figures_go(script: str) -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / f"{script}.py"), "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    said = re.sub(r"\s+", "", done.stdout)
    assert "--jsonPATH" in said
    assert f"results/{script}.json" in said
    # what the option says is what is written
    assert "figures.save(" in (BENCHMARKS / f"{script}.py").read_text(encoding="utf-8")


def test_figures_are_written_where_they_are_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    figures: Any = importlib.import_module("figures")
    path = tmp_path / "deep" / "mine.json"
    parser = figures.options("What.", "nothing")
    assert parser.parse_args([]).json == BENCHMARKS / "results" / "nothing.json"
    assert parser.parse_args(["--json", str(path)]).json == path
    figures.save(path, [{"name": "a", "ratio": 1.5}])
    assert json.loads(path.read_text()) == [{"name": "a", "ratio": 1.5}]
