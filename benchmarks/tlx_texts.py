"""Kernels of TLX that several benchmarks measure: functions `@k` that load tensors, compute and store one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from msgspec import Struct

ELEMENTS: Final = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double", "i8": "i8"}
"""How LLVM writes the types."""


class Tensor(Struct, frozen=True):
    """A dense tensor: extents in memory order, and the logical dimension that lies at each place of it."""

    extents: Sequence[int]
    layout: Sequence[int] = ()

    @property
    def vector(self) -> str:
        """The type of integers, one a dimension."""
        return f"<{len(self.extents)} x i32>"

    @property
    def info(self) -> str:
        """Shape, layout and padding, as operands."""
        layout = self.layout or range(len(self.extents))
        return f"{integers(self.extents)}, {integers(layout)}, {self.vector} zeroinitializer"


class Writer:
    """Lines of a function whose tensors are of one type; `apart`: it is promised that none overlaps the result."""

    def __init__(self, dtype: str, apart: bool = False) -> None:
        self._element = ELEMENTS[dtype]
        self._pointer = "ptr noalias" if apart else "ptr"
        self._lines: list[str] = []
        self._parameters: list[str] = []

    @property
    def lines(self) -> int:
        """Lines of the body so far."""
        return len(self._lines)

    def load(self, name: str, tensor: Tensor) -> str:
        """A token of what a new pointer, called so, leads to."""
        self._parameters.append(f"{self._pointer} %{name}")
        source = f"ptr elementtype({self._element}) %{name}, {tensor.info}, {tensor.vector} zeroinitializer"
        return self._named(f"call token @llvm.tensor.load({source})")

    def call(self, op: str, out: Tensor, *operands: str) -> str:
        """A vector of as many elements as a tensor has: `op` of operands with their types."""
        return self._named(f"call {self._vector(out)} @llvm.tensor.{op}({', '.join(operands)})")

    def binary(self, op: str, out: Tensor, x: str, y: str) -> str:
        """LLVM's own arithmetic on vectors."""
        return self._named(f"{op} {self._vector(out)} {x}, {y}")

    def typed(self, vector: str, tensor: Tensor) -> str:
        """A token of a vector as a tensor."""
        return self._named(f"call token @llvm.tensor.typeinfo({self._vector(tensor)} {vector}, {tensor.info})")

    def text(self, vector: str, tensor: Tensor) -> str:
        """The function, which stores a vector as a tensor where its last pointer, `%out`, leads."""
        token = self.typed(vector, tensor)
        target = f"ptr elementtype({self._element}) %out, token {token}, {tensor.vector} zeroinitializer"
        body = "\n".join([*self._lines, f"  call void @llvm.tensor.store({target})", "  ret void"])
        return f"define void @k({', '.join([*self._parameters, f'{self._pointer} %out'])}) {{\n{body}\n}}\n"

    def _vector(self, tensor: Tensor) -> str:
        return f"<{prod(tensor.extents)} x {self._element}>"

    def _named(self, what: str) -> str:
        name = f"%v{len(self._lines)}"
        self._lines.append(f"  {name} = {what}")
        return name


def integers(values: Sequence[int]) -> str:
    """A constant vector of i32."""
    return f"<{len(values)} x i32> <{', '.join(f'i32 {v}' for v in values)}>"


def contraction(dtype: str, letters: tuple[str, str, str], sizes: dict[str, int], apart: bool = False) -> str:
    """The sum over the letters that only the factors have; each tensor is row-major in its letters' order."""
    left, right, result = letters
    summed = [c for c in left if c not in result]
    free = [c for c in (*left, *right) if c in result]
    write = Writer(dtype, apart)
    x, y = (write.load(name, Tensor([sizes[c] for c in word])) for name, word in zip("ab", (left, right), strict=True))
    out = Tensor([sizes[c] for c in result], [free.index(c) for c in result])
    axes = (integers([word.index(c) for c in summed]) for word in (left, right))
    return write.text(write.call("contract", out, f"token {x}", f"token {y}", *axes), out)


def convolution(dtype: str, image: Sequence[int], maps: int, kernel: int) -> str:
    """N, C, H, W with as many maps, without padding, in steps of one."""
    count, channels, height, width = image
    write, ones = Writer(dtype), integers([1, 1])
    x = write.load("image", Tensor(image))
    y = write.load("kernel", Tensor([maps, channels, kernel, kernel]))
    out = Tensor([count, maps, height - kernel + 1, width - kernel + 1])
    return write.text(write.call("convolution", out, f"token {x}", f"token {y}", ones, ones, ones), out)


def unary(dtype: str, op: str, extents: Sequence[int]) -> str:
    """A function of each element."""
    tensor, write = Tensor(extents), Writer(dtype)
    return write.text(write.call(op, tensor, f"token {write.load('a', tensor)}"), tensor)


def binary(dtype: str, op: str, extents: Sequence[int]) -> str:
    """LLVM's arithmetic on the elements of two tensors."""
    tensor, write = Tensor(extents), Writer(dtype)
    x, y = (write.call("tovector", tensor, f"token {write.load(name, tensor)}") for name in "ab")
    return write.text(write.binary(op, tensor, x, y), tensor)


def transpose(dtype: str, extents: Sequence[int], order: Sequence[int]) -> str:
    """The dimensions in another order in memory."""
    write, out = Writer(dtype), Tensor([extents[d] for d in order], order)
    source = write.load("a", Tensor(extents))
    return write.text(write.call("transpose", out, f"token {source}", integers(order)), out)


def reduction(dtype: str, op: str, extents: Sequence[int], count: int) -> str:
    """Over the last so many dimensions."""
    kept = len(extents) - count
    write, out = Writer(dtype), Tensor([*extents[:kept], *[1] * count])
    source = write.load("a", Tensor(extents))
    return write.text(
        write.call(f"reduce.{op}", out, f"token {source}", integers(extents[kept:]), integers([1] * count)), out
    )
