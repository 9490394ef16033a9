"""What the stages know of affine loops: what they count, where accesses are, what depends on what; by enumeration."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import gcd

import pytest
from msgspec import Struct

from effort import SEED, Ran, count
from tilewright.dialects.mlir import affine
from tilewright.ir.affine import (
    AffineBinary,
    AffineConstant,
    AffineExpression,
    AffineMap,
    AffineOperator,
    AffineSymbol,
    Dimension,
)
from tilewright.ir.core import Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.dependences import accesses, carried_by, reversed_by, writes
from tilewright.transforms.matmul_stages.index_values import column, divisor, taken
from tilewright.transforms.matmul_stages.nests import Access, axes_around, axes_of, form_of, loops_around, subscripts
from transforms.matmul_stages.products import unit_of

NESTS = count("RANDOM_STAGE_NESTS", 60, 2000)
Point = Mapping[Value, int]


class Nest(Struct, frozen=True):
    """Perfectly nested loops and the accesses of the innermost body."""

    loops: Sequence[affine.For]
    accesses: Sequence[Access]

    @staticmethod
    def of(text: str) -> Nest:
        """The only nest of a text."""
        unit = unit_of(text)
        found = accesses(unit)
        return Nest(loops_around(found[0]), found)

    def points(self) -> Iterator[Point]:
        """All iterations in their order, by the bounds as they are written."""
        yield from self._points({}, 0)

    def _points(self, point: Point, depth: int) -> Iterator[Point]:
        if depth == len(self.loops):
            yield point
            return
        loop = self.loops[depth]
        lower, upper = (
            _mapped(loop.lowerBoundMap, loop.lowerBoundOperands, point),
            _mapped(loop.upperBoundMap, loop.upperBoundOperands, point),
        )
        for value in range(max(lower), min(upper), loop.stride):
            yield from self._points({**point, loop.body.entry.arguments[0]: value}, depth + 1)

    def variables(self) -> list[Value]:
        """Of the loops, outermost first."""
        return [loop.body.entry.arguments[0] for loop in self.loops]

    def touches(self) -> Iterator[tuple[tuple[int, ...], Access, tuple[int, ...]]]:
        """Which iteration has which element, by which access."""
        for point in self.points():
            at = tuple(point[variable] for variable in self.variables())
            for op in self.accesses:
                yield at, op, tuple(_value(form, point) for form in subscripts(op) or ())


def _mapped(map_: AffineMap, operands: Sequence[Value], point: Point) -> list[int]:
    known = [point[value] for value in operands]
    return [_evaluated(expression, known, map_.dimensions) for expression in map_.results]


def _evaluated(expression: AffineExpression, known: Sequence[int], dimensions: int) -> int:
    match expression:
        case AffineConstant(value):
            return value
        case Dimension(position):
            return known[position]
        case AffineSymbol(position):
            return known[dimensions + position]
        case AffineBinary(operator, lhs, rhs):
            left, right = (_evaluated(part, known, dimensions) for part in (lhs, rhs))
            return left + right if operator is AffineOperator.ADD else left * right
        case _:
            raise AssertionError(expression)


def _value(form: Linear, point: Point) -> int:
    return form.constant + sum(factor * point[value] for value, factor in form.terms)


def random_nest(rng: random.Random) -> str:
    """Two or three loops, bounds that depend on those around, a store and a load or two."""
    depth = rng.randint(2, 3)
    heads: list[str] = []
    for k in range(depth):
        outer = f"%i{rng.randrange(k)}" if k and rng.random() < 0.4 else ""
        low = rng.randint(0, 2)
        upper = (
            f"affine_map<(d) -> (d + {low + rng.randint(1, 4)})>({outer})" if outer else str(low + rng.randint(1, 5))
        )
        lower = f"affine_map<(d) -> (d + {low})>({outer})" if outer else str(low)
        step = f" step {rng.randint(2, 3)}" if rng.random() < 0.3 else ""
        heads.append(f"affine.for %i{k} = {lower} to {upper}{step} {{")
    rank = rng.randint(1, 2)

    def place() -> str:
        terms = [
            " + ".join([*(f"%i{k} * {rng.choice((0, 1, 1, 2, -1))}" for k in range(depth)), str(rng.randint(0, 3))])
            for _ in range(rank)
        ]
        return ", ".join(terms)

    type_ = f"memref<{'x'.join(['?'] * rank)}xf32>"
    loads = "".join(f"%v{k} = affine.load %M[{place()}] : {type_}\n" for k in range(rng.randint(1, 2)))
    body = f"{loads}affine.store %v0, %M[{place()}] : {type_}\n"
    return f"func.func @f(%M: {type_}) {{\n{chr(10).join(heads)}\n{body}{'}' * depth}\nreturn\n}}"


def random_nests() -> Iterator[Nest]:
    rng = random.Random(SEED)
    for _ in range(NESTS):
        yield Nest.of(random_nest(rng))


def _clashes(nest: Nest) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Pairs of iterations, the one before first, that touch an element which one of them writes."""
    touched = list(nest.touches())
    return [
        (first, second)
        for first, one, here in touched
        for second, other, there in touched
        if first < second and here == there and (writes(one) or writes(other))
    ]


def test_dependences_that_loops_carry(ran: Ran) -> None:
    """None is missed, and none is found that is not there."""
    for nest in random_nests():
        clashes = _clashes(nest)
        axes = [axis for loop in nest.loops for axis in axes_of(loop)]
        for depth in range(len(axes)):
            wanted = any(a[:depth] == b[:depth] and a[depth] < b[depth] for a, b in clashes)
            assert (carried_by(axes[: depth + 1], nest.accesses) is not None) == wanted, (depth, nest.loops[0])
    ran(NESTS, "nests whose dependences are enumerated")


def test_orders_of_loops(ran: Ran) -> None:
    """An exchange of two loops is refused exactly where two iterations that depend on each other change places.

    Loops whose bounds depend on others are exchanged with these as if the iterations stayed the same.
    """
    for nest in random_nests():
        clashes, depth = _clashes(nest), len(nest.loops)
        for order in ([1, 0, *range(2, depth)], list(reversed(range(depth)))):
            turned = any([b[k] for k in order] < [a[k] for k in order] for a, b in clashes)
            assert (reversed_by(nest.loops, order, nest.accesses) is not None) == turned, (order, nest.loops[0])
    ran(NESTS, "nests with other orders of loops")


def test_what_loops_count_and_where_accesses_are() -> None:
    """Bounds and subscripts as sums are those that are written."""
    for nest in random_nests():
        points = list(nest.points())
        variables = nest.variables()
        for axis, loop in zip(axes_around(nest.accesses[0]), nest.loops, strict=True):
            assert axis.op is loop
            if axis.numbers is not None and axis.first is not None and points:
                counted = {point[axis.variable] for point in points}
                assert counted <= {axis.first + n for n in axis.numbers}
        for op in nest.accesses:
            forms = subscripts(op)
            assert forms is not None
            assert {value for form in forms for value, _ in form.terms} <= set(variables)
            for point in points:
                assert isinstance(op, affine.Load | affine.Store)
                assert [_value(form, point) for form in forms] == _mapped(op.map, op.indices, point)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("%i * 4", [0, 4, 8, 12, 16, 20]),
        ("%i floordiv 2", [0, 1, 2]),
        ("%i mod 4", [0, 1, 2, 3]),
        ("%i ceildiv 4", [0, 1, 2]),
        ("%i * 8 + 16", [16, 24, 32, 40, 48, 56]),
        ("(%i floordiv 3) * 6 + %i mod 3", [0, 1, 2, 6, 7, 8]),
    ],
)
def test_the_numbers_that_an_index_takes(expression: str, wanted: Sequence[int]) -> None:
    """Each once; what divides all of them; and in each case."""
    operand = expression.replace("%i", "d")
    text = (
        "func.func @f(%M: memref<?xf32>) {\naffine.for %i = 0 to 6 {\n"
        f"%x = affine.apply affine_map<(d) -> ({operand})>(%i)\n%v = memref.load %M[%x] : memref<?xf32>\n"
        "memref.store %v, %M[%x] : memref<?xf32>\n}\nreturn\n}"
    )
    unit = unit_of(text)
    (applied,) = [op for op in unit.walk() if isinstance(op, affine.Apply)]
    axes = axes_around(applied)
    found = taken(applied.out, axes)
    assert found is not None
    assert list(found) == wanted
    assert divisor(Linear(0, ((applied.out, 1),)), axes) == gcd(*wanted)
    assert divisor(Linear(gcd(*wanted) * 3, ((applied.out, 2),)), axes) == gcd(
        *(2 * n for n in wanted), 3 * gcd(*wanted)
    )
    cases = column(applied.out, {axes[0].variable: range(6)}, 6)
    assert sorted(set(cases)) == wanted
    assert all(a <= b for a, b in pairwise(cases)) or "mod" in expression
    assert set(form_of(applied.out).terms) <= {(applied.out, 1), (axes[0].variable, 4), (axes[0].variable, 8)}
