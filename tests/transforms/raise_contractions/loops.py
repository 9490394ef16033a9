"""Loops that compute a contraction, in random order, tiles, unrolling, with accumulators that loops carry."""

from __future__ import annotations

from itertools import count
from typing import TypeAlias

import numpy as np
from msgspec import Struct

Index: TypeAlias = int | str
"""A number, or the name of an index value."""


class Spec(Struct, frozen=True):
    """`C[target] += A[left] * B[right]`, letters for modes, as `numpy.einsum` has them; `extents` by letter."""

    target: str
    left: str
    right: str
    extents: dict[str, int]
    element: str = "f64"
    dynamic: bool = False

    @property
    def letters(self) -> str:
        """All modes."""
        return "".join(self.extents)

    @property
    def parameters(self) -> str:
        """The parameters of the kernel: target, sources, extents if they are dynamic."""
        texts: list[str] = []
        for name, letters in (("C", self.target), ("A", self.left), ("B", self.right)):
            sizes = "".join("x?" if self.dynamic else f"x{self.extents[k]}" for k in letters)
            texts.append(f"%{name}: memref<{self.element}{sizes}>")
        lengths = [f"%{k}: index" for k in self.extents] if self.dynamic else []
        return ", ".join([*texts, *lengths])

    @property
    def attributes(self) -> str:
        """The target shares no memory."""
        others = ", {}" * (2 + (len(self.extents) if self.dynamic else 0))
        return f"parameter_attributes = [{{noalias = true}}{others}], subgroup_size = 16, work_group_size = [16, 1]"


class Mode(Struct):
    """What is left of a mode: positions `origin + lower` to `origin + upper`, or the position where it stands."""

    lower: Index
    upper: Index
    origin: Index = 0
    position: Index | None = None
    tiles: int = 0


class Writer:
    """Writes one nest."""

    def __init__(self, spec: Spec, rng: np.random.Generator) -> None:
        self.spec, self.rng = spec, rng
        self.names = count()
        self.lines: list[str] = []
        self.features: set[str] = set()
        self.order = ""

    def nest(self) -> str:
        """The text."""
        modes = {k: Mode(0, f"%{k}" if self.spec.dynamic else n) for k, n in self.spec.extents.items()}
        self._rest(modes, 0)
        return "\n".join(self.lines)

    def _rest(self, modes: dict[str, Mode], depth: int) -> None:
        left = [k for k, mode in modes.items() if mode.position is None]
        if not left:
            self._update(modes)
            return
        summed = [k for k in self.spec.letters if k not in self.spec.target]
        if left == summed[:1] and len(summed) == 1 and self.rng.random() < 0.4:
            self._carried(modes, left[0])
            return
        letter = str(self.rng.choice(left))
        mode = modes[letter]
        choice = self.rng.random()
        if mode.tiles < 2 and depth < 6 and choice < 0.35:
            self._tiled(modes, letter, depth)
        elif choice < 0.55 and isinstance(mode.upper, int) and isinstance(mode.lower, int) and depth < 6:
            self._unrolled(modes, letter, depth)
        elif choice < 0.65 and isinstance(mode.upper, int) and mode.lower == 0:
            self._backwards(modes, letter, depth)
        else:
            self._plain(modes, letter, depth)

    def _plain(self, modes: dict[str, Mode], letter: str, depth: int) -> None:
        mode = modes[letter]
        index = self._open(mode.lower, mode.upper, 1)
        self._rest({**modes, letter: self._at(mode, index)}, depth + 1)
        self.lines.append("}")
        if depth == 0 or not self.order.endswith(letter):
            self.order += letter

    def _backwards(self, modes: dict[str, Mode], letter: str, depth: int) -> None:
        self.features.add("backwards")
        mode = modes[letter]
        index = self._open(0, mode.upper, 1)
        assert isinstance(mode.upper, int)
        turned = self._named(f"arith.sub {self._value(mode.upper - 1)}, {index} -> index")
        self._rest({**modes, letter: self._at(mode, turned)}, depth + 1)
        self.lines.append("}")

    def _tiled(self, modes: dict[str, Mode], letter: str, depth: int) -> None:
        mode = modes[letter]
        size = int(self.rng.integers(2, 5)) if mode.tiles else int(self.rng.choice([4, 6, 8]))
        if mode.tiles and size == 3:
            size = 2
        start = self._open(mode.lower, mode.upper, size)
        self.features.add("tiled" if mode.tiles == 0 else "tiled twice")
        if self.rng.random() < 0.5:
            # positions of the whole mode
            end = self._least(self._sum(start, size), mode.upper)
            inner = Mode(start, end, mode.origin, tiles=mode.tiles + 1)
        else:
            rest = self._named(f"arith.sub {self._value(mode.upper)}, {start} -> index")
            inner = Mode(0, self._least(size, rest), self._sum(start, mode.origin), tiles=mode.tiles + 1)
            self.features.add("tiles from zero")
        self._rest({**modes, letter: inner}, depth + 1)
        self.lines.append("}")

    def _unrolled(self, modes: dict[str, Mode], letter: str, depth: int) -> None:
        mode = modes[letter]
        assert isinstance(mode.upper, int)
        assert isinstance(mode.lower, int)
        times = int(self.rng.integers(2, 5))
        main = mode.lower + (mode.upper - mode.lower) // times * times
        self.features.add("unrolled")
        if main > mode.lower:
            index = self._open(mode.lower, main, times)
            for by in range(times):
                self._rest({**modes, letter: self._at(mode, self._sum(index, by))}, depth + 2)
            self.lines.append("}")
        if main < mode.upper:
            self.features.add("remainder")
            index = self._open(main, mode.upper, 1)
            self._rest({**modes, letter: self._at(mode, index)}, depth + 2)
            self.lines.append("}")

    def _update(self, modes: dict[str, Mode]) -> None:
        old = self._load("C", self.spec.target, modes)
        new = self._named(f"arith.add {old}, {self._product(modes)} -> {self.spec.element}")
        self._store(new, modes)

    def _carried(self, modes: dict[str, Mode], letter: str) -> None:
        """The innermost loop carries the sum."""
        self.features.add("carried")
        mode = modes[letter]
        old = self._load("C", self.spec.target, modes)
        bounds = f"{self._value(mode.lower)}, {self._value(mode.upper)}"
        out, index, carried = (f"%v{next(self.names)}" for _ in range(3))
        element = self.spec.element
        self.lines.append(
            f"{out} = scf.for {bounds}, {old} {{operand_segments = [1, 1, 0, 1]}} -> {element} "
            f"({index}: index, {carried}: {element}) {{"
        )
        product = self._product({**modes, letter: self._at(mode, index)})
        pair = [carried, product] if self.rng.random() < 0.5 else [product, carried]
        self.lines += [f"scf.yield {self._named(f'arith.add {pair[0]}, {pair[1]} -> {element}')}", "}"]
        self._store(out, modes)

    def _product(self, modes: dict[str, Mode]) -> str:
        factors = [self._load("A", self.spec.left, modes), self._load("B", self.spec.right, modes)]
        if self.rng.random() < 0.5:
            factors.reverse()
        return self._named(f"arith.mul {factors[0]}, {factors[1]} -> {self.spec.element}")

    def _load(self, name: str, letters: str, modes: dict[str, Mode]) -> str:
        return self._named(f"memref.load {self._place(name, letters, modes)} -> {self.spec.element}")

    def _store(self, value: str, modes: dict[str, Mode]) -> None:
        self.lines.append(f"memref.store {value}, {self._place('C', self.spec.target, modes)}")

    def _place(self, name: str, letters: str, modes: dict[str, Mode]) -> str:
        positions = [modes[k].position for k in letters]
        return ", ".join([f"%{name}", *(self._value(p) for p in positions if p is not None)])

    def _at(self, mode: Mode, index: Index) -> Mode:
        return Mode(mode.lower, mode.upper, mode.origin, self._sum(index, mode.origin))

    def _open(self, lower: Index, upper: Index, step: int) -> str:
        bounds = [self._value(lower), self._value(upper), *([self._value(step)] if step != 1 else [])]
        index = f"%v{next(self.names)}"
        segments = f"[1, 1, {int(step != 1)}, 0]"
        self.lines.append(f"scf.for {', '.join(bounds)} {{operand_segments = {segments}}} ({index}: index) {{")
        return index

    def _least(self, one: Index, other: Index) -> Index:
        return self._named(f"arith.min {self._value(one)}, {self._value(other)} -> index")

    def _sum(self, one: Index, other: Index) -> Index:
        if isinstance(one, int) and isinstance(other, int):
            return one + other
        if other == 0:
            return one
        return self._named(f"arith.add {self._value(one)}, {self._value(other)} -> index")

    def _value(self, index: Index) -> str:
        return index if isinstance(index, str) else self._named(f"arith.constant {{value = {index}}} -> index")

    def _named(self, text: str) -> str:
        name = f"%v{next(self.names)}"
        self.lines.append(f"{name} = {text}")
        return name
