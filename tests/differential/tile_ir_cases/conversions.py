"""Cases of conversions."""

from __future__ import annotations

from collections.abc import Iterator

from differential.tile_ir_cases.case import BITS, FLOATS, INTEGERS, SMALL, Case, Shaped


def conversions() -> Iterator[Case]:
    """Conversions between all types."""
    wide = (*INTEGERS, "i4")
    for x in wide:
        for y in wide:
            s, d = Shaped(x), Shaped(y)
            if BITS[x] < BITS[y]:
                for sign in ("signed", "unsigned"):
                    yield Case(f"exti {sign} {x} {y}", f"%r = exti %a {sign} : {s} -> {d}", (s,), (d,))
            elif BITS[x] > BITS[y]:
                yield Case(f"trunci {x} {y}", f"%r = trunci %a : {s} -> {d}", (s,), (d,))
    for x in INTEGERS:
        for y in (*FLOATS, *SMALL):
            s, d = Shaped(x), Shaped(y)
            for sign in ("signed", "unsigned"):
                if y != "f8E8M0FNU":
                    yield Case(f"itof {sign} {x} {y}", f"%r = itof %a {sign} : {s} -> {d}", (s,), (d,))
                domain = "" if x == "i1" else "byte" if sign == "unsigned" else "range"
                if (
                    x == "i1" or BITS[y] > 8
                ):  # the small ones cannot be drawn from a range, nor is it told what they give outside
                    yield Case(f"ftoi {sign} {y} {x}", f"%r = ftoi %a {sign} : {d} -> {s}", (d,), (s,), domain)
                yield Case(
                    f"ftoi {sign} saturating {y} {x}", f"%r = ftoi %a {sign} saturating : {d} -> {s}", (d,), (s,)
                )
    for x in (*FLOATS, *SMALL):
        for y in (*FLOATS, *SMALL):
            if x == y:
                continue
            s, d = Shaped(x), Shaped(y)
            for mode in ("rounding<zero>", "rounding<positive_inf>") if y == "f8E8M0FNU" else ("",):
                domain = "positive" if y == "f8E8M0FNU" else ""
                yield Case(f"ftof {x} {y} {mode}", f"%r = ftof %a {mode} : {s} -> {d}", (s,), (d,), domain)
    for x, y, mode in _directed():
        s, d = Shaped(x), Shaped(y)
        yield Case(f"ftof {x} {y} {mode}", f"%r = ftof %a rounding<{mode}> : {s} -> {d}", (s,), (d,))
    for x in (*INTEGERS, *FLOATS, *SMALL):
        for y in (*INTEGERS, *FLOATS, *SMALL):
            if BITS[x] == BITS[y]:
                s, d = Shaped(x), Shaped(y)
                yield Case(f"bitcast {x} {y}", f"%r = bitcast %a : {s} -> {d}", (s,), (d,))
    yield from _pointer_conversions()


def _directed() -> Iterator[tuple[str, str, str]]:
    """Conversions with other roundings than to nearest even: narrowing ones, and one exact one of each type."""
    yield "f32", "tf32", "nearest_away"
    narrowing = [("f64", "f16"), ("f32", "bf16"), ("f64", "bf16"), ("f16", "bf16"), ("f32", "tf32"), ("f64", "tf32")]
    yield from ((x, y, "zero") for x, y in narrowing)
    yield from (("f64", "f32", mode) for mode in ("zero", "negative_inf", "positive_inf"))
    for x in (*FLOATS[:3], *SMALL):
        for y, mode in (("f64", "zero"), ("f64", "nearest_away"), ("f32", "negative_inf"), ("f32", "nearest_away")):
            if x != y:
                yield x, y, mode


def _pointer_conversions() -> Iterator[Case]:
    t = Shaped("i64")
    body = (
        f"%p = int_to_ptr %a : {t} -> {t['ptr<f32>']}\n%q = ptr_to_ptr %p : {t['ptr<f32>']} -> {t['ptr<i16>']}\n"
        f"%o = offset %q, %b : {t['ptr<i16>']}, {t['i8']} -> {t['ptr<i16>']}\n"
        f"%r = ptr_to_int %o : {t['ptr<i16>']} -> {t}"
    )
    yield Case("pointers", body, (t, t["i8"]), (t,))
