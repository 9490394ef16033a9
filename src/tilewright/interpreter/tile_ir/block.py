"""A running tile block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilewright.diagnostics import Diagnostic, Location
from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects.cuda_tile.types import ElementType
from tilewright.interpreter.tile_ir.memory import Buffer, Memory, Place, read, write
from tilewright.interpreter.tile_ir.order import Access, BlockOrder, GridOrder, bytes_of
from tilewright.interpreter.tile_ir.values import (
    RuntimeValue,
    TensorValue,
    Token,
    ViewValue,
    dtype_of,
    element_of,
)
from tilewright.ir.core import Block, Operation, Value
from tilewright.numerics.integers import unsigned

Array = NDArray[Any]
Handler = Callable[["TileBlock", Operation], Operation | None]
"""Executes an operation and says which one is next; None: the one behind it."""
OperationT = TypeVar("OperationT", bound=Operation)
Entries = Mapping[type[Operation], Handler]


def handler(kind: type[OperationT], run: Callable[[TileBlock, OperationT], object]) -> tuple[type[Operation], Handler]:
    """An entry of a table of handlers; `run` returns nothing, or the next operation."""
    return kind, cast("Handler", run)


class Launch(Struct):
    """What all tile blocks of a launch share."""

    grid: tuple[int, int, int]
    checked: bool
    fuel: int
    memory: Memory
    handlers: Entries
    write: Callable[[str], object]
    globals: Mapping[str, int]
    order: GridOrder
    constants: dict[Operation, Array] = field(default_factory=dict[Operation, Array])


class TileBlock(Struct):
    """One tile block: the values that it has computed, the loops that it is in."""

    launch: Launch
    coordinates: tuple[int, int, int]
    values: dict[Value, RuntimeValue]
    order: BlockOrder = field(default_factory=BlockOrder)
    trips: dict[Operation, int] = field(default_factory=dict[Operation, int])
    allocated: dict[Block, list[Buffer]] = field(default_factory=dict[Block, list[Buffer]])
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    failures: list[Diagnostic] = field(default_factory=list[Diagnostic])
    finished: bool = False
    nesting: int = 0

    @property
    def checked(self) -> bool:
        """Whether undefined behaviour is an error."""
        return self.launch.checked

    @property
    def number(self) -> int:
        """The block's number in the grid."""
        (x, y, z), (nx, ny, _) = self.coordinates, self.launch.grid
        return (z * ny + y) * nx + x

    def run(self, first: Operation | None) -> None:
        """Execute operations until the tile block, or the region of a reduction, ends."""
        handlers, launch, op = self.launch.handlers, self.launch, first
        while op is not None and not self.finished:
            launch.fuel -= 1
            if launch.fuel < 0:
                fail("R021", op.location, "the kernel ran for too long (the interpreter's limit on operations)")
            op = handlers[type(op)](self, op) or op.next

    # Values

    def tile(self, value: Value) -> Array:
        """A tile."""
        found = self.values[value]
        assert isinstance(found, np.ndarray)
        return found

    def tensor(self, value: Value) -> TensorValue:
        """A tensor in memory."""
        found = self.values[value]
        assert isinstance(found, TensorValue)
        return found

    def view(self, value: Value) -> ViewValue:
        """A view."""
        found = self.values[value]
        assert isinstance(found, ViewValue)
        return found

    def token(self, value: Value | None) -> Token | None:
        """A token."""
        if value is None:
            return None
        found = self.values[value]
        assert isinstance(found, Token)
        return found

    def unsigned(self, value: Value) -> int:
        """A scalar integer, read as unsigned."""
        return int(unsigned(element_of(value).integral, self.tile(value)))

    def bind(self, value: Value, found: object) -> None:
        """A tile as the value of a result."""
        self.values[value] = np.asarray(found)

    def undefined(self, where: Location, message: str) -> None:
        """In checked mode, stop at behaviour that the specification leaves undefined."""
        if self.checked:
            fail("R030", where, message)

    # Memory

    def access(self, token: Value | None, where: Location, weak: bool) -> Access | None:
        """Number a memory operation, in checked mode."""
        return self.order.enter(self.token(token), where, weak) if self.checked else None

    def finish(self, result: Value, access: Access | None) -> None:
        """Bind the token of a memory operation."""
        self.values[result] = Token() if access is None else access.token

    def load(self, addresses: Array, element: ElementType, where: Location, access: Access | None) -> Array:
        """Elements at addresses (one dimension)."""
        if not addresses.size:
            return np.empty(0, dtype_of(element))
        size = element.memory_bytes
        places = self.launch.memory.locate(addresses, size, where, "reads")
        for place in places:
            self._note(place, size, True, False, where, access)
        if len(places) == 1:
            return read(places[0], element)
        parts = [read(place, element) for place in places]
        out = np.empty(addresses.shape, parts[0].dtype)
        for place, part in zip(places, parts, strict=True):
            out[place.chosen] = part
        return out

    def store(
        self, addresses: Array, element: ElementType, values: Array, where: Location, access: Access | None
    ) -> None:
        """Store elements at addresses."""
        size = element.memory_bytes
        for place in self.launch.memory.locate(addresses, size, where, "writes"):
            if place.buffer.readonly:
                fail("R012", where, f"writes {place.buffer.name}, which is read-only")
            self._note(place, size, False, True, where, access)
            write(place, element, values if place.chosen is None else values[place.chosen])

    def _note(self, place: Place, size: int, reads: bool, writes: bool, where: Location, access: Access | None) -> None:
        if access is None:
            return
        at, buffer = bytes_of(place, size), place.buffer
        if reads and buffer.uninitialised and (self.order.writers.table(buffer)[at] == 0).any():
            fail("R011", where, f"reads memory of {buffer.name} that nothing has written")
        access.note(buffer, at, reads, writes)
        if access.weak and not buffer.uninitialised:
            self.launch.order.note(buffer, at, self.number, writes, where)

    # Blocks

    def leave(self, block: Block, outer: Operation | None) -> None:
        """Memory that was allocated in blocks up to those of `outer` is gone."""
        inner: Block | None = block
        while inner is not None and self.allocated:
            for buffer in self.allocated.pop(inner, ()):
                buffer.alive = False
            parent = inner.parent_op
            inner = None if parent is None or parent is outer else parent.block

    def values_of(self, values: Sequence[Value]) -> list[RuntimeValue]:
        """Several values at once."""
        return [self.values[v] for v in values]

    def bind_all(self, results: Sequence[Value], values: Sequence[RuntimeValue]) -> None:
        """Bind results or arguments."""
        for result, value in zip(results, values, strict=True):
            self.values[result] = value
