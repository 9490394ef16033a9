"""Imports instructions that access memory: an address is an `i64` that counts bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import addresses, arith, memref, tile
from tilewright.frontends.tlx.codes import NOT_CONSTANT
from tilewright.frontends.tlx.context import FunctionImport
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.frontends.tlx.llvm.result_types import field_type, resolved
from tilewright.frontends.tlx.same_bits import reread
from tilewright.ir.core import Value
from tilewright.ir.types import BOOL, I8, I64, ScalarType, TileType, Type, element_of
from tilewright.ir.types import memref as memref_type

_LONGEST_ROW: Final = 4096
_LARGEST: Final = 1 << 20
"""Bytes that one `memset` or `memcpy` may write."""


def view(f: FunctionImport, address: Value, element: ScalarType, count: int | None = None) -> Value:
    """Elements in a row from an address on, or one."""
    shape = () if count is None else (count,)
    return f.b(addresses.FromAddress(address, [], [], result_types=[memref_type(element, shape)])).out


def load(f: FunctionImport, i: syntax.Load) -> Value:
    """A number, an address or a vector of numbers."""
    type_ = f.type_of(i.type, i)
    address = f.value(i.pointer)
    parts = _in_bytes(type_, i.align)
    if not parts:
        return read(f, address, type_, i)
    found = [reread(f, read(f, _further(f, address, part.first), part.bytes, i), part.of(type_)) for part in parts]
    return found[0] if len(found) == 1 else f.b(tile.Cat(found, 0, result_types=[type_])).out


class _Part(Struct, frozen=True):
    """Elements from one on, of so many bytes, and these bytes."""

    start: int
    count: int
    element: ScalarType

    @property
    def first(self) -> int:
        return self.start * self.element.bytes

    @property
    def bytes(self) -> TileType:
        return TileType((self.count * self.element.bytes,), I8)

    def of(self, whole: Type) -> Type:
        """The type of the part of a value of a type."""
        return TileType((self.count,), self.element) if isinstance(whole, TileType) else whole


def _in_bytes(type_: Type, align: int | None) -> list[_Part]:
    """How a value is accessed whose elements are not aligned as such, so that machines may not access them at once.

    Parts are as long as values in registers may be.
    """
    element = element_of(type_)
    if align is None or element is None or align >= element.bytes:
        return []
    size, most = (type_.size if isinstance(type_, TileType) else 1), _LONGEST_ROW // element.bytes
    return [_Part(start, min(most, size - start), element) for start in range(0, size, most)]


def _further(f: FunctionImport, address: Value, distance: int) -> Value:
    return f.b(arith.Add(address, f.b.constant(distance, I64))).out if distance else address


def read(f: FunctionImport, address: Value, type_: object, node: syntax.Node) -> Value:
    """A value of a type at an address."""
    if isinstance(type_, TileType):
        if type_.element is BOOL:
            raise f.unsupported(node, "a vector of i1 in memory is not supported")
        row = view(f, address, type_.element, type_.size)
        return f.b(tile.Load(row, [f.b.index(0)], result_types=[type_])).out
    if type_ is BOOL:
        byte = f.b(memref.Load(view(f, address, I8), [])).out
        return f.b(arith.Cmp(arith.Predicate.NE, byte, f.b.constant(0, I8))).out
    assert isinstance(type_, ScalarType)
    return f.b(memref.Load(view(f, address, type_), [])).out


def store(f: FunctionImport, i: syntax.Store) -> None:
    """As `load`."""
    value, address = f.value(i.value), f.value(i.pointer)
    parts = _in_bytes(value.type, i.align)
    if not parts:
        write(f, address, value, i)
    for part in parts:
        some = value
        if len(parts) > 1:
            some = f.b(tile.Extract(value, (part.start,), result_types=[part.of(value.type)])).out
        write(f, _further(f, address, part.first), reread(f, some, part.bytes), i)


def write(f: FunctionImport, address: Value, value: Value, node: syntax.Node) -> None:
    """Put a value at an address."""
    if isinstance(value.type, TileType):
        if value.type.element is BOOL:
            raise f.unsupported(node, "a vector of i1 in memory is not supported")
        row = view(f, address, value.type.element, value.type.size)
        f.b(tile.Store(value, row, [f.b.index(0)]))
        return
    if value.type is BOOL:
        value = f.b(arith.Select(value, f.b.constant(1, I8), f.b.constant(0, I8))).out
    assert isinstance(value.type, ScalarType)
    f.b(memref.Store(value, view(f, address, value.type), []))


def address(f: FunctionImport, i: syntax.GetElementPointer) -> Value:
    """The address of a part: the bytes in front of it are added."""
    if any(isinstance(o.type, llvm.VectorType) for o in (i.pointer, *i.indices)):
        raise f.unsupported(i, "a vector of addresses is not supported")
    found = f.value(i.pointer)
    offset = 0
    walked: llvm.Type = i.type
    for position, index in enumerate(i.indices):
        whole = resolved(walked, f.module.types)
        if position and isinstance(whole, llvm.StructType):
            number = index.value.value if isinstance(index.value, syntax.Integer) else 0
            offset += _known(f, f.layouts.offset(whole, number), whole, i)
        else:
            inner = walked if not position else field_type(walked, index, f.module.types)
            assert inner is not None
            size = _known(f, f.layouts.size(inner), inner, i)
            if position and isinstance(whole, llvm.VectorType):
                size = _known(f, _packed(inner), inner, i)
            known = f.constants.value_of(index)
            if isinstance(known, int):
                offset += known * size
            else:
                found = f.b(arith.Add(found, _scaled(f, index, size))).out
        if position:
            inner = field_type(walked, index, f.module.types)
            assert inner is not None
            walked = inner
    return found if offset == 0 else f.b(arith.Add(found, f.b.constant(_wrapped(offset), I64))).out


def _packed(type_: llvm.Type) -> int | None:
    """Bytes of an element of a vector."""
    match type_:
        case llvm.IntegerType(bits=bits) | llvm.FloatType(bits=bits) if bits % 8 == 0:
            return bits // 8
        case llvm.PointerType():
            return 8
        case _:
            return None


def _known(f: FunctionImport, size: int | None, type_: llvm.Type, node: syntax.Node) -> int:
    if size is None:
        raise f.unsupported(node, f"memory that holds {type_} is not supported")
    return size


def _wrapped(offset: int) -> int:
    offset &= (1 << 64) - 1
    return offset - (1 << 64) if offset >> 63 else offset


def _scaled(f: FunctionImport, index: syntax.Operand, size: int) -> Value:
    value = f.value(index)
    if value.type is BOOL:
        raise f.unsupported(index, "an index of type i1 is not supported")
    if value.type is not I64:
        value = f.b(arith.Cast(value, result_types=[I64])).out
    return value if size == 1 else f.b(arith.Mul(value, f.b.constant(size, I64))).out


# Whole ranges of memory


def _count(f: FunctionImport, name: str, length: syntax.Operand) -> int:
    count = f.constants.value_of(length)
    if not isinstance(count, int):
        raise f.refuse(NOT_CONSTANT, length, f"the length of {name} must be a constant after folding")
    if not 0 <= count <= _LARGEST:
        raise f.unsupported(length, f"{name} of {count:,} bytes is not supported, {_LARGEST:,} are the most")
    return count


def fill(f: FunctionImport, i: syntax.Call) -> None:
    """`llvm.memset` of a constant length."""
    target, byte, length = _operands(f, i, 3)
    count = _count(f, "memset", length)
    if count:
        row = f.splat(f.value(byte), count)
        f.b(tile.Store(row, view(f, f.value(target), I8, count), [f.b.index(0)]))


def copy(f: FunctionImport, i: syntax.Call) -> None:
    """`llvm.memcpy` and `llvm.memmove` of a constant length."""
    target, source, length = _operands(f, i, 3)
    count = _count(f, "memcpy", length)
    if count:
        row = TileType((count,), I8)
        bytes_ = f.b(tile.Load(view(f, f.value(source), I8, count), [f.b.index(0)], result_types=[row])).out
        f.b(tile.Store(bytes_, view(f, f.value(target), I8, count), [f.b.index(0)]))


def _operands(f: FunctionImport, i: syntax.Call, count: int) -> Sequence[syntax.Operand]:
    if len(i.arguments) < count:
        raise f.unsupported(i, f"{i.callee} of {len(i.arguments)} operands is not supported")
    return [argument.operand for argument in i.arguments[:count]]
