"""Random kernels of tiles of any extents, in the IR's own text: memory of any strides, moves, reductions, loops.

Numbers are small integers, and their sums small enough to be exact in every order; floats have a few NaNs, infinities
and zeros of both signs among them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from generators.element_types import SCALARS

Array: TypeAlias = npt.NDArray[Any]

_ELEMENTS: Final = ("i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c32", "c64")
_ATOMIC: Final = ("i32", "i64", "f32", "f64")
_WIDER: Final = {"i8": "i32", "i16": "i64", "i32": "i64", "f16": "f32", "bf16": "f32", "f32": "f64", "c32": "c64"}
LARGEST: Final = 1 << 20
_FIRST: Final = 4
_CANARY: Final = 0x55


@dataclass(frozen=True, slots=True)
class Tile:
    """A value of the program, none of whose numbers is larger than `bound`."""

    name: str
    shape: tuple[int, ...]
    element: str
    bound: int

    @property
    def type(self) -> str:
        """As the text says it."""
        return tile_type(self.shape, self.element)


def tile_type(shape: Sequence[int], element: str) -> str:
    """The text of a type."""
    return f"tile<{''.join(f'{extent}x' for extent in shape)}{element}>"


@dataclass(slots=True)
class TileKernel:
    """A kernel `k` and what it is called with: views of `parents`, which show what else was written."""

    rnd: random.Random
    work_group: tuple[int, int]
    subgroup: int
    parameters: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    arguments: list[Array | np.generic] = field(default_factory=list["Array | np.generic"])
    outputs: list[int] = field(default_factory=list[int])
    values: int = 0

    @property
    def text(self) -> str:
        """The module."""
        body = "\n".join(self.lines)
        rows, columns = self.work_group
        head = f'sym_name = "k", subgroup_size = {self.subgroup}, work_group_size = [{rows}, {columns}]'
        return f"builtin.module {{\n builtin.kernel {{{head}}} ({', '.join(self.parameters)}) {{\n{body}\n }}\n}}\n"

    def copies(self) -> list[Array | np.generic]:
        """The arguments, each array in memory of its own that looks the same."""
        return [_copied(a) if isinstance(a, np.ndarray) else a for a in self.arguments]

    def name(self) -> str:
        """A new value's."""
        self.values += 1
        return f"%v{self.values}"

    def chance(self, probability: float) -> bool:
        """Whether something of that probability happens."""
        return self.rnd.random() < probability

    def op(self, text: str, shape: Sequence[int], element: str, bound: int) -> Tile:
        """An operation with one tile as result."""
        found = Tile(self.name(), tuple(shape), element, bound)
        self.lines.append(f"{found.name} = {text} -> {found.type}")
        return found

    def index(self, number: int) -> str:
        """A position, known or not."""
        if self.chance(0.5):
            name = f"%i{len(self.parameters)}"
            self.parameters.append(f"{name}: index")
            self.arguments.append(np.int64(number))
            return name
        name = self.name()
        self.lines.append(f"{name} = arith.constant {{value = {number}}} -> index")
        return name

    def memory(self, shape: tuple[int, ...], element: str, is_output: bool) -> tuple[str, str]:
        """A parameter that has a box of this shape, or a part of it; name and rest of an access to it."""
        checked = [self.chance(0.3) for _ in shape]
        extents, starts = list(shape), [0] * len(shape)
        for k, extent in enumerate(shape):
            if checked[k]:
                extents[k] = self.rnd.randint(0 if self.chance(0.1) else 1, extent + 3)
                starts[k] = self.rnd.randint(-3, extents[k] + 2) if self.chance(0.5) else 0
            elif self.chance(0.4):
                extents[k] += self.rnd.randint(0, 5)
                starts[k] = self.rnd.randint(0, extents[k] - extent)
        order = list(range(len(shape)))
        if self.chance(0.5):
            self.rnd.shuffle(order)
        strides, step = [0] * len(shape), 1
        for dim in order:
            strides[dim] = step
            step *= max(extents[dim], 1) + (self.rnd.randint(1, 9) if self.chance(0.4) else 0)
        array = self.array(tuple(extents), element, is_output, strides)
        name = f"%a{len(self.parameters)}"
        sizes = "".join(f"x{'?' if self.chance(0.4) else extent}" for extent in extents)
        steps = ",".join("?" if stride != 1 and self.chance(0.4) else str(stride) for stride in strides)
        self.parameters.append(f"{name}: memref<{element}{sizes}{f',strided<{steps}>' if steps else ''}>")
        if is_output:
            self.outputs.append(len(self.arguments))
        self.arguments.append(array)
        indices = "".join(f", {self.index(start)}" for start in starts)
        flags = ", ".join(str(flag).lower() for flag in checked)
        return name, f"{indices}{f' {{check = [{flags}]}}' if any(checked) else ''}"

    def array(self, shape: tuple[int, ...], element: str, is_output: bool, strides: Sequence[int] = (1,)) -> Array:
        """With strides in elements, in memory full of canaries, which an output has in itself, too."""
        dtype, offset = SCALARS[element], self.rnd.choice((0, 0, 1, 4))
        size = 1 + sum(max(extent - 1, 0) * stride for extent, stride in zip(shape, strides, strict=False))
        parent = np.full((size + offset + self.rnd.randint(0, 9)) * dtype.itemsize, _CANARY, np.uint8)
        bytes_ = tuple(stride * dtype.itemsize for stride in strides)
        array = np.ndarray(shape, dtype, parent, offset * dtype.itemsize, bytes_)
        if not is_output:
            array[...] = self._numbers(shape, element)
        return array

    def _numbers(self, shape: tuple[int, ...], element: str) -> Array:
        rng = np.random.default_rng(self.rnd.getrandbits(32))
        found = rng.integers(-_FIRST, _FIRST + 1, shape).astype(np.complex128 if element[0] == "c" else np.float64)
        if element[0] == "c":
            found = found + 1j * rng.integers(-_FIRST, _FIRST + 1, shape)
        elif element[0] != "i" and self.chance(0.3):
            odd = rng.choice(np.array([np.nan, np.inf, -np.inf, -0.0, 0.0]), shape)
            found = np.where(rng.random(shape) < 0.2, odd, found)
        return np.asarray(found.astype(SCALARS[element]))


def _copied(array: Array) -> Array:
    """With the memory around it, as far as the parent goes."""
    parent = _parent(array)
    offset = array.__array_interface__["data"][0] - parent.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, parent.copy(), offset, array.strides)


def _parent(array: Array) -> Array:
    assert isinstance(array.base, np.ndarray)
    return array.base


def memory_of(array: Array) -> bytes:
    """All bytes of the memory that an array is a view of."""
    return _parent(array).tobytes()


Step: TypeAlias = Callable[[TileKernel, Tile, list[Tile]], "Tile | None"]
"""Goes on from a tile, and from others."""


def generate(rnd: random.Random, largest: int = 4096, more: Sequence[Step] = ()) -> TileKernel:
    """A kernel; tiles have no more elements than `largest`. Steps are those of this file and `more`."""
    subgroup = rnd.choice((32, 32, 32, 16, 8))
    columns, count = rnd.choice((1, 1, 1, 2, 3)), rnd.choice((1, 2, 3, 4, 5, 7, 8))
    if rnd.random() < 0.05:
        count = rnd.randint(1, 1024 // (subgroup * columns))
    kernel = TileKernel(rnd, (subgroup * count, columns), subgroup)
    shape = shape_of(rnd, min(largest, subgroup * count * columns * 20))
    tiles = [load(kernel, shape, rnd.choice(_ELEMENTS))]
    for _ in range(rnd.randint(1, 9)):
        source = tiles[-1] if kernel.chance(0.8) else rnd.choice(tiles)
        step: Step = rnd.choice((*_STEPS, *more))
        found = step(kernel, source, tiles)
        if found is not None:
            tiles.append(found)
        if kernel.chance(0.2):
            store(kernel, tiles[-1])
    store(kernel, tiles[-1])
    return kernel


def shape_of(rnd: random.Random, largest: int) -> tuple[int, ...]:
    """Up to four extents, most of them no powers of two."""
    found: list[int] = []
    for _ in range(rnd.choice((0, 1, 1, 2, 2, 2, 3, 4))):
        most = largest // max(prod(found), 1)
        extent = rnd.randint(1, 70) if rnd.random() < 0.8 else rnd.choice((1, 2, 8, 16, 32, 64))
        found.append(0 if rnd.random() < 0.02 else max(min(extent, most), 1))
    rnd.shuffle(found)
    return tuple(found)


def load(kernel: TileKernel, shape: tuple[int, ...], element: str) -> Tile:
    """A tile from memory of its own."""
    name, rest = kernel.memory(shape, element, False)
    return kernel.op(f"tile.load {name}{rest}", shape, element, _FIRST)


def store(kernel: TileKernel, tile: Tile) -> None:
    """A tile into memory of its own."""
    if tile.element == "bool":
        return
    name, rest = kernel.memory(tile.shape, tile.element, True)
    kernel.lines.append(f"tile.store {tile.name}, {name}{rest}")


def another(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile:
    """A tile of the same type."""
    alike = [t for t in tiles if t.type == tile.type and t is not tile]
    if alike and kernel.chance(0.7):
        return kernel.rnd.choice(alike)
    found = load(kernel, tile.shape, tile.element)
    tiles.insert(0, found)
    return found


def _elementwise(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    other = another(kernel, tile, tiles)
    names = {"c": ["add", "sub"], "i": ["add", "sub", "mul", "max", "min", "and", "xor"]}
    word = kernel.rnd.choice(names.get(tile.element[0], ["add", "sub", "max", "min"]))
    bound = tile.bound + other.bound if word != "mul" else tile.bound * other.bound
    if bound > LARGEST:
        return None
    return kernel.op(f"arith.{word} {tile.name}, {other.name}", tile.shape, tile.element, bound)


def _constant(element: str, number: int) -> str:
    return str(number) if element[0] == "i" else f"({number}.0, 0.0)" if element[0] == "c" else f"{number}.0"


def _shifted(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile:
    """What is beyond a tile is now not 0 any more."""
    one = kernel.op(f"arith.constant {{value = {_constant(tile.element, 1)}}}", tile.shape, tile.element, 1)
    return kernel.op(f"arith.add {tile.name}, {one.name}", tile.shape, tile.element, tile.bound + 1)


def _permuted(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    if not tile.shape:
        return None
    order = list(range(len(tile.shape)))
    kernel.rnd.shuffle(order)
    shape = [tile.shape[k] for k in order]
    return kernel.op(f"tile.permute {tile.name} {{order = {order}}}", shape, tile.element, tile.bound)


def _reshaped(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile:
    left, shape = prod(tile.shape), list[int]()
    while left > 1 and len(shape) < 3:
        extent = kernel.rnd.choice([n for n in range(1, left + 1) if left % n == 0])
        shape.append(extent)
        left //= extent
    shape.append(left)
    kernel.rnd.shuffle(shape)
    return kernel.op(f"tile.reshape {tile.name}", shape, tile.element, tile.bound)


def _reduced(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    """Sometimes spread again over the tile that it comes from."""
    if not tile.shape:
        return None
    dim = kernel.rnd.randrange(len(tile.shape))
    kind = "add" if tile.element[0] == "c" else kernel.rnd.choice(("add", "max", "min"))
    bound = tile.bound * max(tile.shape[dim], 1) if kind == "add" else tile.bound
    if bound > LARGEST:
        return None
    shape = (*tile.shape[:dim], *tile.shape[dim + 1 :])
    found = kernel.op(f'tile.reduce {tile.name} {{kind = "{kind}", dim = {dim}}}', shape, tile.element, bound)
    if kernel.chance(0.5):
        return found
    line = (*tile.shape[:dim], 1, *tile.shape[dim + 1 :])
    found = kernel.op(f"tile.reshape {found.name}", line, tile.element, bound)
    return kernel.op(f"tile.broadcast {found.name}", tile.shape, tile.element, bound)


def _combined(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    """A reduction by a region of one operation."""
    if not tile.shape or tile.element[0] == "c":
        return None
    dim = kernel.rnd.randrange(len(tile.shape))
    words = ("add", "mul", "and", "or", "xor", "max", "min", "umax", "umin")
    if tile.element[0] != "i":
        words = ("max", "min", "maximum", "minimum", "maximum_number", "minimum_number")
    word = kernel.rnd.choice(words)
    if not tile.shape[dim] or (word in ("add", "mul") and tile.element == "i8"):
        return None
    p, q, r, found = (kernel.name() for _ in range(4))
    shape = (*tile.shape[:dim], *tile.shape[dim + 1 :])
    e = tile.element
    kernel.lines.append(
        f"{found} = tile.reduce_by {tile.name} {{dim = {dim}}} -> {tile_type(shape, e)} ({p}: {e}, {q}: {e}) "
        f"{{ {r} = arith.{word} {p}, {q} -> {e} scf.yield {r} }}"
    )
    return Tile(found, shape, e, tile.bound if e[0] != "i" else LARGEST)


def _picked(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    """By a test on where elements are."""
    if not tile.shape:
        return None
    other, dim = another(kernel, tile, tiles), kernel.rnd.randrange(len(tile.shape))
    here = kernel.op(f"tile.iota {{dim = {dim}}}", tile.shape, "i32", 70)
    limit = kernel.rnd.randint(0, max(tile.shape[dim], 1))
    number = kernel.op(f"arith.constant {{value = {limit}}}", tile.shape, "i32", 70)
    test = kernel.op(f'arith.cmp {here.name}, {number.name} {{predicate = "lt"}}', tile.shape, "bool", 1)
    bound = max(tile.bound, other.bound)
    return kernel.op(f"arith.select {test.name}, {tile.name}, {other.name}", tile.shape, tile.element, bound)


def _wider(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    wide = _WIDER.get(tile.element)
    return None if wide is None else kernel.op(f"arith.cast {tile.name}", tile.shape, wide, tile.bound)


def _addresses(kernel: TileKernel, tile: Tile, is_output: bool, few: bool = False) -> tuple[Tile, Tile | None]:
    """Where a pointer's array has an element for each of the tile's, or a few for all; a mask, perhaps."""
    pointer, size = f"%p{len(kernel.parameters)}", SCALARS[tile.element].itemsize
    array = kernel.array((max(prod(tile.shape), 1),), tile.element, is_output)
    if few:
        # so small that one more shows
        array[...] = 0
    kernel.parameters.append(f"{pointer}: ptr<{tile.element}>")
    if is_output:
        kernel.outputs.append(len(kernel.arguments))
    kernel.arguments.append(array)
    base, step, mask = kernel.name(), 1, None
    kernel.lines.append(f"{base} = memref.address {pointer} -> i64")
    number = kernel.op("arith.constant {value = 0}", tile.shape, "i64", 0)
    for dim in kernel.rnd.sample(range(len(tile.shape)), len(tile.shape)):
        here = kernel.op(f"tile.iota {{dim = {dim}}}", tile.shape, "i64", 0)
        limit = kernel.op(f"arith.constant {{value = {kernel.rnd.randint(0, 70)}}}", tile.shape, "i64", 0)
        if mask is None and kernel.chance(0.4):
            mask = kernel.op(f'arith.cmp {here.name}, {limit.name} {{predicate = "lt"}}', tile.shape, "bool", 1)
        far = kernel.op(f"arith.constant {{value = {step}}}", tile.shape, "i64", 0)
        there = kernel.op(f"arith.mul {here.name}, {far.name}", tile.shape, "i64", 0)
        number = kernel.op(f"arith.add {number.name}, {there.name}", tile.shape, "i64", 0)
        step *= max(tile.shape[dim], 1)
    if few:
        some = kernel.op(f"arith.constant {{value = {min(step, 7)}}}", tile.shape, "i64", 0)
        number = kernel.op(f"arith.rem {number.name}, {some.name}", tile.shape, "i64", 0)
    bytes_ = kernel.op(f"arith.constant {{value = {size}}}", tile.shape, "i64", 0)
    offset = kernel.op(f"arith.mul {number.name}, {bytes_.name}", tile.shape, "i64", 0)
    first = kernel.op(f"tile.splat {base}", tile.shape, "i64", 0)
    return kernel.op(f"arith.add {first.name}, {offset.name}", tile.shape, "i64", 0), mask


def _gathered(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile:
    addresses, mask = _addresses(kernel, tile, False)
    masked = f", {mask.name}" if mask else ""
    return kernel.op(f"tile.gather {addresses.name}{masked}", tile.shape, tile.element, _FIRST)


def _scattered(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> None:
    addresses, mask = _addresses(kernel, tile, True)
    kernel.lines.append(f"tile.scatter {tile.name}, {addresses.name}{f', {mask.name}' if mask else ''}")


def _updated(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> None:
    """Several elements at one address; an update that counts too much shows."""
    if tile.element not in _ATOMIC or not prod(tile.shape):
        return
    ones = kernel.op(f"arith.constant {{value = {_constant(tile.element, 1)}}}", tile.shape, tile.element, 1)
    addresses, mask = _addresses(kernel, tile, True, few=True)
    operands = ", ".join([ones.name, addresses.name, *([mask.name] if mask else [])])
    kernel.lines.append(f'{kernel.name()} = tile.scatter_update {operands} {{kind = "add"}} -> {tile.type}')


def _looped(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile | None:
    """Carried, and now and then turned on the way."""
    if tile.bound * 8 > LARGEST:
        return None
    lower, upper = kernel.index(0), kernel.index(kernel.rnd.randint(0, 3))
    found, carried, counter = (kernel.name() for _ in range(3))
    kernel.lines.append(
        f"{found} = scf.for {lower}, {upper}, {tile.name} {{operand_segments = [1, 1, 0, 1]}} -> {tile.type} "
        f"({counter}: index, {carried}: {tile.type}) {{"
    )
    inner = Tile(carried, tile.shape, tile.element, tile.bound)
    twice = kernel.op(f"arith.add {carried}, {carried}", tile.shape, tile.element, 2 * tile.bound)
    if len(tile.shape) > 1 and tile.shape[0] == tile.shape[1] and kernel.chance(0.8):
        order = [1, 0, *range(2, len(tile.shape))]
        twice = kernel.op(f"tile.permute {twice.name} {{order = {order}}}", tile.shape, tile.element, 2 * inner.bound)
    kernel.lines.append(f"scf.yield {twice.name} }}")
    return Tile(found, tile.shape, tile.element, 8 * tile.bound)


def _branched(kernel: TileKernel, tile: Tile, tiles: list[Tile]) -> Tile:
    """One of two tiles, by what only the launch knows."""
    left, right, found, test = kernel.index(kernel.rnd.randint(0, 1)), kernel.index(1), kernel.name(), kernel.name()
    other = another(kernel, tile, tiles)
    kernel.lines.append(f'{test} = arith.cmp {left}, {right} {{predicate = "eq"}} -> bool')
    kernel.lines.append(
        f"{found} = scf.if {test} -> {tile.type} {{ scf.yield {tile.name} }} {{ scf.yield {other.name} }}"
    )
    return Tile(found, tile.shape, tile.element, max(tile.bound, other.bound))


_STEPS: Final[Sequence[Step]] = (
    _elementwise,
    _shifted,
    _permuted,
    _permuted,
    _reshaped,
    _reduced,
    _reduced,
    _combined,
    _picked,
    _wider,
    _looped,
    _branched,
    _gathered,
    _scattered,
    _updated,
)
