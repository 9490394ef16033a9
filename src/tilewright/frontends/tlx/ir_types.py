"""What types of LLVM are in the IR, and how much memory they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.frontends.tlx.llvm.result_types import Types, resolved
from tilewright.ir.types import BF16, BOOL, F16, F32, F64, I8, I16, I32, I64, ScalarType, TileType, Type

SCALARS: Final[Mapping[str, ScalarType]] = {t.name: t for t in (I8, I16, I32, I64, F16, BF16, F32, F64)}
"""By the names that LLVM's suffixes have for them."""


_NUMBERS: Final[Mapping[llvm.Type, ScalarType]] = {
    llvm.I1: BOOL,
    **{llvm.IntegerType(t.bits): t for t in (I8, I16, I32, I64)},
    **{t: SCALARS[t.layout] for t in llvm.FLOATS.values() if t.layout in SCALARS},
}


def scalar_type(type_: llvm.Type) -> ScalarType | None:
    """A number, or an address for a pointer; None for what kernels do not compute with."""
    return I64 if isinstance(type_, llvm.PointerType) else _NUMBERS.get(type_)


def ir_type(type_: llvm.Type) -> Type | None:
    """A number or a vector of numbers; None for what kernels do not compute with."""
    if isinstance(type_, llvm.VectorType):
        element = None if type_.scalable else scalar_type(type_.element)
        return None if element is None else TileType((type_.count,), element)
    return scalar_type(type_)


def element_in_memory(type_: llvm.Type | None) -> ScalarType | None:
    """The element that lies in memory where a value of a type does: of vectors and arrays theirs."""
    while isinstance(type_, (llvm.VectorType, llvm.ArrayType)):
        type_ = type_.element
    found = None if type_ is None else _NUMBERS.get(type_)
    return None if found is BOOL else found


_Asked = Callable[[llvm.Type], "int | None"]


class Layouts:
    """Sizes and alignments of types, as on all machines of 64 bits here."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self._open: set[str] = set()

    def size(self, type_: llvm.Type) -> int | None:
        """Bytes from one element of an array to the next; None if that is not known."""
        stored = self._stored(type_)
        alignment = self.alignment(type_)
        return None if stored is None or alignment is None else -(-stored // alignment) * alignment

    def alignment(self, type_: llvm.Type) -> int | None:
        """Bytes that addresses of the type are multiples of."""
        match type_:
            case llvm.ArrayType(element=element):
                return self.alignment(element)
            case llvm.StructType(fields=fields, packed=packed):
                found = [1 if packed else self.alignment(field) for field in fields]
                known = [n for n in found if n is not None]
                return max(known, default=1) if len(known) == len(found) else None
            case llvm.NamedType():
                return self._named(type_, self.alignment)
            case _:
                stored = self._stored(type_)
                return None if stored is None else 1 << max(stored - 1, 0).bit_length()

    def offset(self, type_: llvm.StructType, number: int) -> int | None:
        """Bytes in front of a field."""
        total = 0
        for k, field in enumerate(type_.fields):
            alignment = 1 if type_.packed else self.alignment(field)
            if alignment is None:
                return None
            total = -(-total // alignment) * alignment
            if k == number:
                return total
            size = self.size(field)
            if size is None:
                return None
            total += size
        return total

    def _stored(self, type_: llvm.Type) -> int | None:
        match type_:
            case llvm.IntegerType(bits=bits) | llvm.FloatType(bits=bits):
                return (bits + 7) // 8
            case llvm.PointerType():
                return 8
            case llvm.VectorType(count=count, element=element, scalable=False):
                bits = 64 if isinstance(element, llvm.PointerType) else _bits(element)
                return None if bits is None else (count * bits + 7) // 8
            case llvm.ArrayType(count=count, element=element):
                size = self.size(element)
                return None if size is None else count * size
            case llvm.StructType(fields=fields):
                return self.offset(type_, len(fields))
            case llvm.NamedType():
                return self._named(type_, self._stored)
            case _:
                return None

    def _named(self, type_: llvm.NamedType, asked: _Asked) -> int | None:
        """What is asked of a named type; nothing is known of one that contains itself."""
        found = resolved(type_, self.types)
        if found is None or type_.name in self._open:
            return None
        self._open.add(type_.name)
        try:
            return asked(found)
        finally:
            self._open.discard(type_.name)


def _bits(type_: llvm.Type) -> int | None:
    return type_.bits if isinstance(type_, llvm.IntegerType | llvm.FloatType) else None
