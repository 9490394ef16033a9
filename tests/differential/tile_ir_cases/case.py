"""One small kernel for every operation of Tile IR on every type and in every variant.

A case loads its operands `%a`, `%b`, .. from arrays, computes `%r`, `%s`, .. by its body, and stores these. Floats of
four bits and integers of four bits travel as bytes that are unpacked and packed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

INTEGERS: Final = ("i1", "i8", "i16", "i32", "i64")
FLOATS: Final = ("f16", "bf16", "f32", "f64")
SMALL: Final = ("tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f8E5M3FNU", "f4E2M1FN")
BITS: Final = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64,
               "tf32": 19, "f8E4M3FN": 8, "f8E5M2": 8, "f8E8M0FNU": 8, "f8E5M3FNU": 8, "f4E2M1FN": 4}  # fmt: skip
PACKED: Final = ("i4", "f4E2M1FN")
_LETTERS: Final = "abcdefgh"
_RESULTS: Final = "rstuvw"
N: Final = 32
_TOGETHER: Final = 16


@dataclass(frozen=True, slots=True)
class Shaped:
    """The type of a tile."""

    element: str
    shape: tuple[int, ...] = (N,)

    def __str__(self) -> str:
        return f"tile<{''.join(f'{n}x' for n in self.shape)}{self.element}>"

    def __getitem__(self, element: str) -> Shaped:
        """The same shape of other elements."""
        return Shaped(element, self.shape)


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel. `domain` says what its operands may be: see `operand`."""

    name: str
    body: str
    inputs: tuple[Shaped, ...]
    outputs: tuple[Shaped, ...]
    domain: str = ""
    items: str = ""
    pointers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Cases with the same operands in one kernel, which loads them once."""

    cases: tuple[Case, ...]

    @property
    def inputs(self) -> tuple[Shaped, ...]:
        """The operands that all cases have."""
        return self.cases[0].inputs

    @property
    def outputs(self) -> list[tuple[str, Shaped]]:
        """Names and types of the results, case by case."""
        return [
            (f"{letter}_{number}", type_)
            for number, case in enumerate(self.cases)
            for letter, type_ in zip(_RESULTS, case.outputs, strict=False)
        ]

    def text(self, name: str) -> str:
        """The entry under a name."""
        first = self.cases[0]
        given = list(zip(_LETTERS, self.inputs, strict=False))
        memory = [
            (letter, type_.element if type_.element not in PACKED else "i8")
            for letter, type_ in [*given, *self.outputs]
        ]
        parameters = [f"%p{letter}: tile<ptr<{element}>>" for letter, element in memory]
        shared = dict(zip("xyz", first.pointers, strict=False))
        parameters += [f"%{letter}: tile<ptr<{element}>>" for letter, element in shared.items()]
        kept = {"zero", *(letter for letter, _ in given), *shared}
        lines = ["%zero = constant <i32: 0> : tile<i32>"]
        lines += [line for letter, type_ in given for line in _loaded(letter, type_)]
        for number, case in enumerate(self.cases):
            lines.append(re.sub(r"%(\w+)", lambda m, n=number: m[0] if m[1] in kept else f"{m[0]}_{n}", case.body))
        lines += [line for letter, type_ in self.outputs for line in _stored(letter, type_)]
        return f"entry @{name}({', '.join(parameters)}) {{\n" + "\n".join(lines) + "\n}\n"


def grouped(cases: Iterable[Case]) -> list[Group]:
    """Cases that can share a kernel, some at a time; those that touch memory of their own stay alone."""
    found: list[Group] = []
    sharing: dict[tuple[object, ...], list[Case]] = {}
    for case in cases:
        if case.pointers or case.items:
            found.append(Group((case,)))
        else:
            sharing.setdefault((case.inputs, case.domain), []).append(case)
    for alike in sharing.values():
        found += [Group(tuple(alike[k : k + _TOGETHER])) for k in range(0, len(alike), _TOGETHER)]
    return found


def module(groups: Sequence[Group]) -> str:
    """A text with an entry `k0`, `k1`, .. for each group."""
    items = "\n".join(dict.fromkeys(case.items for group in groups for case in group.cases if case.items))
    entries = "\n".join(group.text(f"k{number}") for number, group in enumerate(groups))
    return f'cuda_tile.module @m attributes {{tilewright.version = "13.4"}} {{\n{items}\n{entries}\n}}\n'


def in_memory(type_: Shaped) -> Shaped:
    """How the elements lie in memory: in a row, four bits as halves of bytes."""
    count = prod(type_.shape)
    return Shaped("i8", (count // 2,)) if type_.element in PACKED else Shaped(type_.element, (count,))


def _view(letter: str, flat: Shaped) -> tuple[list[str], str]:
    tensor = f"tensor_view<{flat.shape[0]}x{flat.element}, strides=[1]>"
    view = f"partition_view<tile=({flat.shape[0]}), {tensor}>"
    return [
        f"%v{letter} = make_tensor_view %p{letter}, shape = [{flat.shape[0]}], strides = [1] : {tensor}",
        f"%w{letter} = make_partition_view %v{letter} : {view}",
    ], view


def _loaded(letter: str, type_: Shaped) -> Iterator[str]:
    flat = in_memory(type_)
    lines, view = _view(letter, flat)
    yield from lines
    yield f"%l{letter}, %t{letter} = load_view_tko weak %w{letter}[%zero] : {view}, tile<i32> -> {flat}, token"
    row = Shaped(type_.element, (prod(type_.shape),))
    source = f"%l{letter}"
    if type_.element in PACKED:
        source = f"%{letter}" if row == type_ else f"%u{letter}"
        yield f"{source} = unpack %l{letter} : {flat} -> {row}"
    if source != f"%{letter}":
        yield f"%{letter} = reshape {source} : {row} -> {type_}"


def _stored(letter: str, type_: Shaped) -> Iterator[str]:
    flat = in_memory(type_)
    row = Shaped(type_.element, (prod(type_.shape),))
    source = f"%{letter}"
    if row != type_:
        source = f"%f{letter}"
        yield f"{source} = reshape %{letter} : {type_} -> {row}"
    if type_.element in PACKED:
        yield f"%k{letter} = pack {source} : {row} -> {flat}"
        source = f"%k{letter}"
    lines, view = _view(letter, flat)
    yield from lines
    yield f"%t{letter} = store_view_tko weak {source}, %w{letter}[%zero] : {flat}, {view}, tile<i32> -> token"
