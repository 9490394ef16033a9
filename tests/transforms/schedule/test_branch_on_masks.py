"""branch-on-masks: what drawn masks give stays the same, where sums wrap too, and branches are as rare as may be."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tilewright.dialects import arith, scf
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.interpreter.engine import interpret
from tilewright.transforms.schedule.branch_on_masks import BranchOnMasks
from transforms.support import kernel, names, run

Array = npt.NDArray[Any]
ROWS, COLUMNS, STEPS = 6, 4, 5
BITS = "tile<6x4xbool>"
FLOATS = "tile<6x4xf32>"
MASKED = f"%s = arith.select %mask, %never, %raw -> {FLOATS}"


def of_mask(lines: str, masked: str = MASKED, element: str = "i32") -> Module:
    """Products that a loop masks and stores, of a mask that is told; %p and %q are numbers of the caller's."""
    arrays = f"%A: memref<f32x6x2>, %B: memref<f32x2x4>, %C: memref<f32x6x4x{STEPS}>"
    return kernel(
        f"{arrays}, %p: {element}, %q: {element}, %b: bool",
        f"""%z = arith.constant {{value = 0}} -> index
        %one = arith.constant {{value = 1}} -> index
        %n = arith.constant {{value = {STEPS}}} -> index
        %nothing = arith.constant {{value = 0.0}} -> tile<6x4xf32>
        %never = arith.constant {{value = -inf}} -> tile<6x4xf32>
        %x = tile.load %A, %z, %z -> tile<6x2xf32>
        %y = tile.load %B, %z, %z -> tile<2x4xf32>
        scf.for %z, %n, %one {{operand_segments = [1, 1, 1, 0]}} (%k: index) {{
          %i = arith.cast %k -> {element}
          %raw = tile.mma %x, %y, %nothing -> tile<6x4xf32>
          {lines}
          {masked}
          %w = tile.reshape %s -> tile<6x4x1xf32>
          tile.store %w, %C, %z, %z, %k
        }}""",
    )


def result(module: Module, numbers: tuple[Any, ...], rng: np.random.Generator) -> Array:
    """What all iterations store."""
    a, b = (np.asfortranarray(rng.standard_normal(shape), np.float32) for shape in ((ROWS, 2), (2, COLUMNS)))
    c = np.zeros((ROWS, COLUMNS, STEPS), np.float32, order="F")
    interpret(module.kernels[0], [a, b, c, *numbers], checked=True)
    return c


class Drawn:
    """A mask by lines of text: comparisons of sums of coordinates, the loop's index, numbers of the caller's and
    constants, some of them moved."""

    def __init__(self, rng: np.random.Generator, element: str) -> None:
        self.rng, self.element, self.lines, self.count = rng, element, list[str](), 0

    def emit(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%t{self.count} = {text}")
        return f"%t{self.count}"

    def choice(self, *among: str) -> str:
        return str(self.rng.choice(among))

    def number(self, shape: str, dims: tuple[int, ...], depth: int) -> str:
        """Integers of a tile with so many dimensions, each of a number in `dims`."""
        kind = self.choice("leaf", "iota") if depth == 0 else self.choice("add", "sub", "mul", "iota", "leaf")
        type_ = f"tile<{shape}x{self.element}>"
        if kind in ("add", "sub"):
            a, b = (self.number(shape, dims, depth - 1) for _ in range(2))
            return self.emit(f"arith.{kind} {a}, {b} -> {type_}")
        if kind == "mul":
            factor = self.emit(f"arith.constant {{value = {int(self.rng.integers(-3, 4))}}} -> {type_}")
            return self.emit(f"arith.mul {self.number(shape, dims, depth - 1)}, {factor} -> {type_}")
        if kind == "iota":
            return self.emit(f"tile.iota {{dim = {int(self.rng.integers(len(dims)))}}} -> {type_}")
        if self.choice("scalar", "constant") == "constant":
            return self.emit(f"arith.constant {{value = {int(self.rng.integers(-9, 10))}}} -> {type_}")
        return self.emit(f"tile.splat {self.choice('%p', '%q', '%i')} -> {type_}")

    def line(self, dim: int) -> str:
        """Integers along one dimension, all along the other one."""
        extent = (ROWS, COLUMNS)[dim]
        found = self.number(str(extent), (dim,), 2)
        long = f"{extent}x1" if dim == 0 else f"1x{extent}"
        found = self.emit(f"tile.reshape {found} -> tile<{long}x{self.element}>")
        return self.emit(f"tile.broadcast {found} -> tile<6x4x{self.element}>")

    def numbers(self) -> str:
        kind = self.choice("rows", "columns", "all")
        return self.number("6x4", (0, 1), 2) if kind == "all" else self.line(int(kind == "columns"))

    def mask(self, depth: int) -> str:
        kind = self.choice("cmp") if depth == 0 else self.choice("cmp", "and", "or", "not", "splat")
        if kind == "not":
            return self.emit(f"arith.not {self.mask(depth - 1)} -> {BITS}")
        if kind == "splat":
            return self.emit(f"tile.splat %b -> {BITS}")
        if kind == "cmp":
            predicate = self.choice("lt", "le", "gt", "ge", "eq", "ne")
            numbers = [self.numbers(), self.numbers()]
            if self.choice("narrow", "wide") == "wide":
                numbers = [self.emit(f"arith.cast {each} -> tile<6x4xi64>") for each in numbers]
                numbers[0] = self.emit(f"arith.sub {numbers[0]}, {numbers[1]} -> tile<6x4xi64>")
            return self.emit(f'arith.cmp {numbers[0]}, {numbers[1]} {{predicate = "{predicate}"}} -> {BITS}')
        return self.emit(f"arith.{kind} {self.mask(depth - 1)}, {self.mask(depth - 1)} -> {BITS}")


FORMS = {
    "behind": MASKED,
    "where": f"%s = arith.select %mask, %raw, %never -> {FLOATS}",
    "scaled": f"%twice = arith.add %raw, %raw -> {FLOATS} %s = arith.select %mask, %never, %twice -> {FLOATS}",
    "added": f"%less = arith.select %mask, %nothing, %never -> {FLOATS} %s = arith.add %raw, %less -> {FLOATS}",
    "added first": f"%less = arith.select %mask, %never, %nothing -> {FLOATS} %s = arith.add %less, %raw -> {FLOATS}",
}
"""How a mask is used."""


@pytest.mark.parametrize("element", ["i32", "i8"])
def test_drawn_masks(element: str, rng: np.random.Generator) -> None:
    """Results of iterations with and without a branch are those without the pass, bit by bit."""
    changed = 0
    for _ in range(60):
        drawn = Drawn(rng, element)
        mask = drawn.mask(2)
        text = "\n".join(drawn.lines).replace(f"{mask} =", "%mask =")
        masked = FORMS[drawn.choice(*FORMS)]
        module = of_mask(text, masked, element)
        most = np.iinfo(np.dtype(f"int{element[1:]}"))
        scalars = [int(rng.choice([most.min, most.max])) + int(rng.integers(-9, 9)) for _ in range(2)]
        scalars = [int(rng.integers(-9, 10)) if rng.random() < 0.6 else each for each in scalars]
        numbers = tuple(most.dtype.type(min(max(each, most.min), most.max)) for each in scalars)
        seed = int(rng.integers(1 << 30))
        given = (*numbers, np.bool_(rng.random() < 0.5))
        before = result(module, given, np.random.default_rng(seed))
        run(module, BranchOnMasks())
        changed += names(module)["scf.if"]
        np.testing.assert_array_equal(result(module, given, np.random.default_rng(seed)), before)
    assert changed > 20


def taken(module: Module, numbers: tuple[Any, ...], rng: np.random.Generator) -> list[bool]:
    """The iterations that compute a mask."""
    branches = [op for op in module.walk() if isinstance(op, scf.If)]
    if not branches:
        masks = any(isinstance(op, arith.Select) for op in module.walk())
        return [masks] * STEPS
    (branch,) = branches
    end = branch.then.entry.last
    assert end is not None
    mark = Builder.before_op(end).constant(1e30, end.operands[0].type)
    end.set_operand(0, mark)
    return (result(module, numbers, rng)[0, 0] == np.float32(1e30)).tolist()


COLUMN = "%c = tile.iota {dim = 1} -> tile<6x4xi32>"
ROW = "%r = tile.iota {dim = 0} -> tile<6x4xi32>"


def _compared(a: str, b: str, predicate: str) -> str:
    return f'%mask = arith.cmp {a}, {b} {{predicate = "{predicate}"}} -> {BITS}'


RELATIONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


@pytest.mark.parametrize("predicate", RELATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_only_where_an_element_is_masked(predicate: str, form: str, rng: np.random.Generator) -> None:
    """Keys of blocks of four, against queries from %q on, or as many as are left."""
    known = f"""{COLUMN}
    {ROW}
    %four = arith.constant {{value = 4}} -> i32
    %key = arith.mul %i, %four -> i32
    %keys = tile.splat %key -> tile<6x4xi32>
    %at = arith.add %c, %keys -> tile<6x4xi32>
    %left = tile.splat %p -> tile<6x4xi32>
    %query = tile.splat %q -> tile<6x4xi32>
    %row = arith.add %r, %query -> tile<6x4xi32>"""
    keys = np.arange(STEPS)[:, None, None] * 4 + np.arange(COLUMNS)
    for other in ("%left", "%row"):
        for first in range(6):
            module = of_mask(f"{known}\n{_compared('%at', other, predicate)}", FORMS[form])
            run(module, BranchOnMasks())
            bound = first + 7 + (np.arange(ROWS)[:, None] if other == "%row" else np.zeros((ROWS, 1)))
            mask = RELATIONS[predicate](keys, bound)
            wanted = ~mask if form in ("where", "added") else mask
            numbers = (np.int32(first + 7), np.int32(first + 7), np.bool_(False))
            assert taken(module, numbers, rng) == wanted.any((1, 2)).tolist()


def test_two_masks(rng: np.random.Generator) -> None:
    """Of one that is not seen, and one that is not there: a branch for either; both at once: where both are."""
    known = f"""{COLUMN}
    {ROW}
    %left = tile.splat %p -> tile<6x4xi32>
    %at = tile.splat %i -> tile<6x4xi32>
    %row = tile.splat %q -> tile<6x4xi32>
    %gone = arith.cmp %at, %left {{predicate = "ge"}} -> {BITS}
    %unseen = arith.cmp %row, %at {{predicate = "gt"}} -> {BITS}
    """
    numbers = (np.int32(3), np.int32(1), np.bool_(False))
    masked = {"or": [True, False, False, True, True], "and": [False] * STEPS}
    for how, each in masked.items():
        for form in ("behind", "where"):
            module = of_mask(f"{known}%mask = arith.{how} %gone, %unseen -> {BITS}", FORMS[form])
            run(module, BranchOnMasks())
            assert taken(module, numbers, rng) == [one == (form == "behind") for one in each]


@pytest.mark.parametrize(("how", "first", "wanted"), [("add", 2**31 - 3, "lt"), ("sub", 2 - 2**31, "gt")])
def test_sums_that_wrap(how: str, first: int, wanted: str, rng: np.random.Generator) -> None:
    """Upwards they are negative, downwards positive, for some columns: there is a mask."""
    zeros = "%zeros = arith.constant {value = 0} -> tile<6x4xi32>"
    text = f"""{COLUMN}
    %first = tile.splat %p -> tile<6x4xi32>
    %at = arith.{how} %first, %c -> tile<6x4xi32>
    {zeros}
    {_compared("%at", "%zeros", wanted)}"""
    module = of_mask(text)
    numbers = (np.int32(first), np.int32(0), np.bool_(False))
    seed = int(rng.integers(1 << 30))
    before = result(module, numbers, np.random.default_rng(seed))
    assert np.isinf(before).any()
    assert not np.isinf(before).all()
    run(module, BranchOnMasks())
    np.testing.assert_array_equal(result(module, numbers, np.random.default_rng(seed)), before)
    assert taken(module, (np.int32(0), *numbers[1:]), rng) == [how == "sub" and wanted == "lt"] * STEPS


SCORES = f"""{COLUMN}
%left = tile.splat %p -> tile<6x4xi32>
{_compared("%c", "%left", "ge")}"""


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        # what nobody knows of
        ("%left = tile.splat %p -> tile<6x4xi32>", "%left = arith.mul %c, %c -> tile<6x4xi32>"),
        # no products
        ("%never, %raw ->", "%never, %nothing ->"),
        # a mask of all iterations
        ("%left = tile.splat %p", "%left = arith.constant {value = 2}"),
    ],
)
def test_left_alone(was: str, becomes: str) -> None:
    text = f"{SCORES}\n{MASKED}"
    assert was in text
    lines, _, masked = text.replace(was, becomes).rpartition("\n")
    module = of_mask(lines, masked)
    before = names(module)
    run(module, BranchOnMasks())
    assert names(module) == before


def test_half_of_a_mask_is_not_enough(rng: np.random.Generator) -> None:
    """Where either masks and one is not known; where both do, the known one decides."""
    known = SCORES.replace("%mask", "%gone")
    other = f"""%squares = arith.mul %c, %c -> tile<6x4xi32>
    {_compared("%squares", "%c", "gt").replace("%mask", "%far")}"""
    for how, wanted in (("or", [True] * STEPS), ("and", [False] * STEPS)):
        module = of_mask(f"{known}\n{other}\n%mask = arith.{how} %gone, %far -> {BITS}")
        run(module, BranchOnMasks())
        assert taken(module, (np.int32(4), np.int32(0), np.bool_(False)), rng) == wanted


def test_a_mask_of_no_iteration_is_gone() -> None:
    module = of_mask(SCORES.replace("tile.splat %p", "arith.constant {value = 4}"))
    run(module, BranchOnMasks())
    assert not {"arith.select", "arith.cmp", "scf.if"} & set(names(module))
