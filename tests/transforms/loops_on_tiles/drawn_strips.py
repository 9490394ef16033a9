"""Random points that are neighbours and loop over rows, as text and as what they compute, one point after another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from generators.element_types import DTYPES

Array = NDArray[Any]
LENGTHS: Final = (0, 1, 4, 7, 8, 15, 16, 17, 31, 40)
"""Of strips of 16, and lanes for fewer than 8: none, parts, several and a part."""
ROWS: Final = (0, 1, 3, 4, 9)
"""Of which strips take four at a time."""
_TABLE: Final = {"add": np.add, "sub": np.subtract, "max": np.maximum, "min": np.minimum}


@dataclass
class Loop:
    """Over rows: what it carries first and last, operations on values, and what it stores to its rows of `z`."""

    inits: list[str]
    steps: list[tuple[str, str, str, str]]
    yields: list[str]
    stores: list[str]
    reads_stored: bool


@dataclass
class DrawnStrip:
    """Points i from `first` on, which load x[i + shift, j + 1], y[i], z[i, j] and w[j] and leave results in m[i, ..].

    All values are small integers, so that nothing is rounded.
    """

    rng: np.random.Generator
    element: str
    form: str
    static: bool
    loops: list[Loop] = field(default_factory=list[Loop])

    def __post_init__(self) -> None:
        rng = self.rng
        self.length, self.rows = int(rng.choice(LENGTHS)), int(rng.choice(ROWS))
        self.first, self.shift = int(rng.integers(3)), int(rng.integers(3))
        known = ["y", "s"]
        for number in range(int(rng.integers(1, 3))):
            loop = self._loop(number, known)
            self.loops.append(loop)
            known += [f"f{number}{k}" for k in range(len(loop.inits))]

    def _loop(self, number: int, known: list[str]) -> Loop:
        rng = self.rng
        inits = [str(name) for name in rng.choice(known, int(rng.integers(3)))]
        reads_stored = bool(rng.random() < 0.3)
        values = [*known, f"x{number}", f"w{number}", *([f"z{number}"] if reads_stored else [])]
        values += [f"a{number}{k}" for k in range(len(inits))]
        steps: list[tuple[str, str, str, str]] = []
        for k in range(int(rng.integers(1, 4))):
            one = f"x{number}" if k == 0 else str(rng.choice(values))
            steps.append((f"v{number}{k}", str(rng.choice(list(_TABLE))), one, str(rng.choice(values))))
            values.append(steps[-1][0])
        stores = [steps[-1][0]] if not inits or rng.random() < 0.4 else []
        yields = [steps[-1][0], *(str(name) for name in rng.choice(values, 2))][: len(inits)]
        return Loop(inits, steps, yields, stores, reads_stored)

    def text(self) -> str:
        """The kernel's body; parameters x, y, z, w, m, s, and ends if these are not constant."""
        t, out = self.element, list[str]()
        numbers = [("c0", 0), ("c1", 1), ("shift", self.shift), ("lo", self.first)]
        numbers += [("hi", self.first + self.length), ("rows", self.rows)] if self.static else []
        out += [f"%{name} = arith.constant {{value = {number}}} -> index" for name, number in numbers]
        if self.form == "foreach":
            out += ["tl.foreach %lo, %hi {operand_segments = [1, 1]} (%i: index) {"]
        else:
            parallel = ", parallel = true" if self.form == "parallel" else ""
            out += [f"scf.for %lo, %hi {{operand_segments = [1, 1, 0, 0]{parallel}}} (%i: index) {{"]
        out += [f"%y = memref.load %y_, %i -> {t}", "%k = arith.add %i, %shift -> index"]
        for number, loop in enumerate(self.loops):
            out += self._text_of(number, loop)
        results = [f"f{number}{k}" for number, loop in enumerate(self.loops) for k in range(len(loop.inits))]
        for k, name in enumerate(results):
            out += [f"%p{k} = arith.constant {{value = {k}}} -> index", f"memref.store %{name}, %m_, %i, %p{k}"]
        return "\n".join([*out, "}"])

    def _text_of(self, number: int, loop: Loop) -> list[str]:
        t, n = self.element, number
        inits = "".join(f", %{name}" for name in loop.inits)
        names = "".join(f", %a{n}{k}: {t}" for k in range(len(loop.inits)))
        types = f" -> {', '.join(t for _ in loop.inits)}" if loop.inits else ""
        results = f"{', '.join(f'%f{n}{k}' for k in range(len(loop.inits)))} = " if loop.inits else ""
        segments = f"{{operand_segments = [1, 1, 0, {len(loop.inits)}]}}"
        out = [f"{results}scf.for %c0, %rows{inits} {segments}{types} (%j{n}: index{names}) {{"]
        out += [f"%n{n} = arith.add %j{n}, %c1 -> index", f"%x{n} = memref.load %x_, %k, %n{n} -> {t}"]
        out += [f"%w{n} = memref.load %w_, %j{n} -> {t}"]
        out += [f"%z{n} = memref.load %z_, %i, %j{n} -> {t}"] if loop.reads_stored else []
        out += [f"%{name} = arith.{op} %{a}, %{b} -> {t}" for name, op, a, b in loop.steps]
        out += [f"memref.store %{value}, %z_, %i, %j{n}" for value in loop.stores]
        out += [f"scf.yield {', '.join(f'%{value}' for value in loop.yields)}"] if loop.inits else []
        return [*out, "}"]

    @property
    def parameters(self) -> str:
        """Of the kernel: what is written overlaps nothing."""
        t, ends = self.element, "" if self.static else ", %hi: index, %rows: index"
        wide, long = f"memref<{t}x?x?>", f"memref<{t}x?>"
        return f"%x_: {wide}, %y_: {long}, %z_: {wide}, %w_: {long}, %m_: {wide}, %s: {t}{ends}"

    def arrays(self) -> list[Array]:
        """x, y, z, w, m."""
        width, deep = self.first + self.length + self.shift + 1, self.rows + 1
        shapes = ((width, deep), width, (width, deep), deep, (width, 4))
        made = [self.rng.integers(-2, 3, shape).astype(DTYPES[self.element]) for shape in shapes]
        return [np.asfortranarray(array) for array in made]

    def compute(self, arrays: list[Array], s: Any) -> None:
        """The points in order, one row at a time."""
        m = arrays[4]
        with np.errstate(over="ignore"):
            for i in range(self.first, self.first + self.length):
                known: dict[str, Any] = {"y": arrays[1][i], "s": s}
                last = [value for number in range(len(self.loops)) for value in self._run(number, i, known, arrays)]
                m[i, : len(last)] = last

    def _run(self, number: int, i: int, known: dict[str, Any], arrays: list[Array]) -> list[Any]:
        x, _, z, w, _ = arrays
        loop, n = self.loops[number], number
        carried = [known[name] for name in loop.inits]
        for j in range(self.rows):
            inside = {**known, f"x{n}": x[i + self.shift, j + 1], f"w{n}": w[j], f"z{n}": z[i, j]}
            inside.update({f"a{n}{k}": value for k, value in enumerate(carried)})
            for name, op, a, b in loop.steps:
                inside[name] = _TABLE[op](inside[a], inside[b])
            for value in loop.stores:
                z[i, j] = inside[value]
            carried = [inside[value] for value in loop.yields]
        known.update({f"f{n}{k}": value for k, value in enumerate(carried)})
        return carried
