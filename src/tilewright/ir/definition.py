"""Declaring operations.

    class Add(Operation, name="arith.add", traits=(PURE, COMMUTATIVE)):
        '''Sum. Integers wrap, floats round to nearest even.'''

        lhs: Value = operand(SHAPED_NUMBER, var="T")
        rhs: Value = operand(SHAPED_NUMBER, var="T")
        out: Value = result(var="T")

The declaration stands for plain Python, compiled once (`members`): a constructor `Add(lhs, rhs, location=..)` with its
parameters in the order of declaration (required ones first), accessors, and a check of counts, types and attributes.
What the fields cannot say goes into `verify`. A class without `name` is no operation but a family: the operations that
derive from it have its fields in front of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, TypeAlias, dataclass_transform

from tilewright.diagnostics import UNKNOWN, Location
from tilewright.ir.core import Attribute, Block, OpResult, Region, Value
from tilewright.ir.core import Operation as _Operation
from tilewright.ir.members import declare_members
from tilewright.ir.specs import (
    COLLECTIVE,
    COMMUTATIVE,
    CONVERGENT,
    ELEMENTARY,
    ISOLATED,
    PURE,
    RECURSIVE_EFFECTS,
    SPMD_ONLY,
    SPMD_REGION,
    TERMINATOR,
    AttributeSpec,
    Definition,
    OperandSpec,
    RegionSpec,
    ResultSpec,
    SuccessorSpec,
    Trait,
)
from tilewright.ir.types import ANY, Constraint, Type

# The declarations below return what pyright believes the field holds; `__init_subclass__` replaces them by accessors.


def operand(constraint: Constraint = ANY, *, var: str | None = None, doc: str = "") -> Any:
    """One operand, read as a `Value`."""
    return OperandSpec(constraint, var, False, False, doc)


def operands(constraint: Constraint = ANY, *, var: str | None = None, doc: str = "") -> Any:
    """Any number of operands, read as a list of `Value`."""
    return OperandSpec(constraint, var, True, False, doc)


def optional_operands(constraint: Constraint = ANY, *, default: tuple[()], doc: str = "") -> Any:
    """Any number of operands, none if the constructor is not given them."""
    return OperandSpec(constraint, None, True, True, doc)


def optional_operand(constraint: Constraint = ANY, *, default: None, doc: str = "") -> Any:
    """An operand that may be absent, read as `Value | None`."""
    return OperandSpec(constraint, None, False, True, doc)


def result(
    constraint: Constraint = ANY,
    *,
    var: str | None = None,
    infer: Callable[[Any], Type] | None = None,
    doc: str = "",
    init: bool = False,
) -> Any:
    """One result. Its type is that of `var`, or `infer(op)`, else given by `result_types`."""
    return ResultSpec(constraint, var, False, infer, doc)


def results(constraint: Constraint = ANY, *, doc: str = "", init: bool = False) -> Any:
    """Any number of results, with types from `result_types`."""
    return ResultSpec(constraint, None, True, None, doc)


def attribute(kind: type, *, doc: str = "") -> Any:
    """A required attribute."""
    return AttributeSpec(kind, True, None, doc)


def optional_attribute(kind: type, *, default: Attribute, doc: str = "") -> Any:
    """An attribute with a default."""
    return AttributeSpec(kind, False, default, doc)


def region(*, doc: str = "") -> Any:
    """A region; the constructor takes a `Region`."""
    return RegionSpec(False, doc)


def optional_region(*, default: None, doc: str = "") -> Any:
    """A region that may be missing, read as `Region | None`."""
    return RegionSpec(True, doc)


def regions(*, doc: str = "") -> Any:
    """Any number of regions, read as a list of `Region`; only the last of an operation."""
    return RegionSpec(True, doc, variadic=True)


def successor(*, doc: str = "") -> Any:
    """A block of the same region that may run next, read as a `Block`."""
    return SuccessorSpec(False, doc)


def successors(*, doc: str = "") -> Any:
    """Any number of such blocks, read as a list of `Block`."""
    return SuccessorSpec(True, doc)


def _keyword(*, default: object, kw_only: bool = True) -> Any:
    """A keyword that every constructor takes."""
    return default


_Spec: TypeAlias = OperandSpec | ResultSpec | AttributeSpec | RegionSpec | SuccessorSpec
_SPECS: Final = (OperandSpec, ResultSpec, AttributeSpec, RegionSpec, SuccessorSpec)


@dataclass_transform(
    eq_default=False,
    field_specifiers=(
        _keyword,
        operand,
        operands,
        optional_operand,
        optional_operands,
        result,
        results,
        attribute,
        optional_attribute,
        region,
        optional_region,
        regions,
        successor,
        successors,
    ),
)
class _Declared(_Operation):
    """Carrier of the declaration machinery; derive from `Operation`."""

    __slots__ = ()

    def __init_subclass__(cls, name: str = "", traits: tuple[Trait, ...] = (), code: str = "IR001") -> None:
        super().__init_subclass__()
        if name:
            _declare(cls, name, traits, code)


class Operation(_Declared):
    """Base class of declared operations; its fields are keywords of every constructor."""

    __slots__ = ()

    result_types: Sequence[Type] | None = _keyword(default=None)
    location: Location = _keyword(default=UNKNOWN)


# They exist for type checkers only: at run time `location` is the slot of the base class.
del Operation.result_types, Operation.location


def _fields(cls: type[_Operation]) -> list[tuple[str, _Spec]]:
    """What the class declares, after what the families that it derives from declare; what it declares again stands
    where a family has it."""
    inherited = [field for family in reversed(cls.__mro__[1:]) for field in _fields_of_family(family)]
    return list(dict(inherited + _own_fields(cls)).items())


@cache
def _fields_of_family(family: type[object]) -> list[tuple[str, _Spec]]:
    """Dialects have hundreds of operations of a few families."""
    return _own_fields(family)


def _own_fields(cls: type[object]) -> list[tuple[str, _Spec]]:
    return [(key, value) for key, value in vars(cls).items() if isinstance(value, _SPECS)]


def _declare(cls: type[_Operation], name: str, traits: tuple[Trait, ...], code: str) -> None:
    definition = Definition(name, cls, traits=frozenset(traits), code=code)
    groups: dict[type[object], dict[str, Any]] = {
        OperandSpec: definition.operands,
        ResultSpec: definition.results,
        AttributeSpec: definition.attributes,
        RegionSpec: definition.regions,
        SuccessorSpec: definition.successors,
    }
    for key, spec in _fields(cls):
        groups[type(spec)][key] = spec
        if not isinstance(spec, ResultSpec):
            definition.order.append(key)
    cls.definition = definition
    cls.name = name
    declare_members(definition)


__all__ = [
    "COLLECTIVE",
    "COMMUTATIVE",
    "CONVERGENT",
    "ELEMENTARY",
    "ISOLATED",
    "PURE",
    "RECURSIVE_EFFECTS",
    "SPMD_ONLY",
    "SPMD_REGION",
    "TERMINATOR",
    "AttributeSpec",
    "Block",
    "Definition",
    "OpResult",
    "OperandSpec",
    "Operation",
    "Region",
    "RegionSpec",
    "ResultSpec",
    "SuccessorSpec",
    "Trait",
    "Value",
    "attribute",
    "operand",
    "operands",
    "optional_attribute",
    "optional_operand",
    "optional_operands",
    "optional_region",
    "region",
    "regions",
    "result",
    "results",
    "successor",
    "successors",
]
