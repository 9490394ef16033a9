"""A file for every fault of attributes, types, constants and places that a reader looks for."""

from __future__ import annotations

import pytest

from frontends.tile_ir.bytecode.handmade import ENTRY, I32, RETURN, TILE, check, code, debug_file, file, row, varints
from frontends.tile_ir.bytecode.test_hostile import CASES, DEBUG
from tilewright.frontends.tile_ir.bytecode.buffer import table
from tilewright.frontends.tile_ir.bytecode.cursor import Cursor, Fault

F16, F32, TOKEN = b"\x05", b"\x07", b"\x11"
POINTER, POINTERS = varints(12, 0), varints(13, 4, 0)


def i64(*values: int) -> bytes:
    """A list of integers."""
    return varints(len(values)) + b"".join(v.to_bytes(8, "little") for v in values)


def i32(*values: int) -> bytes:
    """A list of short integers."""
    return varints(len(values)) + b"".join(v.to_bytes(4, "little") for v in values)


ROW = varints(13, 0) + i64(1)


def hint(attribute: bytes, *types: bytes) -> bytes:
    """A file with hints for an entry, and these types from number 3 on."""
    head = varints(1, 0, 2) + b"\x06\0" + varints(11, 1, 0, 10, 1, 0) + attribute
    return file(types=[I32, TILE, ENTRY, *types], function=head)


def assumed(predicate: bytes) -> bytes:
    """A file that assumes something of a value."""
    body = varints(0x3A, 3, 0x06, 3) + predicate + varints(0) + RETURN
    return file(body, types=[I32, TILE, ENTRY, ROW])


def view(type_: bytes, minor: int = 3) -> bytes:
    """A file with that type as number 4, a tensor_view as number 3, and a parameter of it."""
    tensor = varints(14, 0) + i64(8) + i64(1)
    return file(types=[I32, TILE, varints(16, 1, 4, 0), tensor, type_], minor=minor)


def globals_(type_: bytes, *rest: int, constant: bytes = bytes(4)) -> bytes:
    """A file with a global of that type."""
    pool = table([varints(len(constant)) + constant], 8)
    extra = ((4, 8, pool), (6, 1, varints(1, 1, 3, 0, 0, *rest)))
    return file(types=[I32, TILE, ENTRY, type_, POINTER], strings=[b"k", b"g"], extra=extra)


PLACES = b"\x01\xcb\xcb\xcb"
LOCATION, FILE_OF = varints(4, 0, 0, 7, 9), varints(2, 0, 0)
CHAIN = [LOCATION, *(varints(6, k + 1, 0) for k in range(6000))]

FAULTS = {
    "hints that are no dictionary": (file(function=varints(1, 0, 2) + b"\x06\0" + varints(11, 1, 0, 3, 1)), "B8"),
    "integer of a float type": (hint(varints(1, 3, 0), F32), "B8"),
    "integer of no number": (hint(varints(1, 1, 0)), "B7"),
    "integer of 33 bits": (hint(varints(1, 0, 1 << 32)), "B8"),
    "float of an integer type": (hint(varints(2, 0, 0)), "B8"),
    "float of 17 bits": (hint(varints(2, 3, 1 << 17), F16), "B8"),
    "float below zero": (hint(varints(2, 3, 1), F16), "B8"),
    "bool of 2": (hint(varints(3) + b"\x02"), "B8"),
    "no such type in an attribute": (hint(varints(4, 9)), "B4"),
    "no such string in an attribute": (hint(varints(5, 9)), "B4"),
    "constant of pointers": (hint(varints(7, 4, 0), POINTER, varints(13, 3, 0)), "B8"),
    "constant of no tile": (hint(varints(7, 0, 0)), "B7"),
    "deep dictionaries": (hint(varints(*(10, 1, 0) * 40)), "B11"),
    "identities of no numbers": (file(varints(0x58, 1, 1, 0, 1, 5, 0)), "B8"),
    "no predicate": (assumed(varints(3, 1)), "B8"),
    "every without along": (assumed(varints(8, 4, 1, 2)), "B8"),
    "along without every": (assumed(varints(8, 4, 2, 2)), "B8"),
    "flags of div_by": (assumed(varints(8, 4, 4)), "B6"),
    "flags of bounded": (assumed(varints(12, 4)), "B6"),
    "least integer": (assumed(varints(9) + i64(1 << 63)), "B8"),
    "largest integer": (assumed(varints(9) + i64((1 << 63) - 1)), "B8"),
    "pointer to a tile": (file(types=[I32, TILE, ENTRY, varints(12, 1)], body=varints(0x3A, 3)), "B7"),
    "tile of tokens": (file(types=[I32, TILE, ENTRY, TOKEN, varints(13, 3, 0)], body=varints(0x3A, 4)), "B7"),
    "view of a tile": (view(varints(15, 0) + i32(8) + varints(1) + i32(0)), "B7"),
    "flags of a view": (view(varints(15, 2) + i32(8) + varints(3) + i32(0)), "B6"),
    "padding": (view(varints(15, 1) + i32(8) + varints(3) + i32(0) + varints(9)), "B6"),
    "padding of an old view": (view(varints(15) + i32(8) + varints(3) + i32(0) + b"\x02", minor=2), "B6"),
    "flags of a pointer": (file(types=[I32, TILE, ENTRY, varints(12, 2, 0)], body=varints(0x3A, 3), minor=4), "B6"),
    "rank of a view": (view(varints(15, 0) + i32(*[1] * 65)), "B11"),
    "global of pointers": (globals_(POINTERS, 0, 0), "B8"),
    "global of no tile": (globals_(I32, 0, 0), "B7"),
    "visibility of a global": (globals_(ROW, 2, 0), "B6"),
    "constant global": (globals_(ROW, 0, 2), "B6"),
    "bytes of a constant": (globals_(ROW, 0, 0, constant=bytes(3)), "B8"),
    "behind the globals": (globals_(ROW, 0, 0, 0), "B2"),
    "offsets behind the section": (file(extra=((4, 8, b"\x02" + b"\xcb" * 7 + bytes(10)),)), "B5"),
    "falling places": (file(extra=((3, 8, PLACES + (5).to_bytes(4, "little") + varints(2) + bytes(40)),)), "B5"),
    "scope of another kind": (debug_file(row(1, 0), [varints(4, 2, 0, 7, 9), FILE_OF]), "B8"),
    "deep in steps": (debug_file(row(3000, 6000), CHAIN), "B11"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    data, wanted = FAULTS[name]
    assert code(data) == wanted


def test_the_files_are_good_but_for_the_fault() -> None:
    """What the faults above differ from."""
    for data in (
        hint(varints(1, 0, 1)),
        hint(varints(2, 3, 0), F16),
        hint(varints(3, 1)),
        assumed(varints(8, 4, 0)),
        assumed(varints(12, 0)),
        globals_(ROW, 1, 1),
        debug_file(row(1, 0), [varints(4, 0, 0, 7, 9), FILE_OF]),
    ):
        assert check(data) == []
    # The rules of entries, not the reader, refuse a view as a parameter.
    assert code(view(varints(15, 0) + i32(8) + varints(3) + i32(0))) == "C21"


def test_every_code_of_the_reader_has_a_file() -> None:
    triggered = {wanted for _, wanted in (*CASES.values(), *DEBUG.values(), *FAULTS.values())}
    assert triggered - {None} == {f"B{number}" for number in range(1, 12)}


def cursor(data: bytes) -> Cursor:
    return Cursor(data, 0, len(data))


def test_numbers_have_up_to_64_bits() -> None:
    assert cursor(b"\xff" * 9 + b"\1").varint("it") == 2**64 - 1
    with pytest.raises(Fault, match="it: the number has more than 64 bits"):
        cursor(b"\x80" * 9 + b"\2").varint("it")


def test_counts_fit_what_is_left_with_the_size_of_elements() -> None:
    assert cursor(b"\3" + bytes(12)).count("it", 4) == 3
    with pytest.raises(Fault, match="it: 3 do not fit into the 11 bytes that are left"):
        cursor(b"\3" + bytes(11)).count("it", 4)
