"""The declarations as a whole: 100 public operations and 5 of 13.4, each code once."""

from __future__ import annotations

import pytest

from tilewright.dialects.cuda_tile import BY_MNEMONIC, BY_OPCODE, OPERATIONS
from tilewright.dialects.cuda_tile.base import TileOperation, generic_name
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir.assembly import WHOLE, Custom, Group, OperandPart, Part, form_of

UNASSIGNED = {*range(0x19, 0x25), *range(0x34, 0x3A)}
HIGHEST = {Version.V13_1: 0x6D, Version.V13_2: 0x6E, Version.V13_3: 0x75, Version.V13_4: 0x7A}
SYMBOLS = {"cuda_tile.module", "cuda_tile.entry", "cuda_tile.global"}


def test_there_are_100_operations_and_5_of_13_4() -> None:
    later = {cls for cls in OPERATIONS if cls.spec.since is Version.V13_4}
    assert len(OPERATIONS) == 105
    assert {cls.name.removeprefix("cuda_tile.") for cls in later} == {
        *("insert", "fpowi", "memory_fence_alias_tko", "gdc_launch_dependents_tko", "gdc_wait_tko")
    }
    counts = [sum(cls.spec.since is v for cls in OPERATIONS) for v in Version]
    assert counts == [92, 1, 7, 5]


def test_opcodes_are_unique_and_complete() -> None:
    coded = [cls.spec.opcode for cls in OPERATIONS if cls.spec.opcode is not None]
    assert len(coded) == len(set(coded)) == len(BY_OPCODE)
    items = {0x16, 0x31, 0x4B}
    assert set(BY_OPCODE) == set(range(0x7B)) - UNASSIGNED - items
    assert {cls.name for cls in OPERATIONS if cls.spec.opcode is None} == SYMBOLS


def test_versions_end_where_the_next_begins() -> None:
    for cls in OPERATIONS:
        code = cls.spec.opcode
        if code is None:
            continue
        assert cls.spec.since is next(v for v in Version if code <= HIGHEST[v]), cls.name


def test_mnemonics_are_unique() -> None:
    words = [w for cls in OPERATIONS for w in (cls.name.removeprefix("cuda_tile."), *cls.spec.aliases)]
    assert len(words) == len(set(words)) == len(BY_MNEMONIC)
    assert BY_MNEMONIC["fpowf"] is BY_MNEMONIC["pow"]
    assert BY_MNEMONIC["print"] is BY_MNEMONIC["print_tko"]


@pytest.mark.parametrize("cls", OPERATIONS, ids=lambda cls: cls.name)
def test_the_form_has_every_operand(cls: type[TileOperation]) -> None:
    def operands(parts: tuple[Part, ...]) -> set[str]:
        found = {p.name for p in parts if isinstance(p, OperandPart)}
        return found.union(*(operands(p.parts) for p in parts if isinstance(p, Group)))

    parts = form_of(cls)
    if any(isinstance(p, Custom) and p.name in WHOLE for p in parts):
        return
    assert operands(parts) == set(cls.definition.operands)


@pytest.mark.parametrize("cls", OPERATIONS, ids=lambda cls: cls.name)
def test_fields_that_are_named_exist(cls: type[TileOperation]) -> None:
    d = cls.definition
    fields = {*d.operands, *d.results, *d.attributes}
    assert set(cls.spec.newer) <= fields
    assert set(cls.spec.generic) <= fields
    names = [generic_name(cls, key) for key in d.attributes]
    assert len(names) == len(set(names))
    assert cls.__doc__
