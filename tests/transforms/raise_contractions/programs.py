"""Random programs of loops over three arrays: sums, copies, zeros and maxima in any nesting."""

from __future__ import annotations

from itertools import count

import numpy as np

ORDERS = {"X": 2, "Y": 2, "Z": 1}
ROOM = 12
"""Positions along each mode."""


class Programs:
    """Writes one program; every access is inside of the arrays."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.names = count()
        self.lines: list[str] = []

    def program(self) -> str:
        """Its text."""
        for _ in range(int(self.rng.integers(1, 3))):
            self._loop([], 3)
        return "\n".join(self.lines)

    def _loop(self, around: list[str], depth: int) -> None:
        index = f"%i{next(self.names)}"
        lower, upper = int(self.rng.choice([0, 0, 0, 1])), int(self.rng.integers(2, 6))
        first = str(self.rng.choice(around)) if around and self.rng.random() < 0.1 else self._constant(lower)
        self.lines.append(
            f"scf.for {first}, {self._constant(upper)} {{operand_segments = [1, 1, 0, 0]}} ({index}: index) {{"
        )
        inside = [*around, index]
        for _ in range(int(self.rng.integers(1, 4))):
            if depth > 1 and self.rng.random() < 0.55:
                self._loop(inside, depth - 1)
            else:
                self._statement(inside)
        self.lines.append("}")

    def _statement(self, loops: list[str]) -> None:
        target = self._place(str(self.rng.choice(list(ORDERS))), loops)
        choice = self.rng.random()
        if choice < 0.15:
            value = self._named("arith.constant {value = 0.0} -> f64")
        elif choice < 0.25:
            value = self._load(self._source(loops))
        elif choice < 0.35:
            value = self._named(f"arith.max {self._load(target)}, {self._load(self._source(loops))} -> f64")
        else:
            old = self._load(target if self.rng.random() < 0.9 else self._source(loops))
            term = self._load(self._source(loops))
            if self.rng.random() < 0.7:
                term = self._named(f"arith.mul {term}, {self._load(self._source(loops))} -> f64")
            value = self._named(f"arith.{self.rng.choice(['add', 'add', 'sub'])} {old}, {term} -> f64")
        self.lines.append(f"memref.store {value}, {target}")

    def _source(self, loops: list[str]) -> str:
        return self._place(str(self.rng.choice(list(ORDERS))), loops)

    def _place(self, name: str, loops: list[str]) -> str:
        return ", ".join([f"%{name}", *(self._position(loops) for _ in range(ORDERS[name]))])

    def _position(self, loops: list[str]) -> str:
        index = str(self.rng.choice(loops))
        choice = self.rng.random()
        if choice < 0.1:
            return self._constant(int(self.rng.integers(0, 3)))
        if choice < 0.3:
            return self._named(f"arith.add {index}, {self._constant(int(self.rng.integers(1, 3)))} -> index")
        if choice < 0.35:
            return self._named(f"arith.add {index}, {self.rng.choice(loops)} -> index")
        return index

    def _load(self, place: str) -> str:
        return self._named(f"memref.load {place} -> f64")

    def _constant(self, value: int) -> str:
        return self._named(f"arith.constant {{value = {value}}} -> index")

    def _named(self, text: str) -> str:
        name = f"%v{next(self.names)}"
        self.lines.append(f"{name} = {text}")
        return name
