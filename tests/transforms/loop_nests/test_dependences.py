"""Dependences of random nests against running them; what they allow, by running the nests in another order."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest
from msgspec import Struct

from effort import Ran, count, falls_short
from tilewright.dialects import scf
from tilewright.dialects.builtin import Module
from tilewright.transforms.loop_nests.dependences import Dependence, Direction, dependences
from tilewright.transforms.loop_nests.nests import Nest, nest_of
from transforms.loop_nests.legality import is_parallel, may_permute, may_tile
from transforms.loop_nests.random_nests import Access, Event, Generator, Loop, Writer, evaluate, events
from transforms.support import kernel

NESTS = count("RANDOM_LOOP_NESTS", 30, 10_000)
Vectors = dict[tuple[int, int], dict[tuple[Direction, ...], set[tuple[int, ...]]]]


class Case(Struct, frozen=True):
    """A nest as Python runs it and as the analysis sees it."""

    loop: Loop
    orders: list[int]
    nest: Nest
    text: str


def case(rng: np.random.Generator) -> Case:
    generator = Generator(rng)
    loop = generator.nest()
    text = Writer().loop(loop)
    arrays = ", ".join(f"%A{k}: memref<f32{'x?' * order}>" for k, order in enumerate(generator.orders))
    attributes = "parameter_attributes = [{}, {noalias = true}, {}], subgroup_size = 16, work_group_size = [16, 1]"
    module = kernel(f"{arrays}, %x: f32", text, attributes)
    return Case(loop, generator.orders, nest_of(outermost(module)), text)


def outermost(module: Module) -> scf.For:
    return next(op for op in module.walk() if isinstance(op, scf.For))


def accesses(loop: Loop) -> list[Access]:
    """In the order of the text."""
    found = [accesses(part) if isinstance(part, Loop) else [part] for part in loop.body]
    return list(itertools.chain(*found))


def direction(earlier: int, later: int) -> Direction:
    if earlier == later:
        return Direction.EQUAL
    return Direction.LESS if earlier < later else Direction.GREATER


def happened(loop: Loop) -> Vectors:
    """For pairs of accesses the directions between iterations that touch one element, with the differences."""
    numbers = {id(access): k for k, access in enumerate(accesses(loop))}
    touched: dict[tuple[int, ...], list[Event]] = defaultdict(list)
    found: Vectors = defaultdict(lambda: defaultdict(set))
    for event in events(loop):
        before = touched[event.element]
        for earlier in before:
            if earlier.access.writes or event.access.writes:
                common = sum(a == b for a, b in zip(earlier.loops, event.loops, strict=False))
                pairs = list(zip(earlier.values[:common], event.values[:common], strict=True))
                vector = tuple(direction(*pair) for pair in pairs)
                key = (numbers[id(earlier.access)], numbers[id(event.access)])
                found[key][vector].add(tuple(b - a for a, b in pairs))
        before.append(event)
    return found


def test_random_nests_depend_as_running_them_shows(rng: np.random.Generator, ran: Ran) -> None:
    exact = dependent = apart = tried = 0
    while tried < NESTS or not apart:
        assert not falls_short(apart, tried, 0.01), "no dependence has a distance but 0"
        tried += 1
        one = case(rng)
        assert one.nest.is_known
        want = happened(one.loop)
        got = dependences(one.nest)
        vectors = {(d.source.order, d.sink.order, d.directions): d for d in got}
        for (source, sink), directions in want.items():
            for vector, differences in directions.items():
                assert (source, sink, vector) in vectors, one.text
                check_distances(vectors[source, sink, vector], differences, one.text)
        for (source, sink, vector), dependence in vectors.items():
            assert not dependence.exact or vector in want.get((source, sink), {}), (source, sink, vector, one.text)
        apart += any(any(vectors[(*pair, vector)].distances) for pair, found in want.items() for vector in found)
        dependent += bool(got)
        exact += bool(got) and all(d.exact for d in got)
    assert not falls_short(exact, dependent, 0.7), (exact, dependent)
    ran(tried, "loop nests")


def check_distances(dependence: Dependence, differences: set[tuple[int, ...]], text: str) -> None:
    for k, distance in enumerate(dependence.distances):
        assert distance is None or {d[k] for d in differences} == {distance}, text


def perfect(loop: Loop) -> list[Loop] | None:
    """The loops of a nest of which only the innermost has accesses."""
    loops = [loop]
    while len(loops[-1].body) == 1 and isinstance(inner := loops[-1].body[0], Loop):
        loops.append(inner)
    return loops if not any(isinstance(part, Loop) for part in loops[-1].body) else None


def memory(
    case_: Case, points: list[tuple[int, ...]], numbers: list[int], body: list[Access]
) -> dict[tuple[int, ...], int]:
    """What memory holds when the iterations ran in an order: each store adds up what was loaded before it."""
    cells: dict[tuple[int, ...], int] = {}
    for point in points:
        values = dict(zip(numbers, point, strict=True))
        total = hash(point) % 1009
        for access in body:
            element = (access.array, *(evaluate(form, values) for form in access.subscripts))
            if access.writes:
                cells[element] = total
            else:
                total = (31 * total + cells.get(element, hash(element) % 1009)) % 65537
    return cells


def test_what_is_allowed_gives_the_same_memory(rng: np.random.Generator, ran: Ran) -> None:
    allowed = refused = 0
    while allowed + refused < NESTS:
        one = case(rng)
        loops = perfect(one.loop)
        if loops is None or len(loops) == 1:
            continue
        numbers = [loop.number for loop in loops]
        body = [part for part in loops[-1].body if isinstance(part, Access)]
        points = list(dict.fromkeys(event.values for event in events(one.loop)))
        found, want = dependences(one.nest), memory(one, points, numbers, body)
        order = [int(k) for k in rng.permutation(len(loops))]
        if may_permute(order, found):
            permuted = sorted(points, key=lambda point: [point[k] for k in order])
            assert memory(one, permuted, numbers, body) == want, (order, one.text)
        for k in range(len(loops)):
            if is_parallel(k, found):
                turned = sorted(points, key=lambda point: (point[:k], -point[k], point[k + 1 :]))
                assert memory(one, turned, numbers, body) == want, (k, one.text)
        low = int(rng.integers(len(loops) - 1))
        band = list(range(low, len(loops)))
        if may_tile(band, found):
            tiled = sorted(points, key=lambda p: (p[:low], [x // 2 for x in p[low:]], p[low:]))
            assert memory(one, tiled, numbers, body) == want, (band, one.text)
            allowed += 1
        else:
            refused += 1
    assert not falls_short(min(allowed, refused), NESTS, 0.04), (allowed, refused)
    ran(allowed, "loop nests run in another order")


STENCIL = """
%z = arith.constant {value = 1} -> index
scf.for %z, %n {operand_segments = [1, 1, 0, 0]} (%i: index) {
  scf.for %z, %n {operand_segments = [1, 1, 0, 0]} (%j: index) {
    %one = arith.constant {value = 1} -> index
    %before = arith.sub %i, %one -> index
    %behind = arith.add %j, %one -> index
    %v = memref.load %A, %before, %behind -> f32
    memref.store %v, %A, %i, %j
  }
}
"""


STRIDED = """
%c0 = arith.constant {value = 0} -> index
%c3 = arith.constant {value = 3} -> index
%step = arith.constant {value = STEP} -> index
scf.for %c0, %n, %step {operand_segments = [1, 1, 1, 0]} (%i: index) {
  %j = arith.add %i, %c3 -> index
  %v = memref.load %A, %i -> f32
  memref.store %v, %A, %j
}
"""


@pytest.mark.parametrize(("step", "depends"), [(1, True), (2, False), (3, True)])
def test_iterations_are_a_step_apart(step: int, depends: bool) -> None:
    """What lies three further on is an element of another iteration if the step divides three."""
    body = STRIDED.replace("STEP", str(step))
    found = dependences(nest_of(outermost(kernel("%A: memref<f32x?>, %n: index", body))))
    assert [(one.directions, one.distances, one.exact) for one in found] == [((Direction.LESS,), (3,), True)] * depends


def test_a_skewed_dependence_forbids_to_interchange_and_to_tile() -> None:
    module = kernel("%A: memref<f32x?x?>, %n: index", STENCIL)
    (one,) = dependences(nest_of(outermost(module)))
    assert one.directions == (Direction.LESS, Direction.GREATER)
    assert one.distances == (1, -1)
    assert one.exact
    assert not may_permute([1, 0], [one])
    assert not may_tile([0, 1], [one])
    assert not is_parallel(0, [one])
    assert is_parallel(1, [one])


@pytest.mark.parametrize("noalias", [True, False])
def test_arrays_depend_on_each_other_unless_they_share_no_memory(noalias: bool) -> None:
    body = STENCIL.replace("memref.store %v, %A", "memref.store %v, %B")
    attributes = f"parameter_attributes = [{{}}, {{noalias = {str(noalias).lower()}}}, {{}}]"
    module = kernel("%A: memref<f32x?x?>, %B: memref<f32x?x?>, %n: index", body, attributes)
    found = dependences(nest_of(outermost(module)))
    assert bool(found) is not noalias
    assert not any(one.exact for one in found)


VIEWS = """
%c0 = arith.constant {value = 0} -> index
%c4 = arith.constant {value = 4} -> index
%c8 = arith.constant {value = 8} -> index
scf.for %c0, %c4 {operand_segments = [1, 1, 0, 0]} (%i: index) {
  %at = arith.add %i, %c4 -> index
  %upper = memref.subview %A, %at {static_offsets = [none, 0], static_sizes = [1, 8], operand_segments = [1, 1, 0]}
    -> memref<f32x1x8,strided<1,8>>
  %turned = memref.permute %upper {order = [1, 0]} -> memref<f32x8x1,strided<8,1>>
  %halves = memref.expand %turned {mode = 0, static_sizes = [2, 4], operand_segments = [1, 0]}
    -> memref<f32x2x4x1,strided<8,16,1>>
  %c1 = arith.constant {value = 1} -> index
  %v = memref.load %halves, %c1, %i, %c0 -> f32
  %t = arith.mul %i, %c2 -> index
  memref.store %v, %A, STORED, %column
}
"""


@pytest.mark.parametrize(("row", "column", "depends"), [(5, 3, True), (5, 2, False), (4, 1, True), (3, 3, False)])
def test_subscripts_are_followed_through_views(row: int, column: int, depends: bool) -> None:
    # element (1, i, 0) of the view is (4 + i, 1 + 2 i) of %A
    constants = (
        f"%row = arith.constant {{value = {row}}} -> index %column = arith.constant {{value = {column}}} -> index"
    )
    body = constants + VIEWS.replace("STORED", "%row").replace("  %t = arith.mul %i, %c2 -> index\n", "")
    found = dependences(nest_of(outermost(kernel("%A: memref<f32x8x8>", body))))
    assert any(one.source.writes is not one.sink.writes for one in found) is depends


def test_of_loops_behind_each_other_the_second_depends_on_the_first() -> None:
    body = """
        %zero = arith.constant {value = 0} -> index
        scf.for %zero, %n (%i: index) { memref.store %x, %A, %i  scf.yield }
        scf.for %zero, %n (%j: index) { %v = memref.load %A, %j -> f32  memref.store %v, %B, %j  scf.yield }"""
    module = kernel("%A: memref<f32x?>, %B: memref<f32x?>, %n: index, %x: f32", body)
    loops = [op for op in module.walk() if isinstance(op, scf.For)]
    first, load, *_ = (nest := nest_of(*loops)).references
    found = [(each.source, each.sink) for each in dependences(nest) if each.source is first or each.sink is first]
    assert (first, load) in found
    assert all(source is first for source, _ in found)
