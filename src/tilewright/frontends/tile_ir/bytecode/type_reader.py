"""Reads types. An entry of the table is resolved when it is used; entries may come in any order, but in no circle."""

from __future__ import annotations

from typing import Final

from tilewright.dialects.cuda_tile.legal_types import problem
from tilewright.dialects.cuda_tile.types import (
    ELEMENTS,
    TOKEN_TYPE,
    Element,
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
    since,
)
from tilewright.frontends.tile_ir.bytecode.cursor import Cursor
from tilewright.frontends.tile_ir.bytecode.form import DYNAMIC, TypeTag
from tilewright.frontends.tile_ir.bytecode.tables import Table
from tilewright.ir.mlir.limits import Limits
from tilewright.ir.types import Type

_BY_TAG: Final = {e.tag: e for e in ELEMENTS.values()}
_PADDINGS: Final = tuple(Padding)
_DEEPEST: Final = 8
"""No legal type is nested more deeply."""


class Types:
    """The type table."""

    def __init__(self, table: Table, version: Version, limits: Limits) -> None:
        self._table = table
        self._version = version
        self._limits = limits
        self._found: dict[int, Type] = {}
        self._open: list[int] = []

    def read(self, cursor: Cursor) -> Type:
        """The type whose index stands next."""
        index = self._table.index(cursor)
        return self._found.get(index) or self._resolve(index)

    def value(self, cursor: Cursor) -> Type:
        """The type of a value."""
        at = cursor.position
        found = self.read(cursor)
        if isinstance(found, ElementType | Pointer | FunctionType):
            cursor.fail("B7", f"{found} is no type of a value", at)
        return found

    def tile(self, cursor: Cursor) -> Tile:
        """The type of a tile."""
        at = cursor.position
        found = self.read(cursor)
        if not isinstance(found, Tile):
            cursor.fail("B7", f"{found} is no tile", at)
        return found

    def number(self, cursor: Cursor) -> ElementType:
        """The type of a number."""
        at = cursor.position
        found = self.read(cursor)
        if not isinstance(found, ElementType):
            cursor.fail("B7", f"{found} is no type of a number", at)
        return found

    def function(self, cursor: Cursor) -> FunctionType:
        """The type of a function."""
        at = cursor.position
        found = self.read(cursor)
        if not isinstance(found, FunctionType):
            cursor.fail("B7", f"{found} is no type of a function", at)
        return found

    def _resolve(self, index: int) -> Type:
        entry = self._table.entry(index)
        start = entry.position
        if index in self._open:
            entry.fail("B7", f"type {index} contains itself")
        if len(self._open) >= _DEEPEST:
            entry.fail("B7", f"types are nested more than {_DEEPEST} deep")
        self._open.append(index)
        found = self._entry(entry)
        self._open.pop()
        entry.finish(f"type {index}")
        if since(found) > self._version:
            entry.fail("B10", f"{found} needs version {since(found)}; the file has {self._version}", start)
        wrong = problem(found)
        if wrong is not None:
            entry.fail("B7", f"{found}: {wrong}", start)
        self._found[index] = found
        return found

    def _entry(self, c: Cursor) -> Type:
        at = c.position
        tag = c.varint("the tag of a type")
        element = _BY_TAG.get(tag)
        if element is not None:
            return element
        match tag:
            case TypeTag.TOKEN:
                return TOKEN_TYPE
            case TypeTag.POINTER:
                return self._pointer(c)
            case TypeTag.TILE:
                return self._tile(c)
            case TypeTag.TENSOR_VIEW:
                return self._tensor_view(c)
            case TypeTag.PARTITION_VIEW:
                return self._partition_view(c)
            case TypeTag.STRIDED_VIEW | TypeTag.GATHER_SCATTER_VIEW:
                if self._version < Version.V13_3:
                    name = TypeTag(tag).name.lower()
                    c.fail("B10", f"{name} needs version {Version.V13_3}; the file has {self._version}", at)
                return self._strided_view(c) if tag == TypeTag.STRIDED_VIEW else self._gather_scatter_view(c)
            case TypeTag.FUNCTION:
                return self._function(c)
            case _:
                raise c.fault("B6", f"there is no type with the tag {tag}", at)

    def _pointer(self, c: Cursor) -> Pointer:
        flags = self._reference_flags(c)
        pointee = self.number(c)
        self._reference_attribute(c, flags)
        return Pointer(pointee)

    def _tile(self, c: Cursor) -> Tile:
        at = c.position
        element: Type = self.read(c)
        if not isinstance(element, Element):
            c.fail("B7", f"the elements of a tile are numbers or pointers, not {element}", at)
        return Tile(self._extents(c, 8), element)

    def _tensor_view(self, c: Cursor) -> TensorView:
        flags = self._reference_flags(c)
        element = self.number(c)
        shape, strides = self._extents(c, 8), self._extents(c, 8)
        self._reference_attribute(c, flags)
        return TensorView(element, _dynamic(shape), _dynamic(strides))

    def _partition_view(self, c: Cursor) -> PartitionView:
        if self._version >= Version.V13_3:
            flags = self._padding_flags(c)
            tile, tensor, dim_map = self._extents(c, 4), self._tensor(c), self._extents(c, 4)
        else:
            tile, tensor, dim_map = self._extents(c, 4), self._tensor(c), self._extents(c, 4)
            at = c.position
            flags = c.byte("whether there is a padding value")
            if flags > 1:
                c.fail("B6", f"expected 0 or 1 for whether there is a padding value, not {flags}", at)
        return PartitionView(tile, tensor, self._padding(c, flags), dim_map)

    def _strided_view(self, c: Cursor) -> StridedView:
        flags = self._padding_flags(c)
        tile, traversal = self._extents(c, 4), self._extents(c, 4)
        tensor, dim_map = self._tensor(c), self._extents(c, 4)
        return StridedView(tile, tensor, self._padding(c, flags), traversal, dim_map)

    def _gather_scatter_view(self, c: Cursor) -> GatherScatterView:
        flags = self._padding_flags(c)
        tile, tensor = self._extents(c, 4), self._tensor(c)
        sparse_dim = c.varint("the sparse dimension")
        return GatherScatterView(tile, tensor, self._padding(c, flags), sparse_dim)

    def _function(self, c: Cursor) -> FunctionType:
        inputs = tuple(self.value(c) for _ in range(c.count("the number of parameters")))
        results = tuple(self.value(c) for _ in range(c.count("the number of results")))
        return FunctionType(inputs, results)

    def _tensor(self, c: Cursor) -> TensorView:
        at = c.position
        found = self.read(c)
        if not isinstance(found, TensorView):
            c.fail("B7", f"a view is one of a tensor_view, not of {found}", at)
        return found

    def _extents(self, c: Cursor, width: int) -> tuple[int, ...]:
        at = c.position
        found = c.integers(width, "extents")
        if len(found) > self._limits.rank:
            c.fail("B11", f"{len(found)} dimensions; the limit is {self._limits.rank}", at)
        return found

    def _padding_flags(self, c: Cursor) -> int:
        return self._flags(c, "the flags of a view")

    def _padding(self, c: Cursor, flags: int) -> Padding | None:
        if not flags:
            return None
        at = c.position
        code = c.varint("a padding value")
        if code >= len(_PADDINGS):
            c.fail("B6", f"there is no padding value {code}", at)
        return _PADDINGS[code]

    def _reference_flags(self, c: Cursor) -> int:
        """Flags of what refers to memory, which 13.4 added."""
        return self._flags(c, "the flags of a pointer") if self._version >= Version.V13_4 else 0

    def _reference_attribute(self, c: Cursor, flags: int) -> None:
        """The attribute of a pointer says nothing that is public."""
        if flags:
            c.varint("the attribute of a pointer")

    def _flags(self, c: Cursor, what: str) -> int:
        at = c.position
        found = c.varint(what)
        if found > 1:
            c.fail("B6", f"{what}: only flag 0 exists, not {found:#b}", at)
        return found


def _dynamic(extents: tuple[int, ...]) -> tuple[int | None, ...]:
    return tuple(None if e == DYNAMIC else e for e in extents)
