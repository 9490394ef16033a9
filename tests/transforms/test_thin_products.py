"""Products of open extents that launches make thin: results are those of whole numbers for any extents."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tilewright as tw
from tilewright.dialects import arith, memref, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.interpreter import interpret
from tilewright.ir.types import F32, F64, I8, I32, MemrefType, TileType
from tilewright.targets.cpu.machine import machine_of
from tilewright.targets.cpu.policy import CpuTilePolicy
from tilewright.targets.cpu.units.choice import choose
from tilewright.targets.cpu.units.unit import Factor
from tilewright.targets.cpu.units.vector import VectorUnit
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.lower_collectives import LowerCollectives
from tilewright.transforms.policy import ThinTiles
from transforms.support import kernel, run

_LENGTHS = (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 64, 70, 129)
_DRAWS = 40


def _text(types: tuple[str, str, str], transposed: str) -> str:
    a, b, c = (f"memref<{type_}x?x?>" for type_ in types)
    point = ".0" if types[2][0] == "f" else ""
    return f"""
func @product(%A: {a}, %B: {b}, %C: {c}) {{
  %alpha = constant 2{point} : {types[0]}
  %beta = constant 3{point} : {types[2]}
  gemm.{transposed} %alpha, %A, %B, %beta, %C
}}
"""


_BY_ROWS = """
func.func @product(%A: memref<?x?xf64, strided<[?, 1]>>, %B: memref<?x?xf64, strided<[?, 1]>>,
                   %C: memref<?x?xf64, strided<[?, 1]>>) {
  linalg.matmul ins(%A, %B : memref<?x?xf64, strided<[?, 1]>>, memref<?x?xf64, strided<[?, 1]>>)
                outs(%C : memref<?x?xf64, strided<[?, 1]>>)
  return
}
"""


def _within(rng: np.random.Generator, rows: int, columns: int, dtype: str, is_by_rows: bool) -> np.ndarray:
    """A matrix of small whole numbers that is part of a larger one, of which everything is a number."""
    whole = rng.integers(-4, 5, (columns + 2, rows + 3)).astype(dtype)
    part = whole[1 : 1 + columns, 1 : 1 + rows].T
    return part if not is_by_rows else _within(rng, columns, rows, dtype, False).T


@pytest.mark.parametrize(
    ("types", "transposed", "dtypes"),
    [
        (("f32", "f32", "f32"), "n.n", ("f4", "f4", "f4")),
        (("f64", "f64", "f64"), "t.n", ("f8", "f8", "f8")),
        (("i8", "i8", "i32"), "n.t", ("i1", "i1", "i4")),
        (("f32", "f32", "f32"), "t.t", ("f4", "f4", "f4")),
        (None, "n.n", ("f8", "f8", "f8")),
    ],
)
def test_any_extents(types: tuple[str, str, str] | None, transposed: str, dtypes: tuple[str, str, str]) -> None:
    """Sums of whole numbers are exact in any order, and nothing around the result is written; rows too (MLIR)."""
    rng = np.random.default_rng()
    product = tw.compile(_BY_ROWS if types is None else _text(types, transposed), target="cpu").product
    alpha, beta = (1, 1) if types is None else (2, 3)
    for _ in range(_DRAWS):
        m, n, k = (int(length) for length in rng.choice(_LENGTHS, 3))
        left, right = ((k, m) if transposed[0] == "t" else (m, k)), ((n, k) if transposed[2] == "t" else (k, n))
        a, b, c = (
            _within(rng, *shape, dtype, types is None)
            for shape, dtype in zip((left, right, (m, n)), dtypes, strict=True)
        )
        around = c.base
        assert around is not None
        x, y = (a.T if transposed[0] == "t" else a), (b.T if transposed[2] == "t" else b)
        expected = around.copy()
        result = beta * c.astype("i8") + alpha * (x.astype("i8") @ y.astype("i8"))
        expected[1:-1, 1:-2] = result if types is None else result.T
        product[1](a, b, c)
        np.testing.assert_array_equal(around, expected, err_msg=f"{m} x {n} x {k}")


def test_which_extents_are_thin() -> None:
    """Vectors that have to be gathered pay for few terms; units pack from shorter extents on; constants have tiles."""
    policy = CpuTilePolicy(machine_of())
    plain, by_rows = (MemrefType(F32, (None, None), strides) for strides in ((1, None), (None, 1)))
    tiles = policy.thin_tiles(plain, plain, plain)
    assert tiles is not None
    assert (tiles.below, tiles.dots, tiles.run) == ((16, 16, 16), (0,), 0)
    turned = policy.thin_tiles(by_rows, plain, plain)
    assert turned is not None
    assert (turned.below, turned.dots) == ((0, 0, 8), (0, 1))
    assert policy.thin_tiles(MemrefType(F32, (None, 3), (1, None)), MemrefType(F32, (3, None), (1, 3)), plain) is None
    constant = MemrefType(F32, (64, 64), (1, 64))
    assert policy.thin_tiles(constant, constant, constant) is None
    doubles = MemrefType(F64, (None, None), (1, None))
    of_doubles = policy.thin_tiles(doubles, doubles, doubles)
    assert of_doubles is not None
    assert of_doubles.below == (16, 16, 16)
    bytes_, sums = (MemrefType(element, (None, None), (1, None)) for element in (I8, I32))
    of_bytes = policy.thin_tiles(bytes_, bytes_, sums)
    assert of_bytes is not None
    is_by_vectors = isinstance(choose(policy.machine, Factor(I8), Factor(I8), I32, (512, 512, 512)).unit, VectorUnit)
    assert of_bytes.below == ((16, 16, 16) if is_by_vectors else (8, 8, 8))


_BLOCK, _STRIP, _REST, _COLUMNS, _FEW, _TERMS, _SHORT = 7, 8, 4, 2, 3, 10, (5, 6, 4)
"""No two ways of a product have boxes in common."""


class _Policy(GenericTilePolicy, frozen=True):
    dots: tuple[int, ...] = ()
    run_mode: int = 0

    def thin_tiles(self, a: MemrefType, b: MemrefType, c: MemrefType) -> ThinTiles:
        return ThinTiles(_SHORT, self.run_mode, _STRIP, _REST, _COLUMNS, self.dots, _FEW, _TERMS, depth=4)


def _counting(module: Module) -> dict[int, tuple[int, ...]]:
    """Makes each store of a tile count how often it runs, at a number of its own in %count; which boxes these store."""
    boxes: dict[int, tuple[int, ...]] = {}
    (count,) = (value for value in module.kernels[0].body.entry.arguments if value.name == "count")
    for store in [op for op in module.walk() if isinstance(op, tile.Store)]:
        assert isinstance(store.value.type, TileType)
        build, number = Builder.before_op(store), len(boxes)
        at = build.index(number)
        old = build(memref.Load(count, [at])).out
        build(memref.Store(build(arith.Add(old, build.constant(1, I32))).out, count, [at]))
        boxes[number] = store.value.type.shape
    return boxes


def _taken(sizes: tuple[int, int, int], dots: tuple[int, ...], run_mode: int) -> Counter[tuple[int, ...]]:
    """Boxes of a product, by what `ThinTiles` says of them."""
    *result, terms = sizes
    for mode in dots:
        if result[mode] <= _FEW and terms >= _TERMS:
            pairs, single = divmod(result[1 - mode], _COLUMNS)
            boxes = {(1, _COLUMNS): pairs * result[mode], (1, 1): single * result[mode]}
            return Counter({box if mode == 0 else box[::-1]: number for box, number in boxes.items()})
    if all(size >= below for size, below in zip(sizes, _SHORT, strict=True)):
        return Counter({(_BLOCK, _BLOCK): -(-result[0] // _BLOCK) * -(-result[1] // _BLOCK)})
    pairs, single = divmod(result[1 - run_mode], _COLUMNS)
    strips, left = divmod(result[run_mode], _STRIP)
    rests = -(-left // _REST)
    boxes = {(_STRIP, _COLUMNS): strips * pairs, (_STRIP, 1): strips * single}
    boxes |= {(_REST, _COLUMNS): rests * pairs, (_REST, 1): rests * single}
    return Counter({box if run_mode == 0 else box[::-1]: number for box, number in boxes.items()})


@pytest.mark.parametrize(("dots", "run_mode"), [((), 0), ((0, 1), 0), ((1, 0), 1)])
def test_which_way_a_launch_takes(rng: np.random.Generator, dots: tuple[int, ...], run_mode: int) -> None:
    """A wrong way has the same result, and takes longer: so boxes are counted."""
    body = "%one = arith.constant {value = 1.0} -> f32 tl.gemm %one, %A, %B, %one, %C"
    module = kernel("%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?>, %count: memref<i32x?>", body)
    run(module, LowerCollectives(_Policy(whole=0, block=_BLOCK, dots=dots, run_mode=run_mode)))
    boxes = _counting(module)
    for _ in range(_DRAWS):
        m, n, k = (int(rng.choice(sizes)) for sizes in ((1, 3, 4, 5, 6, 11), (1, 3, 4, 5, 6, 11), (2, 4, 9, 10)))
        a, b = (np.asfortranarray(rng.integers(-3, 4, shape).astype(np.float32)) for shape in ((m, k), (k, n)))
        c, counts = np.zeros((m, n), np.float32, order="F"), np.zeros(len(boxes), np.int32)
        interpret(module.kernels[0], [a, b, c, counts], (1, 1, 1))
        np.testing.assert_array_equal(c, a @ b)
        found = Counter[tuple[int, ...]]()
        for number, shape in boxes.items():
            found[shape] += int(counts[number])
        assert +found == +_taken((m, n, k), dots, run_mode), (m, n, k)
