"""What is imported to do little: start-up time is spent on nothing else. Counted, for times depend on the machine."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
DEPENDENCIES = {"numpy", "llvmlite", "ml_dtypes", "click", "rich", "platformdirs", "filelock", "msgspec"}
SHOW = "import atexit, json, sys; atexit.register(lambda: print('\\n' + json.dumps(sorted(sys.modules))))\n"
LLVM_VERSION = {"llvmlite", "llvmlite._version"}
without_llvm = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="elsewhere LLVM says what the processor is"
)
LAUNCH = """
import numpy as np
import tilewright as tw
program = tw.compile("func @k(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) { axpby %a, %x, %b, %y }")
x = np.ones(100, np.float32)
for _ in range(5):
    program.k[3](1.0, x, 1.0, x.copy())
with open("/proc/self/maps") as maps:
    assert "llvmlite" in sys.modules
    assert ("llvmlite.binding" in sys.modules) == ("libllvmlite" in maps.read())
"""
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
    """Dependencies, the first names below `tilewright`, and all modules of llvmlite."""

    dependencies: set[str]
    parts: set[str]
    llvm: set[str] = field(default_factory=set[str], compare=False)


def imported_by(code: str) -> Imported:
    """What a fresh interpreter has imported when the code is done."""
    done = subprocess.run([sys.executable, "-c", SHOW + code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    modules: list[str] = json.loads(done.stdout.splitlines()[-1])
    roots = {name.partition(".")[0] for name in modules}
    llvm = {name for name in modules if name.partition(".")[0] == "llvmlite"}
    return Imported(roots & DEPENDENCIES, {m.split(".")[1] for m in modules if m.startswith("tilewright.")}, llvm)


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


@without_llvm
def test_a_program_from_the_cache_imports_no_compiler(tmp_path: Path) -> None:
    kernel = str(EXAMPLES / "fused_kernel.tl")
    compiled = f"import tilewright as tw\ntw.compile({kernel!r})\ntw.compile({kernel!r}, target='nvidia:sm_80')\n"
    first, second = (imported_by(with_cache(tmp_path) + compiled) for _ in range(2))
    assert {"ir", "frontends", "transforms"} <= first.parts
    assert "numpy" not in first.dependencies, "no constant of it is an array"
    assert not {"ir", "dialects", "transforms", "compiler"} & second.parts
    # of llvmlite only its version
    assert second.dependencies == {"llvmlite", "msgspec"}
    assert second.llvm == LLVM_VERSION


@without_llvm
def test_a_launch_of_a_program_from_the_cache_loads_no_llvm(tmp_path: Path) -> None:
    """Neither to know the processor, nor for machine code of the runtime, nor to link."""
    launched = with_cache(tmp_path) + LAUNCH
    first, second = imported_by(launched), imported_by(launched)
    assert "llvmlite.binding" in first.llvm
    assert second.llvm == LLVM_VERSION
    assert not second.parts & {"ir", "dialects", "transforms", "compiler"}


def with_cache(folder: Path) -> str:
    return f"import os\nos.environ.update(TILEWRIGHT_CACHE='rw', TILEWRIGHT_CACHE_DIR={str(folder)!r})\n"


@pytest.mark.parametrize("name", ["fused_kernel.tl", "softmax.tileir"])
def test_compiling_imports_no_array_library(name: str) -> None:
    compiled = f"import tilewright as tw\ntw.compile({str(EXAMPLES / name)!r}, cache=False)"
    assert imported_by(compiled).dependencies == {"llvmlite", "msgspec"}
