"""Allocation, views and access. The types of views, which the old language infers, are computed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn

from msgspec.structs import replace

from tilewright.diagnostics import SourceRange
from tilewright.dialects import memref, team
from tilewright.frontends.old_tensor_language.operands import (
    Operand,
    check_type,
    colon,
    index_operand,
    memref_of,
    operand,
)
from tilewright.frontends.old_tensor_language.types import OldTypeReader, spelled
from tilewright.frontends.tensor_language.cursor import quoted
from tilewright.frontends.tensor_language.instruction import Instruction, plain, value
from tilewright.frontends.tensor_language.lexer import is_integer
from tilewright.frontends.tensor_language.limits import TENSOR_ORDER
from tilewright.frontends.tensor_language.regions import RegionReader
from tilewright.ir.core import Value
from tilewright.ir.types import AddressSpace, Extent, GroupType, MemrefType


def source_operand(p: RegionReader) -> Operand:
    """The memref or group that an instruction works on."""
    index = p.i
    return Operand(p.value(), index)


def index_or_value(p: RegionReader) -> Operand:
    """An integer or a value."""
    if p.at_number() and not is_integer(p.texts[p.i]):
        p.fail("an integer or a value")
    return operand(p)


def check_order(p: RegionReader, count: int, first: int) -> None:
    """Hold lists of entries to the limit on the order of tensors."""
    if count > p.limits.order:
        p.error(TENSOR_ORDER, p.since(first), f"{count} entries; the limit on the order is {p.limits.order}")
        p.abandon()


def _alloca(p: RegionReader, word: str) -> None:
    if p.texts[p.i] != "->":
        p.fail("`->` and the type of the memref")
    first = p.i = p.i + 1
    type_ = p.read_type()
    p.places["type"] = p.since(first)
    if not isinstance(type_, MemrefType):
        p.error("V25", p.since(first), f"an alloca gives a memref, not {spelled(type_)}")
        p.abandon()
    p.finish(memref.Alloca(result_types=[replace(type_, space=AddressSpace.LOCAL)]))


def _lifetime_stop(p: RegionReader, word: str) -> None:
    p.finish(memref.LifetimeStop(p.value()))


def _barrier(p: RegionReader, word: str) -> None:
    op = team.Barrier()
    op.attributes["fence_global"] = True
    op.attributes["fence_local"] = True
    p.finish(op)


def _indices(p: RegionReader) -> list[Operand]:
    """`[index, ..]`."""
    p.expect("[")
    return p.list_of(lambda: index_or_value(p), "]")


def _load(p: RegionReader, word: str) -> None:
    source = source_operand(p)
    held = _indices(p)
    access = p.since(source.token)
    colon(p, "the type of the memref or group")
    first = p.i
    check_type(p, source, p.read_type(), first)
    p.places["type"] = p.since(first)
    assert source.value is not None
    type_ = source.value.type
    indices = [index_operand(p, one) for one in held]
    if p.poisoned:
        p.abandon()
    if isinstance(type_, MemrefType):
        p.finish(memref.Load(source.value, indices))
    elif isinstance(type_, GroupType):
        _group_load(p, source.value, type_, indices, access)
    else:
        finding = p.error("V30", p.range(source.token), f"load reads from a memref or group, not from {spelled(type_)}")
        finding.label(source.value.location, "defined here")
        p.abandon()


def _group_load(p: RegionReader, source: Value, type_: GroupType, indices: list[Value], access: SourceRange) -> None:
    if len(indices) != 1:
        finding = p.error("V31", access, f"a group has one index, but {len(indices)} are given")
        finding.label(source.location, "defined here")
        p.abandon()
    p.finish(memref.GroupLoad(source, indices[0], result_types=[type_.memref]))


def _store(p: RegionReader, word: str) -> None:
    stored = p.value()
    p.expect(",")
    target = source_operand(p)
    held = _indices(p)
    element = memref_of(p, target).element
    assert target.value is not None
    if stored.type is not element and not p.poisoned:
        name, type_ = p.texts[p.mnemonic + 1], spelled(stored.type)
        finding = p.error("V30", p.range(p.mnemonic + 1), f"`{name}` is {type_}, the memref holds {element}")
        finding.label(stored.location, "defined here").hint(f"write `cast {name} : {type_} -> {element}` first")
        p.abandon()
    p.finish(memref.Store(stored, target.value, [index_operand(p, one) for one in held]))


def _size(p: RegionReader, word: str) -> None:
    source = source_operand(p)
    p.expect("[")
    mode = p.integer_attribute("mode", "the number of a mode")
    p.expect("]")
    memref_of(p, source)
    assert source.value is not None
    op = memref.Size(source.value, mode)
    p.finish(op)
    assert isinstance(p, OldTypeReader)
    if p.visible_size(source.value, mode) is None:
        p.sizes[source.value, mode] = op


def _fuse(p: RegionReader, word: str) -> None:
    source = source_operand(p)
    p.expect("[")
    first = p.integer_attribute("first", "the number of the first mode")
    p.expect(",")
    last = p.integer_attribute("last", "the number of the last mode")
    p.expect("]")
    type_ = memref_of(p, source)
    assert source.value is not None
    p.finish(memref.Fuse(source.value, first, last, result_types=[_fused(type_, first, last)]))


def _fused(type_: MemrefType, first: int, last: int) -> MemrefType:
    """The type of a fuse; the operand's if the modes are no range, which the verifier reports."""
    if not 0 <= first < last < type_.order:
        return type_
    product: Extent = 1
    for size in type_.shape[first : last + 1]:
        product = None if product is None or size is None else product * size
    shape = (*type_.shape[:first], product, *type_.shape[last + 1 :])
    return replace(type_, shape=shape, strides=type_.strides[: first + 1] + type_.strides[last + 1 :])


def refuse_view(p: RegionReader, where: SourceRange, message: str, hint: str) -> NoReturn:
    """Report a view that has no meaning, and leave the instruction."""
    p.error("U6", where, message).hint(hint)
    p.abandon()


def check_mode(p: RegionReader, mode: int, type_: MemrefType, source: Operand) -> None:
    """The mode exists."""
    if not 0 <= mode < type_.order:
        where = p.places["mode"].primary
        assert where is not None
        name = quoted(p.texts[source.token])
        hint = f"modes count from 0; here they are 0 to {type_.order - 1}" if type_.order else "it has no modes at all"
        refuse_view(p, where, f"{name} has no mode {mode}", hint)


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    "alloca": value(_alloca),
    "lifetime_stop": plain(_lifetime_stop),
    "barrier": plain(_barrier),
    "load": value(_load),
    "store": plain(_store),
    "size": value(_size),
    "fuse": value(_fuse),
}
