"""Products with what is around them: a batch, a scale, and what is done with elements of C in front and behind."""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, prod
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.program import Program
from tilewright.transforms.matmul_stages import Outcome
from transforms.matmul_stages.products import TYPES, program_of, schedule_of

FRONT = ("fill", "beta")
RINGS = ("", " buffers=2", " buffers=3 ahead=1")
"""Places in shared memory, as schedules have them."""
BEHIND = ("bias", "rows", "relu", "gelu", "scale", "residual", "narrow")
Array = NDArray[Any]


class Surrounded(Struct, frozen=True):
    """`C := behind(alpha A B + front(C))`, in each entry of a batch.

    `front` and `behind` name steps, of which those in `looped` are loops and others operations of linalg; `bias` has a
    number for each column, `rows` one for each row, `narrow` writes half of C to another matrix. Types leave the
    extents of the letters in `opened` open, of i, j, k, and b, the first of the batch.
    """

    m: int
    n: int
    k: int
    factor: str = "f16"
    total: str = "f32"
    batch: tuple[int, ...] = ()
    alpha: str = ""
    front: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    looped: bool = False
    as_loops: bool = False
    opened: str = ""

    @property
    def names(self) -> list[str]:
        """Loops over the elements of C."""
        return [*(f"b{k}" for k in range(len(self.batch))), "i", "j"]

    def memref(self, letters: str, element: str = "") -> str:
        """The type of a matrix for each entry."""
        batch = ["?" if "b" in self.opened and number == 0 else str(e) for number, e in enumerate(self.batch)]
        return f"memref<{''.join(f'{e}x' for e in batch)}{self._extents(letters)}{element or self.total}>"

    def _extents(self, letters: str) -> str:
        known = {"i": self.m, "j": self.n, "k": self.k}
        return "".join(f"{'?' if letter in self.opened else known[letter]}x" for letter in letters)

    @property
    def types(self) -> dict[str, str]:
        """The parameters."""
        return {
            "A": self.memref("ik", self.factor),
            "B": self.memref("kj", self.factor),
            "C": self.memref("ij"),
            "bias": f"memref<{self._extents('j')}{self.total}>",
            "rows": f"memref<{self._extents('i')}{self.total}>",
            "R": self.memref("ij"),
            "D": self.memref("ji"),
            "alpha": self.total,
            "beta": self.total,
        }

    @property
    def text(self) -> str:
        """The program."""
        kind = self.total[0]
        zero, half = ("0.0", "0.5") if kind == "f" else ("0", "2")
        parameters = ", ".join(f"%{name}: {type_}" for name, type_ in self.types.items())
        return "\n".join(
            [
                f"func.func @f({parameters}) {{",
                f"  %zero = arith.constant {zero} : {self.total}",
                f"  %half = arith.constant {half} : {self.total}",
                *self._asked(),
                *map(self._step, self.front),
                self._product_loops() if self.as_loops else self._product(),
                *map(self._step, self.behind),
                "  return",
                "}",
                "",
            ]
        )

    def _asked(self) -> list[str]:
        """The extents that types leave open, as numbers that loops count to."""
        first = len(self.batch)
        opened = self.opened.replace("b", "") + "0" * ("b" in self.opened and first > 0)
        places = [
            (*one, self.types[one[1]])
            for one in (("0", "C", 0), ("i", "C", first), ("j", "C", first + 1), ("k", "A", first + 1))
        ]
        return [
            f"  %e{letter} = arith.constant {d} : index\n  %x{letter} = memref.dim %{name}, %e{letter} : {type_}"
            for letter, name, d, type_ in places
            if letter in opened
        ]

    def _bounds(self) -> dict[str, str]:
        """What loops count to."""
        *batch, i, j = self.names
        known = dict(zip([*batch, i, j, "k"], (*self.batch, self.m, self.n, self.k), strict=True))
        opened = self.opened.replace("b", "b0")
        return {name: f"%x{name[-1]}" if name in opened else str(extent) for name, extent in known.items()}

    def _products(self, x: str, y: str) -> list[str]:
        """`%s` from `%x`, `%y` and `%z`."""
        kind = self.total[0]
        wide = f"arith.ext{'f' if kind == 'f' else 'si'}"
        same = self.factor == self.total
        lines = [] if same else [f"%{v}w = {wide} %{v} : {self.factor} to {self.total}" for v in (x, y)]
        first, second = (x, y) if same else (f"{x}w", f"{y}w")
        if self.alpha:
            lines += [f"%p0 = arith.mul{kind} %{first}, %{self.alpha} : {self.total}"]
            first = "p0"
        return [
            *lines,
            f"%p = arith.mul{kind} %{first}, %{second} : {self.total}",
            f"%s = arith.add{kind} %z, %p : {self.total}",
        ]

    def _product(self) -> str:
        *batch, i, j = self.names
        loops = ", ".join([*batch, i, j, "k"])
        maps = [f"affine_map<({loops}) -> ({', '.join([*batch, *own])})>" for own in ((i, "k"), ("k", j), (i, j))]
        kinds = ", ".join(['"parallel"'] * len(self.names) + ['"reduction"'])
        types = self.types
        lines = "\n".join(f"    {line}" for line in self._products("x", "y"))
        return (
            f"  linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}\n"
            f"      ins(%A, %B : {types['A']}, {types['B']}) outs(%C : {types['C']}) {{\n"
            f"    ^bb0(%x: {self.factor}, %y: {self.factor}, %z: {self.total}):\n{lines}\n"
            f"    linalg.yield %s : {self.total}\n  }}"
        )

    def _product_loops(self) -> str:
        *batch, i, j = self.names
        at = {key: ", ".join(f"%{v}" for v in (*batch, *own)) for key, own in _PLACES.items()}
        extents = self._bounds()
        heads = [f"affine.for %{name} = 0 to {extents[name]} {{" for name in ("k", *batch, j, i)]
        types = self.types
        loads = [f"%{v} = affine.load %{key}[{at[key]}] : {types[key]}" for v, key in zip("xyz", "ABC", strict=True)]
        body = [*loads, *self._products("x", "y"), f"affine.store %s, %C[{at['C']}] : {types['C']}"]
        return "  " + "\n  ".join([*heads, *body, "}" * len(heads)])

    def _step(self, name: str) -> str:
        """A nest over the elements of C: what is read beside C, and what is made of that."""
        if name == "fill":
            return f"  linalg.fill ins(%zero : {self.total}) outs(%C : {self.types['C']})"
        kind, total = self.total[0], self.total
        maximum = "arith.maximumf" if kind == "f" else "arith.maxsi"
        *batch, i, j = self.names
        memory, place, lines = {
            "beta": ("", "", [f"%r = arith.mul{kind} %c, %beta : {total}"]),
            "scale": ("", "", [f"%r = arith.mul{kind} %c, %half : {total}"]),
            "relu": ("", "", [f"%r = {maximum} %c, %zero : {total}"]),
            "bias": ("bias", j, [f"%r = arith.add{kind} %c, %d : {total}"]),
            "rows": ("rows", i, [f"%r = arith.add{kind} %d, %c : {total}"]),
            "residual": ("R", ", ".join((*batch, i, j)), [f"%r = arith.sub{kind} %c, %d : {total}"]),
            "narrow": ("D", ", ".join((*batch, j, i)), [f"%r = arith.mul{kind} %c, %half : {total}"]),
            "gelu": (
                "",
                "",
                [
                    f"%g1 = arith.constant 0.70710678 : {total}",
                    f"%g2 = arith.mulf %c, %g1 : {total}",
                    f"%g3 = math.erf %g2 : {total}",
                    f"%g4 = arith.constant 1.0 : {total}",
                    f"%g5 = arith.addf %g3, %g4 : {total}",
                    f"%g6 = arith.mulf %g5, %half : {total}",
                    f"%r = arith.mulf %c, %g6 : {total}",
                ],
            ),
        }[name]
        out = memory if name == "narrow" else "C"
        write = self._loops if self.looped else self._generic
        return write(memory, place, out, place if name == "narrow" else ", ".join(self.names), lines)

    def _generic(self, memory: str, place: str, out: str, written: str, lines: Sequence[str]) -> str:
        loops = ", ".join(self.names)
        read = ["C"] if out != "C" else [memory] if memory else []
        places = [loops] if out != "C" else [place] if memory else []
        maps = [f"affine_map<({loops}) -> ({p})>" for p in (*places, written)]
        types = [self.types[name] for name in read]
        ins = f"ins({', '.join(f'%{n}' for n in read)} : {', '.join(types)})" if read else ""
        arguments = ("%c", "%old") if out != "C" else ("%d", "%c") if memory else ("%c",)
        body = "\n".join(f"    {line}" for line in lines)
        kinds = ", ".join(['"parallel"'] * len(self.names))
        return (
            f"  linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{kinds}]}}\n"
            f"      {ins} outs(%{out} : {self.types[out]}) {{\n"
            f"    ^bb0({', '.join(f'{a}: {self.total}' for a in arguments)}):\n{body}\n"
            f"    linalg.yield %r : {self.total}\n  }}"
        )

    def _loops(self, memory: str, place: str, out: str, written: str, lines: Sequence[str]) -> str:
        extents = self._bounds()
        heads = [f"affine.for %{name} = 0 to {extents[name]} {{" for name in reversed(self.names)]
        at = ", ".join(f"%{name}" for name in self.names)
        body = [f"%c = affine.load %C[{at}] : {self.types['C']}"]
        if memory and out == "C":
            indices = ", ".join(f"%{name}" for name in place.split(", "))
            body.append(f"%d = affine.load %{memory}[{indices}] : {self.types[memory]}")
        indices = ", ".join(f"%{name}" for name in written.split(", "))
        body += [*lines, f"affine.store %r, %{out}[{indices}] : {self.types[out]}"]
        return "  " + "\n  ".join([*heads, *body, "}" * len(heads)])

    # What it computes

    def arguments(self, rng: np.random.Generator) -> list[Any]:
        """Small whole numbers, whose sums every type holds exactly."""
        wide, narrow = TYPES[self.total], TYPES[self.factor]
        shapes = [(self.m, self.k), (self.k, self.n), (self.m, self.n)]
        matrices: list[Array] = [
            rng.integers(-2, 3, (*self.batch, *shape)).astype(type_)
            for shape, type_ in zip(shapes, (narrow, narrow, wide), strict=True)
        ]
        vectors: list[Array] = [rng.integers(-2, 3, extent).astype(wide) for extent in (self.n, self.m)]
        shapes = [(self.m, self.n), (self.n, self.m)]
        others: list[Array] = [rng.integers(-2, 3, (*self.batch, *shape)).astype(wide) for shape in shapes]
        return [*matrices, *vectors, *others, wide(2), wide(-3)]

    def expected(self, arguments: Sequence[Any]) -> tuple[Array, Array]:
        """What C and D become."""
        wide = TYPES[self.total]
        exact = np.float64 if self.total[0] == "f" else np.int64
        matrices: list[Array] = [np.asarray(value).astype(exact) for value in arguments[:7]]
        a, b, c, bias, rows, residual, d = matrices
        alpha, beta = arguments[7:]
        half = 0.5 if self.total[0] == "f" else 2
        for name in self.front:
            c = c * 0 if name == "fill" else c * exact(beta)
        c = c + (a @ b) * {"": 1, "alpha": exact(alpha), "half": half}[self.alpha]
        for name in self.behind:
            if name == "narrow":
                d = np.swapaxes(c * half, -1, -2)
            elif name in ("bias", "rows", "residual"):
                c = c + {"bias": bias, "rows": rows[:, None], "residual": -residual}[name]
            elif name == "gelu":
                c = c * (np.vectorize(erf)(c * 0.70710678) + 1) * 0.5
            else:
                c = c * half if name == "scale" else np.maximum(c, 0)
        return c.astype(wide), d.astype(wide)

    def check(self, program: Program, grid: int | tuple[int, ...], rng: np.random.Generator, what: str) -> None:
        """A launch leaves what it should; exactly, but for gelu."""
        arguments = self.arguments(rng)
        given = [v.copy() for v in arguments]
        program.f[grid](*given)
        for found, wanted in zip((given[2], given[6]), self.expected(arguments), strict=True):
            tolerance = 1e-2 if self.total == "f16" else 1e-5
            fits = (
                np.allclose(found, wanted, tolerance, tolerance) if "gelu" in self.behind else (found == wanted).all()
            )
            assert fits, f"{what} of {self}"

    def run(self, one: Outcome, target: str, schedule: str, folder: Path, rng: np.random.Generator) -> None:
        """Run the program behind a stage."""
        grid = 1 if one.module is None else self.grid(schedule)
        self.check(program_of(one, target, folder), grid, rng, one.name)

    def grid(self, schedule: str) -> tuple[int, int, int]:
        """As many work-groups as there are whole tiles."""
        rows, columns, _ = schedule_of(schedule).block
        return max(self.n // columns, 1), max(self.m // rows, 1), prod(self.batch)


_PLACES = {"A": ("i", "k"), "B": ("k", "j"), "C": ("i", "j")}
