"""What is imported to do little: start-up time is spent on nothing else. Counted, for times depend on the machine."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
DEPENDENCIES = {"numpy", "llvmlite", "ml_dtypes", "click", "rich", "platformdirs", "filelock", "msgspec"}
SHOW = "import atexit, json, sys; atexit.register(lambda: print('\\n' + json.dumps(sorted(sys.modules))))\n"
READING = {
    "languages",
    "cli",
    "compile_options",
    "compiler",
    "diagnostics",
    "dialects",
    "files",
    "frontends",
    "ir",
    "numerics",
    "plugins",
    "version",
}


@dataclass(frozen=True, slots=True)
class Imported:
    """Dependencies, and the first names below `tilewright`."""

    dependencies: set[str]
    parts: set[str]


def imported_by(code: str) -> Imported:
    """What a fresh interpreter has imported when the code is done."""
    done = subprocess.run([sys.executable, "-c", SHOW + code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    modules: list[str] = json.loads(done.stdout.splitlines()[-1])
    roots = {name.partition(".")[0] for name in modules}
    return Imported(roots & DEPENDENCIES, {m.split(".")[1] for m in modules if m.startswith("tilewright.")})


def imported_by_command(*arguments: str) -> Imported:
    """As `imported_by`, for a call of `tilewright`."""
    return imported_by(f"sys.argv = {['tilewright', *arguments]}\nfrom tilewright.cli.main import main\nmain()")


def test_the_package_imports_nothing() -> None:
    assert imported_by("import tilewright") == Imported(set(), set())


def test_the_version_imports_no_verb() -> None:
    assert imported_by_command("--version") == Imported({"click"}, {"cli", "version"})


@pytest.mark.parametrize(
    "arguments", [("check", "fused_kernel.tl"), ("check", "matmul.tileir"), ("fmt", "--check", "fused_kernel.tl")]
)
def test_reading_a_kernel_imports_neither_numpy_nor_a_target(arguments: tuple[str, ...]) -> None:
    *verb, name = arguments
    found = imported_by_command(*verb, str(EXAMPLES / name))
    assert found.dependencies == {"click", "msgspec"}
    assert found.parts <= READING


def test_a_program_from_the_cache_imports_no_compiler(tmp_path: Path) -> None:
    kernel = str(EXAMPLES / "fused_kernel.tl")
    compiled = (
        f"import tilewright as tw\nwith tw.config(cache='rw', cache_dir={str(tmp_path)!r}): tw.compile({kernel!r})"
    )
    first, second = imported_by(compiled), imported_by(compiled)
    assert {"ir", "frontends", "transforms"} <= first.parts
    assert not {"ir", "dialects", "transforms", "compiler"} & second.parts
    assert not {"ml_dtypes", "filelock"} & second.dependencies


@pytest.mark.parametrize("name", ["fused_kernel.tl", "softmax.tileir"])
def test_compiling_imports_no_array_library(name: str) -> None:
    compiled = f"import tilewright as tw\ntw.compile({str(EXAMPLES / name)!r}, cache=False)"
    assert imported_by(compiled).dependencies == {"llvmlite", "msgspec"}
