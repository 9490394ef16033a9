"""What operations that access memory say of it, against the elements that the interpreter touches."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.dialects.memref import AtomicKind
from tilewright.interpreter.engine import interpret
from tilewright.interpreter.memory import Buffer
from tilewright.interpreter.shadow import Touch
from tilewright.interpreter.state import WorkGroup
from tilewright.ir.interfaces import AccessesBox
from tilewright.ir.parser import parse_ir
from tilewright.ir.verifier import verify
from tilewright.transforms.emit import integer_of

SHAPE = (7, 5)
START = (4, 3)
MATRIX = "coopmatrix<f32x2x4,matrix_acc>"
ACCESSES = [
    ("%r = memref.load %A, %x, %y -> f32", False),
    ("memref.store %v, %A, %x, %y", True),
    ("%r = memref.atomic_load %A, %x, %y -> f32", False),
    ("memref.atomic_store %v, %A, %x, %y", True),
    ('%r = memref.atomic_rmw %v, %A, %x, %y {kind = "add"} -> f32', True),
    ("%r = tile.load %A, %x, %y -> tile<2x2xf32>", False),
    ("%r = tile.load %A, %x, %y {check = [true, true]} -> tile<4x4xf32>", False),
    ("tile.store %t, %A, %x, %y {check = [true, false]}", True),
    ("%r = tile.atomic_load %A, %x, %y -> tile<3x2xf32>", False),
    ("tile.atomic_store %t, %A, %x, %y {check = [true, false]}", True),
    ('%r = tile.atomic_rmw %t, %A, %x, %y {kind = "max", check = [true, true]} -> tile<4x2xf32>', True),
]
MATRICES = [
    (f'%r = tl.cooperative_matrix_load %A, %x, %y {{checked = "cols_checked"}} -> {MATRIX}', False),
    (f'%r = tl.cooperative_matrix_load %A, %y, %x {{transpose = true, checked = "rows_checked"}} -> {MATRIX}', False),
    ('tl.cooperative_matrix_store %m, %A, %x, %y {checked = "both_checked"}', True),
    (f'%r = tl.cooperative_matrix_atomic_load %A, %y, %x {{checked = "cols_checked"}} -> {MATRIX}', False),
    ('tl.cooperative_matrix_atomic_store %m, %A, %x, %y {checked = "cols_checked"}', True),
    (
        f'%r = tl.cooperative_matrix_atomic_rmw %m, %A, %x, %y {{kind = "add", checked = "both_checked"}} -> {MATRIX}',
        True,
    ),
]


def access(line: str) -> tuple[Module, AccessesBox]:
    text = f"""builtin.module {{
  builtin.kernel {{sym_name = "k", subgroup_size = 4, work_group_size = [4, 1]}} (%A: memref<f32x7x5>) {{
    %x = arith.constant {{value = {START[0]}}} -> index
    %y = arith.constant {{value = {START[1]}}} -> index
    %v = arith.constant {{value = 3.0}} -> f32
    %t = tile.splat %v -> tile<4x2xf32>
    {line}
  }}
}}"""
    report = Report()
    module = parse_ir(Source("test.twir", text), report, operation_classes())
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    assert verify(module, report), [str(d) for d in report.diagnostics]
    (op,) = (op for op in module.walk() if isinstance(op, AccessesBox))
    return module, op


def touched(module: Module, monkeypatch: pytest.MonkeyPatch) -> tuple[set[tuple[int, ...]], bool]:
    """The elements that the interpreter reads or writes, and whether it writes any."""
    found: set[tuple[int, ...]] = set()
    writes = False

    def note(w: WorkGroup, buffer: Buffer, at: NDArray[np.int64], touch: Touch, *_: object) -> None:
        nonlocal writes
        writes |= touch.verb == "writes"
        found.update((int(k) % SHAPE[0], int(k) // SHAPE[0]) for k in np.ravel(at))

    monkeypatch.setattr(WorkGroup, "_note", note)
    interpret(module.kernels[0], [np.zeros(SHAPE, np.float32, order="F")])
    return found, writes


def expected(op: AccessesBox) -> set[tuple[int, ...]]:
    """The elements of the box, by the constants that its indices are."""
    box = op.box()
    clipped = box.clipped or (False,) * len(SHAPE)
    start = [integer_of(index) or 0 for index in box.indices]
    found = {tuple(k + s for k, s in zip(at, start, strict=True)) for at in np.ndindex(box.shape)}
    return {at for at in found if all(not c or k < n for c, k, n in zip(clipped, at, SHAPE, strict=True))}


@pytest.mark.parametrize(("line", "writes"), ACCESSES)
def test_boxes_are_what_the_interpreter_touches(line: str, writes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    module, op = access(line)
    assert touched(module, monkeypatch) == (expected(op), writes)
    assert op.box().writes is writes


@pytest.mark.parametrize(("line", "writes"), MATRICES)
def test_boxes_of_matrices(line: str, writes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = f"%m = tl.cooperative_matrix_construct %v -> {MATRIX}"
    module, op = access(f"team.spmd {{ {matrix} {line} }}")
    assert touched(module, monkeypatch) == (expected(op), writes)
    assert op.box().writes is writes


def test_updates_of_one_kind_commute() -> None:
    kinds = [access(line)[1].box().update for line, _ in ACCESSES]
    assert kinds == [None] * 4 + [AtomicKind.ADD] + [None] * 5 + [AtomicKind.MAX]
