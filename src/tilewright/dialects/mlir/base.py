"""Declaring operations of MLIR's own dialects: the declaration of `ir.definition` with the custom form beside it.

    class AddF(FloatBinary, name="arith.addf", traits=(PURE,), assembly="$lhs , $rhs <fastmath> <attributes> : @lhs"):

Fields have the names that MLIR gives them, and attributes are kept as MLIR has them (`ir.mlir.attributes`), so that the
generic form is that of the stock tool. Types are MLIR's, in which scalars are those of `ir.types`.

`assembly` is the custom form word by word: `$x` an operand (all of a list), `@x` the type of an operand or result
(types of a list), `<part>` a part with code of its own (`frontends.mlir`), `[? .. ]?` what is there only if the list in
it is not empty, anything else itself. A form that is all code is `<part>` alone. Types that the form leaves out follow
from the declaration: by a type variable, from the constraint (an index, a bool), from `infer`, or from `element_of`,
which maps an operand to the memref or matrix whose element it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, cast

from msgspec import Struct, field

from tilewright.diagnostics import Report
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.core import Value
from tilewright.ir.definition import Operation, Trait
from tilewright.ir.mlir.attributes import DenseArray, IntegerAttribute
from tilewright.ir.mlir.declared import SpellsAttributes
from tilewright.ir.mlir.dense import DenseElements
from tilewright.ir.mlir.types import MemrefType
from tilewright.ir.types import BOOL, I32, INDEX, Constraint, ScalarType, Type

CODE = "M10"
"""The code under which broken rules of these dialects are reported."""
UNSUPPORTED = "M11"
"""That of operations which are not read in their custom form, or have no lowering."""


class Form(Struct, frozen=True):
    """The custom form of an operation: its words, and operands whose type is the element of another's.

    `loose` attributes are declared, but no properties in the generic form.
    """

    words: str
    loose: frozenset[str] = frozenset()
    element_of: Mapping[str, str] = field(default_factory=dict[str, str])


_NOTHING: Mapping[str, str] = MappingProxyType({})


class MlirOperation(Operation, SpellsAttributes):
    """Base of the operations of MLIR's dialects."""

    __slots__ = ()

    form: ClassVar[Form]

    def __init_subclass__(
        cls,
        name: str = "",
        traits: tuple[Trait, ...] = (),
        code: str = CODE,
        *,
        assembly: str = "",
        element_of: Mapping[str, str] = _NOTHING,
        loose: tuple[str, ...] = (),
    ) -> None:
        super().__init_subclass__(name, traits, code)
        if name:
            cls.form = Form(assembly, frozenset(loose), element_of)

    @classmethod
    def implied_segments(cls, count: int) -> tuple[int, ...] | None:
        """How many operands each list has, where that follows from their number and is not written."""
        return None

    def spelled_attributes(self) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
        declared = self.definition.attributes.keys() - self.form.loose
        properties = {k.removesuffix("_"): v for k, v in self.attributes.items() if k in declared}
        sizes = self.attributes.get("operand_segments")
        if isinstance(sizes, tuple) and self.implied_segments(len(self.operands)) is None:
            properties["operandSegmentSizes"] = DenseArray(I32, cast("tuple[int, ...]", sizes))
        others = {k: v for k, v in self.attributes.items() if k not in declared and k != "operand_segments"}
        return dict(sorted(properties.items())), dict(sorted(others.items()))


INTEGER_LIKE = Constraint("an integer or index", lambda t: isinstance(t, ScalarType) and (t.is_integer or t is BOOL))
FLOAT_LIKE = Constraint("a float", lambda t: isinstance(t, ScalarType) and t.is_float)
NUMBER_LIKE = INTEGER_LIKE | FLOAT_LIKE
INDEX_TYPE = Constraint("index", lambda t: t is INDEX)
BOOLEAN_TYPE = Constraint("i1", lambda t: t is BOOL)
MEMREF_TYPE = Constraint("a memref with a rank", lambda t: isinstance(t, MemrefType) and t.shape is not None)


def memref_of(value: Value) -> MemrefType:
    """The type of a value that is a memref."""
    assert isinstance(value.type, MemrefType)
    return value.type


def shape_of(value: Value) -> tuple[int | None, ...]:
    """The extents of a memref, which has a rank."""
    shape = memref_of(value).shape
    assert shape is not None
    return shape


def element_type(op: CoreOperation) -> Type:
    """The element of the first memref among the operands."""
    return next((v.type.element for v in op.operands if isinstance(v.type, MemrefType)), INDEX)


def index_type(op: CoreOperation) -> Type:
    """`index`."""
    return INDEX


def boolean_type(op: CoreOperation) -> Type:
    """`i1`."""
    return BOOL


def integer_of(value: Attribute, default: int = 0) -> int:
    """The number of an integer attribute."""
    return value.value if isinstance(value, IntegerAttribute) else default


def integers_of(value: Attribute) -> tuple[int, ...]:
    """The numbers of an array: dense, of any shape, or a list of integers."""
    match value:
        case DenseArray():
            return value.values
        case DenseElements():
            return tuple(value.number(0 if value.splat else k) for k in range(value.count))
        case tuple():
            return tuple(integer_of(entry) for entry in cast("tuple[Attribute, ...]", value))
        case _:
            return ()


def fail(op: CoreOperation, report: Report, message: str, operand: int | None = None) -> None:
    """Report what is wrong with an operation, at one of its operands if that is to blame."""
    place = op.location if operand is None else op.place(("operand", operand))
    report.error(CODE, place, f"{op.name}: {message}")
