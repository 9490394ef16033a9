"""Distances in memory from strides as the text writes them (decisions 11 and 12)."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.dialects import arith
from tilewright.dialects.tlx.types import distances_of
from tilewright.frontends.tlx.codes import OPERANDS
from tilewright.frontends.tlx.context import FunctionImport
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.ir.core import Value
from tilewright.ir.types import I64, INDEX

BY_DIMENSION = '"tlx.strides"'
"""A call's attribute: with the value `dim` entry i is the distance along memory position i."""
Entry = int | Value


def distances(
    f: FunctionImport, i: syntax.Call, operand: syntax.Operand, extents: Sequence[int]
) -> tuple[tuple[int | None, ...], list[Value]]:
    """Distances along memory positions, None where one of the values stands for it."""
    entries = _entries(f, i, operand)
    by_dimension = i.attributes.get(BY_DIMENSION) == "dim"
    known = tuple(e for e in entries if isinstance(e, int))
    if len(entries) != len(extents):
        # one rule is broken, which the operation reports; it is shown what the text says
        return tuple(e if isinstance(e, int) else 1 for e in entries), []
    if len(known) == len(entries):
        return (known if by_dimension else distances_of(known, extents)), []
    given = list(entries) if by_dimension or len(entries) < 2 else [*entries[:-2], entries[-1], entries[-2]]
    found = _behind(f, given, extents)
    dynamic = [_index(f, e) for e in found if isinstance(e, Value)]
    return tuple(e if isinstance(e, int) else None for e in found), dynamic


def _entries(f: FunctionImport, i: syntax.Call, operand: syntax.Operand) -> list[Entry]:
    """Each entry as a constant, or as a value that the run knows."""
    if not isinstance(operand.type, llvm.VectorType) or not isinstance(operand.type.element, llvm.IntegerType):
        raise f.refuse(OPERANDS, operand, f"strides are a vector of integers, not {operand.type}")
    known = f.constants.value_of(operand)
    if isinstance(known, tuple):
        return list(known)
    count = operand.type.count
    if count > len(_POSITIONS):
        raise f.refuse(OPERANDS, operand, f"strides have an entry for each dimension, of which there are no {count}")
    found: dict[int, Entry] = {}
    rest = operand
    # a chain of insertions says which entries are constants
    while len(found) < count and isinstance(rest.value, syntax.Local):
        definition = f.uses.definitions.get(rest.value.name)
        if not isinstance(definition, syntax.InsertElement):
            break
        at = f.constants.value_of(definition.index)
        if not isinstance(at, int) or not 0 <= at < count:
            break
        entry = f.constants.value_of(definition.element)
        found.setdefault(at, entry if isinstance(entry, int) else f.value(definition.element))
        f.read_off.append(rest.value.name)
        rest = definition.vector
    below = f.constants.value_of(rest)
    for position in range(count):
        if position not in found:
            found[position] = below[position] if isinstance(below, tuple) else f.element(f.value(rest), position)
    return [found[position] for position in range(count)]


_POSITIONS = range(64)


def _behind(f: FunctionImport, given: Sequence[Entry], extents: Sequence[int]) -> list[Entry]:
    """As `distances_of`: an entry of 0 is the distance that leaves nothing between."""
    found: list[Entry] = [0] * len(given)
    behind: Entry = 1
    for position in reversed(range(len(given))):
        entry = given[position]
        found[position] = entry if isinstance(entry, Value) or entry else behind
        if not position or isinstance(given[position - 1], Value) or given[position - 1]:
            continue
        extent, distance = extents[position], found[position]
        if isinstance(distance, int):
            behind = distance * extent
        else:
            behind = f.b(arith.Mul(distance, f.b.constant(extent, distance.type))).out
    return found


def _index(f: FunctionImport, value: Value) -> Value:
    wide = value if value.type is I64 else f.b(arith.Cast(value, result_types=[I64])).out
    return f.b(arith.Cast(wide, result_types=[INDEX])).out
