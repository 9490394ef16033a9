"""Linking an x86-64 ELF object into this process, without LLVM.

The object's sections are put into pages of its own, by what may be done with them: code and stubs, constants and slots,
data. All lie within reach of each other. Names are the caller's to resolve. Tables for unwinding are left out: nothing
in generated code throws. Nothing is believed of the bytes but what was checked, though what code *does* cannot be.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Final

from msgspec import Struct

from tilewright.machine.elf import (
    RELOCATABLE,
    RUN_BY_LOADERS,
    X86_64,
    ElfObject,
    ObjectFormatError,
    Relocation,
    Section,
    SectionFlags,
    Symbol,
    SymbolKind,
)
from tilewright.machine.loaded import LinkError, LoadedObject
from tilewright.machine.pages import PAGE, Pages
from tilewright.machine.relocations import NOTHING, OutOfReach, Rule, Through, UnsupportedObject, relocate, rule_of

_UNWINDING: Final = 0x70000001
_LARGEST: Final = 1 << 30
"""Bytes in memory; any two places must be within reach of 32 bits."""
_SLOT: Final = struct.Struct("<Q")
_STUB: Final = struct.Struct("<HiH")
_JUMP_THROUGH_MEMORY: Final = 0x25FF
_JUMP_BYTES: Final = 6
_NO_OPERATION: Final = 0x9066


class _Use(IntEnum):
    """What may be done with memory, in the order in which it is laid out."""

    CODE = 0
    CONSTANTS = 1
    DATA = 2


class _Fixup(Struct, frozen=True):
    """A relocation of a section that is in memory, understood."""

    relocation: Relocation
    rule: Rule


class _Layout(Struct, frozen=True):
    """Where everything goes: offsets of sections by number, of stubs and slots by the symbol's name or place."""

    sections: Mapping[int, int]
    stubs: Mapping[Symbol, int]
    slots: Mapping[Symbol, int]
    ends: Mapping[_Use, int]

    @property
    def size(self) -> int:
        """Bytes of all."""
        return self.ends[_Use.DATA]


def link(found: ElfObject, exports: Iterable[str], addresses: Mapping[str, int]) -> LoadedObject:
    """The object in memory with the addresses of its exports; undefined names are those of `addresses`.

    Raises `UnsupportedObject` for what only LLVM's linker might know, `ObjectFormatError` for damaged bytes, and
    `LinkError` for all else that cannot be.
    """
    _check_kind(found)
    fixups = [
        _Fixup(relocation, rule_of(relocation.kind))
        for relocation in found.relocations()
        if relocation.kind != NOTHING and _is_in_memory(found, relocation)
    ]
    layout = _laid_out(found, fixups)
    exported = _exported(found, layout, tuple(exports))
    try:
        pages = Pages(layout.size)
        _fill(found, fixups, layout, pages, addresses)
        start = 0
        for use in (_Use.CODE, _Use.CONSTANTS):
            pages.protect(start, layout.ends[use], executable=use is _Use.CODE)
            start = layout.ends[use]
    except (OSError, OutOfReach) as error:
        raise LinkError(f"object code cannot be loaded: {error}") from None
    return LoadedObject(pages, {name: pages.address + offset for name, offset in exported.items()})


def _check_kind(found: ElfObject) -> None:
    if found.kind != RELOCATABLE or found.processor != X86_64:
        raise LinkError("object code cannot be loaded: it is no relocatable object for x86-64")
    for section in found.sections:
        if section.kind in RUN_BY_LOADERS:
            raise UnsupportedObject("it has functions to be run at the start or at the end")
        if section.flags & SectionFlags.ALLOCATE and section.flags & (
            SectionFlags.THREAD_LOCAL | SectionFlags.COMPRESSED
        ):
            raise UnsupportedObject("it has memory of each thread, or compressed sections")


def _use_of(section: Section) -> _Use | None:
    """None for what is not in memory."""
    if not section.flags & SectionFlags.ALLOCATE or section.kind == _UNWINDING:
        return None
    if section.flags & SectionFlags.EXECUTE:
        if section.flags & SectionFlags.WRITE:
            raise UnsupportedObject("it has code that may be written to")
        return _Use.CODE
    return _Use.DATA if section.flags & SectionFlags.WRITE else _Use.CONSTANTS


def _is_in_memory(found: ElfObject, relocation: Relocation) -> bool:
    if relocation.section >= len(found.sections):
        raise ObjectFormatError(f"damaged ELF object: relocations of section {relocation.section}")
    return _use_of(found.sections[relocation.section]) is not None


def _laid_out(found: ElfObject, fixups: Iterable[_Fixup]) -> _Layout:
    stubs = dict.fromkeys(f.relocation.symbol for f in fixups if _needs_stub(f))
    slots = dict.fromkeys(f.relocation.symbol for f in fixups if f.rule.through is Through.SLOT) | stubs
    sections: dict[int, int] = {}
    ends: dict[_Use, int] = {}
    places: dict[_Use, dict[Symbol, int]] = {_Use.CODE: {}, _Use.CONSTANTS: {}}
    end = 0
    for use in _Use:
        for number, section in enumerate(found.sections):
            if _use_of(section) is use:
                sections[number] = end = _aligned(end, section.alignment)
                end += section.size
        for symbol in {_Use.CODE: stubs, _Use.CONSTANTS: slots, _Use.DATA: ()}[use]:
            places[use][symbol] = end = _aligned(end, _SLOT.size)
            end += _SLOT.size
        ends[use] = end = _aligned(end, PAGE)
        if end > _LARGEST:
            raise UnsupportedObject(f"it takes more than {_LARGEST:,} bytes")
    return _Layout(sections, places[_Use.CODE], places[_Use.CONSTANTS], ends)


def _needs_stub(fixup: _Fixup) -> bool:
    return fixup.rule.through is Through.STUB and fixup.relocation.symbol.is_undefined


def _aligned(offset: int, alignment: int) -> int:
    # no alignment is told as zero, too
    if alignment & alignment - 1 or alignment > PAGE:
        raise UnsupportedObject(f"it has a section aligned to {alignment:,} bytes")
    return -(-offset // max(alignment, 1)) * max(alignment, 1)


def _exported(found: ElfObject, layout: _Layout, names: Iterable[str]) -> Mapping[str, int]:
    defined = {symbol.name: symbol for symbol in found.symbols if symbol.is_global and not symbol.is_undefined}
    absent = [name for name in names if name not in defined]
    if absent:
        raise LinkError(f"object code cannot be loaded: it does not define {', '.join(absent)}")
    return {name: _offset_of(found, layout, defined[name]) for name in names}


def _offset_of(found: ElfObject, layout: _Layout, symbol: Symbol) -> int:
    """Of a symbol that the object defines."""
    start = layout.sections.get(symbol.section) if symbol.is_in_section else None
    if start is None or symbol.kind in (SymbolKind.THREAD_LOCAL, SymbolKind.RESOLVER):
        raise UnsupportedObject(f"it has a symbol {symbol.name!r} of section {symbol.section}, kind {symbol.kind}")
    # the end of a section is a place, too
    if symbol.place > found.sections[symbol.section].size:
        raise ObjectFormatError(f"damaged ELF object: the symbol {symbol.name!r} behind its section")
    return start + symbol.place


def _fill(
    found: ElfObject, fixups: Iterable[_Fixup], layout: _Layout, pages: Pages, addresses: Mapping[str, int]
) -> None:
    memory, base = pages.memory(), pages.address

    def address_of(symbol: Symbol) -> int:
        if not symbol.is_undefined:
            return base + _offset_of(found, layout, symbol)
        given = addresses.get(symbol.name)
        if given is None:
            raise LinkError(f"object code refers to symbols that nothing defines: {symbol.name}")
        return given

    for number, start in layout.sections.items():
        content = found.bytes_of(found.sections[number])
        memory[start : start + len(content)] = content
    for symbol, slot in layout.slots.items():
        _SLOT.pack_into(memory, slot, address_of(symbol))
    for symbol, stub in layout.stubs.items():
        distance = layout.slots[symbol] - stub - _JUMP_BYTES
        _STUB.pack_into(memory, stub, _JUMP_THROUGH_MEMORY, distance, _NO_OPERATION)
    for fixup in fixups:
        relocation, rule = fixup.relocation, fixup.rule
        section = found.sections[relocation.section]
        if relocation.offset + rule.width > section.size:
            raise ObjectFormatError(f"damaged ELF object: a relocation behind section {relocation.section}")
        if rule.through is Through.SLOT:
            target = base + layout.slots[relocation.symbol]
        elif _needs_stub(fixup):
            target = base + layout.stubs[relocation.symbol]
        else:
            target = address_of(relocation.symbol)
        offset = layout.sections[relocation.section] + relocation.offset
        relocate(rule, memory, offset, base + offset, target, relocation.addend)
