"""Declaring operations.

    class Add(Operation, name="arith.add", traits=(PURE, COMMUTATIVE)):
        '''Sum. Integers wrap, floats round to nearest even.'''

        lhs: Value = operand(SHAPED_NUMBER, var="T")
        rhs: Value = operand(SHAPED_NUMBER, var="T")
        out: Value = result(var="T")

The declaration is compiled once, when the class is created, to plain Python: a constructor `Add(lhs, rhs, location=..)`
with its parameters in the order of declaration (required ones first), accessors, and a check of counts, types and
attributes. What the fields cannot say goes into `verify`. A class without `name` is no operation but a family: the
operations that derive from it have its fields in front of their own.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, cast, dataclass_transform

from tilewright.diagnostics import UNKNOWN, Location, Report
from tilewright.ir.core import Attribute, Block, OpResult, Region, Value
from tilewright.ir.core import Operation as _Operation
from tilewright.ir.effects import Effect
from tilewright.ir.types import ALL_SCALARS, ANY, Constraint, ScalarType, Type


class Trait(Enum):
    """Facts that hold for every instance of an operation."""

    PURE = "no effects, same results for same operands"
    COMMUTATIVE = "the first two operands may be swapped"
    TERMINATOR = "ends its block"
    RECURSIVE_EFFECTS = "has the effects of its regions"
    ISOLATED = "its regions use no value from outside"
    COLLECTIVE = "all work-items of the work-group execute it together"
    SPMD_ONLY = "stands in SPMD regions only"
    SPMD_REGION = "its regions are executed by each work-item"
    CONVERGENT = "all work-items of the subgroup must reach it together"


PURE, COMMUTATIVE, TERMINATOR = Trait.PURE, Trait.COMMUTATIVE, Trait.TERMINATOR
RECURSIVE_EFFECTS, ISOLATED = Trait.RECURSIVE_EFFECTS, Trait.ISOLATED
COLLECTIVE, SPMD_ONLY, SPMD_REGION, CONVERGENT = (
    Trait.COLLECTIVE,
    Trait.SPMD_ONLY,
    Trait.SPMD_REGION,
    Trait.CONVERGENT,
)


@dataclass(frozen=True, slots=True)
class OperandSpec:
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


@dataclass(frozen=True, slots=True)
class ResultSpec:
    """A declared result; `var` ties its type to operands, `infer` computes it from the operation's operands."""

    constraint: Constraint
    var: str | None
    variadic: bool
    infer: Callable[[Any], Type] | None
    doc: str


@dataclass(frozen=True, slots=True)
class AttributeSpec:
    """A declared attribute: Python type or enum, and a default if it may be left out."""

    kind: type
    required: bool
    default: Attribute
    doc: str


@dataclass(frozen=True, slots=True)
class RegionSpec:
    """A declared region; `optional` regions may be missing (only the last ones)."""

    optional: bool
    doc: str


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


def _keyword(*, default: object, kw_only: bool = True) -> Any:
    """A keyword that every constructor takes."""
    return default


@dataclass(slots=True)
class Definition:
    """Everything declared about an operation; printers, parsers, verifier and the manual derive from it."""

    name: str
    cls: type[_Operation]
    operands: dict[str, OperandSpec] = field(default_factory=dict[str, OperandSpec])
    results: dict[str, ResultSpec] = field(default_factory=dict[str, ResultSpec])
    attributes: dict[str, AttributeSpec] = field(default_factory=dict[str, AttributeSpec])
    regions: dict[str, RegionSpec] = field(default_factory=dict[str, RegionSpec])
    traits: frozenset[Trait] = frozenset()
    code: str = "IR001"
    order: list[str] = field(default_factory=list[str])
    check: Callable[[_Operation, Report], None] = lambda op, report: None
    terminator: bool = field(init=False)
    isolated: bool = field(init=False)
    default_effects: Sequence[Effect] | None = field(init=False)
    """() for pure operations and terminators, None (unknown) otherwise."""

    def __post_init__(self) -> None:
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


def _fields(cls: type[_Operation]) -> list[tuple[str, object]]:
    """What the class declares, after what the families that it derives from declare."""
    return [field for family in reversed(cls.__mro__) for field in vars(family).items()]


def _declare(cls: type[_Operation], name: str, traits: tuple[Trait, ...], code: str) -> None:
    definition = Definition(name, cls, traits=frozenset(traits), code=code)
    groups: dict[type[object], dict[str, Any]] = {
        OperandSpec: definition.operands,
        ResultSpec: definition.results,
        AttributeSpec: definition.attributes,
        RegionSpec: definition.regions,
    }
    for key, spec in _fields(cls):
        group = groups.get(type(spec))
        if group is not None:
            group[key] = spec
            if not isinstance(spec, ResultSpec):
                definition.order.append(key)
    cls.definition = definition
    cls.name = name
    source = "\n".join([*_constructor(definition), *_accessors(definition), *_checker(definition)])
    namespace: dict[str, Any] = {
        "Init": _Operation.__init__,
        "UNKNOWN": UNKNOWN,
        "infer": {k: s.infer for k, s in definition.results.items()},
        "accepts": {k: s.constraint.accepts for k, s in (definition.operands | definition.results).items()},
        "kinds": {k: s.kind for k, s in definition.attributes.items()},
        "scalars": {k: _accepted_scalars(s.constraint) for k, s in (definition.operands | definition.results).items()},
        "mismatch": _report_mismatch,
        "bad_count": _report_count,
        "bad_type": _report_type,
        "bad_attribute": _report_attribute,
        "segments": operand_segments,
    }
    filename = f"<tilewright {name}>"
    # The one place for exec: the text comes from our own class declarations, never from a user.
    exec(compile(source, filename, "exec"), namespace)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    setattr(cls, "__init__", namespace["__init__"])  # noqa: B010
    for key in [*definition.operands, *definition.results, *definition.attributes, *definition.regions]:
        setattr(cls, key, property(namespace[f"get_{key}"], namespace.get(f"set_{key}")))
    definition.check = namespace["check"]


def operand_segments(op: _Operation) -> list[tuple[int, int]]:
    """(start, end) of each declared operand among the operands."""
    specs = op.definition.operands
    sizes = op.attributes.get("operand_segments")
    if not isinstance(sizes, tuple):
        fixed = sum(not s.varies for s in specs.values())
        rest = len(op.operands) - fixed
        sizes = tuple(rest if s.varies else 1 for s in specs.values())
    bounds: list[tuple[int, int]] = []
    start = 0
    for size in cast("tuple[int, ...]", sizes):
        bounds.append((start, start + size))
        start += size
    return bounds


def _parameters(d: Definition) -> list[str]:
    """Constructor parameters in the order of declaration; those with defaults come last."""
    found: list[str] = []
    for key in d.order:
        if key in d.operands:
            default = d.operands[key].default
        elif key in d.attributes:
            default = None if d.attributes[key].required else "None"
        else:
            default = "None" if d.regions[key].optional else None
        found.append(key if default is None else f"{key}={default}")
    return found


def _constructor(d: Definition) -> list[str]:
    params = ", ".join(["self", *_parameters(d), "*", "result_types=None", "location=UNKNOWN"])
    lines = [f"def __init__({params}):", "    attributes = {}"]
    for key, spec in d.attributes.items():
        if spec.required:
            lines.append(f"    attributes[{key!r}] = {key}")
        else:
            lines.append(f"    if {key} is not None: attributes[{key!r}] = {key}")
    parts: list[str] = []
    lengths: list[str] = []
    for key, spec in d.operands.items():
        if spec.variadic:
            lines.append(f"    {key} = list({key})")
            parts.append(f"*{key}")
            lengths.append(f"len({key})")
        elif spec.optional:
            lines.append(f"    {key} = [] if {key} is None else [{key}]")
            parts.append(f"*{key}")
            lengths.append(f"len({key})")
        else:
            parts.append(key)
            lengths.append("1")
    if d.segmented:
        lines.append(f"    attributes['operand_segments'] = ({', '.join(lengths)},)")
    regions = [f"*(() if {key} is None else ({key},))" if spec.optional else key for key, spec in d.regions.items()]
    lines.append(
        f"    Init(self, [{', '.join(parts)}], result_types or (), attributes, [{', '.join(regions)}], (), location)"
    )
    inferred = [_inferred_type(d, key, spec) for key, spec in d.results.items()]
    if inferred and all(inferred):
        lines.append("    if result_types is None:")
        lines += [f"        self.add_result({text})" for text in inferred]
    return lines


def _inferred_type(d: Definition, key: str, spec: ResultSpec) -> str | None:
    if spec.infer is not None:
        return f"infer[{key!r}](self)"
    for index, (name, source) in enumerate(d.operands.items()):
        if spec.var is not None and source.var == spec.var:
            fixed_before = not any(s.varies for s in list(d.operands.values())[:index])
            return f"self._operands[{index}].type" if fixed_before else f"self.{name}[0].type"
    return None


def _bounds(d: Definition) -> list[tuple[str, str]]:
    """Source of start and end of each declared operand in `o`; behind a group with segments, by way of `s`."""
    found: list[tuple[str, str]] = []
    groups = 0
    for index, spec in enumerate(d.operands.values()):
        left = len(d.operands) - index - 1
        from_end = f"len(o) - {left}" if left else "len(o)"
        if groups == 0 and not spec.varies:
            found.append((str(index), str(index + 1)))
        elif d.segmented:
            found.append((f"s[{index}][0]", f"s[{index}][1]"))
        else:
            found.append((found[-1][1] if index else "0", from_end))
        groups += spec.varies
    return found


def _reads_segments(bounds: Sequence[tuple[str, str]]) -> bool:
    return any(start.startswith("s[") for start, _ in bounds)


def _accessors(d: Definition) -> list[str]:
    lines: list[str] = []
    simple = not any(s.varies for s in d.operands.values())
    bounds = _bounds(d)
    for index, (key, spec) in enumerate(d.operands.items()):
        start, end = bounds[index]
        lines += [f"def get_{key}(self):", "    o = self._operands"]
        if _reads_segments([bounds[index]]):
            lines.append("    s = segments(self)")
        if spec.variadic:
            lines.append(f"    return o[{start}:{end}]")
        elif spec.optional:
            lines.append(f"    return o[{start}] if {end} > {start} else None")
        else:
            lines.append(f"    return o[{start}]")
        if simple:
            lines += [f"def set_{key}(self, value):", f"    self.set_operand({index}, value)"]
    for index, (key, spec) in enumerate(d.results.items()):
        lines += [f"def get_{key}(self):", f"    return self.results[{index}{':' if spec.variadic else ''}]"]
    for key, spec in d.attributes.items():
        default = "" if spec.required else f", {spec.default!r}"
        if isinstance(spec.default, Enum):
            default = f", kinds[{key!r}].{spec.default.name}"
        lookup = f"self.attributes[{key!r}]" if spec.required else f"self.attributes.get({key!r}{default})"
        lines += [f"def get_{key}(self):", f"    return {lookup}"]
        lines += [f"def set_{key}(self, value):", f"    self.attributes[{key!r}] = value"]
    for index, (key, spec) in enumerate(d.regions.items()):
        value = f"self.regions[{index}]"
        lines += [
            f"def get_{key}(self):",
            f"    return {value} if len(self.regions) > {index} else None" if spec.optional else f"    return {value}",
        ]
    return lines


def _checker(d: Definition) -> list[str]:
    """Source of `check(op, report)`: operand and result types, type variables, attribute kinds.

    Straight code without loops where counts are fixed, and scalar types are looked up by identity: the verifier
    runs this for every operation after every pass.
    """
    lines = ["def check(op, report):", "    o = op._operands", "    r = op.results"]
    fixed = sum(not s.varies for s in d.operands.values())
    if fixed:
        relation = "!=" if fixed == len(d.operands) else "<"
        lines.append(f"    if len(o) {relation} {fixed}: bad_count(op, report); return")
    bounds = _bounds(d)
    if _reads_segments(bounds):
        lines.append("    s = segments(op)")
    bound: set[str] = set()
    for (key, spec), (start, end) in zip(d.operands.items(), bounds, strict=True):
        loops = spec.varies
        at = "i" if loops else start
        if loops:
            lines.append(f"    for i in range({start}, {end}):")
        test = _type_test(key, spec.constraint, f"o[{at}].type", f"('operand', {at})")
        if spec.var is not None and spec.var not in bound:
            bound.add(spec.var)
            test.append(f"t_{spec.var} = t")
        elif spec.var is not None:
            name = f"t_{spec.var}"
            test.append(
                f"if t is not {name} and t != {name}: mismatch(op, report, ('operand', {at}), {key!r}, t, {name})"
            )
        lines += [("        " if loops else "    ") + line for line in test]
    for index, (key, spec) in enumerate(d.results.items()):
        at = "i" if spec.variadic else str(index)
        if spec.variadic:
            lines.append(f"    for i in range({index}, len(r)):")
        test = _type_test(key, spec.constraint, f"r[{at}].type", f"('result', {at})")
        if spec.var is not None and spec.var in bound:
            name = f"t_{spec.var}"
            test.append(f"if t is not {name} and t != {name}: mismatch(op, report, 'type', {key!r}, t, {name})")
        lines += [("        " if spec.variadic else "    ") + line for line in test]
    if d.attributes:
        lines.append("    attributes = op.attributes")
    for key, spec in d.attributes.items():
        absent = f"{key!r} not in attributes or " if spec.required else f"{key!r} in attributes and "
        wrong = f"not isinstance(attributes[{key!r}], kinds[{key!r}])"
        lines.append(f"    if {absent}{wrong}: bad_attribute(op, report, {key!r})")
    return lines


def _type_test(key: str, constraint: Constraint, value: str, place: str) -> list[str]:
    """Source that reads a type into `t` and refuses one that breaks the constraint."""
    read = f"t = {value}"
    if constraint is ANY:
        return [read]
    test = f"if id(t) not in scalars[{key!r}] and not accepts[{key!r}](t)"
    return [read, f"{test}: bad_type(op, report, {place}, {key!r}, t); return"]


def _accepted_scalars(constraint: Constraint) -> frozenset[int]:
    """Identities of the scalar types that a constraint takes; they live as long as the program."""
    return frozenset(id(t) for t in ALL_SCALARS.values() if constraint.accepts(t))


def spoken(op: _Operation) -> str:
    """An operation as its source text calls it, else its name without the dialect."""
    where = op.places.get("mnemonic") if op.places else None
    place = None if where is None else where.primary
    return op.name.split(".", 1)[1] if place is None else place.source.text[place.start : place.end]


def _report_count(op: _Operation, report: Report) -> None:
    d = op.definition
    wanted = sum(not s.varies for s in d.operands.values())
    least = "" if wanted == len(d.operands) else "at least "
    report.error(d.code, op.location, f"{spoken(op)} takes {least}{wanted} operands, not {len(op.operands)}")


def _report_type(op: _Operation, report: Report, place: tuple[str, int], key: str, found: Type) -> None:
    kind, index = place
    d = op.definition
    spec = d.operands[key] if kind == "operand" else d.results[key]
    where = op.place(place) if kind == "operand" else op.place("type")
    finding = report.error(d.code, where, f"{spoken(op)}: {key} must be {spec.constraint.description}, not {found}")
    if kind == "operand":
        finding.label(op.operands[index].location, "defined here")
        if spec.constraint.description == "index" and isinstance(found, ScalarType) and found.is_integer:
            finding.hint("cast it to index first")


def _report_mismatch(
    op: _Operation, report: Report, place: tuple[str, int] | str, key: str, found: Type, expected: Type
) -> None:
    finding = report.error(
        op.definition.code, op.place(place), f"{spoken(op)}: {key} has type {found}, but {expected} is expected here"
    )
    if isinstance(place, tuple):
        finding.label(op.operands[place[1]].location, "defined here").hint(
            "nothing is converted silently: write a cast"
        )
    else:
        finding.hint(f"write {expected}")


def _report_attribute(op: _Operation, report: Report, key: str) -> None:
    kind = op.definition.attributes[key].kind.__name__
    found = op.attributes.get(key)
    said = "is missing" if key not in op.attributes else f"is {found!r}"
    report.error(op.definition.code, op.place(key), f"{spoken(op)}: attribute {key} {said}; it must be of kind {kind}")


__all__ = [
    "COLLECTIVE",
    "COMMUTATIVE",
    "CONVERGENT",
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
    "Trait",
    "Value",
    "attribute",
    "operand",
    "operand_segments",
    "operands",
    "optional_attribute",
    "optional_operand",
    "optional_operands",
    "optional_region",
    "region",
    "result",
    "results",
    "spoken",
]
