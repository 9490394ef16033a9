"""Constants of many elements: their bytes, their lists, and where only some of them are not zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.ir.mlir.attributes import BuiltinAttribute, spell_number
from tilewright.ir.mlir.cursor import escape
from tilewright.ir.mlir.spelling import Piece
from tilewright.ir.mlir.types import ComplexType, MemrefType, TensorType, VectorType, is_unsigned, layout_of, width_of
from tilewright.ir.types import BOOL, Type

LONGEST_LIST: Final = 100
"""Constants of more elements are spelled as bytes, as MLIR does."""


def component_of(element: Type) -> tuple[Type, int]:
    """The number type that elements consist of, and how many of them one has."""
    return (element.element, 2) if isinstance(element, ComplexType) else (element, 1)


def bytes_of(number: Type) -> int:
    """Bytes that a number has in a constant; those of i1 are packed."""
    layout = layout_of(number)
    width = width_of(number) if layout is None else layout.width
    assert width is not None
    return max(1, (width + 7) // 8)


def shape_of(type_: Type) -> tuple[int, ...] | None:
    """The static shape of a tensor, vector or memref; None for any other type."""
    if not isinstance(type_, TensorType | VectorType | MemrefType) or type_.shape is None:
        return None
    shape = tuple(e for e in type_.shape if e is not None)
    return shape if len(shape) == len(type_.shape) else None


def count_of(shape: tuple[int, ...]) -> int:
    """How many elements a shape has."""
    count = 1
    for extent in shape:
        count *= extent
    return count


class DenseElements(BuiltinAttribute, Struct, frozen=True):
    """`dense<..> : type`: numbers in row-major order, or one that stands for all (`splat`), least byte first.

    i1 is packed, eight elements a byte; a splat of i1 is one byte, 00 or FF.
    """

    type: Type
    element: Type
    shape: tuple[int, ...]
    data: bytes
    splat: bool

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        return (f"dense<{self.literal(True)}> : ", self.type)

    @property
    def count(self) -> int:
        """How many elements there are."""
        return count_of(self.shape)

    def number(self, index: int) -> int:
        """A component of an element: an integer, or the bit pattern of a float."""
        number, _ = component_of(self.element)
        if number is BOOL and self.element is BOOL:
            return self.data[0] & 1 if self.splat else self.data[index // 8] >> index % 8 & 1
        size = bytes_of(number)
        found = int.from_bytes(self.data[index * size : (index + 1) * size], "little")
        width = width_of(number)
        if width is None or is_unsigned(number) or number is BOOL:
            return found
        return found - (1 << width) if width and found >> (width - 1) else found

    def literal(self, as_bytes: bool) -> str:
        """The text between the brackets; long constants `as_bytes` if that is allowed."""
        if not self.count:
            return ""
        if self.splat:
            return self._element(0)
        if as_bytes and self.count > LONGEST_LIST:
            return f'"0x{self.data.hex().upper()}"'
        return nested_list([self._element(i) for i in range(self.count)], self.shape)

    def _element(self, index: int) -> str:
        number, components = component_of(self.element)
        texts = [spell_number(self.number(index * components + k), number) for k in range(components)]
        return texts[0] if components == 1 else f"({','.join(texts)})"


class DenseStrings(BuiltinAttribute, Struct, frozen=True):
    """`dense<["a", ..]> : type` of elements that are no numbers; one string stands for all if it is alone."""

    type: Type
    shape: tuple[int, ...]
    texts: tuple[str, ...]

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        return (f"dense<{self.literal(True)}> : ", self.type)

    def literal(self, as_bytes: bool) -> str:
        """The text between the brackets."""
        texts = [escape(t) for t in self.texts]
        return texts[0] if len(texts) == 1 else nested_list(texts, self.shape)


class SparseElements(BuiltinAttribute, Struct, frozen=True):
    """`sparse<indices, values> : type`: the elements at some indices, the others are zero."""

    type: Type
    indices: DenseElements | None
    values: DenseElements | DenseStrings | None

    __str__ = BuiltinAttribute.__str__

    def pieces(self) -> Sequence[Piece]:
        if self.indices is None or self.values is None:
            return ("sparse<> : ", self.type)
        return (f"sparse<{self.indices.literal(False)}, {self.values.literal(True)}> : ", self.type)


def nested_list(items: list[str], shape: tuple[int, ...]) -> str:
    """Items in lists of lists."""
    for extent in reversed(shape):
        items = ["[" + ", ".join(items[i : i + extent]) + "]" for i in range(0, len(items), extent or 1)]
    return items[0] if items else ""


def dense_of_numbers(type_: Type, element: Type, shape: tuple[int, ...], numbers: Sequence[int]) -> DenseElements:
    """A constant from components as `DenseElements.number` gives them: all of them, or those of one element."""
    number, components = component_of(element)
    if element is BOOL:
        return _packed(type_, shape, [bool(n) for n in numbers])
    size = bytes_of(number)
    mask = (1 << 8 * size) - 1 if width_of(number) is None else (1 << (width_of(number) or 0)) - 1
    data = b"".join((n & mask).to_bytes(size, "little") for n in numbers)
    return dense_of_bytes(type_, element, shape, data) or DenseElements(
        type_, element, shape, data, len(numbers) == components
    )


def _packed(type_: Type, shape: tuple[int, ...], bits: Sequence[bool]) -> DenseElements:
    if bits and all(b is bits[0] for b in bits):
        return DenseElements(type_, BOOL, shape, b"\xff" if bits[0] else b"\x00", True)
    data = bytearray((len(bits) + 7) // 8)
    for index, bit in enumerate(bits):
        data[index // 8] |= bit << index % 8
    return DenseElements(type_, BOOL, shape, bytes(data), False)


def dense_of_bytes(type_: Type, element: Type, shape: tuple[int, ...], data: bytes) -> DenseElements | None:
    """A constant from its bytes, in the one form that equal constants share; None if there are not as many."""
    count = count_of(shape)
    if element is BOOL:
        return _dense_of_bits(type_, shape, data)
    number, components = component_of(element)
    unit = bytes_of(number) * components
    if len(data) not in (unit, unit * count):
        return None
    first = data[:unit]
    if data and data == first * (len(data) // unit):
        return DenseElements(type_, element, shape, first, True)
    return DenseElements(type_, element, shape, data, False)


def _dense_of_bits(type_: Type, shape: tuple[int, ...], data: bytes) -> DenseElements | None:
    count = count_of(shape)
    if data in (b"\x00", b"\xff"):
        return DenseElements(type_, BOOL, shape, data, True)
    if len(data) != (count + 7) // 8:
        return None
    return _packed(type_, shape, [bool(data[i // 8] >> i % 8 & 1) for i in range(count)])
