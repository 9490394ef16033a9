"""Random valid TLX programs, with arguments and what they leave in memory, by NumPy on logical tensors.

The generator keeps for every tensor its logical elements and how they are stored, by the reference's section 1 and
not by the code under test. Floats hold integers, small enough for every sum to be exact in any order.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from generators.tlx_memory import Placed, spelled

Array = NDArray[Any]
DTYPES: Final[dict[str, Any]] = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "half": np.float16,
    "bfloat": ml_dtypes.bfloat16,
    "float": np.float32,
    "double": np.float64,
}
EXACT: Final = {"half": 1 << 11, "bfloat": 1 << 8, "float": 1 << 24, "double": 1 << 53}
"""Integers up to these are numbers of the type."""
SMALL: Final = 400
LARGE: Final = 5500
"""Stored elements; tensors of more than 4,096 live in memory."""


class Inexact(Exception):
    """A sum of floats may be rounded; something else is drawn."""


@dataclass(frozen=True)
class Tensor:
    """Elements by logical position, and how they are stored.

    `stored` and `padding` are those of each logical dimension; `vector` names the stored elements, `is_open` says that
    its users settle the layout.
    """

    element: str
    data: Array
    layout: tuple[int, ...]
    padding: tuple[int, ...]
    vector: str
    is_open: bool = False

    @property
    def rank(self) -> int:
        return self.data.ndim

    @property
    def stored(self) -> tuple[int, ...]:
        return tuple(n + p for n, p in zip(self.data.shape, self.padding, strict=True))

    @property
    def type(self) -> str:
        return f"<{prod(self.stored)} x {self.element}>"

    @property
    def is_plain(self) -> bool:
        """Whether instructions on vectors may use it: they settle an open layout to be row-major."""
        return not self.is_open or self.layout == tuple(range(self.rank))

    def alike(self, other: Tensor) -> bool:
        return (self.element, self.stored, self.layout, self.padding) == (
            other.element,
            other.stored,
            other.layout,
            other.padding,
        )

    def described(self, rnd: random.Random) -> str:
        """Shape, layout and padding as operands."""
        extents = [self.stored[d] for d in self.layout]
        padding = [self.padding[d] for d in self.layout]
        return ", ".join(ivec(v, rnd.choice((32, 64))) for v in (extents, self.layout, padding))


@dataclass
class Generated:
    """A program of one kernel; `expected` is what the arguments are afterwards."""

    text: str
    arguments: list[Any]
    expected: list[Any]


def ivec(numbers: Sequence[int], bits: int = 32) -> str:
    """A constant vector."""
    return f"<{len(numbers)} x i{bits}> <{', '.join(f'i{bits} {n}' for n in numbers)}>"


def layout_of(rnd: random.Random, rank: int) -> tuple[int, ...]:
    """Any memory order, row-major often."""
    dims = list(range(rank))
    if rnd.random() < 0.6:
        rnd.shuffle(dims)
    return tuple(dims)


@dataclass
class Program:
    """The text so far; `block` is the label at hand, `tensors` what may be used there."""

    rnd: random.Random
    lines: list[str] = field(default_factory=list[str])
    parameters: list[str] = field(default_factory=list[str])
    arguments: list[Any] = field(default_factory=list[Any])
    expected: list[Any] = field(default_factory=list[Any])
    tensors: list[Tensor] = field(default_factory=list[Tensor])
    block: str = "entry"
    count: int = 0

    # Text

    def name(self, stem: str) -> str:
        self.count += 1
        return f"%{stem}{self.count}"

    def define(self, stem: str, text: str) -> str:
        name = self.name(stem)
        self.lines.append(f"  {name} = {text}")
        return name

    def label(self, name: str) -> None:
        self.block = name
        self.lines.append(f"{name}:")

    def parameter(self, kind: str, argument: Any, expected: Any = None) -> str:
        name = self.name("p")
        self.parameters.append(f"{kind} {name}")
        self.arguments.append(argument)
        self.expected.append(argument if expected is None else expected)
        return name

    # Tensors

    def shape(self, rank: int | None = None, most: int = 0) -> tuple[int, ...]:
        """Extents of a rank, few elements."""
        most = most or (LARGE if self.rnd.random() < 0.06 else SMALL)
        rank = rank or self.rnd.choice((1, 2, 2, 2, 3, 3, 4, 5, 6))
        longest = 90 if most == LARGE else 9
        while True:
            found = tuple(self.rnd.randint(1, max(longest // (rank // 2 + 1), 2)) for _ in range(rank))
            if prod(found) <= most:
                return found

    def numbers(self, element: str, shape: Sequence[int]) -> Array:
        low, high = (-3, 4) if element in EXACT else (-100, 100)
        found = [self.rnd.randrange(low, high) for _ in range(prod(shape))]
        return np.array(found, DTYPES[element]).reshape(shape)

    def stored_as(self, element: str, data: Array, vector: str = "") -> Tensor:
        """A tensor of some layout and padding."""
        padding = [self.rnd.choice((0, 0, 0, 1, 2)) for _ in data.shape]
        return Tensor(element, data, layout_of(self.rnd, data.ndim), tuple(padding), vector)

    def load(self, element: str, shape: Sequence[int], like: Tensor | None = None) -> Tensor:
        """A tensor of an argument, of the type of another if one is given."""
        data = self.numbers(element, shape)
        found = self.stored_as(element, data) if like is None else Tensor(element, data, like.layout, like.padding, "")
        placed = Placed.random(self.rnd, found.data.transpose(found.layout), [found.stored[d] for d in found.layout])
        pointer = self.parameter("ptr", placed.memory(DTYPES[element], placed.data))
        strides, attribute = spelled(self, placed)
        token = self.define(
            "t",
            f"call token @llvm.tensor.load(ptr elementtype({element}) {pointer}, "
            f"{found.described(self.rnd)}, {strides}){attribute}",
        )
        vector = self.define("v", f"call {found.type} @llvm.tensor.tovector(token {token})")
        return Tensor(element, data, found.layout, found.padding, vector)

    def token(self, tensor: Tensor) -> str:
        """Names the type of a tensor."""
        name = self.rnd.choice(("tensor.typeinfo", "tensor.typeinfo", "tensor.totensor", "vector.totensor"))
        described = tensor.described(self.rnd)
        return "token " + self.define("t", f"call token @llvm.{name}({tensor.type} {tensor.vector}, {described})")

    def operation(self, name: str, result: Tensor, operands: Sequence[str]) -> Tensor:
        """A call that gives a tensor, which may be used from here on."""
        prefix = "llvm.vector" if name.startswith(("splat", "reduce.mac")) else "llvm.tensor"
        vector = self.define("v", f"call {result.type} @{prefix}.{name}({', '.join(operands)})")
        return Tensor(result.element, result.data, result.layout, result.padding, vector, result.is_open)

    def any(self, accepts: Callable[[Tensor], bool] = lambda t: True) -> Tensor | None:
        found = [t for t in self.tensors if accepts(t)]
        return self.rnd.choice(found) if found else None

    def of_shape(self, element: str, shape: Sequence[int]) -> Tensor:
        """A tensor that is there, or another argument."""
        found = self.any(lambda t: t.element == element and t.data.shape == tuple(shape))
        return found if found is not None and self.rnd.random() < 0.5 else self.load(element, shape)

    def tries(self, step: Callable[[Program], Tensor | None]) -> Tensor | None:
        """A step, or nothing of it where it would not be exact."""
        before = (list(self.lines), list(self.parameters), list(self.arguments), list(self.expected), self.block)
        try:
            return step(self)
        except Inexact:
            self.lines, self.parameters, self.arguments, self.expected, self.block = before
            return None


def exact(element: str, data: Array, magnitudes: Array | None = None) -> Array:
    """Numbers in the type of an element: integers wrap, sums of floats (of these magnitudes) must not be rounded."""
    if element in EXACT:
        sums = np.abs(data) if magnitudes is None else magnitudes
        if sums.size and sums.max() > EXACT[element]:
            raise Inexact
    return data.astype(DTYPES[element])


def wide(data: Array) -> Array:
    """Room for sums: doubles, or integers that wrap later."""
    return data.astype(np.int64 if data.dtype.kind in "iu" else np.float64)


def store(p: Program, tensor: Tensor) -> None:
    """Write a tensor to memory of its own, which is as it was everywhere else."""
    extents = [tensor.stored[d] for d in tensor.layout]
    placed = Placed.random(p.rnd, tensor.data.transpose(tensor.layout), extents)
    dtype = DTYPES[tensor.element]
    before = placed.memory(dtype, np.full_like(placed.data, 77))
    pointer = p.parameter("ptr", before, placed.memory(dtype, placed.data))
    strides, attribute = spelled(p, placed)
    operands = [p.token(tensor), strides]
    if p.rnd.random() < 0.2:
        operands.reverse()
    p.lines.append(f"  call void @llvm.tensor.store(ptr {pointer}, {', '.join(operands)}){attribute}")


def generate(rnd: random.Random) -> Generated:
    """A program of some steps."""
    from generators.tlx_operations import STEPS

    p = Program(rnd)
    first = rnd.choice(list(DTYPES))
    p.tensors = [p.load(first, p.shape()), p.load(rnd.choice(list(DTYPES)), p.shape(rnd.choice((2, 2, 3))))]
    for _ in range(rnd.randint(2, 7)):
        found = p.tries(rnd.choice(STEPS))
        if found is not None:
            p.tensors.append(found)
    for tensor in kept(rnd, p.tensors):
        store(p, tensor)
    body = "\n".join(p.lines)
    text = f"define void @k({', '.join(p.parameters)}) {{\nentry:\n{body}\n  ret void\n}}\n"
    return Generated(text, p.arguments, p.expected)


def kept(rnd: random.Random, tensors: Sequence[Tensor]) -> Iterator[Tensor]:
    """The last tensor, and some of the others."""
    yield tensors[-1]
    yield from rnd.sample(list(tensors[:-1]), min(2, len(tensors) - 1))
