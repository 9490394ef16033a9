"""Collects what a file holds once: strings, types, constants. Indices are those of first use."""

from __future__ import annotations

from typing import Final

from tilewright.dialects.cuda_tile.types import (
    ElementType,
    FunctionType,
    GatherScatterView,
    Padding,
    PartitionView,
    Pointer,
    StridedView,
    TensorView,
    Tile,
    Version,
    View,
)
from tilewright.frontends.tile_ir.bytecode.buffer import Buffer, table
from tilewright.frontends.tile_ir.bytecode.form import DYNAMIC, TypeTag
from tilewright.ir.types import TokenType, Type

_PADDINGS: Final = tuple(Padding)


class StringPool:
    """The string table."""

    def __init__(self) -> None:
        self._indices: dict[str, int] = {}

    def index(self, text: str) -> int:
        """The index of a string."""
        return self._indices.setdefault(text, len(self._indices))

    def payload(self) -> bytes:
        """The section."""
        return table([text.encode("utf-8") for text in self._indices], 4)


class ConstantPool:
    """The constants; equal ones share an entry, whatever their types."""

    def __init__(self) -> None:
        self._indices: dict[bytes, int] = {}

    def index(self, data: bytes) -> int:
        """The index of some elements."""
        return self._indices.setdefault(data, len(self._indices))

    def __len__(self) -> int:
        return len(self._indices)

    def payload(self) -> bytes:
        """The section."""
        return table([_counted(data) for data in self._indices], 8)


def _counted(data: bytes) -> bytes:
    out = Buffer()
    out.varint(len(data))
    out.bytes(data)
    return bytes(out.data)


class TypePool:
    """The types; the parts of a type stand in front of it."""

    def __init__(self, version: Version) -> None:
        self._version = version
        self._indices: dict[Type, int] = {}
        self._entries: list[bytes] = []

    def __len__(self) -> int:
        return len(self._entries)

    def payload(self) -> bytes:
        """The section."""
        return table(self._entries, 4)

    def index(self, type_: Type) -> int:
        """The index of a type."""
        found = self._indices.get(type_)
        if found is None:
            out = Buffer()
            self._encode(out, type_)
            found = self._indices[type_] = len(self._entries)
            self._entries.append(bytes(out.data))
        return found

    def _encode(self, out: Buffer, type_: Type) -> None:
        match type_:
            case ElementType():
                out.varint(type_.tag)
            case TokenType():
                out.varint(TypeTag.TOKEN)
            case Pointer():
                pointee = self.index(type_.pointee)
                out.varint(TypeTag.POINTER)
                self._reference_flags(out)
                out.varint(pointee)
            case Tile():
                element = self.index(type_.element)
                out.varint(TypeTag.TILE)
                out.varint(element)
                out.integers(type_.shape, 8)
            case TensorView():
                self._tensor_view(out, type_)
            case View():
                self._view(out, type_)
            case FunctionType():
                parts = [[self.index(t) for t in types] for types in (type_.inputs, type_.results)]
                out.varint(TypeTag.FUNCTION)
                for part in parts:
                    out.varint(len(part))
                    for index in part:
                        out.varint(index)
            case _:
                raise AssertionError(f"not a type of Tile IR: {type_}")

    def _reference_flags(self, out: Buffer) -> None:
        if self._version >= Version.V13_4:
            out.varint(0)

    def _tensor_view(self, out: Buffer, type_: TensorView) -> None:
        element = self.index(type_.element)
        out.varint(TypeTag.TENSOR_VIEW)
        self._reference_flags(out)
        out.varint(element)
        for extents in (type_.shape, type_.strides):
            out.integers((DYNAMIC if e is None else e for e in extents), 8)

    def _view(self, out: Buffer, type_: View) -> None:
        tensor = self.index(type_.tensor)
        padding = None if type_.padding is None else _PADDINGS.index(type_.padding)
        old = self._version < Version.V13_3
        match type_:
            case PartitionView():
                out.varint(TypeTag.PARTITION_VIEW)
                self._padding_flags(out, type_)
                out.integers(type_.tile, 4)
                out.varint(tensor)
                out.integers(type_.dim_map, 4)
                if old:
                    out.byte(int(padding is not None))
            case StridedView():
                out.varint(TypeTag.STRIDED_VIEW)
                self._padding_flags(out, type_)
                out.integers(type_.tile, 4)
                out.integers(type_.traversal, 4)
                out.varint(tensor)
                out.integers(type_.dim_map, 4)
            case GatherScatterView():
                out.varint(TypeTag.GATHER_SCATTER_VIEW)
                self._padding_flags(out, type_)
                out.integers(type_.tile, 4)
                out.varint(tensor)
                out.varint(type_.sparse_dim)
            case _:
                raise AssertionError(f"not a view of Tile IR: {type_}")
        if padding is not None:
            out.varint(padding)

    def _padding_flags(self, out: Buffer, type_: View) -> None:
        if self._version >= Version.V13_3:
            out.varint(int(type_.padding is not None))
