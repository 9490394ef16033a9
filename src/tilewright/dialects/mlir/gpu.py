"""MLIR's gpu, of which here are launches, the matrices of a warp and barriers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import (
    INDEX_TYPE,
    MEMREF_TYPE,
    NUMBER_LIKE,
    MlirOperation,
    fail,
    integer_of,
    memref_of,
    shape_of,
)
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import BlockArgument
from tilewright.ir.definition import (
    PURE,
    RECURSIVE_EFFECTS,
    TERMINATOR,
    Region,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    region,
    result,
)
from tilewright.ir.effects import Effect, reads, writes
from tilewright.ir.mlir.attributes import IntegerAttribute, OpaqueAttribute
from tilewright.ir.mlir.spelling import Piece
from tilewright.ir.mlir.types import FLOATS, BuiltinType, IntegerType, Signedness, integer_type, layout_of
from tilewright.ir.types import INDEX, Constraint, Type

_TEXT: Final = re.compile(r'!gpu\.mma_matrix<(\d{1,6})x(\d{1,6})x(?:(s|u|)i(\d{1,3})|(\w+)), "([ABC]Op)">')
_LAUNCH_IDS: Final = 12
_SIGNEDNESS: Final = {"": Signedness.SIGNLESS, "s": Signedness.SIGNED, "u": Signedness.UNSIGNED}


class MatrixType(BuiltinType, Struct, frozen=True):
    """A matrix that the lanes of a warp hold together, for its place in a product: `AOp`, `BOp` or `COp`."""

    rows: int
    columns: int
    element: Type
    role: str

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        return (f"!gpu.mma_matrix<{self.rows}x{self.columns}x", self.element, f', "{self.role}">')

    @property
    def stored(self) -> Type:
        """The element in memory, where integers have no sign."""
        element = self.element
        return integer_type(element.width) if isinstance(element, IntegerType) else element


def matrix_type(text: str) -> MatrixType | None:
    """The type that a text spells; None if it spells none."""
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    rows, columns, sign, width, name, role = found.groups()
    element = FLOATS.get(name) if width is None else integer_type(int(width), _SIGNEDNESS[sign])
    return None if element is None else MatrixType(int(rows), int(columns), element, role)


MATRIX: Final = Constraint("a matrix of a warp", lambda t: isinstance(t, MatrixType))


def _matrix(value: Value) -> MatrixType:
    assert isinstance(value.type, MatrixType)
    return value.type


class _MatrixAccess(MlirOperation):
    """Rows of the matrix are `leadDimension` elements apart; with `transpose` its columns are."""

    @property
    def matrix(self) -> MatrixType:
        """The type of what is read or written."""
        raise NotImplementedError

    @property
    def box(self) -> tuple[int, int]:
        """Extents in memory: rows and columns, or those exchanged."""
        type_ = self.matrix
        transposed = self.attributes.get("transpose") is not None
        return (type_.columns, type_.rows) if transposed else (type_.rows, type_.columns)

    def check_access(self, report: Report, memref: Value, indices: Sequence[Value], lead: int) -> None:
        """The memory holds the elements, and has the lead dimension that is said."""
        if len(shape_of(memref)) != len(indices) or len(indices) != 2:
            fail(
                self, report, f"{memref.type} takes {len(shape_of(memref))} indices, not {len(indices)}; matrices, two"
            )
            return
        if memref_of(memref).element != self.matrix.stored:
            fail(self, report, f"{memref.type} holds no elements of {self.matrix}")
        if lead < 1:
            fail(self, report, f"the lead dimension is positive, not {lead}")


class LoadMatrix(
    _MatrixAccess,
    name="gpu.subgroup_mma_load_matrix",
    assembly="$srcMemref '[' $indices ']' <attributes> : @srcMemref '->' @out",
):
    """Reads a matrix."""

    srcMemref: Value = operand(MEMREF_TYPE)
    indices: list[Value] = operands(INDEX_TYPE)
    leadDimension: Attribute = attribute(IntegerAttribute)
    transpose: Attribute = optional_attribute(object, default=None)
    out: Value = result(MATRIX)

    @property
    def memref(self) -> Value:
        """What is read."""
        return self.srcMemref

    @property
    def matrix(self) -> MatrixType:
        return _matrix(self.out)

    def effects(self) -> Sequence[Effect]:
        return reads(self.operands[0])

    def verify(self, report: Report) -> None:
        assert isinstance(self.leadDimension, IntegerAttribute)
        self.check_access(report, self.srcMemref, self.indices, self.leadDimension.value)


class StoreMatrix(
    _MatrixAccess,
    name="gpu.subgroup_mma_store_matrix",
    assembly="$src , $dstMemref '[' $indices ']' <attributes> : @src , @dstMemref",
):
    """Writes a matrix, which is a result of products."""

    src: Value = operand(MATRIX)
    dstMemref: Value = operand(MEMREF_TYPE)
    indices: list[Value] = operands(INDEX_TYPE)
    leadDimension: Attribute = attribute(IntegerAttribute)
    transpose: Attribute = optional_attribute(object, default=None)

    @property
    def memref(self) -> Value:
        """What is written."""
        return self.dstMemref

    @property
    def matrix(self) -> MatrixType:
        return _matrix(self.src)

    def effects(self) -> Sequence[Effect]:
        return writes(self.operands[1])

    def verify(self, report: Report) -> None:
        assert isinstance(self.leadDimension, IntegerAttribute)
        self.check_access(report, self.dstMemref, self.indices, self.leadDimension.value)
        if self.matrix.role != "COp":
            fail(self, report, f"results of products are stored, not {self.matrix}", 0)


class Compute(
    MlirOperation,
    name="gpu.subgroup_mma_compute",
    traits=(PURE,),
    assembly="$opA , $opB , $opC <attributes> : @opA , @opB '->' @out",
):
    """`opA opB + opC`."""

    opA: Value = operand(MATRIX)
    opB: Value = operand(MATRIX)
    opC: Value = operand(MATRIX, var="T")
    a_transpose: Attribute = optional_attribute(object, default=None)
    b_transpose: Attribute = optional_attribute(object, default=None)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        a, b, c = map(_matrix, (self.opA, self.opB, self.opC))
        if (a.role, b.role, c.role) != ("AOp", "BOp", "COp"):
            fail(self, report, f"takes an AOp, a BOp and a COp, not {a.role}, {b.role} and {c.role}")
        if (a.rows, a.columns, b.columns) != (c.rows, b.rows, c.columns):
            fail(self, report, f"{a} times {b} is not a {c}")
        if a.element != b.element or (layout_of(a.element) is None) != (layout_of(c.element) is None):
            fail(self, report, f"products of {a.element} and {b.element} are not summed in {c.element}")


class ConstantMatrix(
    MlirOperation,
    name="gpu.subgroup_mma_constant_matrix",
    traits=(PURE,),
    assembly="$value <attributes> : @out",
    element_of={"value": "out"},
):
    """A matrix whose elements are all one number."""

    value: Value = operand(NUMBER_LIKE)
    out: Value = result(MATRIX)

    def verify(self, report: Report) -> None:
        if self.value.type != _matrix(self.out).stored:
            fail(self, report, f"{self.out.type} holds no {self.value.type}", 0)


ELEMENTWISE: Final = ("addf", "mulf", "subf", "divf", "negatef", "addi", "muli", "subi", "negates")
"""What is done with the elements of matrices."""
_ELEMENTWISE_TEXT: Final = "#gpu<mma_element_wise {}>"


def elementwise(name: str) -> Attribute:
    """One of `ELEMENTWISE` as an attribute."""
    return OpaqueAttribute((_ELEMENTWISE_TEXT.format(name),))


class Elementwise(
    MlirOperation,
    name="gpu.subgroup_mma_elementwise",
    traits=(PURE,),
    assembly="<matrix_operation> $args <attributes> : '(' @args ')' '->' @out",
):
    """Arithmetic on the elements of matrices of one type."""

    args: list[Value] = operands(MATRIX)
    opType: Attribute = attribute(object)
    out: Value = result(MATRIX)

    @property
    def does(self) -> str:
        """What is done, `mulf` for example."""
        return str(self.opType).removeprefix("#gpu<mma_element_wise ").removesuffix(">")

    def verify(self, report: Report) -> None:
        if self.does not in ELEMENTWISE:
            fail(self, report, f"there is no arithmetic {self.does[:80]!r}; there are {', '.join(ELEMENTWISE)}")
            return
        count = 1 if self.does.startswith("negate") else 2
        if len(self.args) != count or any(value.type != self.out.type for value in self.args):
            fail(self, report, f"{self.does} takes {count} matrices of the result's type")
        elif (layout_of(_matrix(self.out).element) is not None) != self.does.endswith("f"):
            fail(self, report, f"{self.does} does not compute with {_matrix(self.out).element}")


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
