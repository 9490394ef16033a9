"""What packages of other people add, and what is said of those that cannot be used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from .package import documented_files, installed, run, succeed

PROJECT = """
[project]
name = "their-package"
version = "2.1"

[project.entry-points."tilewright.plugins"]
theirs = "theirs:PLUGIN"
"""

COMPILE = """
import tilewright as tw
try:
    tw.compile("func @f() {}")
except tw.PluginError as error:
    print(error)
"""
OPTIMISE = """
import sys
from tilewright.cli.main import main
sys.argv = ["tilewright", "opt", "-"]
main()
"""
COMMANDS = """
import json, sys
tests, calls = map(json.loads, sys.argv[1:])
sys.path.append(tests)
from cli.command import run
done = [run(*call) for call in calls]
print(json.dumps([(each.returncode, each.stdout, each.stderr) for each in done]))
"""


def package(folder: Path, module: str, others: Mapping[str, str] | None = None) -> Path:
    """A package whose plug-in is `PLUGIN` of a module of this text."""
    return installed(folder, {"pyproject.toml": PROJECT, "theirs.py": module, **(others or {})})


@pytest.mark.parametrize(
    ("module", "what"),
    [
        ("import absent_module", "cannot be loaded from theirs:PLUGIN: ModuleNotFoundError: No module named 'absent_"),
        ("1 / 0", "cannot be loaded from theirs:PLUGIN: ZeroDivisionError"),
        ("", "cannot be loaded from theirs:PLUGIN: AttributeError"),
        ("PLUGIN = 42", "cannot be used: theirs:PLUGIN is a int, no Plugin"),
        (
            "import tilewright as tw\nfrom their_languages import Taken\nPLUGIN = tw.Plugin(languages=(Taken(),))",
            "cannot be used: there is a language",
        ),
    ],
)
def test_broken_plug_ins_are_named(tmp_path: Path, module: str, what: str) -> None:
    languages = "from tilewright.languages.tile_ir import TileIR as Taken"
    site = package(tmp_path, module, {"their_languages.py": languages})
    done = run("-c", COMPILE + OPTIMISE, packages=site)
    assert f"plug-in 'theirs' of their-package 2.1 {what}" in done.stdout
    assert done.returncode == 2
    assert what.split(":")[0] in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("declared", "used", "what"),
    [
        (
            "class Again(Operation, name='tile.load'): ''",
            "from tilewright.dialects import operation_classes as used",
            "an operation 'tile.load'",
        ),
        (
            "class Again(Axpby, name='theirs.gemm'): ''",
            "from tilewright.frontends.tensor_language.parser import instructions as used",
            "an instruction 'gemm'",
        ),
    ],
)
def test_names_that_are_taken(tmp_path: Path, declared: str, used: str, what: str) -> None:
    dialect = f"from tilewright.dialects.tl import Axpby\nfrom tilewright.ir.definition import Operation\n{declared}\n"
    site = package(
        tmp_path,
        "import tilewright as tw\nimport their_dialect\nPLUGIN = tw.Plugin(dialects=(their_dialect,))",
        {"their_dialect.py": dialect},
    )
    program = f"import tilewright as tw\n{used}\ntry:\n    used()\nexcept tw.PluginError as error:\n    print(error)"
    assert f"cannot be used: there is {what} already" in succeed("-c", program, packages=site)


def test_nothing_is_looked_up_without_plug_ins() -> None:
    program = """
import sys
import tilewright as tw
before = "importlib.metadata" in sys.modules
assert "tilewright.plugins" not in sys.modules
from tilewright.plugins import fingerprint, plugins
assert not plugins() and not fingerprint()
assert before or "importlib.metadata" not in sys.modules
"""
    succeed("-c", program, fresh=True)


FLIPPED_TWICE = """builtin.module {
  builtin.kernel {sym_name = "k"} (%A: memref<f32x8>) {
    %z = arith.constant {value = 0} -> index
    %t = tile.load %A, %z -> tile<8xf32>
    %x = extra.flip %t {dim = 0} -> tile<8xf32>
    %y = extra.flip %x {dim = 0} -> tile<8xf32>
    tile.store %y, %A, %z
  }
}
"""


def test_passes(tmp_path: Path) -> None:
    """By name, and as part of the way down, where they come before the target's."""
    site = installed(tmp_path, documented_files())
    text = tmp_path / "twice.twir"
    text.write_text(FLIPPED_TWICE)
    options = [["--passes", "cse"], ["--passes", "extra-flips"], ["--print-ir-after-all"], ["--passes", "extra-flaps"]]
    given = str(Path(__file__).parents[1]), [["opt", str(text), *each] for each in options]
    done: list[tuple[int, str, str]] = json.loads(succeed("-c", COMMANDS, *map(json.dumps, given), packages=site))
    assert [status for status, _, _ in done] == [0, 0, 0, 2], done
    (_, left, _), (_, gone, _), (_, _, shown), (_, _, unknown) = done
    assert "extra.flip" in left
    assert "extra.flip" not in gone
    assert shown.index("after extra-flips") < shown.index("after infer-work-group")
    assert "extra-flips" in unknown


def test_code_is_cached_for_one_set_of_plug_ins(tmp_path: Path) -> None:
    program = """
import tilewright as tw
from tilewright.cache.key import cache_key
from tilewright.compiler import CompileOptions
from tilewright.diagnostics import Source
from tilewright.targets import find_target
print(cache_key(Source("k", "func @f() {}"), find_target("cpu"), CompileOptions()))
"""
    without = succeed("-c", program)
    site = installed(tmp_path / "one", documented_files())
    newer = documented_files()
    newer["pyproject.toml"] = newer["pyproject.toml"].replace('"1.0"', '"1.1"')
    keys = {without, succeed("-c", program, packages=site)}
    keys.add(succeed("-c", program, packages=installed(tmp_path / "two", newer)))
    assert len(keys) == 3


UNKNOWN = """
from tilewright.ir.definition import Operation, Value, operand, result
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import TILE

class Riddle(Operation, name="theirs.riddle"):
    '''Nobody knows what it does.'''

    tile: Value = operand(TILE, var="T")
    out: Value = result(var="T")
"""
ASK = """
import numpy as np
import tilewright as tw
from tilewright.compiler import CompileOptions, compile_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.interpreter.engine import interpret
from tilewright.ir.parser import parse_ir
from tilewright.targets import find_target

TEXT = '''builtin.module {
  builtin.kernel {sym_name = "k", subgroup_size = 4, work_group_size = [4, 1]} (%A: memref<f32x8>) {
    %z = arith.constant {value = 0} -> index
    %t = tile.load %A, %z -> tile<8xf32>
    %x = theirs.riddle %t -> tile<8xf32>
    tile.store %x, %A, %z
  }
}'''

def module():
    return parse_ir(Source("riddle.twir", TEXT), Report(), operation_classes())

def attempt(what):
    try:
        what()
    except tw.CompileError as error:
        for finding in error.diagnostics:
            print(finding.code, finding.message, finding.location.primary.source.name)

A = np.arange(8, dtype=np.float32)
attempt(lambda: interpret(module().kernels[0], [A]))
for target in ("cpu", "nvidia:sm_80"):
    attempt(lambda: compile_module(module(), find_target(target), CompileOptions(), Report()))
print(A)
"""


@pytest.mark.parametrize("family", ["Operation", "Elementwise"])
def test_operations_that_nobody_can_run_are_told_with_their_place(tmp_path: Path, family: str) -> None:
    dialect = UNKNOWN.replace("Riddle(Operation", f"Riddle({family}")
    plain = "import tilewright as tw\nimport their_dialect\nPLUGIN = tw.Plugin(dialects=(their_dialect,))"
    lines = succeed("-c", ASK, packages=package(tmp_path, plain, {"their_dialect.py": dialect})).splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [["T006", "theirs.riddle"]] * 3
    assert [line.rpartition(" ")[2] for line in lines[:3]] == ["riddle.twir"] * 3
    assert "the interpreter" in lines[0]
    assert "the CPU" in lines[1]
    assert "NVIDIA" in lines[2]


def test_handlers_say_what_operations_mean(tmp_path: Path) -> None:
    plugin = """
import tilewright as tw
import their_dialect
from tilewright.interpreter.tiles import bind, tile_of

def meaning(w, op):
    bind(w, op.out, tile_of(w, op.tile) * 3)

PLUGIN = tw.Plugin(dialects=(their_dialect,), handlers={their_dialect.Riddle: meaning})
"""
    lines = succeed("-c", ASK, packages=package(tmp_path, plugin, {"their_dialect.py": UNKNOWN})).splitlines()
    assert len(lines) == 3
    assert lines[2] == "[ 0.  3.  6.  9. 12. 15. 18. 21.]"


LANGUAGE = """
import tilewright as tw
from tilewright.diagnostics import Report, Source
from tilewright.languages import LANGUAGES, Language
from tilewright.targets import TargetFamily, find_target
from tilewright.targets.cpu.target import CpuTarget


class Shouted(Language):
    '''The tensor language in capitals, behind a line that says so.'''

    name = "the shouted language"

    def recognises(self, source, std):
        return isinstance(source, Source) and source.text.startswith("LOUD\\n")

    def _plain(self, source):
        return Source(source.name, source.text.removeprefix("LOUD\\n").lower())

    def read(self, source, report, options):
        return LANGUAGES[-1].read(self._plain(source), report, options)

    def passes(self):
        return []

    def format(self, source, report, std):
        return source.text

    def interpret(self, module, text, checked, report):
        return LANGUAGES[-1].interpret(module, text, checked, report)


def _target(variant):
    return CpuTarget.of(variant)


def _check(artifact):
    pass


def _launchers(artifact):
    from tilewright.runtime.launch import bind_artifact
    return bind_artifact(artifact)


PLUGIN = tw.Plugin(
    languages=(Shouted(),),
    targets={"theirs": TargetFamily(("generic",), _target, _check, _launchers)},
)
"""
LOUD = """
import numpy as np
import tilewright as tw

text = "LOUD\\nFUNC @K(%A: MEMREF<F32X4>) {\\n %O = CONSTANT 2.0 : F32\\n AXPBY %O, %A, %O, %A\\n}"
for target in ("cpu", "theirs:generic"):
    a = np.ones(4, np.float32)
    tw.compile(text, target=target).k[1](a)
    assert a.tolist() == [4.0] * 4
try:
    tw.compile(text, target="ours")
except ValueError as error:
    assert "theirs:generic" in str(error)
"""


def test_languages_and_targets(tmp_path: Path) -> None:
    succeed("-c", LOUD, packages=package(tmp_path, LANGUAGE))
