"""What each instruction does with the registers of the threads that run it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

import numpy as np

from . import numbers
from .arithmetic import BINARY, UNARY, UPDATES, applied, conversion, is_shared
from .calls import call_of
from .frame import Lanes, Operand, Step, Sync, operand, typed_operand
from .memory import SHARED
from .numbers import Array, dtype_of
from .races import Access
from .text import EmulatorError, Instruction, split, typed

_FLAGS: Final = {"nsw", "nuw", "exact", "disjoint", "nneg", "inbounds", "nnan", "ninf", "nsz", "contract", "reassoc"}
_SCOPED: Final = re.compile(r"""^(.*?)(?: syncscope\("(\w+)"\))? (monotonic|acquire|release|acq_rel|seq_cst)\b(.*)$""")
_ALIGN: Final = re.compile(r", align (\d+)")
_VECTOR: Final = re.compile(r"<(\d+) x (\w+)>")


def translate(instruction: Instruction) -> Step | Sync:
    """The step of an instruction. Raises EmulatorError for one that the target does not print for NVIDIA."""
    result, word, rest = instruction
    if word == "call":
        return call_of(result, rest)
    first, _, others = rest.partition(" ")
    while first in _FLAGS:
        rest = others
        first, _, others = rest.partition(" ")
    if word in BINARY:
        return applied(result, BINARY[word], _two(rest))
    if word in UNARY:
        return applied(result, UNARY[word], [typed_operand(rest)])
    match word:
        case "store":
            return _store(rest)
        case "cmpxchg":
            return _compare_and_swap(result, rest)
        case "insertvalue":
            return _insert(result, rest)
        case "load":
            return _load(result, rest)
        case "atomicrmw":
            return _update(result, rest)
        case "getelementptr":
            return _element_pointer(result, rest)
        case "insertelement":
            return _insert_element(result, rest)
        case "extractelement":
            return _extract(result, rest)
        case "extractvalue":
            return _extract(result, rest)
        case "icmp":
            return applied(result, numbers.INTEGER_PREDICATES[first], _two(others))
        case "fcmp":
            return applied(result, numbers.float_predicate(first), _two(others))
        case "select":
            return applied(result, np.where, [typed_operand(part) for part in split(rest)])
        case _:
            return _cast(result, word, rest)


def _two(rest: str) -> list[Operand]:
    """The operands of `i32 %x, %y`."""
    first, second = split(rest)
    type_, name = typed(first)
    return [operand(type_, name), operand(type_, second)]


def _cast(result: str, word: str, rest: str) -> Step:
    source, found, target = rest.rpartition(" to ")
    if not found:
        raise EmulatorError(f"unknown instruction: {word} {rest}")
    from_type, name = typed(source)
    return applied(result, conversion(word, from_type, target), [operand(from_type, name)])


# Memory


def _element_pointer(result: str, rest: str) -> Step:
    element, base, index = split(rest)
    return applied(result, _moved_by(dtype_of(element).itemsize), [typed_operand(base), typed_operand(index)])


@cache
def _moved_by(width: int) -> Callable[[Array, Array], Array]:
    def address(pointer: Array, number: Array) -> Array:
        return pointer + number.astype(np.int64, copy=False) * width

    return np.add if width == 1 else address


def _pointer(text: str) -> tuple[Operand, int]:
    """A pointer operand, and what lies between its space and generic addresses."""
    ltype, name = typed(text)
    return operand(ltype, name), SHARED if is_shared(ltype) else 0


_ORDERS: Final = {"release": Access.RELEASE, "acquire": Access.ACQUIRE}


def _order(text: str) -> tuple[str, int | None, int]:
    """Operands, what an atomic access is (None: plain), and its alignment."""
    align = _ALIGN.search(text)
    text = text.split(", align ")[0].split(", !")[0]
    scoped = _SCOPED.match(text)
    if scoped is None:
        return text, None, int(align[1]) if align else 1
    wide = Access.READ if scoped[2] == "block" else Access.DEVICE | _ORDERS.get(scoped[3], Access.READ)
    return scoped[1], Access.ATOMIC | wide, int(align[1]) if align else 1


def _load(result: str, rest: str) -> Step:
    operands, atomic, align = _order(rest.removeprefix("atomic "))
    ltype, pointer = split(operands)
    place, start = _pointer(pointer)
    if vector := _VECTOR.match(ltype):
        many, element = int(vector[1]), dtype_of(vector[2])

        def steps(lanes: Lanes) -> None:
            lanes.parts[result] = lanes.team.load_vector(lanes.threads, lanes[place] + start, element, many, align)

        return steps
    dtype, access = dtype_of(ltype), atomic or Access.READ

    def step(lanes: Lanes) -> None:
        lanes[result] = lanes.team.load(lanes.threads, lanes[place] + start, dtype, align, access)

    return step


def _store(rest: str) -> Step:
    operands, atomic, align = _order(rest.removeprefix("atomic "))
    stored, pointer = split(operands)
    place, start = _pointer(pointer)
    ltype, name = typed(stored)
    if _VECTOR.match(ltype):
        return lambda lanes: lanes.team.store_vector(lanes.threads, lanes[place] + start, lanes.parts[name], align)
    value, access = operand(ltype, name), (atomic or Access.READ) | Access.WRITE
    return lambda lanes: lanes.team.store(lanes.threads, lanes[place] + start, lanes[value], align, access)


def _update(result: str, rest: str) -> Step:
    word, _, rest = rest.partition(" ")
    operands, atomic, _ = _order(rest)
    pointer, given = split(operands)
    (place, start), value, combine = _pointer(pointer), typed_operand(given), UPDATES[word]
    access = (atomic or Access.READ) | Access.WRITE

    def step(lanes: Lanes) -> None:
        given = lanes.full(value)

        def new(who: slice, old: Array) -> Array:
            return combine(old, given[who])

        lanes[result] = lanes.team.update(lanes.threads, lanes.full(place) + start, given.dtype, access, new)

    return step


def _compare_and_swap(result: str, rest: str) -> Step:
    operands, atomic, _ = _order(rest)
    pointer, wanted, desired = split(operands)
    (place, start), expected, value = _pointer(pointer), typed_operand(wanted), typed_operand(desired)
    access = (atomic or Access.READ) | Access.WRITE

    def step(lanes: Lanes) -> None:
        wants, news = lanes.full(expected), lanes.full(value)

        def new(who: slice, old: Array) -> Array:
            return np.where(old == wants[who], news[who], old)

        old = lanes.team.update(lanes.threads, lanes.full(place) + start, news.dtype, access, new)
        lanes.parts[result] = [old, old == wants]

    return step


# Structs and vectors


def _extract(result: str, rest: str) -> Step:
    whole, number = split(rest)
    _, name = typed(whole)
    number = number.removeprefix("i64 ")

    def step(lanes: Lanes) -> None:
        # parts that whole warps compute are registers
        lanes[result] = lanes.parts[name][int(number)] if name in lanes.parts else lanes[f"{name}.{number}"]

    return step


def _insert(result: str, rest: str) -> Step:
    struct, value, number = split(rest)
    type_, name = typed(struct)
    return _replaced(result, name, split(type_[1:-1]), typed_operand(value), int(number))


def _insert_element(result: str, rest: str) -> Step:
    whole, value, number = split(rest)
    type_, name = typed(whole)
    vector = _VECTOR.match(type_)
    if vector is None:
        raise EmulatorError(f"no vector: {type_}")
    members = [vector[2]] * int(vector[1])
    return _replaced(result, name, members, typed_operand(value), int(number.removeprefix("i64 ")))


def _replaced(result: str, name: str, members: Sequence[str], given: Operand, number: int) -> Step:
    """A struct or vector with one of its members replaced."""

    def step(lanes: Lanes) -> None:
        parts = [numbers.constant(m, "poison") for m in members] if name == "poison" else list(lanes.parts[name])
        parts[number] = lanes[given]
        lanes.parts[result] = parts

    return step
