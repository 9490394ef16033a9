"""Products over several modes of tensors: no stride tells where their rows, columns and terms lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from dialects.tlx.tensors import in_format
from effort import thorough
from targets.cpu.units.tile_emulation import compiled_here, tile_machine
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module
from tilewright.diagnostics import Report
from tilewright.dialects import tl
from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter.program import interpreted_module
from tilewright.ir.core import Value
from tilewright.ir.types import BF16, F32, F64, I8, I32, PointerType, ScalarType, memref
from tilewright.ir.verifier import verified
from tilewright.machine.units import lacking
from tilewright.numerics.arrays import array_of, to_double
from tilewright.numerics.formats import FloatFormat
from tilewright.program import load_artifact
from tilewright.settings.product_units import Unit, read_units
from tilewright.targets import find_target
from tilewright.targets.cpu.target import CpuTarget

Array = NDArray[Any]
Modes = Sequence[tuple[int, int]]
"""Extents of modes, and how many elements apart their positions lie."""


class Tensors:
    """A product of random tensors of small integers; each tensor is its modes, in the order of the operation."""

    def __init__(self, rng: np.random.Generator, elements: Sequence[ScalarType], modes: Sequence[Modes]) -> None:
        self.elements = elements
        self.modes = modes
        self.llvm = ""
        self.given = [self._numbers(rng, e, m) for e, m in zip(elements, modes, strict=True)]

    @staticmethod
    def _numbers(rng: np.random.Generator, element: ScalarType, modes: Modes) -> Array:
        span = 1 + sum((extent - 1) * stride for extent, stride in modes if extent)
        return array_of(element.format, rng.integers(-3, 4, span).tolist())

    def seen(self, which: int, array: Array) -> Array:
        """The elements of a tensor, its modes in order."""
        layout = self.elements[which].format
        plain = to_double(layout, array) if isinstance(layout, FloatFormat) else array
        shape, strides = zip(*self.modes[which], strict=True)
        return np.lib.stride_tricks.as_strided(plain, shape, [s * plain.itemsize for s in strides])

    def module(self, alpha: int, beta: int) -> Module:
        region, block = new_region([PointerType(e) for e in self.elements])
        b = Builder(block)
        a, x, c = (self._view(b, k, p) for k, p in enumerate(list(block.arguments)))
        target = self.elements[2]
        scale, keep = (b.constant(float(n) if target.is_float else n, target) for n in (alpha, beta))
        b(tl.Contract(scale, a, x, keep, c))
        outer, top = new_region()
        top.append(Kernel("f", region))
        module = Module(outer)
        verified(module)
        return module

    def _view(self, b: Builder, which: int, pointer: Value) -> Value:
        shape, strides = zip(*self.modes[which], strict=True)
        type_ = memref(self.elements[which], shape, strides)
        return b(FromAddress(b(AddressOf(pointer)).out, [], [], result_types=[type_])).out

    def check(
        self, alpha: int, beta: int, target: str = "cpu", tiles: bool = False, l2_bytes: int | None = None
    ) -> str:
        """Compiled, interpreted and computed by NumPy; what the product says of its code.

        `tiles`: on tiles of AMX, emulated; `l2_bytes`: for a second cache of another size.
        """
        options = CompileOptions(2, verify_each=True)
        if tiles:
            emulating = CpuTarget(tile_machine()).using(read_units("amx"))
            artifact = compiled_here(self.module(alpha, beta), emulating, options)
        else:
            chosen = find_target(target, _UNITS)
            assert isinstance(chosen, CpuTarget)
            if l2_bytes is not None:
                chosen = replace(chosen, machine=replace(chosen.machine, l2_bytes=l2_bytes))
            artifact = compile_module(self.module(alpha, beta), chosen, options, Report())
        compiled = load_artifact(artifact)
        found: list[Array] = []
        for run in (compiled, interpreted_module(self.module(alpha, beta), "", False)):
            arguments = [x.copy() for x in self.given]
            run["f"][1](*arguments)
            found.append(arguments[2])
        a, x, c = (self.seen(k, array).astype(np.int64) for k, array in enumerate(self.given))
        rows = (len(self.modes[0]) + len(self.modes[2]) - len(self.modes[1])) // 2
        total = alpha * np.tensordot(a, x, a.ndim - rows) + beta * c
        wanted = self.given[2].copy()
        np.lib.stride_tricks.as_strided(
            wanted, c.shape, [s * wanted.itemsize for _, s in self.modes[2]], writeable=True
        )[...] = in_format(total, self.elements[2]).reshape(total.shape)
        for name, stored in zip(("compiled", "interpreted"), found, strict=True):
            assert np.array_equal(stored.view(np.uint8), wanted.view(np.uint8)), name
        self.llvm = compiled["f"].llvm
        return str(compiled["f"].schedule)


def packed(extents: Sequence[int], order: Sequence[int], gap: int = 0) -> Modes:
    """Modes that lie in memory in an order, the nearest first, with gaps."""
    strides, step = [0] * len(extents), 1
    for k in order:
        strides[k], step = step, step * extents[k] + gap
    return list(zip(extents, strides, strict=True))


_UNITS = "vector,vnni,bf16"
TYPES = {
    "f32": (F32, F32, F32),
    "f64": (F64, F64, F64),
    "i8-i32": (I8, I8, I32),
    "bf16-f32": (BF16, BF16, F32),
    "bf16": (BF16, BF16, BF16),
    "f32-f64": (F32, F32, F64),
}


@pytest.mark.covering(0)
@pytest.mark.parametrize("name", TYPES)
def test_random_orders_and_extents(rng: np.random.Generator, name: str) -> None:
    """Runs shorter and longer than vectors, whole vectors and parts; alpha and beta of all kinds."""
    for _ in range(3 if thorough() else 1):
        m, k, n = ([int(x) for x in rng.choice([2, 3, 5, 8, 16, 17, 20, 33], int(rng.integers(1, 4)))] for _ in "mkn")
        m, k, n = ([*sorted(g, reverse=True)[:2], *[2] * (len(g) > 2)] if len(g) > 1 else [*g, 9] for g in (m, k, n))
        modes = [
            packed(g, [int(x) for x in rng.permutation(len(g))], int(rng.integers(0, 3)))
            for g in ([*m, *k], [*k, *n], [*m, *n])
        ]
        Tensors(rng, TYPES[name], modes).check(int(rng.integers(3)), int(rng.integers(3)))


@pytest.mark.covering(0)
@pytest.mark.parametrize("name", TYPES)
def test_scalars_pass_by_vectors(rng: np.random.Generator, name: str) -> None:
    """A second cache that holds the factor that becomes vectors, not the other one; odd ends, any order of modes."""
    m, k, n = [24, 17], [9, 11], [5, 7]
    orders = [[int(x) for x in rng.permutation(4)] for _ in range(3)]
    orders[2] = [2, *(mode for mode in orders[2] if mode != 2)]
    shapes = ([*m, *k], [*k, *n], [*m, *n])
    modes = [packed(shape, order, int(rng.integers(3))) for shape, order in zip(shapes, orders, strict=True)]
    tensors = Tensors(rng, TYPES[name], modes)
    tensors.check(int(rng.integers(1, 3)), int(rng.integers(3)), l2_bytes=(32 << 10) * TYPES[name][0].bytes)
    assert "@pack_vectors" in tensors.llvm


@pytest.mark.skipif(bool(lacking(tile_machine().processor, Unit.AMX_INT8)), reason="this machine has no AVX-512")
@pytest.mark.covering(0)
@pytest.mark.parametrize(("name", "inner"), [("i8-i32", 7), ("bf16", 24)])
def test_tiles_read_and_write_runs_of_every_length(rng: np.random.Generator, inner: int, name: str) -> None:
    m, k, n = [inner, -(-40 // inner)], [-(-70 // inner), inner], [inner, -(-33 // inner)]
    ways = [([0, 3, 2, 1], [2, 1, 0, 3], [2, 0, 3, 1]), ([2, 3, 0, 1], [1, 0, 2, 3], [0, 1, 3, 2])]
    for orders in ways if thorough() else [ways[int(rng.integers(2))]]:
        modes = [packed(shape, order, 1) for shape, order in zip(([*m, *k], [*k, *n], [*m, *n]), orders, strict=True)]
        assert "amx-" in Tensors(rng, TYPES[name], modes).check(1, 1, tiles=True)


@pytest.mark.covering(1)
@pytest.mark.parametrize("inner", [1, 3, 7, 8, 15, 16, 17, 24, 31, 32, 33, 40])
@pytest.mark.parametrize("target", ["cpu", "cpu:avx2"])
def test_runs_of_every_length(rng: np.random.Generator, inner: int, target: str) -> None:
    """What is nearest lies in runs that end anywhere inside of vectors, in all three tensors."""
    outer = -(-90 // inner)
    m, k, n = [inner, outer], [outer, inner], [inner, outer]
    tensors = Tensors(
        rng,
        TYPES["f32"],
        [packed([*m, *k], [0, 3, 2, 1]), packed([*k, *n], [2, 1, 0, 3], 1), packed([*m, *n], [2, 0, 3, 1], 1)],
    )
    assert "packed" in tensors.check(1, 1, target)


def test_overlapping_positions_of_a_factor(rng: np.random.Generator) -> None:
    """As windows of an image have them."""
    image = [(3, 1), (3, 30), (8, 900)], [(28, 1), (28, 30)]
    maps, terms = [(20, 72)], packed([3, 3, 8], [0, 1, 2])
    out = [*packed([20, 28, 28], [1, 2, 0])]
    schedule = Tensors(rng, TYPES["f32"], [[*maps, *terms], [*image[0], *image[1]], out]).check(1, 0)
    assert "20x784x72" in schedule


def test_many_tiles_and_runs_of_terms(rng: np.random.Generator) -> None:
    """More rows and terms than a tile has."""
    m, k, n = [24, 20], [19, 5, 19], [17]
    modes = [packed([*m, *k], [4, 0, 3, 2, 1]), packed([*k, *n], [3, 0, 2, 1]), packed([*m, *n], [2, 1, 0])]
    Tensors(rng, TYPES["f64"], modes).check(2, 1)


@pytest.mark.parametrize("empty", ["terms", "rows", "columns"])
def test_modes_without_positions(rng: np.random.Generator, empty: str) -> None:
    """What has no terms is scaled; what has no elements is not touched."""
    none = {name: [(0, 1)] if name == empty else [] for name in ("rows", "terms", "columns")}
    rows, terms, columns = [(3, 1), *none["rows"]], [(5, 3), *none["terms"]], [(2, 3), *none["columns"]]
    Tensors(rng, TYPES["f64"], [[*rows, *terms], [*terms, *columns], [*rows, *columns]]).check(2, 2)


@pytest.mark.parametrize("orders", [(1, 2, 2), (2, 2, 4), (2, 1, 1)])
def test_orders_that_leave_no_mode(orders: tuple[int, int, int]) -> None:
    assert "at least for rows, terms and columns" in _refused([[4] * n for n in orders])


def test_extents_that_differ() -> None:
    assert "a mode of extent 5 where it has to be 3" in _refused([[2, 4, 3], [4, 5, 6], [2, 6]])


def _refused(shapes: Sequence[Sequence[int]]) -> str:
    _region, block = new_region([memref(F32, tuple(s), tuple(t for _, t in packed(s, range(len(s))))) for s in shapes])
    b = Builder(block)
    a, x, c = list(block.arguments)
    one = b.constant(1.0, F32)
    op = b(tl.Contract(one, a, x, one, c))
    report = Report()
    op.verify(report)
    return "\n".join(d.message for d in report.diagnostics)
