"""Matrices that the lanes of a warp hold together: those of MLIR's gpu, and tilewright's own.

The own ones are for elements that `gpu` has no matrices of, as bf16 and f64, or takes to mean less: it reads factors of
f32 as tf32. They are spelled as those of `gpu`, in the dialect `tilewright`, which stock tools take as one that they do
not know.
"""

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
    memref_of,
    shape_of,
)
from tilewright.ir.attributes import Attribute
from tilewright.ir.definition import (
    PURE,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    result,
)
from tilewright.ir.effects import Effect, reads, writes
from tilewright.ir.mlir.attributes import IntegerAttribute, OpaqueAttribute
from tilewright.ir.mlir.spelling import Piece
from tilewright.ir.mlir.types import FLOATS, BuiltinType, IntegerType, Signedness, integer_type, layout_of
from tilewright.ir.types import F32, TF32, Constraint, ScalarType, Type, promotable

_TEXT: Final = re.compile(r'!(gpu|tilewright)\.mma_matrix<(\d{1,6})x(\d{1,6})x(?:(s|u|)i(\d{1,3})|(\w+)), "([ABC]Op)">')
_SIGNEDNESS: Final = {"": Signedness.SIGNLESS, "s": Signedness.SIGNED, "u": Signedness.UNSIGNED}


class MatrixType(BuiltinType, Struct, frozen=True):
    """A matrix that the lanes of a warp hold together, for its place in a product: `AOp`, `BOp` or `COp`.

    Those of elements that MLIR's `gpu` has no matrices of are of the dialect `tilewright`.
    """

    rows: int
    columns: int
    element: Type
    role: str
    dialect: str = "gpu"

    __str__ = BuiltinType.__str__

    def pieces(self) -> Sequence[Piece]:
        return (f"!{self.dialect}.mma_matrix<{self.rows}x{self.columns}x", self.element, f', "{self.role}">')

    @property
    def stored(self) -> Type:
        """The element in memory, where integers have no sign, and tf32 is f32."""
        element = self.element
        if element is TF32:
            return F32
        return integer_type(element.width) if isinstance(element, IntegerType) else element


def matrix_type(text: str) -> MatrixType | None:
    """The type that a text spells; None if it spells none."""
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    dialect, rows, columns, sign, width, name, role = found.groups()
    element = FLOATS.get(name) if width is None else integer_type(int(width), _SIGNEDNESS[sign])
    return None if element is None else MatrixType(int(rows), int(columns), element, role, dialect)


MATRIX: Final = Constraint("a matrix of a warp", lambda t: isinstance(t, MatrixType))


def _matrix(value: Value) -> MatrixType:
    assert isinstance(value.type, MatrixType)
    return value.type


class _OfMatrices(MlirOperation):
    """An operation on matrices of its own dialect."""

    def verify(self, report: Report) -> None:
        dialect, _, _ = self.name.partition(".")
        values = (*self.operands, *self.results)
        foreign = next((v for v in values if isinstance(v.type, MatrixType) and v.type.dialect != dialect), None)
        if foreign is not None:
            fail(self, report, f"takes and gives matrices of {dialect}, not {foreign.type}")


class _MatrixAccess(_OfMatrices):
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

    def holds(self, element: Type) -> bool:
        """Whether memory of such elements has those of the matrix."""
        return element == self.matrix.stored

    def check_access(self, report: Report, memref: Value, indices: Sequence[Value], lead: int) -> None:
        """The memory holds the elements, and has the lead dimension that is said."""
        if len(shape_of(memref)) != len(indices) or len(indices) != 2:
            fail(
                self, report, f"{memref.type} takes {len(shape_of(memref))} indices, not {len(indices)}; matrices, two"
            )
            return
        if not self.holds(memref_of(memref).element):
            fail(self, report, f"{memref.type} holds no elements of {self.matrix}")
        if lead < 1:
            fail(self, report, f"the lead dimension is positive, not {lead}")


class LoadMatrix(_MatrixAccess):
    """Reads a matrix; numbers of f32 are rounded where it is one of tf32. One that gpu has not may be of a wider type
    than memory, in which its numbers are exact; integers have a sign."""

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

    def holds(self, element: Type) -> bool:
        stored = self.matrix.stored
        if super().holds(element):
            return True
        if self.matrix.dialect != OWN.dialect or not isinstance(element, ScalarType):
            return False
        return isinstance(stored, ScalarType) and element.is_float == stored.is_float and promotable(element, stored)

    def verify(self, report: Report) -> None:
        super().verify(report)
        assert isinstance(self.leadDimension, IntegerAttribute)
        self.check_access(report, self.srcMemref, self.indices, self.leadDimension.value)


class StoreMatrix(_MatrixAccess):
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
        super().verify(report)
        assert isinstance(self.leadDimension, IntegerAttribute)
        self.check_access(report, self.dstMemref, self.indices, self.leadDimension.value)
        if self.matrix.role != "COp":
            fail(self, report, f"results of products are stored, not {self.matrix}", 0)


class Compute(_OfMatrices):
    """`opA opB + opC`."""

    opA: Value = operand(MATRIX)
    opB: Value = operand(MATRIX)
    opC: Value = operand(MATRIX, var="T")
    a_transpose: Attribute = optional_attribute(object, default=None)
    b_transpose: Attribute = optional_attribute(object, default=None)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        super().verify(report)
        a, b, c = map(_matrix, (self.opA, self.opB, self.opC))
        if (a.role, b.role, c.role) != ("AOp", "BOp", "COp"):
            fail(self, report, f"takes an AOp, a BOp and a COp, not {a.role}, {b.role} and {c.role}")
        if (a.rows, a.columns, b.columns) != (c.rows, b.rows, c.columns):
            fail(self, report, f"{a} times {b} is not a {c}")
        if a.element != b.element or (layout_of(a.element) is None) != (layout_of(c.element) is None):
            fail(self, report, f"products of {a.element} and {b.element} are not summed in {c.element}")


class ConstantMatrix(_OfMatrices):
    """A matrix whose elements are all one number."""

    value: Value = operand(NUMBER_LIKE)
    out: Value = result(MATRIX)

    def verify(self, report: Report) -> None:
        super().verify(report)
        if self.value.type != _matrix(self.out).stored:
            fail(self, report, f"{self.out.type} holds no {self.value.type}", 0)


ELEMENTWISE: Final = ("addf", "mulf", "subf", "divf", "negatef", "addi", "muli", "subi", "negates")
"""What is done with the elements of matrices."""
_ELEMENTWISE_TEXT: Final = "#gpu<mma_element_wise {}>"


def elementwise(name: str) -> Attribute:
    """One of `ELEMENTWISE` as an attribute."""
    return OpaqueAttribute((_ELEMENTWISE_TEXT.format(name),))


class Elementwise(_OfMatrices):
    """Arithmetic on the elements of matrices of one type."""

    args: list[Value] = operands(MATRIX)
    opType: Attribute = attribute(object)
    out: Value = result(MATRIX)

    @property
    def does(self) -> str:
        """What is done, `mulf` for example."""
        return str(self.opType).removeprefix("#gpu<mma_element_wise ").removesuffix(">")

    def verify(self, report: Report) -> None:
        super().verify(report)
        if self.does not in ELEMENTWISE:
            fail(self, report, f"there is no arithmetic {self.does[:80]!r}; there are {', '.join(ELEMENTWISE)}")
            return
        count = 1 if self.does.startswith("negate") else 2
        if len(self.args) != count or any(value.type != self.out.type for value in self.args):
            fail(self, report, f"{self.does} takes {count} matrices of the result's type")
        elif (layout_of(_matrix(self.out).element) is not None) != self.does.endswith("f"):
            fail(self, report, f"{self.does} does not compute with {_matrix(self.out).element}")


_LOAD: Final = "$srcMemref '[' $indices ']' <attributes> : @srcMemref '->' @out"
_STORE: Final = "$src , $dstMemref '[' $indices ']' <attributes> : @src , @dstMemref"
_COMPUTE: Final = "$opA , $opB , $opC <attributes> : @opA , @opB '->' @out"
_CONSTANT: Final = "$value <attributes> : @out"
_ELEMENTWISE: Final = "<matrix_operation> $args <attributes> : '(' @args ')' '->' @out"
_MMA: Final = "gpu.subgroup_mma"
_OWN: Final = "tilewright.subgroup_mma"
_OF: Final = {"value": "out"}


class StockLoadMatrix(LoadMatrix, name=f"{_MMA}_load_matrix", assembly=_LOAD):
    """`LoadMatrix` of MLIR's gpu."""


class StockStoreMatrix(StoreMatrix, name=f"{_MMA}_store_matrix", assembly=_STORE):
    """`StoreMatrix` of MLIR's gpu."""


class StockCompute(Compute, name=f"{_MMA}_compute", traits=(PURE,), assembly=_COMPUTE):
    """`Compute` of MLIR's gpu."""


class StockConstantMatrix(
    ConstantMatrix, name=f"{_MMA}_constant_matrix", traits=(PURE,), assembly=_CONSTANT, element_of=_OF
):
    """`ConstantMatrix` of MLIR's gpu."""


class StockElementwise(Elementwise, name=f"{_MMA}_elementwise", traits=(PURE,), assembly=_ELEMENTWISE):
    """`Elementwise` of MLIR's gpu."""


class OwnLoadMatrix(LoadMatrix, name=f"{_OWN}_load_matrix", assembly=_LOAD):
    """`LoadMatrix` of any elements."""


class OwnStoreMatrix(StoreMatrix, name=f"{_OWN}_store_matrix", assembly=_STORE):
    """`StoreMatrix` of any elements."""


class OwnCompute(Compute, name=f"{_OWN}_compute", traits=(PURE,), assembly=_COMPUTE):
    """`Compute` of any elements."""


class OwnConstantMatrix(
    ConstantMatrix, name=f"{_OWN}_constant_matrix", traits=(PURE,), assembly=_CONSTANT, element_of=_OF
):
    """`ConstantMatrix` of any elements."""


class OwnElementwise(Elementwise, name=f"{_OWN}_elementwise", traits=(PURE,), assembly=_ELEMENTWISE):
    """`Elementwise` of any elements."""


class MatrixOperations(Struct, frozen=True):
    """The operations on matrices of a dialect."""

    dialect: str
    load: type[LoadMatrix]
    store: type[StoreMatrix]
    compute: type[Compute]
    constant: type[ConstantMatrix]
    elementwise: type[Elementwise]


STOCK: Final = MatrixOperations(
    "gpu", StockLoadMatrix, StockStoreMatrix, StockCompute, StockConstantMatrix, StockElementwise
)
OWN: Final = MatrixOperations(
    "tilewright", OwnLoadMatrix, OwnStoreMatrix, OwnCompute, OwnConstantMatrix, OwnElementwise
)
