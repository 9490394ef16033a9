"""What stock mlir-opt printed of programs in many dialects is read, and printed as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from ir.mlir import tool
from ir.mlir.reading import PRINTED, PROGRAMS, read, reprinted
from tilewright.ir.mlir.operations import OpaqueOperation
from tilewright.ir.mlir.printer import print_generic


@pytest.mark.parametrize("path", PRINTED, ids=lambda p: p.stem)
def test_reading_and_printing_changes_nothing(path: Path) -> None:
    text = path.read_text()
    assert reprinted(text) + "\n" == text


@pytest.mark.parametrize("path", PRINTED, ids=lambda p: p.stem)
def test_a_clone_is_printed_alike(path: Path) -> None:
    file = read(path.read_text())
    expected = print_generic(file)
    file.module = file.module.clone()
    assert print_generic(file) == expected


def test_each_program_was_printed_twice() -> None:
    names = {p.name for p in PROGRAMS}
    assert {p.name for p in PRINTED} == names | {f"{p.stem}.located.mlir" for p in PROGRAMS}
    dialects = {op.name.split(".")[0] for p in PRINTED for op in read(p.read_text()).module.walk()}
    wanted = {"affine", "arith", "builtin", "cf", "func", "gpu", "linalg", "llvm", "math", "memref", "scf", "tensor"}
    assert wanted | {"vector", "spirv", "transform", "shape", "tosa", "omp", "async", "complex", "my"} <= dialects


@pytest.mark.parametrize("name", ["affine", "scf", "tensor", "vector"])
def test_without_locations_a_program_is_as_the_tool_prints_it_without(name: str) -> None:
    folder = PROGRAMS[0].parents[1] / "printed"
    located = read((folder / f"{name}.located.mlir").read_text())
    assert located.locations
    assert print_generic(located, locations=False) + "\n" == (folder / f"{name}.mlir").read_text()


@tool.same_version_needed
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_the_tool_prints_the_programs_so(path: Path) -> None:
    text = path.read_text()
    folder = path.parents[1] / "printed"
    assert tool.reprinted(text) + "\n" == (folder / path.name).read_text()
    located = tool.reprinted(text, "--mlir-print-debuginfo")
    assert located + "\n" == (folder / f"{path.stem}.located.mlir").read_text()


@tool.needed
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_the_tool_reads_what_we_print(path: Path) -> None:
    text = tool.reprinted(path.read_text())
    assert tool.reprinted(reprinted(text)) == text
    located = tool.reprinted(path.read_text(), "--mlir-print-debuginfo")
    assert tool.reprinted(reprinted(located), "--mlir-print-debuginfo") == located


def test_operations_are_opaque() -> None:
    file = read((PROGRAMS[0].parents[1] / "printed" / "affine.mlir").read_text())
    ops = [op for op in file.module.walk() if isinstance(op, OpaqueOperation)]
    assert len(ops) == len(list(file.module.walk()))
    assert {op.effects() for op in ops} == {None}
    loop = next(op for op in ops if op.name == "affine.for")
    assert str(loop.lookup("lowerBoundMap")) == "affine_map<() -> (0)>"
    assert loop.lookup("absent") is None
