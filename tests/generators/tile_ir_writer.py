"""Writing a random Tile IR kernel: values in scope, parameters with their arrays, tile blocks of the grid."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from generators.tile_ir_values import (
    CODED,
    DTYPES,
    F4,
    Argument,
    Array,
    Shape,
    Value,
    count,
    in_bytes,
    is_float,
    limits,
    random_array,
    tile,
)

MOST_LITERALS: Final = 32
"""Elements of the largest global."""


@dataclass(frozen=True, slots=True)
class Output:
    """Which argument holds results, and the relative error that two right answers may have to each other.

    `zeros` says that the sign of zeros may differ.
    """

    argument: int
    element: str
    error: float
    zeros: bool


@dataclass(frozen=True, slots=True)
class Positions:
    """Offsets of the elements of a tile: a value of integers below `size` in the part of one tile block."""

    value: Value
    size: int
    unique: bool


@dataclass(slots=True)
class Writer:
    """The entry so far."""

    rnd: random.Random
    name: str
    grid: tuple[int, int, int]
    shapes: tuple[Shape, ...]
    maker: Callable[[Writer, str, Shape], Value]
    globals: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    parameters: list[str] = field(default_factory=list[str])
    arguments: list[Argument] = field(default_factory=list[Argument])
    outputs: list[Output] = field(default_factory=list[Output])
    pool: list[Value] = field(default_factory=list[Value])
    tokens: list[str] = field(default_factory=list[str])
    positions: list[Positions] = field(default_factory=list[Positions])
    reports: bool = False
    races: bool = False
    counter: int = 0
    depth: int = 1
    loops: int = 0

    # Text

    def emit(self, text: str) -> None:
        """A line at the present depth."""
        self.lines.append("  " * self.depth + text)

    def fresh(self, stem: str = "v") -> str:
        """A name that nothing has yet."""
        self.counter += 1
        return f"%{stem}{self.counter}"

    @contextmanager
    def region(self, head: str, tail: str = "}") -> Generator[None]:
        """Lines inside of braces; values and tokens defined there end with it."""
        self.emit(f"{head} {{")
        self.depth += 1
        values, tokens = len(self.pool), list(self.tokens)
        yield
        del self.pool[values:]
        self.tokens[:] = tokens
        self.depth -= 1
        self.emit(tail)

    # Decisions

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self.rnd.random() < probability

    @property
    def blocks(self) -> int:
        """Tile blocks of the grid."""
        return math.prod(self.grid)

    def orders(self, relaxed: str, *others: str) -> list[str]:
        """Memory orders to choose from: a kernel that races neither acquires nor releases."""
        return [relaxed] if self.races else [relaxed, *others]

    def data(self) -> np.random.Generator:
        """Random numbers for an array: one draw, however many they are."""
        return np.random.default_rng(self.rnd.getrandbits(32))

    # Values

    def define(self, text: str, value: Value) -> Value:
        """A new value by an operation; `value` says its type and facts."""
        found = value.named(self.fresh())
        self.emit(f"{found.name} = {text}")
        self.pool.append(found)
        return found

    def candidates(self, element: str, shape: Shape) -> list[Value]:
        """Values in scope of a type."""
        return [v for v in self.pool if v.element == element and v.shape == shape]

    def pick(self, element: str, shape: Shape, fits: Callable[[Value], bool] = lambda v: True) -> Value:
        """A value of that type: one in scope or a new one. `fits` must hold for constants and for data in -5..9."""
        found = [v for v in self.candidates(element, shape) if fits(v)]
        if found and self.chance(0.9):
            return self.rnd.choice(found[-6:])
        made = self.maker(self, element, shape) if self.chance(0.8) else self.constants(element, shape)
        return made if fits(made) else self.constants(element, shape)

    def constant(self, element: str, value: float, shape: Shape = ()) -> Value:
        """A constant in every element, perhaps one that there is already."""
        if self.chance(0.9) and (value or not is_float(element)):
            for other in self.candidates(element, shape):
                if other.low == other.high == value:
                    return other
        known = Value("", element, shape, value, value, whole=float(value).is_integer())
        return self.define(f"constant <{element}: {spelled(element, value)}> : {tile(element, shape)}", known)

    def constants(self, element: str, shape: Shape) -> Value:
        """A random constant, the same everywhere or element by element."""
        size = count(shape)
        if not shape or size > 16 or self.chance(0.5):
            return self.constant(element, self._number(element), shape)
        numbers = [self._number(element) for _ in range(size)]
        text = _nested([spelled(element, n) for n in numbers], shape)
        known = Value("", element, shape, min(numbers), max(numbers), whole=all(float(n).is_integer() for n in numbers))
        return self.define(f"constant <{element}: {text}> : {tile(element, shape)}", known)

    def _number(self, element: str) -> float:
        if element == "i1":
            return self.rnd.randint(0, 1)
        if not is_float(element):
            return self.rnd.randint(-4, 7) if self.chance(0.7) else self.rnd.randint(*limits(element))
        if element == "f8E8M0FNU":
            return self.rnd.choice([0.5, 1.0, 2.0, 4.0])
        return self.rnd.choice([*(() if element == CODED else (-2.0, -1.0)), 0.0, 0.5, 1.0, 1.5, 2.0, 3.0])

    def broadcast(self, value: Value, shape: Shape) -> Value:
        """A scalar in every element."""
        if not shape:
            return value
        ones = self.define(f"reshape {value.name} : {value.type} -> {tile(value.element, (1,) * len(shape))}",
                           value.shaped((1,) * len(shape)))  # fmt: skip
        if shape == ones.shape:
            return ones
        return self.define(f"broadcast {ones.name} : {ones.type} -> {tile(value.element, shape)}", value.shaped(shape))

    def data_value(self, element: str, shape: Shape, kind: str, size: int) -> tuple[Array, Value]:
        """An array of random elements, and what is known of a tile of it."""
        found, low, high = random_array(self.data(), element, size, kind)
        known = Value("", element, shape, low, high, whole=is_float(element) and kind == "small")
        if is_float(element) and element in ("f8E8M0FNU", CODED, F4):
            known = replace(known, whole=element == F4)
        return found, known

    # Parameters

    def scalar(self, element: str, value: float) -> Value:
        """A parameter of the launch."""
        name = self.fresh("s")
        self.parameters.append(f"{name}: {tile(element, ())}")
        self.arguments.append(DTYPES[element].type(value))
        return Value(name, element, (), value, value)

    def pointer(self, element: str, array: Array) -> str:
        """A pointer parameter with its array; two elements of four bits become a byte."""
        if array.dtype == DTYPES[F4]:
            array = in_bytes(array)
        name = self.fresh("p")
        self.parameters.append(f"{name}: tile<ptr<{element}>>")
        self.arguments.append(array)
        return name

    def global_(self, element: str, array: Array, constant: bool) -> str:
        """A pointer to a new global with these elements."""
        symbol = f"@{self.name}_{len(self.globals)}"
        words = ["global", *(["private"] if self.chance(0.3) else []), *(["constant"] if constant else []), symbol]
        if self.chance(0.3):
            words.append(f"alignment = {self.rnd.choice([16, 64])}")
        literals = [_literal(element, n) for n in array]
        listed = literals[0] if len(set(literals)) == 1 else f"[{', '.join(literals)}]"
        self.globals.append(f"{' '.join(words)} <{element}: {listed}> : {tile(element, (array.size,))}")
        name = self.fresh("g")
        self.emit(f"{name} = get_global {symbol} : {tile(f'ptr<{element}>', ())}")
        return name

    def source(self, element: str, array: Array) -> str:
        """A pointer to data that is only read: a parameter, now and then a global."""
        if element != F4 and array.size <= MOST_LITERALS and self.chance(0.15):
            # A global is a tile.
            return self.global_(element, np.resize(array, 1 << (array.size - 1).bit_length()), self.chance(0.6))
        return self.pointer(element, array)

    def output(self, element: str, size: int, value: Value) -> tuple[str, int]:
        """A pointer to memory that is full of garbage, for results such as `value`; and the number of the output."""
        stored, size = ("i8", -(-size // 2)) if element == F4 else (element, size)
        name = self.pointer(element, poison(DTYPES[stored], size))
        self.outputs.append(Output(len(self.arguments) - 1, stored, value.error, value.zeros))
        return name, len(self.outputs) - 1

    def widen(self, output: int, value: Value) -> None:
        """The output also takes results such as `value`."""
        old = self.outputs[output]
        self.outputs[output] = replace(old, error=max(old.error, value.error), zeros=old.zeros or value.zeros)

    # Tokens

    def token(self) -> str:
        """A token operand, or none."""
        if not self.tokens or self.chance(0.5):
            return ""
        if len(self.tokens) > 1 and self.chance(0.15):
            chosen = self.rnd.sample(self.tokens, self.rnd.randint(2, min(3, len(self.tokens))))
            name = self.fresh("t")
            self.emit(f"{name} = join_tokens {', '.join(chosen)} : token")
            self.tokens.append(name)
        return f" token={self.rnd.choice(self.tokens)}"


def poison(dtype: np.dtype[np.generic], size: int) -> Array:
    """Garbage of a known pattern; bools hold one that no store writes."""
    if dtype == np.bool_:
        return np.full(size, 2, np.uint8).view(np.bool_)
    return np.full(size * dtype.itemsize, 0xA5, np.uint8).view(dtype)


def spelled(element: str, value: float) -> str:
    """A number as a literal."""
    if element == "i1":
        return "true" if value else "false"
    if not is_float(element):
        return str(int(value))
    if math.isfinite(value):
        digits, e, power = repr(float(value)).partition("e")
        return (digits if "." in digits else f"{digits}.0") + e + power
    dtype = DTYPES[element]
    bits = int(np.asarray(value, dtype).view(f"u{dtype.itemsize}"))
    # tf32 is the upper 19 bits of its pattern.
    return hex(bits >> 13 if element == "tf32" else bits)


def _literal(element: str, item: np.generic) -> str:
    """An element of an array as a literal."""
    if element == CODED:
        return hex(int(item) & 0xFF)
    return spelled(element, float(item) if is_float(element) else int(item))


def _nested(items: list[str], shape: Shape) -> str:
    if not shape:
        return items[0]
    step = len(items) // shape[0]
    return "[" + ", ".join(_nested(items[k : k + step], shape[1:]) for k in range(0, len(items), step)) + "]"


def joined(values: Iterable[Value], element: str, shape: Shape) -> Value:
    """What is known of a value that is one of several."""
    found = list(values)
    return Value(
        "",
        element,
        shape,
        min(v.low for v in found),
        max(v.high for v in found),
        whole=all(v.whole for v in found),
        error=max(v.error for v in found),
        zeros=any(v.zeros for v in found),
    )


__all__ = ["MOST_LITERALS", "Output", "Positions", "Writer", "joined", "poison", "spelled"]
