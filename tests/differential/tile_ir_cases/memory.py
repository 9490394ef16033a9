"""Cases of loads, stores and updates through pointers, of globals and allocations."""

from __future__ import annotations

from collections.abc import Iterator

from differential.tile_ir_cases.case import BITS, FLOATS, INTEGERS, SMALL, Case, N, Shaped
from differential.tile_ir_cases.data import literals


def memory() -> Iterator[Case]:
    """Loads and stores through pointers, allocations, globals."""
    for e in (*INTEGERS, *FLOATS, *SMALL[:-1]):
        t = Shaped(e)
        spread = _pointers("x", e)
        for order in ("weak", "relaxed device", "acquire sys"):
            load = f"%r, %k = load_ptr_tko {order} %xp : {t[f'ptr<{e}>']} -> {t}, token"
            yield Case(f"load {order} {e}", spread + load, (), (t,), pointers=(e,))
        for order in ("weak", "relaxed tl_blk", "release device"):
            store = f"%k = store_ptr_tko {order} %xp, %a, %b : {t[f'ptr<{e}>']}, {t}, {t['i1']} -> token\n"
            again = f"%r, %l = load_ptr_tko weak %xp token = %k : {t[f'ptr<{e}>']} -> {t}, token"
            yield Case(f"store {order} {e}", spread + store + again, (t, t["i1"]), (t,), pointers=(e,))
        masked = f"%r, %k = load_ptr_tko weak %xp, %a, %b : {t[f'ptr<{e}>']}, {t['i1']}, {t} -> {t}, token"
        yield Case(f"padded load {e}", spread + masked, (t["i1"], t), (t,), pointers=(e,))
        for where in ("", " global"):
            size = max(1, BITS[e] // 8) if e != "tf32" else 4
            body = f"%x = alloca num_elem = {N}, alignment = {max(16, size)}{where} : tile<ptr<{e}>>\n" + spread
            body += f"%k = store_ptr_tko weak %xp, %a : {t[f'ptr<{e}>']}, {t} -> token\n"
            body += f"%r, %l = load_ptr_tko weak %xp token = %k : {t[f'ptr<{e}>']} -> {t}, token"
            yield Case(f"alloca{where} {e}", body, (t,), (t,))
        listed = ", ".join(literals(e, N))
        body = f"%x = get_global @g_{e} : tile<ptr<{e}>>\n{spread}"
        body += f"%r, %k = load_ptr_tko weak %xp : {t[f'ptr<{e}>']} -> {t}, token"
        yield Case(f"global {e}", body, (), (t,), items=f"global constant @g_{e} <{e}: [{listed}]> : {t}")
    yield _four_bits(Shaped("f4E2M1FN", (2,)))


def _four_bits(one: Shaped) -> Case:
    """Both elements of a tile through one pointer: the lower half of its byte."""
    pointers = one["ptr<f4E2M1FN>"]
    body = f"%x = alloca num_elem = 2, alignment = 1 : tile<ptr<f4E2M1FN>>\n{_pointer_row('x', 'f4E2M1FN', 2)}"
    body += f"%h = constant <f4E2M1FN: 1.5> : {one}\n%k = store_ptr_tko weak %xs, %h : {pointers}, {one} -> token\n"
    body += f"%r, %l = load_ptr_tko weak %xs token = %k : {pointers} -> {one}, token"
    return Case("f4 pointers", body, (), (one,))


def _pointer_row(name: str, element: str, count: int) -> str:
    pointer = f"ptr<{element}>"
    return (
        f"%{name}1 = reshape %{name} : tile<{pointer}> -> tile<1x{pointer}>\n"
        f"%{name}s = broadcast %{name}1 : tile<1x{pointer}> -> tile<{count}x{pointer}>\n"
    )


def _pointers(name: str, element: str) -> str:
    """Pointers to the elements of an array in another order."""
    row = f"tile<{N}xptr<{element}>>"
    return _pointer_row(name, element, N) + (
        f"%io = iota : tile<{N}xi32>\n%five = constant <i32: 5> : tile<{N}xi32>\n"
        f"%at = xori %io, %five : tile<{N}xi32>\n%{name}p = offset %{name}s, %at : {row}, tile<{N}xi32> -> {row}\n"
    )


def atomics() -> Iterator[Case]:
    """Atomic updates and exchanges; old values, then memory."""
    for e in ("i32", "i64", *FLOATS):
        t = Shaped(e)
        modes = ("addf",) if e in ("f16", "bf16") else ("addf", "xchg")
        modes = ("and", "or", "xor", "add", "max", "min", "umax", "umin", "xchg") if e in INTEGERS else modes
        spread, p = _pointers("x", e), t[f"ptr<{e}>"]
        for mode in modes:
            for order in ("relaxed", "acq_rel"):
                body = f"{spread}%r, %k = atomic_rmw_tko {order} device %xp, {mode}, %a : {p}, {t} -> {t}, token\n"
                body += f"%s, %l = load_ptr_tko weak %xp token = %k : {p} -> {t}, token"
                yield Case(f"{mode} {order} {e}", body, (t,), (t, t), "finite", pointers=(e,))
        if e not in ("f16", "bf16"):
            body = (
                f"{spread}%o, %j = load_ptr_tko weak %xp : {p} -> {t}, token\n%c = select %b, %o, %a : {t['i1']}, {t}\n"
            )
            body += (
                f"%r, %k = atomic_cas_tko acq_rel sys %xp, %c, %a, %b token = %j : {p}, {t}, {t['i1']} -> {t}, token\n"
            )
            body += f"%s, %l = load_ptr_tko weak %xp token = %k : {p} -> {t}, token"
            yield Case(f"cas {e}", body, (t, t["i1"]), (t, t), pointers=(e,))
