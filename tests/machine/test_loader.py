"""Our own linker, on objects made by hand: what it writes where is compared with the formulas of the System V ABI."""

from __future__ import annotations

import ctypes
import gc
import platform
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from effort import Ran, count
from machine.elf_objects import (
    ABSOLUTE,
    CODE,
    COMMON,
    CONSTANTS,
    DATA,
    FUNCTION,
    GLOBAL,
    LOCAL,
    UNDEFINED,
    WEAK,
    ZEROS,
    Content,
    Fix,
    Made,
    Name,
)
from tilewright.machine.elf import ObjectFormatError, read_object
from tilewright.machine.llvm_linker import link_with_llvm
from tilewright.machine.loaded import LinkError, LoadedObject
from tilewright.machine.loader import link
from tilewright.machine.native import LinkerWarning, compile_text, load_object
from tilewright.machine.relocations import UnsupportedObject

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the loader is for Linux on x86-64"
)

RETURN_7 = b"\xb8\x07\x00\x00\x00\xc3"
JUMP = b"\xe9\0\0\0\0"
LOAD_SLOT = b"\x48\x8b\x05\0\0\0\0\xc3"
"""mov rax, [rip + slot]; ret"""
FAR = 0x7123456789ABCDEF
NEAR = 0x1234_5678


def loaded(made: Made, *exports: str, **addresses: int) -> LoadedObject:
    return link(read_object(made.bytes()), exports, addresses)


def word(address: int, width: int = 8, *, signed: bool = False) -> int:
    return int.from_bytes(ctypes.string_at(address, width), "little", signed=signed)


def called(one: LoadedObject, name: str) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64)(one.address(name))()


def one_fix(kind: int, addend: int, *, to: Name, width: int = 16) -> Made:
    """A relocation in the middle of constants, `at`, to a symbol."""
    return Made(
        [Content(CODE, RETURN_7, 16), Content(CONSTANTS, bytes(width), 8), Content(DATA, bytes(range(32)), 32)],
        [to, Name("at", 2, 4), Name("start", 2)],
        [Fix(2, 4, kind, 1, addend)],
    )


DEFINED = [Name("target", 1, 3), Name("target", 2, 16), Name("target", 3, 5), Name("target", 3, 0, binding=WEAK)]


@pytest.mark.parametrize("target", DEFINED)
@pytest.mark.parametrize("addend", [0, -4, 1 << 20])
def test_defined_symbols(target: Name, addend: int) -> None:
    for kind, width, relative in [(1, 8, False), (2, 4, True), (4, 4, True), (24, 8, True)]:
        made = one_fix(kind, addend, to=target)
        found = link(read_object(made.bytes()), ["at", "start", *(["target"] if target.binding == GLOBAL else [])], {})
        # a weak symbol is no export: it is told by what is there
        place = found.address("at")
        value = word(place, width, signed=True) + (place if relative else 0) - addend
        if target.binding == GLOBAL:
            assert value == found.address("target")
        else:
            assert ctypes.string_at(value, 4) == bytes(range(4))
        assert word(found.address("start"), 4) == 0, "beside the place nothing is changed"


@pytest.mark.parametrize("kind", [2, 4, 9, 10, 11, 41, 42])
def test_four_bytes_are_four(kind: int) -> None:
    made = one_fix(kind, 0, to=Name("target", UNDEFINED) if kind in (10, 11) else Name("target", 3))
    found = loaded(made, "at", target=NEAR)
    assert word(found.address("at"), 4) != 0
    assert word(found.address("at") + 4) == 0


@pytest.mark.parametrize(
    ("kind", "address", "addend", "value"),
    [
        (10, NEAR, -8, NEAR - 8),
        (10, 0xFFFF_FFFF, 0, 0xFFFF_FFFF),
        (11, 0x7FFF_FFFF, 0, 0x7FFF_FFFF),
        (11, 8, -16, -8 & 0xFFFF_FFFF),
        (1, FAR, -FAR - 1, (1 << 64) - 1),
    ],
)
def test_absolute_addresses(kind: int, address: int, addend: int, value: int) -> None:
    found = loaded(one_fix(kind, addend, to=Name("target")), "at", target=address)
    assert word(found.address("at"), 8 if kind == 1 else 4) == value


@pytest.mark.parametrize(
    ("kind", "address", "addend"),
    [(10, 1 << 32, 0), (10, 0, -1), (11, 1 << 31, 0), (11, 0, -(1 << 31) - 1), (2, FAR, 0), (10, FAR, 0)],
)
def test_what_does_not_fit_is_refused(kind: int, address: int, addend: int) -> None:
    with pytest.raises(LinkError, match=r"R_X86_64_\w+ at 0x\w+ cannot reach"):
        loaded(one_fix(kind, addend, to=Name("target")), "at", target=address)


@pytest.mark.parametrize("kind", [9, 41, 42])
@pytest.mark.parametrize("target", [Name("target"), Name("target", 3, 7)])
def test_slots(kind: int, target: Name) -> None:
    """`mov rax, [rip + slot]` loads the symbol's address, however far that is."""
    made = Made(
        [Content(CODE, LOAD_SLOT + RETURN_7, 16), Content(CODE, LOAD_SLOT, 64), Content(DATA, bytes(16))],
        [target, Name("f", 1, kind=FUNCTION), Name("g", 2, kind=FUNCTION)],
        [Fix(1, 3, kind, 1, -4), Fix(2, 3, kind, 1, -4)],
    )
    found = link(read_object(made.bytes()), ["f", "g", *(["target"] if target.section else [])], {"target": FAR})
    expected = found.address("target") if target.section else FAR
    assert called(found, "f") == called(found, "g") == expected
    assert found.address("g") % 64 == 0


def test_calls_of_what_is_far_away_go_through_stubs() -> None:
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64)
    functions = {"one": prototype(lambda: 1 << 40), "two": prototype(lambda: -2)}
    given = {name: ctypes.cast(function, ctypes.c_void_p).value or 0 for name, function in functions.items()}
    made = Made(
        [Content(CODE, JUMP * 3, 16)],
        [
            *(Name(name) for name in functions),
            *(Name(name, 1, 5 * k, kind=FUNCTION) for k, name in enumerate(["f", "g", "h"])),
        ],
        [Fix(1, 1, 4, 1, -4), Fix(1, 6, 4, 2, -4), Fix(1, 11, 4, 1, -4)],
    )
    found = link(read_object(made.bytes()), ["f", "g", "h"], given)
    assert [called(found, name) for name in ("f", "g", "h")] == [1 << 40, -2, 1 << 40]


def test_calls_within_need_none() -> None:
    made = Made(
        [Content(CODE, JUMP, 16), Content(CODE, RETURN_7, 32)],
        [Name("g", 2, kind=FUNCTION, binding=LOCAL), Name("f", 1, kind=FUNCTION)],
        [Fix(1, 1, 4, 1, -4)],
    )
    assert called(loaded(made, "f"), "f") == 7


def permissions() -> Mapping[range, str]:
    lines = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    return {range(*(int(end, 16) for end in fields[0].split("-"))): fields[1] for fields in lines}


def permission(address: int) -> str | None:
    return next((found for span, found in permissions().items() if address in span), None)


def every_use() -> Made:
    return Made(
        [
            Content(DATA, b"data", 4),
            Content(CODE, RETURN_7, 16),
            Content(CONSTANTS, b"constant", 8),
            Content(DATA, kind=ZEROS, size=10_000, alignment=64),
            Content(0, b"a comment"),
            Content(CONSTANTS, b"how to unwind", kind=0x70000001),
        ],
        [Name("data", 1), Name("code", 2, kind=FUNCTION), Name("constant", 3), Name("zeros", 4)],
        # what is not in memory may ask for anything
        [Fix(5, 0, 17, 1), Fix(6, 10_000, 17, 1)],
    )


def test_no_memory_is_both_writable_and_executable() -> None:
    found = loaded(every_use(), "data", "code", "constant", "zeros")
    places = {name: found.address(name) for name in ("data", "code", "constant", "zeros")}
    assert {name: permission(place) for name, place in places.items()} == {
        "data": "rw-p",
        "code": "r-xp",
        "constant": "r--p",
        "zeros": "rw-p",
    }
    assert called(found, "code") == 7
    assert ctypes.string_at(places["constant"], 8) == b"constant"
    assert ctypes.string_at(places["zeros"], 10_000) == bytes(10_000)
    assert places["zeros"] % 64 == 0
    ctypes.memset(places["data"], 0, 4)


def test_memory_goes_with_the_object() -> None:
    found = [loaded(every_use(), "code") for _ in range(3)]
    places = [one.address("code") for one in found]
    assert [permission(place) for place in places] == ["r-xp"] * 3
    del found[1]
    gc.collect()
    # the first and the last still run; in place of the second there is nothing, or what has been mapped since
    assert called(found[0], "code") == called(found[1], "code") == 7
    assert permission(places[1]) != "r-xp"


def simple(**changes: object) -> Made:
    parts: dict[str, object] = {
        "contents": [Content(CODE, RETURN_7, 16), Content(DATA, bytes(16), 8)],
        "names": [Name("f", 1, kind=FUNCTION), Name("x", 2)],
        "fixes": [],
    }
    return Made(**(parts | changes))  # pyright: ignore[reportArgumentType]


UNKNOWN: Mapping[str, Made] = {
    "relocations of kind 25": simple(fixes=[Fix(2, 0, 25, 2)]),
    "relocations of kind 1000": simple(fixes=[Fix(2, 0, 1000, 2)]),
    "run at the start": simple(contents=[Content(CODE, RETURN_7, 16), Content(DATA, bytes(8), 8, kind=14)]),
    "memory of each thread": simple(contents=[Content(CODE, RETURN_7, 16), Content(DATA | 0x400, bytes(8), 8)]),
    "code that may be written": simple(contents=[Content(CODE | DATA, RETURN_7, 16), Content(DATA, bytes(8))]),
    "aligned to 8,192 bytes": simple(contents=[Content(CODE, RETURN_7, 8192), Content(DATA, bytes(8))]),
    "aligned to 12 bytes": simple(contents=[Content(CODE, RETURN_7, 12), Content(DATA, bytes(8))]),
    "more than 1,073,741,824 bytes": simple(
        contents=[Content(CODE, RETURN_7), Content(DATA, kind=ZEROS, size=1 << 30)]
    ),
    "a symbol 'f' of section 65521": simple(names=[Name("f", ABSOLUTE, 8), Name("x", 2)]),
    "a symbol 'f' of section 65522": simple(names=[Name("f", COMMON, 8), Name("x", 2)]),
    "a symbol 'f' of section 1, kind 10": simple(names=[Name("f", 1, kind=10), Name("x", 2)]),
}


@pytest.mark.parametrize("message", UNKNOWN)
def test_what_is_not_known_is_told(message: str) -> None:
    with pytest.raises(UnsupportedObject, match=message):
        loaded(UNKNOWN[message], "f")


def test_llvm_takes_what_is_not_known_and_that_is_told() -> None:
    """R_X86_64_GOTOFF64 relates a symbol to the offset table, of which code of ours knows nothing."""
    made = simple(fixes=[Fix(2, 0, 25, 2), Fix(2, 8, 29, 2)])
    with pytest.warns(LinkerWarning, match=r"linked by LLVM.*relocations of kind 25"):
        found = load_object(made.bytes(), ["f", "x"])
    assert called(found, "f") == 7


DAMAGED: Mapping[str, Made] = {
    "relocations of section 9": simple(fixes=[Fix(9, 0, 1, 1)]),
    "relocation to symbol 3": simple(fixes=[Fix(2, 0, 1, 3)]),
    "relocation behind section 2": simple(fixes=[Fix(2, 9, 1, 2)]),
    "symbol 'x' behind its section": simple(names=[Name("f", 1), Name("x", 2, 17)], fixes=[Fix(2, 0, 1, 2)]),
}


@pytest.mark.parametrize("message", DAMAGED)
def test_damaged_objects(message: str) -> None:
    with pytest.raises(ObjectFormatError, match=message):
        loaded(DAMAGED[message], "f")
    with pytest.raises(LinkError, match=message):
        load_object(DAMAGED[message].bytes(), ["f"])


def test_an_offset_that_is_none() -> None:
    code = bytearray(simple().bytes())
    code[40:48] = b"\xff" * 8
    with pytest.raises(ObjectFormatError, match="damaged ELF object"):
        read_object(bytes(code))


def test_the_end_of_a_section_is_a_place() -> None:
    made = simple(names=[Name("f", 1), Name("x", 2, 16)], fixes=[Fix(2, 8, 1, 2)])
    found = loaded(made, "x")
    assert word(found.address("x") - 8) == found.address("x")


def test_names_that_nothing_defines() -> None:
    with pytest.raises(LinkError, match="nothing defines: x"):
        loaded(simple(names=[Name("f", 1), Name("x")], fixes=[Fix(2, 0, 1, 2)]), "f")
    with pytest.raises(LinkError, match="does not define g, x"):
        loaded(simple(names=[Name("f", 1), Name("x", 2, binding=LOCAL)]), "f", "g", "x")


@pytest.mark.parametrize("made", [simple(kind=3), simple(processor=183)])
def test_other_kinds_of_objects(made: Made) -> None:
    with pytest.raises(LinkError, match="no relocatable object for x86-64"):
        loaded(made, "f")


MIXED = """
@table = internal constant [3 x ptr] [ptr @one, ptr @two, ptr @three]
@count = internal global i64 5
@zeros = internal global [100 x i64] zeroinitializer
@outside = external global i64
declare i64 @given(i64)
define internal i64 @one(i64 %x) noinline { %y = add i64 %x, 1  ret i64 %y }
define internal i64 @two(i64 %x) noinline { %y = call i64 @given(i64 %x)  ret i64 %y }
define internal i64 @three(i64 %x) noinline {
  %v = load i64, ptr @outside  %y = mul i64 %x, %v  ret i64 %y
}
define i64 @f(i64 %k, i64 %x) {
  %p = getelementptr ptr, ptr @table, i64 %k
  %g = load ptr, ptr %p
  %r = call i64 %g(i64 %x)
  %c = load i64, ptr @count
  %d = add i64 %c, %r
  store i64 %d, ptr @count
  %z = getelementptr i64, ptr @zeros, i64 %k
  %w = load i64, ptr %z
  %s = add i64 %d, %w
  switch i64 %x, label %other [ i64 0, label %a i64 1, label %b i64 2, label %c2 i64 3, label %d2 i64 4, label %e ]
a:
  ret i64 %s
b:
  %s1 = mul i64 %s, 3
  ret i64 %s1
c2:
  %s2 = mul i64 %s, %s
  ret i64 %s2
d2:
  %s3 = sub i64 %s, 77
  ret i64 %s3
e:
  %s4 = xor i64 %s, 12345
  ret i64 %s4
other:
  ret i64 %c
}
"""


def test_the_same_as_llvms_linker_does() -> None:
    """Tables of functions, jump tables, data, zeros, and what is defined elsewhere."""

    def thousandfold(x: int) -> int:
        return x * 1000

    given, outside = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(thousandfold), ctypes.c_int64(9)
    addresses = {"given": ctypes.cast(given, ctypes.c_void_p).value or 0, "outside": ctypes.addressof(outside)}
    code = compile_text(MIXED)
    kinds = Counter(relocation.kind for relocation in read_object(code).relocations())
    assert {1, 2, 4, 42} <= kinds.keys(), kinds
    ours, llvms = link(read_object(code), ["f"], addresses), link_with_llvm(code, ["f"], addresses)
    entries = [
        ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(one.address("f")) for one in (ours, llvms)
    ]
    for k in range(3):
        for x in range(7):
            first, second = (entry(k, x) for entry in entries)
            assert first == second, (k, x)


def test_random_damage_is_refused_or_does_no_harm(rng: np.random.Generator, ran: Ran) -> None:
    """Nothing is called: whatever headers and tables say, linking ends in an object or in an error of its own."""
    code = compile_text(MIXED)
    contents = [section for section in read_object(code).sections if section.flags & 2 and not section.is_zero]
    kept = np.zeros(len(code), bool)
    for section in contents:
        kept[section.offset : section.offset + section.size] = True
    places = np.flatnonzero(~kept)
    cases, refused = count("RANDOM_OBJECTS", 400, 10_000), 0
    for _ in range(cases):
        damaged = bytearray(code)
        for place in rng.choice(places, int(rng.integers(1, 4))):
            damaged[place] = int(rng.choice([0, 1, 0x7F, 0x80, 0xFF, int(rng.integers(256))]))
        try:
            link(read_object(bytes(damaged)), ["f"], {"given": FAR, "outside": FAR})
        except (LinkError, ObjectFormatError, UnsupportedObject):
            refused += 1
    assert refused
    ran(cases, "damaged objects")
