"""Random loops over neighbouring elements, as text and as what they compute, one iteration after another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from generators.element_types import DTYPES

Array = NDArray[Any]
ROWS: Final = 3
LENGTHS: Final = (0, 1, 2, 7, 15, 16, 17, 31, 40)
"""Of tiles of 16: none, parts, several and a part."""
_BINARY: Final = {"add": np.add, "sub": np.subtract, "max": np.maximum, "min": np.minimum}
_BITS: Final = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "mul": np.multiply}


@dataclass
class DrawnLoop:
    """A loop over j of `length` iterations that begin at `first`, on row `row` of `x` and `z`, and on `y`.

    All values are small integers, so that sums are exact in any order.
    """

    rng: np.random.Generator
    element: str
    static: bool
    lines: list[str] = field(default_factory=list[str])
    values: list[str] = field(default_factory=list[str])
    steps: list[tuple[str, str, str, str]] = field(default_factory=list[tuple[str, str, str, str]])
    """Operations on values: the result, the operation and its operands."""
    folds: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Operations, and what they fold."""
    stores: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        rng = self.rng
        self.length = int(rng.choice(LENGTHS))
        self.first, self.shift = int(rng.integers(3)), int(rng.integers(3))
        self.row = int(rng.integers(ROWS))
        self.in_memory = bool(rng.random() < 0.3)
        self.is_integer = self.element[0] == "i"
        self.values = ["x", "y", "s", "u"]
        table = {**_BINARY, **(_BITS if self.is_integer else {})}
        for k in range(int(rng.integers(4))):
            a, b = (str(v) for v in rng.choice(self.values, 2))
            self.steps.append((f"v{k}", str(rng.choice(list(table))), a, b))
            self.values.append(f"v{k}")
        for _ in range(1 if self.in_memory else int(rng.integers(3))):
            self.folds.append((str(rng.choice(list(table))), str(rng.choice(["x", *self.values]))))
        if not self.folds or rng.random() < 0.5:
            self.stores.append(str(rng.choice(self.values)))

    def text(self) -> str:
        """The kernel's body; parameters x, y, z, m, s, lo, hi."""
        t, out = self.element, list[str]()
        out += [f"%lo = arith.constant {{value = {self.first}}} -> index"] if self.static else []
        out += [f"%hi = arith.constant {{value = {self.first + self.length}}} -> index"] if self.static else []
        out += [f"%r = arith.constant {{value = {self.row}}} -> index", "%c0 = arith.constant {value = 0} -> index"]
        out += [f"%c = arith.constant {{value = {self.shift}}} -> index"]
        carried = [] if self.in_memory else self.folds
        inits = "".join(", %s" for _ in carried)
        types = f" -> {', '.join(t for _ in carried)}" if carried else ""
        names = "".join(f", %a{k}: {t}" for k in range(len(carried)))
        results = f"{', '.join(f'%f{k}' for k in range(len(carried)))} = " if carried else ""
        head = f"{results}scf.for %lo, %hi{inits} {{operand_segments = [1, 1, 0, {len(carried)}]}}{types}"
        out += [f"{head} (%j: index{names}) {{"]
        out += [
            "%k = arith.add %j, %c -> index",
            f"%x = memref.load %x_, %k, %r -> {t}",
            f"%y = memref.load %y_, %j -> {t}",
        ]
        out += [f"%u = memref.load %x_, %r, %r -> {t}"]
        out += [f"%{name} = arith.{op} %{a}, %{b} -> {t}" for name, op, a, b in self.steps]
        out += [f"memref.store %{value}, %z_, %k, %r" for value in self.stores]
        for k, (op, value) in enumerate(self.folds):
            old = f"%old{k}" if self.in_memory else f"%a{k}"
            out += [f"{old} = memref.load %m_, %r -> {t}"] if self.in_memory else []
            operands = f"{old}, %{value}" if op == "sub" or k else f"%{value}, {old}"
            out += [f"%n{k} = arith.{op} {operands} -> {t}"]
            out += [f"memref.store %n{k}, %m_, %r"] if self.in_memory else []
        out += [f"scf.yield {', '.join(f'%n{k}' for k in range(len(carried)))}"] if carried else []
        out += ["}"]
        out += [f"memref.store %f{k}, %m_, %c{k}" for k in range(len(carried))]
        if len(carried) > 1:
            out.insert(0, "%c1 = arith.constant {value = 1} -> index")
        return "\n".join(out)

    @property
    def parameters(self) -> str:
        """Of the kernel: what is written overlaps nothing."""
        t, bounds = self.element, "" if self.static else ", %lo: index, %hi: index"
        return f"%x_: memref<{t}x?x?>, %y_: memref<{t}x?>, %z_: memref<{t}x?x?>, %m_: memref<{t}x?>, %s: {t}{bounds}"

    def arrays(self) -> list[Array]:
        """x, y, z, m."""
        dtype, width = DTYPES[self.element], self.first + self.length + self.shift + ROWS
        made = [self.rng.integers(-2, 3, shape).astype(dtype) for shape in ((width, ROWS), width, (width, ROWS), ROWS)]
        return [np.asfortranarray(array) for array in made]

    def compute(self, arrays: list[Array], s: Any) -> None:
        """The iterations in order, one element at a time."""
        x, y, z, m = arrays
        table = {**_BINARY, **_BITS}
        carried = [s] * len(self.folds)
        with np.errstate(over="ignore"):
            for j in range(self.first, self.first + self.length):
                known = {"x": x[j + self.shift, self.row], "y": y[j], "s": s, "u": x[self.row, self.row]}
                for name, op, a, b in self.steps:
                    known[name] = table[op](known[a], known[b])
                for value in self.stores:
                    z[j + self.shift, self.row] = known[value]
                for k, (op, value) in enumerate(self.folds):
                    old = m[self.row] if self.in_memory else carried[k]
                    carried[k] = table[op](old, known[value])
                    if self.in_memory:
                        m[self.row] = carried[k]
        if not self.in_memory:
            for k, value in enumerate(carried):
                m[k] = value
