"""MLIR's gpu, of which here are launches and barriers; `mma` has the matrices of a warp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import (
    INDEX_TYPE,
    MEMREF_TYPE,
    MlirOperation,
    fail,
    integer_of,
)
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import BlockArgument
from tilewright.ir.definition import (
    RECURSIVE_EFFECTS,
    TERMINATOR,
    Region,
    Value,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    region,
)
from tilewright.ir.effects import Effect
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import INDEX

_LAUNCH_IDS: Final = 12


class Barrier(MlirOperation, name="gpu.barrier", assembly="<attributes>"):
    """All threads of a block wait for each other, and see what the others wrote."""

    def effects(self) -> Sequence[Effect] | None:
        return None


class Terminator(MlirOperation, name="gpu.terminator", traits=(TERMINATOR,), assembly="<attributes>"):
    """Ends the body of a launch."""


class Launch(MlirOperation, name="gpu.launch", traits=(RECURSIVE_EFFECTS,), loose=("workgroup_attributions",)):
    """Every thread of every block of a grid runs the body once.

    The body's arguments: position in the grid, position in the block, extents of the grid, extents of the block, each
    along x, y, z; then `workgroup_attributions` memrefs that the threads of a block share, and others of one thread.
    """

    asyncDependencies: list[Value] = operands()
    gridSizeX: Value = operand(INDEX_TYPE)
    gridSizeY: Value = operand(INDEX_TYPE)
    gridSizeZ: Value = operand(INDEX_TYPE)
    blockSizeX: Value = operand(INDEX_TYPE)
    blockSizeY: Value = operand(INDEX_TYPE)
    blockSizeZ: Value = operand(INDEX_TYPE)
    body: Region = region()
    clusterSizeX: Value | None = optional_operand(INDEX_TYPE, default=None)
    clusterSizeY: Value | None = optional_operand(INDEX_TYPE, default=None)
    clusterSizeZ: Value | None = optional_operand(INDEX_TYPE, default=None)
    dynamicSharedMemorySize: Value | None = optional_operand(default=None)
    workgroup_attributions: Attribute = optional_attribute(IntegerAttribute, default=None)

    @property
    def grid(self) -> tuple[Value, Value, Value]:
        """Extents of the grid."""
        return self.gridSizeX, self.gridSizeY, self.gridSizeZ

    @property
    def block_size(self) -> tuple[Value, Value, Value]:
        """Extents of a block."""
        return self.blockSizeX, self.blockSizeY, self.blockSizeZ

    def ids(self, number: int) -> list[BlockArgument]:
        """The arguments of a kind along x, y, z: 0 position in the grid, 1 in the block, 2 and 3 the extents."""
        return self.body.entry.arguments[3 * number : 3 * number + 3]

    @property
    def shared(self) -> list[BlockArgument]:
        """The memory that the threads of a block share."""
        count = integer_of(self.workgroup_attributions)
        return self.body.entry.arguments[_LAUNCH_IDS : _LAUNCH_IDS + count]

    @property
    def private(self) -> list[BlockArgument]:
        """The memory of one thread."""
        return self.body.entry.arguments[_LAUNCH_IDS + len(self.shared) :]

    def verify(self, report: Report) -> None:
        arguments = self.body.entry.arguments
        if [a.type for a in arguments[:_LAUNCH_IDS]] != [INDEX] * _LAUNCH_IDS:
            fail(self, report, f"the body begins with {_LAUNCH_IDS} arguments of type index")
        elif not all(MEMREF_TYPE.accepts(a.type) for a in arguments[_LAUNCH_IDS:]):
            fail(self, report, "memory that a launch provides is memrefs")
        elif len(self.shared) < integer_of(self.workgroup_attributions):
            fail(self, report, f"there are not {integer_of(self.workgroup_attributions)} memrefs for the block")
        if not isinstance(self.body.entry.last, Terminator):
            fail(self, report, "the body ends in gpu.terminator")
