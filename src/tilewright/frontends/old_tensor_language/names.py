"""Constants at the top of their function, and names for what the text did not name.

Direct compilation and the upgraded text share this, so that both give the same program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

from tilewright.dialects import arith, memref
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Attribute, Operation, Value
from tilewright.ir.types import BOOL, INDEX, ScalarType, Type

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*|0|[1-9][0-9]*")
_WORDS: Final = {0: "zero", 1: "one", 2: "two", -1: "minus_one", 0.5: "half"}
_MODES: Final = ("rows", "columns")


class _Names(Struct):
    """The names of a kernel; `following` is the number to try next for a stem."""

    taken: set[str] = field(default_factory=set[str])
    following: dict[str, int] = field(default_factory=dict[str, int])

    def fresh(self, stem: str) -> str:
        """The stem, or the stem with the first number that makes it free; for a number the next free one."""
        name = stem
        number = self.following.get(stem, 1 if stem.isdigit() else 2)
        while name in self.taken:
            name = str(number) if stem.isdigit() else f"{stem}{'_' if stem[-1].isdigit() else ''}{number}"
            number += 1
        self.following[stem] = number
        self.taken.add(name)
        return name


def is_generated(op: Operation) -> bool:
    """Whether an operation stands for no instruction of the text."""
    return op.places is None


def hoist_and_name(module: Module) -> None:
    """Hoist the constants of all kernels and name what has no name or no valid one."""
    for kernel in module.kernels:
        _hoist(kernel)
        _name(kernel)


def _hoist(kernel: Kernel) -> None:
    """Move generated constants to the top of the kernel, one for each value and type."""
    hoisted: list[arith.Constant] = []
    known: dict[tuple[str, Type], Value] = {}
    for op in list(kernel.walk()):
        if not isinstance(op, arith.Constant) or not is_generated(op):
            continue
        op.detach()
        earlier = known.setdefault((repr(op.value), op.out.type), op.out)
        if earlier is op.out and op.out.uses:
            hoisted.append(op)
        else:
            op.out.replace_all_uses_with(earlier)
    for op in reversed(hoisted):
        kernel.body.entry.insert(op, kernel.body.entry.first)


def _name(kernel: Kernel) -> None:
    names = _Names()
    odd: list[Value] = []
    for value in _values(kernel):
        if value.name is None:
            continue
        if _NAME.fullmatch(value.name):
            names.taken.add(value.name)
        else:
            odd.append(value)
    # Unnamed identifiers were text: `%07` stood beside `%7`.
    for value in odd:
        value.name = names.fresh("0")
    generated = [op for op in kernel.walk() if is_generated(op)]
    _name_constants([op for op in generated if isinstance(op, arith.Constant)], names)
    for op in generated:
        if not isinstance(op, arith.Constant):
            for result in op.results:
                result.name = names.fresh(_stem(op))


def _name_constants(constants: list[arith.Constant], names: _Names) -> None:
    """Constants are called by their value; where several types share one, all but one add the type."""
    stems = [_constant_stem(op.value, op.out.type) for op in constants]
    bare: dict[str, Type] = {}
    for stem, op in zip(stems, constants, strict=True):
        if stem not in bare or op.out.type is INDEX:
            bare[stem] = op.out.type
    for stem, op in zip(stems, constants, strict=True):
        typed = op.out.type is not bare[stem] or stem in names.taken
        op.out.name = names.fresh(f"{stem}_{op.out.type}" if typed else stem)


def _values(kernel: Kernel) -> Iterator[Value]:
    for op in kernel.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.arguments


def _stem(op: Operation) -> str:
    match op:
        case memref.Size():
            return _size_stem(op)
        case arith.Sub():
            return "rest"
        case arith.Div():
            return "quotient"
        case arith.Mul():
            return "product"
        case _:
            return "differ"


def _size_stem(op: memref.Size) -> str:
    """`%n` of `%A` is its rows, columns, or the size of a mode."""
    type_, name = op.source.type, op.source.name
    order = len(getattr(type_, "shape", ()))
    noun = "size" if order == 1 else _MODES[op.mode] if order == 2 else f"size{op.mode}"
    return noun if name is None or name[0].isdigit() else f"{name}_{noun}"


def _constant_stem(value: Attribute, type_: Type) -> str:
    if type_ is BOOL:
        return "true" if value else "false"
    assert isinstance(value, int | float)
    if type_ is INDEX or (isinstance(type_, ScalarType) and type_.is_integer):
        return f"c{value}" if value >= 0 else f"cm{-value}"
    word = _WORDS.get(value) if str(value) != "-0.0" else "minus_zero"
    if word is not None:
        return word
    text = repr(abs(value)).removesuffix(".0").replace(".", "_").replace("-", "m").replace("+", "")
    return ("c" if value >= 0 else "cm") + text
