"""Programs in all the forms that the stock tool prints, against NumPy, in the interpreter, on the CPU and an emulated
GPU."""

from __future__ import annotations

import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from frontends.mlir.cases import CASES
from frontends.mlir.forms import PASSES, PRINTED, PROGRAMS, WRITTEN_PROGRAMS, parts_of
from frontends.mlir.reading import read
from frontends.mlir.written_cases import WRITTEN
from targets.nvidia.launching import program_of_text
from tilewright.frontends.mlir.reading import file_of, program_of


def test_there_is_a_case_for_each_program_and_they_are_printed_in_many_forms() -> None:
    assert {p.stem for p in PROGRAMS} == set(CASES)
    assert len(PRINTED) >= 100
    assert {parts_of(p)[0] for p in PRINTED} == set(CASES)
    assert {parts_of(p)[1] for p in PRINTED} == set(PASSES)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_the_interpreter_computes_what_numpy_does(path: Path, rng: np.random.Generator) -> None:
    _check(path, "interpreter", rng)


def test_the_interpreter_computes_what_numpy_does_in_other_forms(rng: np.random.Generator, ran: Ran) -> None:
    for path in _some("RANDOM_MLIR_FORMS", 20):
        _check(path, "interpreter", rng)
        ran(1, "forms of programs of MLIR")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_the_cpu_computes_what_numpy_does(path: Path, rng: np.random.Generator) -> None:
    _check(path, "cpu", rng)


def test_the_cpu_computes_what_numpy_does_in_other_forms(rng: np.random.Generator, ran: Ran) -> None:
    for path in _some("RANDOM_COMPILED_MLIR_FORMS", 8):
        _check(path, "cpu", rng)
        ran(1, "forms of programs of MLIR, compiled")


@pytest.mark.covering(0)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_the_emulated_device_computes_what_numpy_does(path: Path, rng: np.random.Generator) -> None:
    check(path, program_of_text(path.read_text()), rng)


def test_the_emulated_device_computes_what_numpy_does_in_other_forms(rng: np.random.Generator, ran: Ran) -> None:
    for path in _some("RANDOM_EMULATED_MLIR_FORMS", 3):
        check(path, program_of_text(path.read_text()), rng)
        ran(1, "forms of programs of MLIR on the emulated device")


def test_written_programs_in_the_interpreter(rng: np.random.Generator) -> None:
    """All of them, in the forms of several versions of the tool."""
    assert {parts_of(path)[0] for path in WRITTEN_PROGRAMS} == set(WRITTEN)
    for path in WRITTEN_PROGRAMS:
        _check(path, "interpreter", rng)


@pytest.mark.parametrize(("target", "usual"), [("cpu", 6), ("emulated", 3)])
def test_written_programs_compiled(target: str, usual: int, rng: np.random.Generator, ran: Ran) -> None:
    paths = WRITTEN_PROGRAMS
    chosen = random.Random(SEED).sample(paths, count("RANDOM_WRITTEN_MLIR", usual, len(paths)))
    for path in chosen:
        if target == "cpu":
            _check(path, target, rng)
        else:
            check(path, program_of_text(path.read_text()), rng)
        ran(1, f"written programs of MLIR on the {target} target")


def test_buffers_too_large_for_shared_memory(rng: np.random.Generator) -> None:
    """They are in the device's own, as the launch says."""
    path = next(path for path in PROGRAMS if path.stem == "transposed")
    program = program_of_text(path.read_text(), shared_bytes=64)
    check(path, program, rng)
    assert "of the device's memory a block" in str(program.f.info.launch)


def _some(name: str, usual: int) -> list[Path]:
    """Printed forms drawn at random, all of them in thorough runs."""
    return random.Random(SEED).sample(PRINTED, min(len(PRINTED), count(name, usual, len(PRINTED))))


def _check(path: Path, target: str, rng: np.random.Generator) -> None:
    check(path, tw.compile(path, target=target, cache=False), rng)


def check(path: Path, program: tw.Program, rng: np.random.Generator) -> None:
    """A program of the corpus leaves in its arguments what NumPy says."""
    case = {**CASES, **WRITTEN}[path.stem.partition(".")[0]]
    arguments = case.arguments(rng)
    inputs: list[Any] = deepcopy(arguments)
    expected = case.expected(*deepcopy(arguments))
    program.f[1](*arguments)
    for given, found, wanted in zip(inputs, arguments, expected, strict=True):
        compare(path, found, given if wanted is None else wanted, 0.0 if wanted is None else case.tolerance)


def compare(path: Path, found: Any, wanted: Any, tolerance: float) -> None:
    """What was found is what was wanted, integers exactly."""
    if np.asarray(wanted).dtype.kind in "iu":
        assert np.array_equal(found, wanted), path.name
    else:
        exact = np.asarray(wanted, np.float64)
        error = float(np.max(np.abs(np.asarray(found, np.float64) - exact), initial=0.0))
        assert error <= 4 * tolerance * float(np.max(np.abs(exact), initial=0.0)), path.name


def test_what_else_a_file_holds_is_no_part_of_the_program() -> None:
    """`mlir.file_entries`: kept for who prints the file, and left out where it is compiled."""
    text = """#map = affine_map<(d0) -> (d0)>
func.func @f(%x: memref<3xi32>) attributes {kept = #map, tuned = dense_resource<blob> : tensor<1xi32>} {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  memref.store %seven, %x[%c0] : memref<3xi32>
  return
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x0400000001000000"
    }
  }
#-}
"""
    program = program_of(read(text))
    assert [op.name for op in program.body.entry] == ["builtin.module", "mlir.file_entries"]
    assert file_of(program).resources
    x = np.zeros(3, np.int32)
    tw.compile(text).f[1](x)
    assert x.tolist() == [7, 0, 0]
