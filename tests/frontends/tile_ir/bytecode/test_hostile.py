"""Whatever the bytes are: a module or one diagnostic with its place, soon."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from frontends.tile_ir.bytecode.handmade import (
    ENTRY,
    I32,
    PLACE,
    RETURN,
    TILE,
    check,
    code,
    debug_file,
    file,
    row,
    varints,
)
from frontends.tile_ir.bytecode.samples import SAMPLES, build
from frontends.tile_ir.bytecode.test_debug import with_places
from frontends.tile_ir.bytecode.test_round_trip import EXAMPLE
from tilewright.diagnostics import Diagnostic, Report
from tilewright.diagnostics.machine_formats import render_json, render_sarif
from tilewright.diagnostics.render import render_text
from tilewright.dialects.cuda_tile.attributes import Number
from tilewright.dialects.cuda_tile.types import F64, Version
from tilewright.frontends.tile_ir.bytecode import lowest_version, read, write
from tilewright.ir.mlir.limits import Limits

NAMES = [n for n in SAMPLES if not n.startswith("cuda_tile.") and n not in ("compare", "constants")]


def sample(name: str) -> bytes:
    module = build(name)
    return write(module, lowest_version(module))


@pytest.mark.parametrize("name", NAMES)
def test_truncation_at_every_byte(name: str) -> None:
    data = sample(name)
    for end in range(len(data)):
        assert check(data[:end]), f"cut at {end}"


@pytest.mark.parametrize("name", NAMES)
def test_flipped_bits(name: str) -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    rnd = random.Random(seed)
    data = sample(name) if rnd.random() < 0.7 else write(with_places(name), Version.V13_4)
    try:
        for _ in range(80):
            broken = bytearray(data)
            for _ in range(rnd.choice((1, 1, 2, 5))):
                broken[rnd.randrange(len(data))] ^= 1 << rnd.randrange(8)
            check(bytes(broken))
    except Exception as error:
        raise AssertionError(f"seed {seed}") from error


@pytest.mark.parametrize("name", ["for", "partition", "reduce", "hints"])
def test_every_bit(name: str) -> None:
    data = write(with_places(name), Version.V13_3)
    for offset in range(len(data)):
        broken = bytearray(data)
        broken[offset] ^= 1 << offset % 8
        check(bytes(broken))


def test_random_bytes_behind_a_header() -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    rnd = random.Random(seed)
    for _ in range(300):
        assert check(EXAMPLE[:12] + rnd.randbytes(rnd.randrange(60))), f"seed {seed}"


# Files put together by hand


def test_the_hand_made_file_is_good() -> None:
    assert check(file()) == []


@pytest.mark.parametrize(
    "extra", [(4, 8, b"\0"), (4, 8, b"\0" + b"\xcb" * 7), (3, 8, row() + b"\0"), (3, 8, row() + b"\0\xcb\xcb\xcb")]
)
def test_empty_tables_may_be_padded(extra: tuple[int, int, bytes]) -> None:
    assert check(file(extra=(extra,))) == []


HUGE = varints((1 << 64) - 1)
CASES = {
    "empty": (b"", "B1"),
    "text": (b"cuda_tile.module @m { }", "B1"),
    "version 13.5": (file(minor=5), "B1"),
    "version 13.0": (file(minor=0), "B1"),
    "version tag": (EXAMPLE[:10] + b"\x01\x00" + EXAMPLE[12:], "B1"),
    "behind the end": (file() + b"\0", "B2"),
    "unknown section": (EXAMPLE[:12] + b"\x08\x00" + EXAMPLE[12:], "B3"),
    "section twice": (file(extra=((6, 1, b"\0"), (6, 1, b"\0"))), "B3"),
    "alignment 3": (EXAMPLE[:12] + b"\x82\x10\x03", "B3"),
    "alignment 0": (EXAMPLE[:12] + b"\x82\x10\x00", "B3"),
    "huge alignment": (EXAMPLE[:12] + b"\x82\x10" + varints(1 << 60), "B2"),
    "alignment too small": (EXAMPLE[:12] + b"\x82\x10\x04", "B3"),
    "huge section": (EXAMPLE[:12] + b"\x82" + HUGE + b"\x08\xcb", "B2"),
    "no function section": (EXAMPLE[:12] + b"\0", "B3"),
    "long varint": (EXAMPLE[:12] + b"\x82" + b"\xff" * 11, "B5"),
    "65 bits": (EXAMPLE[:12] + b"\x82" + b"\xff" * 9 + b"\x7f", "B5"),
    "huge number of functions": (file(function=HUGE), "B5"),
    "huge body": (file(function=varints(1, 0, 2) + b"\x02\0" + HUGE), "B2"),
    "private entry": (file(function=varints(1, 0, 2) + b"\x03\0"), "B9"),
    "no kernel": (file(function=varints(1, 0, 2) + b"\x00\0"), "B9"),
    "function flags": (file(function=varints(1, 0, 2) + b"\x0a\0"), "B6"),
    "signature": (file(function=varints(1, 0, 1) + b"\x02\0"), "B7"),
    "no such string": (file(function=varints(1, 1, 2) + b"\x02\0"), "B4"),
    "no such places": (file(function=varints(1, 0, 2) + b"\x02\x01"), "B4"),
    "empty name": (file(strings=[b""]), "B8"),
    "no utf-8": (file(strings=[b"a\xff"]), "B8"),
    "empty body": (file(b""), "B9"),
    "unknown opcode": (file(varints(0x19, 0, 0)), "B6"),
    "test opcode": (file(varints(3001, 0, 0)), "B6"),
    "later opcode": (file(varints(0x78, 1, 0) + RETURN), "B10"),
    "behind the terminator": (file(RETURN + RETURN), "B9"),
    "results": (file(varints(0x5C, 1, 1, 0)), "B9"),
    "huge results": (file(varints(0x5C) + HUGE), "B5"),
    "huge operands": (file(varints(0x5C, 0) + HUGE), "B5"),
    "no such value": (file(varints(0x00, 1, 0) + RETURN), "B4"),
    "no such type": (file(varints(0x3A, 9) + RETURN), "B4"),
    "no type of a value": (file(varints(0x3A, 0) + RETURN), "B7"),
    "unknown flags": (file(varints(0x18, 1, 2, 0) + RETURN), "B6"),
    "unknown rounding": (file(varints(0x2A, 1, 9, 0) + RETURN), "B6"),
    "later rounding": (file(varints(0x2A, 1, 7, 0) + RETURN), "B10"),
    "no constant": (file(varints(0x10, 1, 0) + RETURN), "B4"),
    "constant of tokens": (file(varints(0x10, 3, 0) + RETURN, [I32, TILE, ENTRY, b"\x11"]), "B8"),
    "regions": (file(varints(0x41, 0, 0, 2)), "B9"),
    "blocks": (file(varints(0x41, 0, 0, 1, 2)), "B9"),
    "huge arguments": (file(varints(0x41, 0, 0, 1, 1) + HUGE), "B5"),
    "huge block": (file(varints(0x41, 0, 0, 1, 1, 0) + HUGE), "B5"),
    "block without a terminator": (file(varints(0x41, 0, 0, 1, 1, 0, 0) + RETURN), "B9"),
    "tile of itself": (file(types=[I32, varints(13, 1, 0), varints(16, 1, 1, 0)]), "B7"),
    "tiles in a circle": (file(types=[varints(13, 1, 0), varints(13, 0, 0), varints(16, 1, 1, 0)]), "B7"),
    "function of itself": (file(types=[I32, TILE, varints(16, 1, 2, 0)]), "B7"),
    "nested tiles": (file(types=[*(varints(13, i + 1, 0) for i in range(400)), I32], function=varints(1, 0, 0)), "B7"),
    "unknown type": (file(types=[I32, TILE, b"\x63"]), "B6"),
    "later type": (file(types=[I32, TILE, varints(20)], minor=2), "B10"),
    "later element": (file(types=[varints(19), TILE, varints(16, 1, 1, 0)], minor=2), "B10"),
    "bytes behind a type": (file(types=[I32, TILE, ENTRY + b"\0"]), "B2"),
    "huge shape": (file(types=[I32, varints(13, 0) + HUGE, varints(16, 1, 1, 0)]), "B5"),
    "huge tile": (
        file(types=[I32, varints(13, 0, 4) + (1 << 20).to_bytes(8, "little") * 4, varints(16, 1, 1, 0)]),
        "B7",
    ),
    "extent 3": (file(types=[I32, varints(13, 0, 1) + (3).to_bytes(8, "little"), varints(16, 1, 1, 0)]), "B7"),
    "rank": (file(types=[I32, varints(13, 0, 65) + (1).to_bytes(8, "little") * 65, varints(16, 1, 1, 0)]), "B11"),
    "huge table": (file(extra=((4, 8, HUGE),)), "B5"),
    "falling offsets": (
        file(extra=((4, 8, b"\x02" + b"\xcb" * 7 + (8).to_bytes(8, "little") + bytes(8) + bytes(9)),)),
        "B5",
    ),
    "offset behind the end": (file(extra=((4, 8, b"\x01" + b"\xcb" * 7 + b"\xff" * 8),)), "B5"),
    "empty table, some padding": (file(extra=((4, 8, b"\0" + b"\xcb" * 6),)), "B2"),
    "empty table, more than padding": (file(extra=((4, 8, b"\0" + b"\xcb" * 8),)), "B2"),
    "old producer": (file(minor=2, extra=((7, 1, b"\0"),)), "B10"),
    "old test of hints": (file(function=varints(1, 0, 2) + b"\x06\0" + varints(3, 1)), "B8"),
    "unknown attribute": (file(function=varints(1, 0, 2) + b"\x06\0" + varints(13)), "B6"),
    "hints twice": (file(function=varints(1, 0, 2) + b"\x06\0" + varints(11, 2, 0, 10, 0, 0, 10, 0)), "B8"),
    "nested arrays": (file(function=varints(1, 0, 2) + b"\x06\0" + varints(*(6, 1) * 5000)), "B11"),
    "huge dictionary": (file(function=varints(1, 0, 2) + b"\x06\0\x0b" + HUGE), "B5"),
}


@pytest.mark.parametrize("name", CASES)
def test_hostile(name: str) -> None:
    data, wanted = CASES[name]
    assert code(data) == wanted, [str(d) for d in check(data)]


LOCATION = varints(4, 0, 0, 7, 9)
DEBUG = {
    "good": (debug_file(row(1, 0), [LOCATION]), None),
    "dummy": (debug_file(row(1, 1), [b"\0"]), None),
    "too few": (debug_file(row(1), [LOCATION]), "B9"),
    "too many": (debug_file(row(1, 1, 1), [LOCATION]), "B9"),
    "no such attribute": (debug_file(row(2, 0), [LOCATION]), "B4"),
    "not a place": (debug_file(row(1, 0), [varints(2, 0, 0)]), "B8"),
    "not a scope": (debug_file(row(1, 0), [varints(4, 1, 0, 1, 1)]), "B8"),
    "circle": (debug_file(row(1, 0), [varints(6, 2, 0), varints(6, 1, 0)]), "B8"),
    "deep": (debug_file(row(0, 1), [*(varints(6, i + 2, 0) for i in range(300)), LOCATION]), None),
    "too deep": (debug_file(row(1, 0), [*(varints(6, i + 2, 0) for i in range(20_000)), LOCATION]), "B11"),
    "deep from below": (debug_file(row(5_001, 0), [LOCATION, *(varints(6, i + 1, 0) for i in range(5_000))]), "B11"),
    "huge rows": (file(extra=((3, 8, HUGE),)), "B5"),
    "huge places": (file(extra=((3, 8, b"\x01\xcb\xcb\xcb" + bytes(4) + HUGE),)), "B5"),
}


@pytest.mark.parametrize("name", DEBUG)
def test_debug_section(name: str) -> None:
    data, wanted = DEBUG[name]
    assert [d.code for d in check(data)] == ([] if wanted is None else [wanted])


def test_bodies_of_nothing_but_nested_loops() -> None:
    nested = varints(*(0x41, 0, 0, 1, 1, 0, 1) * 5000)
    assert code(file(nested + RETURN)) == "B11"


@pytest.mark.parametrize("render", [render_json, render_sarif])
def test_machine_formats(render: Callable[[list[Diagnostic]], str]) -> None:
    assert "hostile.tilebc" in render(check(b""))
    assert "hostile.tilebc" in render(check(EXAMPLE[:-1]))


@pytest.mark.parametrize("bits", [0xFFF0 << 48, 0x7FF0 << 48, 0x8000 << 48, 1, (1 << 64) - 1])
@pytest.mark.parametrize("wide", [False, True])
def test_doubles_with_a_sign_bit(bits: int, wide: bool) -> None:
    """NVIDIA's Python writer takes the pattern for an unsigned number, whose zigzag form has 65 bits."""
    value = bits if wide or bits < 1 << 63 else bits - (1 << 64)
    zigzag = 2 * value if value >= 0 else -2 * value - 1
    head = varints(1, 0, 2) + b"\x06\0" + varints(11, 1, 0, 10, 1, 0, 2, 3) + varints(zigzag)
    data = file(function=head, types=[I32, TILE, ENTRY, b"\x09"])
    assert check(data) == []
    module = read(data, Report(), "x")
    assert module is not None
    hints = module.entries[0].optimization_hints
    assert hints is not None
    assert hints.lookup("k", "k") == Number(F64, bits)


def test_limits() -> None:
    report = Report()
    assert read(file(), report, "x", Limits(source_bytes=20)) is None
    assert read(file(), report, "x", Limits(operations=1)) is None
    assert [d.code for d in report.diagnostics] == ["B11", "B11"]


def test_large_hostile_tables_are_read_once() -> None:
    """Types of which each has the one before as its element: looked at again for each, they would take hours."""
    types = [I32, *(varints(13, i, 0) for i in range(200_000)), varints(16, 1, 200_000, 0)]
    data = file(types=types, function=varints(1, 0, 200_001) + b"\x02\0")
    assert code(data) == "B7"
    many = file(varints(0x44, 3) * 20_000 + RETURN, [I32, TILE, ENTRY, b"\x11"])
    assert check(many) == []


def test_much_from_little() -> None:
    """Short records that refer to long things: what they stand for is counted."""
    few = Limits(source_bytes=20_000, operations=20_000)
    prints = varints(0x55, 1, 3, 0, 0, 0) * 100 + RETURN
    long = file(prints, [I32, TILE, ENTRY, b"\x11"], [b"k" * 10_000])
    assert code(long, few) == "B11"
    signature = varints(16, 200, *([1] * 200), 0)
    head = varints(200) + (varints(0, 2) + b"\x02\0" + varints(len(RETURN)) + RETURN) * 199 + varints(0, 2) + b"\x02\0"
    assert code(file(types=[I32, TILE, signature], function=head), few) == "B11"


def test_the_caret_is_below_the_byte() -> None:
    text = render_text(check(file(varints(0x19, 0, 0))))
    line, caret = text.splitlines()[1:3]
    offset = int(PLACE.search(text).group(1))  # type: ignore[union-attr]
    assert line[caret.index("^") :][:2] == "19"
    assert line.split("|")[1].split()[0] == f"{offset // 16 * 16:08x}"
