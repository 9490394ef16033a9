"""Cases of control flow."""

from __future__ import annotations

from collections.abc import Iterator

from differential.tile_ir_cases.case import BITS, FLOATS, INTEGERS, SMALL, Case, Shaped


def control() -> Iterator[Case]:
    """Branches and loops that carry tiles of all elements, over counters of all types."""
    for e in (*INTEGERS, *FLOATS, *SMALL):
        t = Shaped(e)
        body = f"""%n = constant <i32: 5> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%r, %s = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%u = %a, %v = %b) -> ({t}, {t}) {{
%three = constant <i32: 3> : tile<i32>
%c = cmpi less_than %i, %three, signed : tile<i32> -> tile<i1>
%w = if %c -> ({t}) {{
yield %v : {t}
}} else {{
yield %u : {t}
}}
continue %w, %u : {t}, {t}
}}"""
        yield Case(f"for carries {e}", body, (t, t), (t, t))
        body = f"""%one = constant <i32: 1> : tile<i32>
%r, %n = loop iter_values(%u = %a, %v = %b, %i = %zero) : {t}, {t}, tile<i32> -> {t}, tile<i32> {{
%three = constant <i32: 3> : tile<i32>
%c = cmpi equal %i, %three, signed : tile<i32> -> tile<i1>
%w, %j = if %c -> ({t}, tile<i32>) {{
%d = cmpi equal %zero, %zero, signed : tile<i32> -> tile<i1>
if %d {{
break %u, %i : {t}, tile<i32>
}}
yield %u, %i : {t}, tile<i32>
}} else {{
%k = addi %i, %one : tile<i32>
yield %v, %k : {t}, tile<i32>
}}
continue %w, %u, %j : {t}, {t}, tile<i32>
}}"""
        yield Case(f"loop carries {e}", body, (t, t), (t,))
    for e in INTEGERS:
        for word, low, high, step in (("", -3, 3, 2), (" unsigned", 3, -3, 100)):
            if e == "i1" and not word:
                continue
            one = "true" if e == "i1" else "1"
            values = (
                ("false", "true", "true")
                if e == "i1"
                else (low, high, step if e == "i8" or not word else (1 << BITS[e] - 2) + 7)
            )
            body = "".join(f"%{n} = constant <{e}: {v}> : tile<{e}>\n" for n, v in zip("lhs", values, strict=True))
            body = body.replace("%l ", "%lo ").replace("%h ", "%hi ").replace("%s ", "%st ")
            body += f"""%c1 = constant <{e}: {one}> : tile<{e}>
%q = for{word} %i in (%lo to %hi, step %st) : tile<{e}> iter_values(%u = %c1) -> (tile<{e}>) {{
%d = muli %u, %c1 : tile<{e}>
%w = addi %d, %i : tile<{e}>
continue %w : tile<{e}>
}}
%r = reshape %q : tile<{e}> -> tile<1x{e}>"""
            body = body.replace(f"tile<1x{e}>", f"tile<1x1x{e}>")
            yield Case(f"for{word} over {e}", body, (), (Shaped(e, (1, 1)),))
