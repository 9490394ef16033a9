"""Instructions on memory: allocation, views, loads and stores, atomics, barriers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilewright.diagnostics import Location
from tilewright.dialects import arith, memref, team
from tilewright.frontends.tensor_language.cursor import quoted
from tilewright.frontends.tensor_language.instruction import Instruction, plain, value
from tilewright.frontends.tensor_language.lexer import is_integer
from tilewright.frontends.tensor_language.limits import TENSOR_ORDER
from tilewright.frontends.tensor_language.regions import RegionReader
from tilewright.frontends.tensor_language.vocabulary import (
    ATOMIC_KINDS,
    FENCE_GLOBAL,
    FENCE_LOCAL,
    SCOPE,
    SEMANTICS,
    Modifier,
)
from tilewright.ir.core import Attribute, Operation, Value
from tilewright.ir.types import INDEX, GroupType, MemrefType

Entry = tuple[Value | None, int | None, Location]
"""A value or a literal, and where it stands."""


def own_attributes(p: RegionReader, op: Operation, given: dict[str, Attribute], known: frozenset[str]) -> None:
    """Attach attributes: `known` names to the operation itself, quoted others to its language attributes."""
    p.refuse_others(quoted(p.texts[p.mnemonic]), given, known, p.places)
    op.attributes.update(p.kept_apart(given, known))


def _alloca(p: RegionReader, word: str) -> None:
    text = p.texts[p.i]
    if text == "->":
        finding = p.error("V2", p.range(p.i), "`alloca ->` belongs to the old language")
        finding.hint("the new one writes `: memref<..,local>`").fix(p.range(p.i), ":", "write `:`")
        p.i += 1
        p.read_type()
        p.abandon()
    given = p.dictionary(p.places) if text == "{" or text[0] == "$" else {}
    op = memref.Alloca(result_types=[p.result_type()])
    if given:
        own_attributes(p, op, given, frozenset({"alignment"}))
    p.finish(op)


def _lifetime_stop(p: RegionReader, word: str) -> None:
    p.finish(memref.LifetimeStop(p.value()))


def _barrier(p: RegionReader, word: str) -> None:
    in_global, in_local = p.modifiers((FENCE_GLOBAL, FENCE_LOCAL))
    op = team.Barrier()
    if in_global:
        op.attributes["fence_global"] = True
    if in_local:
        op.attributes["fence_local"] = True
    p.finish(op)


def _indices(p: RegionReader, literals: bool = False) -> list[Value]:
    """`[%i, ..]`; integer literals become constants where the language's examples use them."""
    if p.texts[p.i] != "[":
        p.fail("`[`")
    p.i += 1
    if not literals:
        return p.value_list("]")
    return p.list_of(lambda: _literal_index(p) if is_integer(p.texts[p.i]) else p.value(), "]")


def _literal_index(p: RegionReader) -> Value:
    where = p.range(p.i)
    text = p.texts[p.i]
    finding = p.warn("V2", where, f"the integer {text} as an index; the language wants a value")
    finding.hint(f"write `%c = constant {text} : index` and use `%c`")
    op = arith.Constant(p.integer(), result_types=[INDEX], location=where)
    p.block.append(op)
    p.places["operand", p.operand_count] = where
    p.operand_count += 1
    return op.out


def _load(p: RegionReader, word: str) -> None:
    source_at = p.i
    source = p.value()
    indices = _indices(p, literals=True)
    access = p.since(source_at)
    out = [p.result_type()]
    type_ = source.type
    if isinstance(type_, MemrefType) or p.poisoned:
        p.finish(memref.Load(source, indices, result_types=out))
        return
    if isinstance(type_, GroupType):
        if len(indices) == 1:
            p.finish(memref.GroupLoad(source, indices[0], result_types=out))
            return
        finding = p.error("V31", access, f"a group has one index, but {len(indices)} are given")
    else:
        finding = p.error("V30", p.range(source_at), f"load reads from a memref or group, not from {type_}")
    finding.label(source.location, "defined here")
    p.abandon()


def _store(p: RegionReader, word: str) -> None:
    stored = p.value()
    p.expect(",")
    target = p.value()
    p.finish(memref.Store(stored, target, _indices(p, literals=True)))


def set_order(op: Operation, scope: Modifier | None, semantics: Modifier | None) -> None:
    """Attach the scope and semantics that were written."""
    if isinstance(scope, memref.Scope):
        op.attributes["scope"] = scope
    if isinstance(semantics, memref.Semantics):
        op.attributes["semantics"] = semantics


def _atomic_load(p: RegionReader, word: str) -> None:
    scope, semantics = p.modifiers((SCOPE, SEMANTICS))
    source = p.value()
    indices = _indices(p)
    op = memref.AtomicLoad(source, indices, result_types=[p.result_type()])
    set_order(op, scope, semantics)
    p.finish(op)


def _atomic_store(p: RegionReader, word: str) -> None:
    scope, semantics = p.modifiers((SCOPE, SEMANTICS))
    stored = p.value()
    p.expect(",")
    target = p.value()
    op = memref.AtomicStore(stored, target, _indices(p))
    set_order(op, scope, semantics)
    p.finish(op)


def _atomic_update(p: RegionReader, word: str) -> None:
    scope, semantics = p.modifiers((SCOPE, SEMANTICS))
    stored = p.value()
    p.expect(",")
    target = p.value()
    indices = _indices(p)
    kind = ATOMIC_KINDS[word.removeprefix("atomic_")]
    op = memref.AtomicRmw(stored, target, indices, kind, result_types=[p.result_type()])
    set_order(op, scope, semantics)
    p.finish(op)


def _size(p: RegionReader, word: str) -> None:
    source = p.value()
    p.expect("[")
    mode = p.integer_attribute("mode", "the number of a mode")
    p.expect("]")
    p.finish(memref.Size(source, mode, result_types=[p.result_type()]))


def _associated(p: RegionReader, word: str) -> None:
    source = p.value()
    p.finish(memref.Associated(source, result_types=[p.result_type()]))


# Views


def _entry(p: RegionReader) -> Entry:
    """An integer or a value."""
    index = p.i
    if p.texts[index][0] == "%":
        found = p.value()
        # Views set the places of their operands themselves, for these are not in the order of the text.
        return found, None, p.range(index)
    return None, p.integer("an integer or a value"), p.range(index)


def _place(p: RegionReader, key: str, first: int, entries: Sequence[Entry]) -> int:
    """Record where entries stand, and values among them as operands `first` and following; the next operand."""
    for index, (held, _, where) in enumerate(entries):
        p.places[key, index] = where
        if held is not None:
            p.places["operand", first] = where
            first += 1
    return first


def _check_order(p: RegionReader, count: int, first: int) -> None:
    if count > p.limits.order:
        p.error(TENSOR_ORDER, p.since(first), f"{count} entries; the limit on the order is {p.limits.order}")
        p.abandon()


def _expand(p: RegionReader, word: str) -> None:
    source = p.value()
    p.expect("[")
    mode = p.integer_attribute("mode", "the number of a mode")
    p.expect("->")
    first = p.i
    entries = [_entry(p)]
    while p.accept("x"):
        entries.append(_entry(p))
    if len(entries) == 1:
        p.fail("`x`")
    if p.texts[p.i] != "]":
        p.fail("`x` or `]`")
    _check_order(p, len(entries), first)
    p.i += 1
    _place(p, "size", 1, entries)
    sizes = [held for held, _, _ in entries if held is not None]
    statics = tuple(literal for _, literal, _ in entries)
    p.finish(memref.Expand(source, sizes, mode, statics, result_types=[p.result_type()]))


def _fuse(p: RegionReader, word: str) -> None:
    source = p.value()
    p.expect("[")
    first = p.integer_attribute("first", "the number of the first mode")
    p.expect(",")
    last = p.integer_attribute("last", "the number of the last mode")
    p.expect("]")
    p.finish(memref.Fuse(source, first, last, result_types=[p.result_type()]))


def _subview(p: RegionReader, word: str) -> None:
    source = p.value()
    p.expect("[")
    first = p.i
    offsets: list[Entry] = []
    sizes: list[Entry] = []
    while p.texts[p.i] != "]":
        offset = _entry(p)
        offsets.append(offset)
        sizes.append(_entry(p) if p.accept(":") else (None, 0, offset[2]))
        if not p.accept(","):
            break
    if p.texts[p.i] != "]" or (offsets and p.texts[p.i - 1] == ","):
        p.fail("an integer or a value" if p.texts[p.i - 1] == "," else "`:`, `,` or `]`")
    _check_order(p, len(offsets), first)
    p.i += 1
    _place(p, "size", _place(p, "offset", 1, offsets), sizes)
    op = memref.Subview(
        source,
        [held for held, _, _ in offsets if held is not None],
        [held for held, _, _ in sizes if held is not None],
        tuple(literal for _, literal, _ in offsets),
        tuple(literal for _, literal, _ in sizes),
        result_types=[p.result_type()],
    )
    p.finish(op)


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    "alloca": value(_alloca),
    "lifetime_stop": plain(_lifetime_stop),
    "barrier": plain(_barrier),
    "load": value(_load),
    "store": plain(_store),
    "atomic_load": value(_atomic_load),
    "atomic_store": plain(_atomic_store),
    **{f"atomic_{kind}": value(_atomic_update) for kind in ATOMIC_KINDS},
    "size": value(_size),
    "associated": value(_associated),
    "expand": value(_expand),
    "fuse": value(_fuse),
    "subview": value(_subview),
}
