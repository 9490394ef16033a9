"""Declared operations in the generic form: their attributes as MLIR writes them, and back."""

from __future__ import annotations

from abc import abstractmethod
from enum import Enum
from typing import Final, cast

from tilewright.diagnostics import Location
from tilewright.ir.affine import AffineMap, IntegerSet
from tilewright.ir.attributes import Attribute, AttributeValue
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.mlir.attributes import DenseArray, FloatAttribute, IntegerAttribute
from tilewright.ir.mlir.dense import DenseElements, dense_of_numbers
from tilewright.ir.mlir.float_text import LAYOUTS, pattern_of_double, value_of
from tilewright.ir.mlir.spelling import UNIT, Spelled, UnitAttribute
from tilewright.ir.mlir.types import ComplexType, TensorType
from tilewright.ir.types import F64, I32, I64, Type

_SEGMENTS: Final = "operand_segments"
_WRITTEN_SEGMENTS: Final = ("operandSegmentSizes", "operand_segment_sizes")
_DOUBLE: Final = LAYOUTS["f64"]
_COMPLEX: Final = TensorType((), ComplexType(F64))
_NOT_FINITE: Final = {"nan": 0x7FF8 << 48, "inf": 0x7FF0 << 48, "-inf": 0xFFF0 << 48}


def declared_operation(
    cls: type[Operation],
    operands: list[Value],
    results: list[Type],
    attributes: dict[str, Attribute],
    regions: list[Region],
    successors: list[Block],
    location: Location,
    properties: Attribute,
) -> tuple[Operation, str]:
    """The operation of a class, and what keeps the parts from being one; nothing if they are."""
    merged = attributes | properties if isinstance(properties, dict) else dict(attributes)
    sizes = next((merged.pop(key) for key in _WRITTEN_SEGMENTS if key in merged), None)
    found = {name: _declared(cls, name, value) for name, value in merged.items()}
    definition = cls.definition
    specs = definition.operands.values()
    problem = ""
    if definition.segmented:
        counts = sizes.values if isinstance(sizes, DenseArray) else ()
        found[_SEGMENTS] = counts
        pairs = zip(counts, specs, strict=False)
        fits = len(counts) == len(specs) and sum(counts) == len(operands)
        if not fits or any(c < 0 or (c != 1 and not (s.variadic or (s.optional and c == 0))) for c, s in pairs):
            problem = f"operandSegmentSizes do not fit the {len(operands)} operands of {cls.name}"
    declared = definition.regions.values()
    if not sum(not s.optional for s in declared) <= len(regions) <= len(declared):
        problem = f"{cls.name} takes {len(declared)} regions, not {len(regions)}"
    listed = any(s.variadic for s in definition.results.values())
    if not listed and len(results) != len(definition.results):
        problem = f"{cls.name} has {len(definition.results)} results, not {len(results)}"
    op = object.__new__(cls)
    Operation.__init__(op, operands, results, found, regions, successors, location)
    return op, problem


def _declared(cls: type[Operation], name: str, value: Attribute) -> Attribute:
    """An attribute as it is declared; where it is of another kind, the check of the operation says so."""
    spec = cls.definition.attributes.get(name)
    if spec is None:
        return plain(value)
    found = plain(value)
    if spec.kind is bool and isinstance(value, UnitAttribute):
        return True
    if issubclass(spec.kind, Enum) and isinstance(found, str):
        return next((m for m in spec.kind if m.value == found), found)
    return found


def plain(value: Attribute) -> Attribute:
    """The attribute of the shared dialects that `generic` writes so."""
    match value:
        case IntegerAttribute(number, type_) if type_ is I64:
            return number
        case FloatAttribute(_, type_) if type_ is F64:
            return value.value
        case DenseArray(element, numbers) if element is I64:
            return numbers
        case DenseElements(type_) if type_ == _COMPLEX:
            return complex(*(value_of(value.number(k), _DOUBLE) for k in range(2)))
        case UnitAttribute():
            return None
        case tuple():
            return tuple(plain(v) for v in value)
        case dict():
            return {k: plain(v) for k, v in cast("dict[str, Attribute]", value).items()}
        case _:
            return value


def generic(value: Attribute) -> Attribute:
    """An attribute of the shared dialects as MLIR has it."""
    match value:
        case None:
            return UNIT
        case bool() | str() | Type():
            return value
        case int():
            return IntegerAttribute(value, I64)
        case float():
            return FloatAttribute(_bits(value), F64)
        case complex():
            return dense_of_numbers(_COMPLEX, _COMPLEX.element, (), [_bits(value.real), _bits(value.imag)])
        case Enum():
            return str(value.value)
        case tuple():
            return tuple(generic(v) for v in value)
        case dict():
            return dict(sorted((k, generic(v)) for k, v in cast("dict[str, Attribute]", value).items()))
        case AttributeValue():
            return value if isinstance(value, Spelled | AffineMap | IntegerSet) else str(value)
    raise AssertionError(f"not an attribute: {value!r}")


def _bits(value: float) -> int:
    special = _NOT_FINITE.get(str(value))
    return pattern_of_double(value, _DOUBLE) if special is None else special


class SpellsAttributes:
    """A declared operation whose attributes are MLIR's already."""

    __slots__ = ()

    @abstractmethod
    def spelled_attributes(self) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
        """Properties and other attributes by the names that MLIR has for them."""


def generic_attributes(op: Operation) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """Properties and other attributes of a declared operation."""
    if isinstance(op, SpellsAttributes):
        return op.spelled_attributes()
    declared = op.definition.attributes
    properties = {k: generic(v) for k, v in op.attributes.items() if k in declared}
    sizes = op.attributes.get(_SEGMENTS)
    if isinstance(sizes, tuple):
        properties[_WRITTEN_SEGMENTS[0]] = DenseArray(I32, cast("tuple[int, ...]", sizes))
    others = {k: generic(v) for k, v in op.attributes.items() if k not in declared and k != _SEGMENTS}
    return dict(sorted(properties.items())), dict(sorted(others.items()))
