"""What is declared about an operation: its traits, operands, results, attributes, successors and regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate, pairwise
from typing import Any, cast

from msgspec import Struct

from tilewright.diagnostics import Report
from tilewright.ir.core import Attribute, Operation
from tilewright.ir.effects import Effect
from tilewright.ir.types import Constraint, Type


class Trait(Enum):
    """Facts that hold for every instance of an operation."""

    PURE = "no effects, same results for same operands"
    COMMUTATIVE = "the first two operands may be swapped"
    ELEMENTARY = "costly; a target's own may differ from the interpreter's in the last bits"
    TERMINATOR = "ends its block"
    RECURSIVE_EFFECTS = "has the effects of its regions"
    ISOLATED = "its regions use no value from outside"
    COLLECTIVE = "all work-items of the work-group execute it together"
    SPMD_ONLY = "stands in SPMD regions only"
    SPMD_REGION = "its regions are executed by each work-item"
    CONVERGENT = "all work-items of the subgroup must reach it together"

    # members are equal to nothing else; what `Enum` has is a function of Python, and every pass asks for traits
    __hash__ = object.__hash__


PURE, COMMUTATIVE, TERMINATOR, ELEMENTARY = Trait.PURE, Trait.COMMUTATIVE, Trait.TERMINATOR, Trait.ELEMENTARY
RECURSIVE_EFFECTS, ISOLATED = Trait.RECURSIVE_EFFECTS, Trait.ISOLATED
COLLECTIVE, SPMD_ONLY, SPMD_REGION, CONVERGENT = (
    Trait.COLLECTIVE,
    Trait.SPMD_ONLY,
    Trait.SPMD_REGION,
    Trait.CONVERGENT,
)


class OperandSpec(Struct, frozen=True):
    """A declared operand; `variadic` takes any number, `optional` none or one."""

    constraint: Constraint
    var: str | None
    variadic: bool
    optional: bool
    doc: str

    @property
    def default(self) -> str | None:
        """Source of the constructor's default, None if the operand must be given."""
        return None if not self.optional else "()" if self.variadic else "None"

    @property
    def varies(self) -> bool:
        """Whether the number of values is not always one."""
        return self.variadic or self.optional


class ResultSpec(Struct, frozen=True):
    """A declared result; `var` ties its type to operands, `infer` computes it from the operation's operands."""

    constraint: Constraint
    var: str | None
    variadic: bool
    infer: Callable[[Any], Type] | None
    doc: str


class AttributeSpec(Struct, frozen=True):
    """A declared attribute: Python type or enum, and a default if it may be left out."""

    kind: type
    required: bool
    default: Attribute
    doc: str


class RegionSpec(Struct, frozen=True):
    """A declared region; `optional` regions may be missing (only the last ones), a `variadic` one is any number."""

    optional: bool
    doc: str
    variadic: bool = False


class SuccessorSpec(Struct, frozen=True):
    """A declared successor: a block that may run next; `variadic` (only the last one) takes any number."""

    variadic: bool
    doc: str


@dataclass(slots=True)
class Definition:
    """Everything declared about an operation; printers, parsers, verifier and the manual derive from it.

    Of an `opaque` one nothing is known but its text: it takes anything, and may use values of its regions in any order.
    """

    name: str
    cls: type[Operation]
    operands: dict[str, OperandSpec] = field(default_factory=dict[str, OperandSpec])
    results: dict[str, ResultSpec] = field(default_factory=dict[str, ResultSpec])
    attributes: dict[str, AttributeSpec] = field(default_factory=dict[str, AttributeSpec])
    regions: dict[str, RegionSpec] = field(default_factory=dict[str, RegionSpec])
    successors: dict[str, SuccessorSpec] = field(default_factory=dict[str, SuccessorSpec])
    traits: frozenset[Trait] = frozenset()
    code: str = "IR001"
    opaque: bool = False
    order: list[str] = field(default_factory=list[str])
    dialect: str = field(init=False)
    check: Callable[[Operation, Report], None] = field(init=False)
    terminator: bool = field(init=False)
    isolated: bool = field(init=False)
    default_effects: Sequence[Effect] | None = field(init=False)
    """() for pure operations and terminators, None (unknown) otherwise."""

    def __post_init__(self) -> None:
        self.dialect = self.name.partition(".")[0]
        self.terminator = TERMINATOR in self.traits
        self.isolated = ISOLATED in self.traits
        self.default_effects = () if self.traits & {PURE, TERMINATOR} else None

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return (self.cls.__doc__ or "").strip().split("\n", 1)[0]

    @property
    def segmented(self) -> bool:
        """Whether operands need an `operand_segments` attribute: more than one group of variable length."""
        return sum(s.varies for s in self.operands.values()) > 1


def segments_fit(op: Operation) -> bool:
    """Whether `operand_segments` says how many operands there are of each declared one."""
    sizes, specs = op.attributes.get("operand_segments"), op.definition.operands.values()
    if not isinstance(sizes, tuple) or len(sizes) != len(specs):
        return False
    total = 0
    for size, spec in zip(sizes, specs, strict=True):
        if not isinstance(size, int) or size < 0 or not (size == 1 or spec.variadic or (spec.optional and size == 0)):
            return False
        total += size
    return total == len(op.operands)


def operand_sizes(op: Operation) -> tuple[int, ...]:
    """How many operands there are of each declared one."""
    sizes = op.attributes.get("operand_segments")
    if isinstance(sizes, tuple):
        return cast("tuple[int, ...]", sizes)
    specs = op.definition.operands.values()
    rest = len(op.operands) - sum(not s.varies for s in specs)
    return tuple(rest if s.varies else 1 for s in specs)


def operand_segments(op: Operation) -> list[tuple[int, int]]:
    """(start, end) of each declared operand among the operands."""
    return list(pairwise((0, *accumulate(operand_sizes(op)))))
