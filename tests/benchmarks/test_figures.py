"""All benchmark scripts save their figures in one way."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from warm.python import command

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(
    path.relative_to(BENCHMARKS).with_suffix("").as_posix()
    for folder in (BENCHMARKS, BENCHMARKS / "gpu")
    for path in folder.glob("*.py")
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
)


def test_the_scripts_are_found() -> None:
    assert {"batched_gemm", "launch", "parse", "vector_ops", "gpu/launch", "gpu/norms", "gpu/streaming"} <= set(SCRIPTS)


HELP = """
import contextlib, io, json, runpy, sys, traceback
from pathlib import Path

def said(path):
    out = io.StringIO()
    sys.argv[:] = [path, "--help"]
    sys.path[0] = str(Path(path).parent)
    # both folders have modules of the same name, and some change the path as they are imported
    files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
    for name in (name for name, file in files.items() if "benchmarks" in Path(file).parts):
        del sys.modules[name]
    with contextlib.redirect_stdout(out):
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as end:
            return out.getvalue() if not end.code else f"exit status {end.code}"
        except Exception:
            return traceback.format_exc()
    return out.getvalue()

print(json.dumps([said(path) for path in list(sys.argv[1:])]))
"""


@pytest.fixture(scope="module")
def helps() -> Mapping[str, str]:
    """What each script says to `--help`, or what goes wrong; in one process, since what they import takes longest."""
    line = [*command(), "-c", HELP, *(str(BENCHMARKS / f"{script}.py") for script in SCRIPTS)]
    done = subprocess.run(line, capture_output=True, text=True, check=True, timeout=120)
    return dict(zip(SCRIPTS, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_says_where_its_figures_go(script: str, helps: Mapping[str, str]) -> None:
    said = re.sub(r"\s+", "", helps[script])
    assert "--jsonPATH" in said
    assert f"results/{script.replace('/', '_')}.json" in said
    assert "--quick" in said
    # what the option says is what is written
    text = (BENCHMARKS / f"{script}.py").read_text(encoding="utf-8")
    assert "figures.save(" in text
    # and what --quick means is what is done
    assert "figures.parsed(" in text


@pytest.fixture(scope="module")
def figures(imported: Any) -> Any:
    return imported("figures")


def test_figures_are_written_where_they_are_wanted(figures: Any, imported: Any, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "mine.json"
    parser = figures.options("What.", "nothing")
    assert figures.parsed(parser, []).json == BENCHMARKS / "results" / "nothing.json"
    assert figures.parsed(parser, ["--json", str(path)]).json == path
    spread = imported("spread").Spread.of([1.0, 1.5, 2.0])
    figures.save(path, [{"name": "a", "ratio": spread}], {"all": spread}, figures.Chart("t", [("a", 1.5)], 1.0))
    found = json.loads(path.read_text())
    assert found["cases"][0]["ratio"] == found["overall"]["all"]
    assert found["overall"]["all"]["lower"] == 1.25
    assert found["machine"]
    assert "gpu" not in found
    assert path.with_suffix(".svg").exists()


def test_figures_say_which_gpu_was_used(figures: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Cuda:
        used = False

        def is_initialized(self) -> bool:
            return self.used

        def get_device_name(self) -> str:
            return "NVIDIA H100 80GB HBM3"

    torch: Any = ModuleType("torch")
    torch.cuda = Cuda()
    monkeypatch.setitem(sys.modules, "torch", torch)
    for torch.cuda.used, wanted in ((False, None), (True, "H100")):
        figures.save(tmp_path / "mine.json", [])
        assert json.loads((tmp_path / "mine.json").read_text()).get("gpu") == wanted


def test_quick_runs_leave_kept_figures_alone(figures: Any, tmp_path: Path) -> None:
    parser = figures.options("What.", "nothing", rounds=21)
    quick = figures.parsed(parser, ["--quick"])
    assert (quick.json, quick.rounds) == (None, 3)
    figures.save(quick.json, [])
    assert figures.parsed(parser, ["--quick", "--rounds", "2"]).rounds == 2
    path = tmp_path / "mine.json"
    assert figures.parsed(parser, ["--quick", "--json", str(path)]).json == path
    assert figures.parsed(parser, []).rounds == 21


class Begun(Exception):
    """A process begins again."""


@pytest.mark.parametrize("script", ["benchmarks/large_gemm.py", "elsewhere/pytest"])
def test_scripts_begin_again_where_libraries_are_told_what_to_be(
    script: str, imported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures, seen = imported("figures"), list[str]()

    def begin(_program: str, _arguments: object, environment: Mapping[str, str]) -> None:
        seen.extend(environment)
        raise Begun

    monkeypatch.setattr(figures.os, "execve", begin)
    monkeypatch.setattr(sys, "argv", [str(BENCHMARKS.parent / script)])
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    if script.startswith("elsewhere"):
        assert figures.parsed(figures.options("", "name")).quick is False
        return
    with pytest.raises(Begun):
        figures.parsed(figures.options("", "name"))
    assert "OPENBLAS_NUM_THREADS" in seen
    assert "OPENBLAS_CORETYPE" not in seen
