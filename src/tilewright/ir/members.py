"""The members that a declaration stands for, as Python source: constructor, accessors, check.

Programs use few of the operations that the dialects declare, and to compile the members of all would take longer than
the rest of the start. So the members of an operation are compiled when the first of them is used.
"""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from enum import Enum
from typing import Any

from tilewright.diagnostics import UNKNOWN, Report
from tilewright.ir.check_reports import (
    report_attribute,
    report_count,
    report_mismatch,
    report_segments,
    report_successors,
    report_type,
)
from tilewright.ir.core import Operation
from tilewright.ir.specs import Definition, RegionSpec, ResultSpec, operand_sizes, segments_fit
from tilewright.ir.types import ALL_SCALARS, ANY, Constraint


class _OnFirstUse:
    """Stands in the class for a member until it is used: then all members take their places."""

    __slots__ = ("definition", "key")

    def __init__(self, definition: Definition, key: str) -> None:
        self.definition = definition
        self.key = key

    def __get__(self, op: Operation | None, cls: type[Operation]) -> Any:
        _compile(self.definition)
        return getattr(cls if op is None else op, self.key)

    def __set__(self, op: Operation, value: object) -> None:
        _compile(self.definition)
        setattr(op, self.key, value)


def declare_members(d: Definition) -> None:
    """Give the operation's class what its declaration stands for."""

    def check(op: Operation, report: Report) -> None:
        _compile(d)
        d.check(op, report)

    d.check = check
    for key in ["__init__", *_fields(d)]:
        setattr(d.cls, key, _OnFirstUse(d, key))


def _fields(d: Definition) -> list[str]:
    return [*d.operands, *d.results, *d.attributes, *d.regions, *d.successors]


def _compile(d: Definition) -> None:
    source = "\n".join([*_constructor(d), *_accessors(d), *_checker(d)])
    typed = d.operands | d.results
    namespace: dict[str, Any] = {
        "Init": Operation.__init__,
        "UNKNOWN": UNKNOWN,
        "infer": {k: s.infer for k, s in d.results.items()},
        "accepts": {k: s.constraint.accepts for k, s in typed.items()},
        "kinds": {k: s.kind for k, s in d.attributes.items()},
        "scalars": {k: _accepted_scalars(s.constraint) for k, s in typed.items()},
        "mismatch": report_mismatch,
        "bad_count": report_count,
        "bad_segments": report_segments,
        "bad_successors": report_successors,
        "bad_type": report_type,
        "bad_attribute": report_attribute,
        "sizes": operand_sizes,
        "segments_fit": segments_fit,
    }
    filename = f"<tilewright {d.name}>"
    # The one place for exec: the text comes from our own class declarations, never from a user.
    exec(compile(source, filename, "exec"), namespace)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    setattr(d.cls, "__init__", namespace["__init__"])  # noqa: B010
    for key in _fields(d):
        setattr(d.cls, key, property(namespace[f"get_{key}"], namespace.get(f"set_{key}")))
    d.check = namespace["check"]


def _parameters(d: Definition) -> list[str]:
    """Constructor parameters in the order of declaration; those with defaults come last."""
    found: list[str] = []
    for key in d.order:
        if key in d.operands:
            default = d.operands[key].default
        elif key in d.attributes:
            default = None if d.attributes[key].required else "None"
        else:
            spec = d.regions.get(key)
            default = (
                "()" if spec is not None and spec.variadic else "None" if spec is not None and spec.optional else None
            )
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
    regions = [_passed_region(key, spec) for key, spec in d.regions.items()]
    blocks = [f"*{key}" if spec.variadic else key for key, spec in d.successors.items()]
    lists = f"{_tuple(parts)}, result_types or (), attributes, {_tuple(regions)}, {_tuple(blocks)}"
    lines.append(f"    Init(self, {lists}, location)")
    inferred = [_inferred_type(d, key, spec) for key, spec in d.results.items()]
    if inferred and all(inferred):
        lines.append("    if result_types is None:")
        lines += [f"        self.add_result({text})" for text in inferred]
    return lines


def _tuple(parts: Sequence[str]) -> str:
    return "".join(["(", *(f"{part}, " for part in parts), ")"])


def _passed_region(key: str, spec: RegionSpec) -> str:
    if spec.variadic:
        return f"*{key}"
    return f"*(() if {key} is None else ({key},))" if spec.optional else key


def _inferred_type(d: Definition, key: str, spec: ResultSpec) -> str | None:
    if spec.infer is not None:
        return f"infer[{key!r}](self)"
    for index, (name, source) in enumerate(d.operands.items()):
        if spec.var is not None and source.var == spec.var:
            fixed_before = not any(s.varies for s in list(d.operands.values())[:index])
            return f"self._operands[{index}].type" if fixed_before else f"self.{name}[0].type"
    return None


def _bounds(d: Definition) -> list[tuple[str, str]]:
    """Source of start and end of each declared operand in `o`; of several groups by way of their sizes `n`."""
    found: list[tuple[str, str]] = []
    groups = 0
    for index, spec in enumerate(d.operands.values()):
        left = len(d.operands) - index - 1
        start = found[-1][1] if found else "0"
        if d.segmented and spec.varies:
            end = f"{start} + n[{index}]"
        elif spec.varies:
            end = f"len(o) - {left}" if left else "len(o)"
        else:
            end = f"{start} + 1" if groups else str(index + 1)
        found.append((start, end))
        groups += spec.varies
    return found


def _reads_sizes(bounds: Sequence[tuple[str, str]]) -> bool:
    return any("n[" in end for _, end in bounds)


def _accessors(d: Definition) -> list[str]:
    lines: list[str] = []
    simple = not any(s.varies for s in d.operands.values())
    bounds = _bounds(d)
    for index, (key, spec) in enumerate(d.operands.items()):
        start, end = bounds[index]
        lines += [f"def get_{key}(self):", "    o = self._operands"]
        if _reads_sizes([bounds[index]]):
            lines.append("    n = sizes(self)")
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
        value = f"[*self.regions[{index}:]]" if spec.variadic else f"self.regions[{index}]"
        may_be_missing = spec.optional and not spec.variadic
        lines += [
            f"def get_{key}(self):",
            f"    return {value} if len(self.regions) > {index} else None" if may_be_missing else f"    return {value}",
        ]
    for index, (key, spec) in enumerate(d.successors.items()):
        value = f"[*self.successors[{index}:]]" if spec.variadic else f"self.successors[{index}]"
        lines += [f"def get_{key}(self):", f"    return {value}"]
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
    if d.segmented:
        lines.append("    if not segments_fit(op): bad_segments(op, report); return")
    bounds = _bounds(d)
    if _reads_sizes(bounds):
        lines.append("    n = sizes(op)")
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
    if d.successors:
        fixed = sum(not s.variadic for s in d.successors.values())
        relation = "!=" if fixed == len(d.successors) else "<"
        lines.append(f"    if len(op.successors) {relation} {fixed}: bad_successors(op, report); return")
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
