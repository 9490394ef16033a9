"""Products of matrices in MLIR at any stage, and what they compute."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import ml_dtypes
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

import tilewright as tw
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.frontends.mlir import read_mlir_file
from tilewright.interpreter.program import interpreted_module
from tilewright.ir.core import Operation
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.own_dialects import print_mlir, read_mlir
from tilewright.ir.mlir.printer import print_generic
from tilewright.program import Program, load_artifact
from tilewright.targets import find_target
from tilewright.transforms.matmul_stages import NAMES, STAGES, Outcome, Schedule, Stage, parse_schedule, run_stages
from tilewright.transforms.matmul_stages.matmul import Matmul
from tilewright.transforms.matmul_stages.runner import operation_names
from tilewright.transforms.matmul_stages.s01_start import start
from tilewright.transforms.matmul_stages.stages import START

TYPES: dict[str, type[np.generic]] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}


class Case(Struct, frozen=True):
    """A product: extents, types of factors and sum, and which factors lie transposed in memory.

    Types leave the extents of the letters in `opened` open, of i, j and k. B is of the type `second` if that is given.
    """

    m: int
    n: int
    k: int
    factor: str = "f16"
    total: str = "f32"
    transposed: str = ""
    opened: str = ""
    second: str = ""

    @property
    def factors(self) -> tuple[str, str]:
        """The types of A and B."""
        return self.factor, self.second or self.factor

    @property
    def letters(self) -> tuple[str, str, str]:
        """The loops that the dimensions of A, B and C are in memory."""
        return "ki" if "a" in self.transposed else "ik", "jk" if "b" in self.transposed else "kj", "ij"

    @property
    def shapes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Those of A, B and C in memory."""
        by_letter = {"i": self.m, "j": self.n, "k": self.k}
        a, b, c = ((by_letter[letters[0]], by_letter[letters[1]]) for letters in self.letters)
        return a, b, c

    @property
    def types(self) -> tuple[str, str, str]:
        """Those of A, B and C as memrefs."""
        a, b, c = (
            "x".join("?" if letter in self.opened else str(e) for letter, e in zip(letters, shape, strict=True))
            for letters, shape in zip(self.letters, self.shapes, strict=True)
        )
        return f"memref<{a}x{self.factors[0]}>", f"memref<{b}x{self.factors[1]}>", f"memref<{c}x{self.total}>"

    @property
    def text(self) -> str:
        """The product as an operation of linalg."""
        a, b, c = self.types
        suffix = f"_transpose_{self.transposed}" if self.transposed else ""
        return (
            f"func.func @f(%A: {a}, %B: {b}, %C: {c}) {{\n"
            f"  linalg.matmul{suffix} ins(%A, %B : {a}, {b}) outs(%C : {c})\n"
            "  return\n}\n"
        )

    @property
    def loops(self) -> str:
        """The product as a nest of affine loops in another order."""
        a, b, c = self.types
        wide = "arith.extf" if self.total[0] == "f" else "arith.extsi"
        kind = self.total[0]
        at = ("%z, %x" if "a" in self.transposed else "%x, %z"), ("%y, %z" if "b" in self.transposed else "%z, %y")
        narrow = {v: type_ for v, type_ in zip("ab", self.factors, strict=True) if type_ != self.total}
        extended = [f"    %{v}w = {wide} %{v} : {type_} to {self.total}\n" for v, type_ in narrow.items()]
        names = tuple(f"%{v}w" if v in narrow else f"%{v}" for v in "ab")
        m, n, k = (
            f"%{letter}" if letter in self.opened else extent
            for letter, extent in zip("ijk", (self.m, self.n, self.k), strict=True)
        )
        asked = (("i", "C", 0, c), ("j", "C", 1, c), ("k", "A", self.letters[0].index("k"), a))
        dims = [
            f"  %c{letter} = arith.constant {d} : index\n  %{letter} = memref.dim %{memory}, %c{letter} : {type_}\n"
            for letter, memory, d, type_ in asked
            if letter in self.opened
        ]
        return (
            f"func.func @f(%A: {a}, %B: {b}, %C: {c}) {{\n{''.join(dims)}"
            f"  affine.for %z = 0 to {k} {{ affine.for %y = 0 to {n} {{ affine.for %x = 0 to {m} {{\n"
            f"    %a = affine.load %A[{at[0]}] : {a}\n    %b = affine.load %B[{at[1]}] : {b}\n"
            f"{''.join(extended)}    %p = arith.mul{kind} {names[1]}, {names[0]} : {self.total}\n"
            f"    %c = affine.load %C[%x, %y] : {c}\n    %s = arith.add{kind} %p, %c : {self.total}\n"
            f"    affine.store %s, %C[%x, %y] : {c}\n  }} }} }}\n  return\n}}\n"
        )

    def arrays(self, rng: np.random.Generator) -> list[NDArray[Any]]:
        """Small whole numbers, whose sums every type holds exactly."""
        types = (*self.factors, self.total)
        return [
            rng.integers(-2, 3, shape).astype(TYPES[type_]) for shape, type_ in zip(self.shapes, types, strict=True)
        ]

    def expected(self, a: NDArray[Any], b: NDArray[Any], c: NDArray[Any]) -> NDArray[Any]:
        """What C becomes."""
        x, y = (v.astype(np.int64) for v in (a, b))
        x, y = (x.T if "a" in self.transposed else x), (y.T if "b" in self.transposed else y)
        return (x @ y + c.astype(np.int64)).astype(c.dtype)


def schedule_of(text: str) -> Schedule:
    """A schedule that is right."""
    report = Report()
    found = parse_schedule(Source("--schedule", text), report)
    report.raise_if_errors()
    return found


def unit_of(text: str) -> Operation:
    """The module of a text that is right."""
    report = Report()
    file = read_mlir_file(Source("f.mlir", text), report)
    report.raise_if_errors()
    assert file is not None
    return file.module


def outcomes(text: str, schedule: str, until: str = NAMES[-1]) -> list[Outcome]:
    """What all stages make of a text. Raises `CompileError`."""
    return list(_outcomes(text, schedule, until))


@lru_cache(maxsize=16)
def _outcomes(text: str, schedule: str, until: str) -> Sequence[Outcome]:
    """Once for all tests of a file that look at one program from several sides."""
    report = Report()
    found = list(run_stages(unit_of(text), schedule_of(schedule), until, report))
    report.raise_if_errors()
    return found


class At(Struct, frozen=True):
    """A product behind a stage, not checked yet."""

    unit: Operation
    matmul: Matmul
    stage: Stage
    before: Sequence[str]

    def check(self) -> None:
        """Raises `Broken` if the property of the stage does not hold."""
        self.stage.check(self.matmul, self.before)

    @property
    def text(self) -> str:
        """The program."""
        return print_generic(MlirFile(self.unit))


class HasText(Protocol):
    """A case with a program."""

    @property
    def text(self) -> str:
        """The program."""
        ...


def behind(name: str, case: HasText, schedule: str) -> At:
    """A product behind a stage."""
    unit = unit_of(case.text)
    matmul = start(unit, schedule_of(schedule))
    if name == START.name:
        return At(unit, matmul, START, ())
    for stage in STAGES:
        before = operation_names(matmul)
        stage.apply(matmul)
        if stage.name == name:
            return At(unit, matmul, stage, before)
    raise AssertionError(f"no stage {name}")


def module_of(one: Outcome) -> Module:
    """What the last stage ended in, read back from its text."""
    report = Report()
    module = read_mlir(Source("kernel.mlir", one.text), report, operation_classes())
    report.raise_if_errors()
    assert isinstance(module, Module)
    assert print_mlir(module) == one.text
    return module


def program_of(one: Outcome, target: str, folder: Path) -> Program:
    """A program behind a stage, compiled."""
    if one.module is None:
        path = folder / "program.mlir"
        path.write_text(one.text)
        return tw.compile(path, target=target, cache=False)
    module, report = module_of(one), Report()
    if target == "interpreter":
        return interpreted_module(module, one.text, False, report)
    artifact = compile_module(module, find_target(target, None), CompileOptions(), report)
    return load_artifact(artifact, lambda: one.text, tuple, tuple)


def run(one: Outcome, target: str, case: Case, schedule: str, folder: Path, rng: np.random.Generator) -> None:
    """Run a program behind a stage; fails if C is not what it should become."""
    arrays = case.arrays(rng)
    given = [array.copy() for array in arrays]
    rows, columns, _ = schedule_of(schedule).block
    grid = 1 if one.module is None else (max(case.n // columns, 1), max(case.m // rows, 1))
    program_of(one, target, folder).f[grid](*given)
    assert np.array_equal(given[2], case.expected(*arrays)), one.name


def computed(text: str, target: str, arrays: Sequence[NDArray[Any]], folder: Path) -> NDArray[Any]:
    """What a program makes of C."""
    path = folder / "program.mlir"
    path.write_text(text)
    program = tw.compile(path, target=target, cache=False)
    given = [array.copy() for array in arrays]
    program.f[1](*given)
    return given[2]
