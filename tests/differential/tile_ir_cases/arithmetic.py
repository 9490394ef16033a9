"""Cases of integers, floats and elementary functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from differential.tile_ir_cases.case import FLOATS, INTEGERS, Case, Shaped


def _binary(name: str, form: str, element: str, domain: str = "") -> Case:
    t = Shaped(element)
    return Case(f"{name} {element}", form.format(t=t), (t, t), (t,), domain)


def integers() -> Iterator[Case]:
    """Arithmetic of integers."""
    for e in INTEGERS:
        for word in ("addi", "subi", "muli", "andi", "ori", "xori", "mulhii"):
            yield _binary(word, f"%r = {word} %a, %b : {{t}}", e)
        yield _binary("shli", "%r = shli %a, %b : {t}", e, "shift")
        for sign in ("signed", "unsigned"):
            yield _binary(f"shri {sign}", f"%r = shri %a, %b {sign} : {{t}}", e, "shift")
            yield _binary(f"remi {sign}", f"%r = remi %a, %b {sign} : {{t}}", e, "divisor")
            for word in ("maxi", "mini"):
                yield _binary(f"{word} {sign}", f"%r = {word} %a, %b {sign} : {{t}}", e)
            for mode in ("", "rounding<positive_inf>", *(["rounding<negative_inf>"] if sign == "signed" else [])):
                yield _binary(f"divi {sign} {mode}", f"%r = divi %a, %b {sign} {mode} : {{t}}", e, "divisor")
        t = Shaped(e)
        yield Case(f"absi {e}", f"%r = absi %a : {t}", (t,), (t,))
        yield Case(f"negi {e}", f"%r = negi %a : {t}", (t,), (t,))
        yield from _comparisons(t)


def _comparisons(t: Shaped) -> Iterator[Case]:
    for sign in ("signed", "unsigned"):
        for word in ("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"):
            yield Case(f"cmpi {word} {sign} {t.element}", f"%r = cmpi {word} %a, %b, {sign} : {t} -> {t['i1']}",
                       (t, t), (t["i1"],))  # fmt: skip


# Floats

_DIRECTIONS: Final = ("zero", "negative_inf", "positive_inf")


def _variants(e: str, *more: str) -> list[str]:
    modes = ["", *(f"rounding<{m}>" for m in (*_DIRECTIONS, *(more if e == "f32" else ())))]
    return modes if e != "f32" else [*modes, *(f"{m} flush_to_zero" for m in modes)]


def exact_floats() -> Iterator[Case]:
    """Arithmetic of floats that is correctly rounded."""
    for e in FLOATS:
        t = Shaped(e)
        for word in ("addf", "subf", "mulf"):
            for mode in _variants(e):
                yield _binary(f"{word} {mode}", f"%r = {word} %a, %b {mode} : {{t}}", e)
        for mode in _variants(e):
            yield Case(f"fma {mode} {e}", f"%r = fma %a, %b, %c {mode} : {t}", (t, t, t), (t,))
            yield _binary(f"divf {mode}", f"%r = divf %a, %b {mode} : {{t}}", e)
            yield Case(f"sqrt {mode} {e}", f"%r = sqrt %a {mode} : {t}", (t,), (t,))
        for word in ("absf", "negf", "ceil", "floor"):
            yield Case(f"{word} {e}", f"%r = {word} %a : {t}", (t,), (t,))
        yield _binary("remf", "%r = remf %a, %b : {t}", e)
        for word in ("maxf", "minf"):
            for flags in (
                "",
                "propagate_nan",
                *(("flush_to_zero", "flush_to_zero propagate_nan") if e == "f32" else ()),
            ):
                yield _binary(f"{word} {flags}", f"%r = {word} %a, %b {flags} : {{t}}", e)
        for order in ("ordered", "unordered"):
            for word in (
                "equal",
                "not_equal",
                "less_than",
                "less_than_or_equal",
                "greater_than",
                "greater_than_or_equal",
            ):
                yield Case(f"cmpf {word} {order} {e}", f"%r = cmpf {word} {order} %a, %b : {t} -> {t['i1']}",
                           (t, t), (t["i1"],))  # fmt: skip


def functions() -> Iterator[Case]:
    """Elementary functions."""
    for e in FLOATS:
        t = Shaped(e)
        for word in ("exp", "exp2", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "rsqrt"):
            domain = "positive" if word in ("log", "log2", "rsqrt", "exp", "sinh", "cosh", "exp2") else "range"
            domain = (
                "whole" if e == "f16" and domain == "positive" and word in ("exp", "sinh", "cosh", "exp2") else domain
            )
            modes = [""]
            if e == "f32":
                modes += {"exp": ["rounding<approx>"], "tanh": ["rounding<approx>"], "exp2": ["flush_to_zero"],
                          "rsqrt": ["flush_to_zero"]}.get(word, [])  # fmt: skip
            for mode in modes:
                yield Case(f"{word} {mode} {e}", f"%r = {word} %a {mode} : {t}", (t,), (t,), domain)
        for word, domain in (("atan2", "range"), ("pow", "positive")):
            yield _binary(word, f"%r = {word} %a, %b : {{t}}", e, "whole" if word == "pow" and e == "f16" else domain)
        for power in INTEGERS[:-1]:
            yield Case(f"fpowi {power} {e}", f"%r = fpowi %a, %b : {t}, {t[power]}", (t, t[power]), (t,), "whole")
    for mode in ("rounding<approx>", "rounding<full>"):
        for tail in ("", " flush_to_zero"):
            t = Shaped("f32")
            yield _binary(f"divf {mode}{tail}", f"%r = divf %a, %b {mode}{tail} : {{t}}", "f32", "positive")
    yield Case(
        "sqrt approx",
        f"%r = sqrt %a rounding<approx> : {Shaped('f32')}",
        (Shaped("f32"),),
        (Shaped("f32"),),
        "positive",
    )
