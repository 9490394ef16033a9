"""Random loop nests, as text of the IR and as something that Python runs itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TypeAlias

import numpy as np
from msgspec import Struct, field

Form: TypeAlias = tuple[int, dict[int, int]]
"""A constant, and factors of the variables of loops by their numbers."""


class Access(Struct, eq=False):
    """One element of an array, read or written."""

    array: int
    subscripts: list[Form]
    writes: bool


class Loop(Struct, eq=False):
    """From the largest of `lowers` below the smallest of `uppers`."""

    number: int
    lowers: list[Form]
    uppers: list[Form]
    step: int
    body: list[Loop | Access] = field(default_factory=list["Loop | Access"])


Values: TypeAlias = dict[int, int]


class Event(Struct, eq=False):
    """An access that happens: the values of the variables around it, outermost first, and which element."""

    access: Access
    loops: tuple[int, ...]
    values: tuple[int, ...]
    element: tuple[int, ...]


def evaluate(form: Form, values: Values) -> int:
    """The value of a form."""
    return form[0] + sum(factor * values[number] for number, factor in form[1].items())


def events(loop: Loop, values: Values | None = None) -> Iterator[Event]:
    """What a nest does, in order."""
    values = values or {}
    first = max(evaluate(form, values) for form in loop.lowers)
    end = min(evaluate(form, values) for form in loop.uppers)
    for value in range(first, end, loop.step):
        inside = {**values, loop.number: value}
        for part in loop.body:
            if isinstance(part, Loop):
                yield from events(part, inside)
            else:
                element = (part.array, *(evaluate(form, inside) for form in part.subscripts))
                yield Event(part, tuple(inside), tuple(inside.values()), element)


class Generator:
    """Makes nests of up to four loops and a few accesses."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.orders = [int(rng.integers(1, 3)) for _ in range(2)]
        self.numbers = count()
        self.last: list[tuple[Access, list[int]]] = []

    def nest(self) -> Loop:
        """One nest."""
        return self._loop([], int(self.rng.integers(1, 5)))

    def _loop(self, around: list[int], depth: int) -> Loop:
        number = next(self.numbers)
        lowers = [self._form(around, 2, 1) for _ in range(int(self.rng.choice([1, 1, 1, 2])))]
        uppers = [self._form(around, 4, 1, least=2) for _ in range(int(self.rng.choice([1, 1, 1, 2])))]
        found = Loop(number, lowers, uppers, int(self.rng.choice([1, 1, 1, 2, 3])))
        inside = [*around, number]
        for _ in range(int(self.rng.integers(0, 2)) if depth > 1 else 2):
            found.body.append(self._access(inside))
        if depth > 1:
            found.body.append(self._loop(inside, depth - 1))
            if self.rng.random() < 0.3:
                found.body.append(self._access(inside))
        return found

    def _access(self, loops: list[int]) -> Access:
        writes = bool(self.rng.random() < 0.6)
        near = [access for access, known in self.last if set(known) <= set(loops)]
        if near and self.rng.random() < 0.6:
            # a neighbour of an earlier one
            other = near[int(self.rng.integers(len(near)))]
            subscripts = [(constant + int(self.rng.integers(-1, 2)), form) for constant, form in other.subscripts]
            found = Access(other.array, subscripts, writes)
        else:
            array = int(self.rng.integers(0, 2))
            found = Access(array, [self._form(loops, 3, 2) for _ in range(self.orders[array])], writes)
        self.last.append((found, loops))
        return found

    def _form(self, loops: list[int], most: int, factor: int, least: int = 0) -> Form:
        used = [number for number in loops if self.rng.random() < 0.6][:2]
        factors = {number: int(self.rng.integers(-factor, factor + 1)) for number in used}
        return int(self.rng.integers(least, most + 1)), {k: f for k, f in factors.items() if f}


class Writer:
    """Writes nests as text of the IR: arrays `%A0`, `%A1`, the stored value `%x`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names = count()

    def loop(self, loop: Loop) -> str:
        """The text of a nest."""
        lower, upper = self._bound(loop.lowers, "max"), self._bound(loop.uppers, "min")
        step = self._constant(loop.step)
        self.lines.append(
            f"scf.for {lower}, {upper}, {step} {{operand_segments = [1, 1, 1, 0]}} (%i{loop.number}: index) {{"
        )
        for part in loop.body:
            if isinstance(part, Loop):
                self.loop(part)
            else:
                self._access(part)
        self.lines.append("}")
        return "\n".join(self.lines)

    def _access(self, access: Access) -> None:
        place = ", ".join([f"%A{access.array}", *map(self._form, access.subscripts)])
        if access.writes:
            self.lines.append(f"memref.store %x, {place}")
        else:
            self.lines.append(f"%v{next(self.names)} = memref.load {place} -> f32")

    def _bound(self, forms: list[Form], choice: str) -> str:
        first, *others = map(self._form, forms)
        return first if not others else self._named(f"arith.{choice} {first}, {others[0]} -> index")

    def _form(self, form: Form) -> str:
        total = self._constant(form[0])
        for number, factor in form[1].items():
            term = self._named(f"arith.mul %i{number}, {self._constant(factor)} -> index")
            total = self._named(f"arith.add {total}, {term} -> index")
        return total

    def _constant(self, value: int) -> str:
        return self._named(f"arith.constant {{value = {value}}} -> index")

    def _named(self, text: str) -> str:
        name = f"%n{next(self.names)}"
        self.lines.append(f"{name} = {text}")
        return name
