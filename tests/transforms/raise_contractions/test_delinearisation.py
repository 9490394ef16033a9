"""Products in memory of one dimension, whose positions are computed, are products; what is none keeps its loops."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import Struct
from numpy.typing import NDArray

from effort import Ran, count
from frontends.mlir.cases import CASES
from frontends.mlir.forms import PRINTED, parts_of
from tilewright.diagnostics import Report, Source
from tilewright.dialects import memref, scf
from tilewright.dialects.builtin import Module
from tilewright.frontends.mlir import program_of, read_mlir_file
from tilewright.interpreter import interpret
from tilewright.ir.passes import PassContext, PassManager
from tilewright.transforms.canonicalize import Canonicalize
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.lift_control_flow import LiftControlFlow
from tilewright.transforms.lower_mlir import LowerMlir
from tilewright.transforms.raise_contractions import RaiseContractions
from transforms.support import names, run

Array = NDArray[Any]
AS_LOOPS = {"blocks", "replaced"}
"""Forms whose products keep loops, in memory of two dimensions too."""
NEGATIVE = ("flat_dynamic", "coalesced")
FLAT = [p for p in PRINTED if p.name.startswith("flat") and parts_of(p)[1] not in AS_LOOPS and parts_of(p) != NEGATIVE]
"""A loop of as many iterations as a product of arguments says, which may be negative, is not taken apart."""
NESTS = count("RANDOM_FLAT_NESTS", 30, 1000)


def lowered(text: str) -> Module:
    """A function as a kernel of loops."""
    report = Report()
    file = read_mlir_file(Source("test.mlir", text), report)
    report.raise_if_errors()
    assert file is not None
    module = program_of(file)
    passes = [LowerMlir(), LiftControlFlow(), InferWorkGroup(), Canonicalize()]
    PassManager(passes, verify_each=True).run(module, PassContext(report))
    return module


@pytest.mark.parametrize("path", FLAT, ids=lambda p: p.stem)
def test_products_are_found_in_every_form(path: Path, rng: np.random.Generator) -> None:
    module, case = lowered(path.read_text()), CASES[parts_of(path)[0]]
    run(module, RaiseContractions())
    assert names(module)["tl.gemm"] == 1
    otherwise = [op.orelse.entry for op in module.walk() if isinstance(op, scf.If) and op.orelse is not None]
    left = {inner for block in otherwise for op in block for inner in op.walk()}
    assert not [op for op in module.walk() if isinstance(op, memref.Store) and op not in left]
    arguments = case.arguments(rng)
    expected = case.expected(*deepcopy(arguments))
    interpret(module.kernels[0], arguments)
    for found, wanted in zip(arguments, expected, strict=True):
        if wanted is not None:
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


BESIDE = """
func.func @f(%A: memref<40xf32>, %B: memref<30xf32>, %C: memref<48xf32>, %D: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %x = memref.load %A[%c3] : memref<40xf32>
  affine.for %i = 0 to 8 { affine.for %j = 0 to 6 { affine.for %k = 0 to 5 {
    %a = affine.load %A[%i * 5 + %k] : memref<40xf32>
    %b = affine.load %B[%k * 6 + %j] : memref<30xf32>
    %c = affine.load %C[%i * 6 + %j] : memref<48xf32>
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    affine.store %s, %C[%i * 6 + %j] : memref<48xf32>
  } } }
  memref.store %x, %D[%c0] : memref<1xf32>
  return
}
"""


def test_what_stands_beside_the_loops_is_read_there(rng: np.random.Generator) -> None:
    module = lowered(BESIDE)
    made = [rng.integers(-3, 4, n).astype(np.float32) for n in (40, 30, 48, 1)]
    found = deepcopy(made)
    run(module, RaiseContractions())
    interpret(module.kernels[0], found)
    product = made[2].reshape(8, 6) + made[0].reshape(8, 5) @ made[1].reshape(5, 6)
    np.testing.assert_array_equal(found[2].reshape(8, 6), product)
    assert found[3][0] == made[0][3]


class Flat(Struct, frozen=True):
    """A product in flat memory: extents, lengths of rows, order of the loops, and what is added to positions."""

    extents: dict[str, int]
    rows: dict[str, int]
    order: Sequence[str]
    begin: int
    tile: int
    room: int

    @property
    def sizes(self) -> list[int]:
        """Elements of A, B and C: whole rows, or only what is accessed."""
        e, r = self.extents, self.rows
        shapes = ((e["i"], r["A"], e["k"]), (e["k"], r["B"], e["j"]), (e["i"], r["C"], e["j"]))
        return [self.begin + (rows - 1) * row + max(row, used) - self.room for rows, row, used in shapes]

    @property
    def text(self) -> str:
        """The function."""
        places = {"A": ("i", "k"), "B": ("k", "j"), "C": ("i", "j")}
        at = {m: f"%{m}[%{a} * {self.rows[m]} + %{b} + {self.begin}]" for m, (a, b) in places.items()}
        types = {m: f"memref<{size}xi32>" for m, size in zip("ABC", self.sizes, strict=True)}
        loops: list[str] = []
        for letter in self.order:
            extent = self.extents[letter]
            if self.tile and letter == self.order[-1]:
                loops.append(f"affine.for %t = 0 to {extent} step {self.tile} {{")
                upper = f"min affine_map<(d) -> (d + {self.tile}, {extent})>(%t)"
                loops.append(f"affine.for %{letter} = affine_map<(d) -> (d)>(%t) to {upper} {{")
            else:
                loops.append(f"affine.for %{letter} = 0 to {extent} {{")
        reads = [f"%{m.lower()} = affine.load {at[m]} : {types[m]}" for m in "ABC"]
        body = ["%p = arith.muli %a, %b : i32", "%s = arith.addi %c, %p : i32"]
        body.append(f"affine.store %s, {at['C']} : {types['C']}")
        head = ", ".join(f"%{m}: {types[m]}" for m in "ABC")
        return "\n".join([f"func.func @f({head}) {{", *loops, *reads, *body, "}" * len(loops), "return }"])

    def compute(self, a: Array, b: Array, c: Array) -> None:
        """What the loops do, one after the other."""
        ranges = {letter: range(extent) for letter, extent in self.extents.items()}
        for x in ranges[self.order[0]]:
            for y in ranges[self.order[1]]:
                for z in ranges[self.order[2]]:
                    at = dict(zip(self.order, (x, y, z), strict=True))
                    i, j, k = (at[letter] for letter in "ijk")
                    row_a, row_b, row_c = (self.begin + n * self.rows[m] for n, m in ((i, "A"), (k, "B"), (i, "C")))
                    c[row_c + j] += a[row_a + k] * b[row_b + j]


def drawn(rng: np.random.Generator) -> Flat:
    """One whose rows are as long as what is used of them, longer, or so short that they overlap."""
    extents = {letter: int(rng.integers(1, 8)) for letter in "ijk"}
    used = {"A": extents["k"], "B": extents["j"], "C": extents["j"]}
    rows = {m: max(1, n + int(rng.choice([0, 0, 0, 2, -1]))) for m, n in used.items()}
    orders = list(permutations("ijk"))
    room = 0 if rng.random() < 0.7 else min(max(0, rows[m] - used[m]) for m in "ABC")
    return Flat(extents, rows, orders[rng.integers(6)], int(rng.choice([0, 0, 3])), int(rng.choice([0, 0, 2, 3])), room)


def test_any_product_in_flat_memory_means_the_same(rng: np.random.Generator, ran: Ran) -> None:
    nests = raised = 0
    # A quarter of the nests are raised, but not of each few that are drawn.
    while nests < NESTS or raised < NESTS // 8:
        assert nests < 20 * NESTS, raised
        nests += 1
        flat = drawn(rng)
        arrays = [rng.integers(-4, 5, size).astype(np.int32) for size in flat.sizes]
        expected = [array.copy() for array in arrays]
        flat.compute(*expected)
        module = lowered(flat.text)
        run(module, RaiseContractions())
        raised += names(module)["tl.gemm"]
        interpret(module.kernels[0], arrays)
        for found, wanted in zip(arrays, expected, strict=True):
            np.testing.assert_array_equal(found, wanted, err_msg=flat.text)
    ran(nests, "products in flat memory")


PRODUCT = """func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %C: memref<?xi32>, %m: index, %n: index, %k: index) {
  affine.for %i = 0 to %m { affine.for %j = 0 to %n { affine.for %l = 0 to %k {
    %a = affine.load %A[AT_A] : memref<?xi32>
    %b = affine.load %B[AT_B] : memref<?xi32>
    %c = affine.load %C[AT_C] : memref<?xi32>
    %p = arith.muli %a, %b : i32
    %s = arith.addi %c, %p : i32
    affine.store %s, %C[AT_C] : memref<?xi32>
  } } }
  return
}"""


@pytest.mark.parametrize(
    ("a", "b", "c", "raised"),
    [
        ("%i * symbol(%k) + %l", "%l * symbol(%n) + %j", "%i * symbol(%n) + %j", True),
        ("%l * symbol(%m) + %i", "%j * symbol(%k) + %l", "%j * symbol(%m) + %i", True),
        ("%i * symbol(%k) + symbol(%k) - %l - 1", "%l * symbol(%n) + %j", "%i * symbol(%n) + %j", False),
        ("%i * 7 + %l", "%l * symbol(%n) + %j", "%i * symbol(%n) + %j", False),
        ("%i * symbol(%k) + %l", "%l * symbol(%n) + %j", "%i + %j", False),
        ("%i * symbol(%k) + %l", "%l * symbol(%n) + %j", "%i * symbol(%n) + %j + 1", False),
    ],
)
def test_positions_are_proven_to_stay_in_their_rows(a: str, b: str, c: str, raised: bool) -> None:
    module = lowered(PRODUCT.replace("AT_A", a).replace("AT_B", b).replace("AT_C", c))
    run(module, RaiseContractions())
    assert (names(module)["tl.gemm"] == 1) is raised


@pytest.mark.parametrize("lost", [0, 1])
def test_memory_that_is_no_whole_rows_keeps_the_loops(lost: int, rng: np.random.Generator) -> None:
    """The test of the sizes at run time: both ways give the same."""
    text = PRODUCT.replace("AT_A", "%i * symbol(%k) + %l").replace("AT_B", "%l * symbol(%n) + %j")
    module = lowered(text.replace("AT_C", "%i * symbol(%n) + %j"))
    run(module, RaiseContractions())
    a, b, c = (rng.integers(-4, 5, size + lost).astype(np.int32) for size in (12, 20, 15))
    wanted = c.copy()
    wanted[:15] += (a[:12].reshape(3, 4) @ b[:20].reshape(4, 5)).reshape(-1)
    interpret(module.kernels[0], [a, b, c, 3, 5, 4])
    assert np.array_equal(c, wanted)
