"""What the host hears of: printing and assertions."""

from __future__ import annotations

from generators.tile_ir_values import INTEGERS, Value, anything, count, is_float
from generators.tile_ir_writer import Writer

_LARGEST = 64


def _conversion(w: Writer, value: Value) -> str:
    """How printf spells its elements."""
    flags = w.rnd.choice(["", "", "", "+", "-8", "08", " "])
    if w.chance(0.1):
        return f"%{flags}{'f' if not is_float(value.element) else 'd'}"
    if is_float(value.element):
        return f"%{flags}{w.rnd.choice(['', '', '.3', '.0'])}{w.rnd.choice('fFeEgGaA')}"
    return f"%{flags}{w.rnd.choice('diuoxX')}"


def _print(w: Writer) -> None:
    """A line of text with values that are known to the bit."""
    found = [v for v in w.pool[-30:] if v.exact and count(v.shape) <= _LARGEST]
    values = [w.rnd.choice(found) for _ in range(w.rnd.randint(0, 3))] if found else []
    text = " ".join([f"{w.name} {w.fresh('')[1:]}:", *(_conversion(w, v) for v in values)])
    text += " 100%%" if w.chance(0.1) else ""
    operands = "".join(f", {v.name}" for v in values)
    types = f" : {', '.join(v.type for v in values)}" if values else ""
    if w.chance(0.3):
        w.emit(f'print "{text}\\n"{operands}{types}')
        return
    before, token = w.token(), w.fresh("t")
    w.emit(f'{token} = print_tko "{text}\\n"{operands}{before}{types} -> token')
    w.tokens.append(token)


def _assert(w: Writer) -> None:
    """A condition that holds; where the interpreter goes on to the end, any one."""
    found = [v for v in w.pool[-30:] if v.element == "i1"]
    condition = w.rnd.choice(found) if found and w.blocks == 1 and w.chance(0.5) else _truth(w)
    w.emit(f'assert {condition.name}, "{w.name} {condition.name[1:]}" : {condition.type}')


def _truth(w: Writer) -> Value:
    """What is known of an integer, computed."""
    found = [v for v in w.pool[-30:] if v.element in INTEGERS]
    if not found:
        return w.constant("i1", 1)
    value = w.rnd.choice(found)
    predicate, bound = w.rnd.choice([("greater_than_or_equal", value.low), ("less_than_or_equal", value.high)])
    limit, known = w.constant(value.element, bound, value.shape), anything("", "i1", value.shape)
    text = f"cmpi {predicate} {value.name}, {limit.name}, signed : {value.type} -> {known.type}"
    return w.define(text, known)


def report(w: Writer) -> None:
    """One of them."""
    w.rnd.choice([_print, _print, _assert])(w)
