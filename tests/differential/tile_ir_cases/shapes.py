"""Cases of shapes and constants."""

from __future__ import annotations

from collections.abc import Iterator

from differential.tile_ir_cases.case import BITS, FLOATS, INTEGERS, PACKED, SMALL, Case, N, Shaped
from differential.tile_ir_cases.data import literals


def shapes() -> Iterator[Case]:
    """Rearrangements of all elements."""
    for e in (*INTEGERS, *FLOATS, *SMALL, "i4"):
        flat, t = Shaped(e), Shaped(e, (4, 8))
        small = Shaped(e, (4, 1))
        if e != "i4":
            yield Case(f"broadcast {e}", f"%r = broadcast %a : {small} -> {t}", (small,), (t,))
            yield Case(
                f"permute {e}", f"%r = permute %a [1, 0] : {t} -> {Shaped(e, (8, 4))}", (t,), (Shaped(e, (8, 4)),)
            )
            yield Case(
                f"cat {e}", f"%r = cat %a, %b dim = 0 : {t}, {t} -> {Shaped(e, (8, 8))}", (t, t), (Shaped(e, (8, 8)),)
            )
            part = Shaped(e, (2, 4))
            one = "%one = constant <i32: 1> : tile<i32>\n"
            yield Case(f"extract {e}", f"{one}%r = extract %a[%one, %zero] : {t} -> {part}", (t,), (part,))
            dynamic = f"%x, %y, %z = get_tile_block_id : tile<i32>\n{one}%i = addi %x, %one : tile<i32>\n"
            yield Case(f"extract at {e}", f"{dynamic}%r = extract %a[%i, %x] : {t} -> {part}", (t,), (part,))
            many, few = Shaped(e, (2, 32)), Shaped(e, (1, 2))
            ten = "%ten = constant <i32: 10> : tile<i32>\n"
            far = f"{dynamic}{ten}%j = addi %i, %ten : tile<i32>\n%r = extract %a[%i, %j] : {many} -> {few}"
            yield Case(f"extract of many {e}", far, (many,), (few,))
            yield Case(f"insert {e}", f"{one}%r = insert %b, %a[%one, %zero] : {part}, {t}", (t, part), (t,))
            yield Case(f"insert at {e}", f"{dynamic}%r = insert %b, %a[%i, %x] : {part}, {t}", (t, part), (t,))
        if e not in ("f4E2M1FN", "i4"):
            yield Case(f"select {e}", f"%r = select %c, %a, %b : {t['i1']}, {t}", (t, t, t["i1"]), (t,))
        if BITS[e] != 8 and e not in PACKED:
            size = N * (32 if e == "tf32" else BITS[e]) // 8
            as_bytes = Shaped("i8", (size,))
            yield Case(f"pack {e}", f"%r = pack %a : {flat} -> {as_bytes}", (flat,), (as_bytes,))
            yield Case(
                f"unpack {e}",
                f"%r = unpack %a : {as_bytes} -> {flat}",
                (as_bytes,),
                (flat,),
                "tf32" if e == "tf32" else "",
            )
        if e in INTEGERS:
            count = 2 if e == "i1" else N
            yield Case(f"iota {e}", f"%r = iota : {Shaped(e, (count,))}", (), (Shaped(e, (count,)),))


def constants() -> Iterator[Case]:
    """Constants: equal elements, a few, many."""
    for e in (*INTEGERS, *FLOATS, *SMALL):
        for count in (4, 256):
            one = "true" if e == "i1" else "1" if e in INTEGERS else "0.5"
            yield Case(
                f"constant {e} {count}",
                f"%r = constant <{e}: {one}> : {Shaped(e, (count,))}",
                (),
                (Shaped(e, (count,)),),
            )
            listed = ", ".join(literals(e, count))
            t = Shaped(e, (count,))
            yield Case(f"constants {e} {count}", f"%r = constant <{e}: [{listed}]> : {t}", (), (t,))
    rows = ", ".join("[" + ", ".join(str(16 * i + j) for j in range(16)) + "]" for i in range(32))
    t = Shaped("i32", (32, 16))
    yield Case("constants 2-d", f"%r = constant <i32: [{rows}]> : {t}", (), (t,))
