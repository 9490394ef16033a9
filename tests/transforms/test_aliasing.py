"""Which accesses may touch a common byte: boxes of views against the elements that NumPy's views of them have."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.dialects import arith, memref, scf
from tilewright.dialects.addresses import AddressOf
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.statics import Reserve
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import F32, I64, PointerType, TileType
from tilewright.ir.types import memref as memref_of
from tilewright.transforms.aliasing import Access, accesses, addresses_apart, affine, may_overlap
from transforms.support import kernel

SHAPE = (24, 18, 16)
BASE = 7
"""What `%i` is where elements are enumerated."""
PAIRS = 150


@dataclass
class Boxes:
    """Random boxes in random views of `%A`, as operations and as the numbers of their elements."""

    rng: np.random.Generator
    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def number(self, prefix: str) -> str:
        self.count += 1
        return f"%{prefix}{self.count}"

    def place(self, low: int, from_base: bool) -> str:
        """An index value: a constant, or `%i` plus or minus one."""
        constant, found = self.number("c"), self.number("j")
        if not from_base:
            self.lines.append(f"{constant} = arith.constant {{value = {low}}} -> index")
            return constant
        op, distance = ("sub", BASE - low) if low < BASE else ("add", low - BASE)
        self.lines.append(f"{constant} = arith.constant {{value = {distance}}} -> index")
        self.lines.append(f"{found} = arith.{op} %i, {constant} -> index")
        return found

    def permuted(self, view: str, elements: NDArray[np.int64]) -> tuple[str, NDArray[np.int64]]:
        order = [int(k) for k in self.rng.permutation(elements.ndim)]
        out = self.number("v")
        turned = elements.transpose(order)
        self.lines.append(f"{out} = memref.permute {view} {{order = {order}}} -> {type_of(turned)}")
        return out, turned

    def subview(self, view: str, elements: NDArray[np.int64]) -> tuple[str, NDArray[np.int64]]:
        """A part of every mode; one of several modes may be dropped."""
        shape: tuple[int, ...] = elements.shape
        dropped = int(self.rng.integers(elements.ndim)) if elements.ndim > 1 and self.rng.random() < 0.4 else -1
        lows = [int(self.rng.integers((n + 1) // 2)) for n in shape]
        sizes = [int(self.rng.integers(1 + n // 4, n - low + 1)) for n, low in zip(shape, lows, strict=True)]
        cut = tuple(
            low if mode == dropped else slice(low, low + size)
            for mode, (low, size) in enumerate(zip(lows, sizes, strict=True))
        )
        by_value = int(self.rng.integers(elements.ndim))
        offset = self.place(lows[by_value], False)
        offsets = ", ".join("none" if mode == by_value else str(low) for mode, low in enumerate(lows))
        statics = ", ".join("0" if mode == dropped else str(size) for mode, size in enumerate(sizes))
        out, part = self.number("v"), elements[cut]
        self.lines.append(
            f"{out} = memref.subview {view}, {offset} {{static_offsets = [{offsets}], static_sizes = [{statics}], "
            f"operand_segments = [1, 1, 0]}} -> {type_of(part)}"
        )
        return out, part

    def load(self, from_base: bool) -> NDArray[np.int64]:
        """Load a box of a view of a view of `%A`; the numbers of its elements. `%i` stands in one mode of all."""
        view, elements = "%A", np.arange(math.prod(SHAPE)).reshape(SHAPE, order="F")
        if not from_base:
            for _ in range(int(self.rng.integers(4))):
                view, elements = (self.permuted if self.rng.random() < 0.5 else self.subview)(view, elements)
        shape = tuple(min(n, int(self.rng.integers(1 + n // 4, 2 + n // 2))) for n in elements.shape)
        lows = [int(self.rng.integers(0, n - size + 1)) for n, size in zip(elements.shape, shape, strict=True)]
        places = [self.place(low, from_base and mode == 0) for mode, low in enumerate(lows)]
        self.lines.append(f"{self.number('x')} = tile.load {', '.join([view, *places])} -> {TileType(shape, F32)}")
        return elements[tuple(slice(low, low + size) for low, size in zip(lows, shape, strict=True))]


def type_of(elements: NDArray[np.int64]) -> str:
    strides = tuple(stride // elements.itemsize for stride in elements.strides)
    return str(memref_of(F32, elements.shape, strides))


def both(parameters: str, body: str, attributes: str = "") -> tuple[Access, Access]:
    """The first and the last access of a kernel."""
    module = kernel(parameters, body, attributes)
    found = [access for op in module.walk() if not op.regions for access in accesses(op)]
    return found[0], found[-1]


@pytest.mark.parametrize("from_base", [False, True])
def test_boxes_of_views_overlap_where_their_elements_do(from_base: bool, rng: np.random.Generator) -> None:
    seen = Counter[bool]()
    for _ in range(PAIRS):
        boxes = Boxes(rng)
        common = np.intersect1d(boxes.load(from_base), boxes.load(from_base)).size > 0
        text = "\n".join(boxes.lines)
        shape = "x".join(map(str, SHAPE))
        assert may_overlap(*both(f"%A: memref<f32x{shape}>, %i: index", text)) is common, text
        seen[common] += 1
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("expression", "constant"),
    [
        ("%r = arith.add %i, %c -> index", 5),
        ("%r = arith.sub %i, %c -> index", -5),
        ("%s = arith.sub %i, %c -> index %r = arith.add %s, %d -> index", -3),
        ("%s = arith.add %i, %d -> index %r = arith.sub %s, %c -> index", -3),
    ],
)
def test_sums_with_constants(expression: str, constant: int) -> None:
    head = "%c = arith.constant {value = 5} -> index %d = arith.constant {value = 2} -> index"
    module = kernel("%i: index", f"{head} {expression}")
    block = module.kernels[0].body.entry
    assert block.last is not None
    assert affine(block.last.result) == (block.arguments[0], constant)


LOOP = "scf.for %z, %n {operand_segments = [1, 1, 0, 0]} (%i: index)"
NEXT = """%u = arith.constant {value = 1} -> index
          %v = memref.load %A, %i -> f32 %j = arith.add %i, %u -> index memref.store %v, %A, %j"""


def test_what_a_loop_variable_keeps_apart_meets_in_another_iteration() -> None:
    load, store = both("%A: memref<f32x?>, %z: index, %n: index", f"{LOOP} {{ {NEXT} }}")
    [loop] = [op for op in load.op.ancestors() if isinstance(op, scf.For)]
    assert not may_overlap(load, store)
    assert may_overlap(load, store, (loop,))


def test_what_an_outer_variable_keeps_apart_stays_so_in_an_inner_loop() -> None:
    body = f"{LOOP} {{ {LOOP.replace('%i', '%k')} {{ {NEXT} }} }}"
    load, store = both("%A: memref<f32x?>, %z: index, %n: index", body)
    inner, outer = (op for op in load.op.ancestors() if isinstance(op, scf.For))
    assert not may_overlap(load, store, (inner,))
    assert may_overlap(load, store, (outer,))


@pytest.mark.parametrize("noalias", ["", "{noalias = true}, {}, {}"])
def test_elements_of_one_group_may_be_one_array(noalias: str) -> None:
    body = """%a = memref.group_load %G, %i -> memref<f32x4> %b = memref.group_load %G, %j -> memref<f32x4>
              %v = memref.load %a, %i -> f32 memref.store %v, %b, %i"""
    parameters = "%G: group<memref<f32x4>x?>, %i: index, %j: index"
    load, store = both(parameters, body, f"parameter_attributes = [{noalias}]" if noalias else "")
    assert may_overlap(load, store)


@pytest.mark.parametrize(("noalias", "overlap"), [("{}, {}", True), ("{noalias = true}, {}", False)])
def test_parameters_overlap_unless_one_is_noalias(noalias: str, overlap: bool) -> None:
    body = "%v = memref.load %A, %i -> f32 memref.store %v, %B, %i"
    parameters = "%A: memref<f32x4>, %B: memref<f32x4>, %i: index"
    assert may_overlap(*both(parameters, body, f"parameter_attributes = [{noalias}, {{}}]")) is overlap


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(("offset", "overlap"), [(0, True), (64, True), (124, True), (128, False), (200, False)])
def test_allocations_overlap_where_they_share_bytes(offset: int, overlap: bool, swapped: bool) -> None:
    def allocation(at: int) -> Operation:
        body = f"%s = memref.alloca {{offset = {at}}} -> memref<f32x32,local> memref.store %x, %s, %i"
        return next(op for op in kernel("%x: f32, %i: index", body).walk() if isinstance(op, memref.Alloca))

    stores = [next(iter(allocation(at).result.uses)) for at in (0, offset)]
    first, second = (next(iter(accesses(op))) for op in (reversed(stores) if swapped else stores))
    assert may_overlap(first, second) is overlap


def test_addresses_of_different_places() -> None:
    """What leads to memory of the program's own or to a noalias array leads nowhere else; others may lead anywhere."""
    region, block = new_region([PointerType(F32)] * 3)
    b = Builder(block)
    a, c, d = (b(AddressOf(argument)).out for argument in block.arguments)
    own, more = b(Reserve(64, 64)).out, b(Reserve(64, 64)).out
    kept = Kernel("f", region)
    kept.parameter_attributes = ({"noalias": True}, {}, {})

    def moved(address: Value, by: Value) -> Value:
        return b(arith.Add(address, by)).out

    far = b.constant(1 << 20, I64)
    distance = b(arith.Sub(c, a)).out
    scaled = b(arith.Mul(far, far)).out
    assert addresses_apart(a, c)
    assert addresses_apart(moved(moved(a, far), scaled), moved(c, far))
    assert addresses_apart(own, more)
    assert addresses_apart(own, d)
    for one, other in ((a, moved(a, far)), (c, d), (c, moved(a, distance)), (own, own), (a, b(arith.Mul(c, far)).out)):
        assert not addresses_apart(one, other)
        assert not addresses_apart(other, one)
