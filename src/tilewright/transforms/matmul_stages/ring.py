"""A ring of places in shared memory (`buffers=N`): copies run N - 1 steps ahead of the products.

before:  copy(0) for %k { barrier; loads of A and B; for %kk { .. }; barrier; stores }  barrier; for %kk { .. }
after:   copy(0) .. copy(N - 2)
         for %k { wait; barrier; copy(k + N - 1) beside the products of k }  wait; barrier; products of the last step

Step number s has place s mod N of each buffer, which has N times the rows. Copies go on by themselves where one is of
4, 8 or 16 bytes: those of a step are a group, and a step waits for all groups but the last N - 2, which are those of
steps behind it. Others are loads at the head of a step and stores at its end. The barrier says two things at once: all
threads have waited for their part of the step's tiles, and all have read the place that is written next, which is that
of the step before. Where no step is left to copy for, the last one is copied once more, to a place that nobody reads.

With `ahead=D` fragments are read D slices along k ahead of their products (`reads_ahead`), at the end of a step those
of the next one: its wait and its barrier come as many slices earlier then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from tilewright.dialects.builder import Builder
from tilewright.dialects.gpu_products import COPIED_BYTES
from tilewright.dialects.mlir import affine, gpu, nvgpu, vector
from tilewright.dialects.mlir.base import memref_of, shape_of
from tilewright.ir.affine import AffineConstant, AffineOperator, Dimension, divide, multiply
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import I32, INDEX, ScalarType
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.carrying import carrying, hand_on
from tilewright.transforms.matmul_stages.copies import is_shared, stored_by
from tilewright.transforms.matmul_stages.dependences import accesses, writes
from tilewright.transforms.matmul_stages.matmul import Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    Access,
    applied,
    bounds,
    form_of,
    index_value,
    inside,
    map_of,
    stands_before,
    variable,
)
from tilewright.transforms.matmul_stages.reads_ahead import Places, multiply_ahead, read
from tilewright.transforms.matmul_stages.slices import Slice, unrolled

WHAT = "ring"
_TOGETHER: Final = 4
"""Copies: ptxas puts three idle instructions between a read of shared memory and a copy to it."""


class _Copy(Struct, frozen=True):
    """A row of elements on its way to a buffer."""

    load: vector.Load
    store: vector.Store

    @property
    def goes_on(self) -> bool:
        """Whether the device copies it by itself."""
        element = memref_of(self.load.base).element
        assert isinstance(element, ScalarType)
        return goes_on(element, self.load.vector.shape[0])


def goes_on(element: ScalarType, count: int) -> bool:
    """Whether the device copies a row of so many elements by itself."""
    return element.bytes * count in COPIED_BYTES


class _Ring(Struct, frozen=True):
    """`last` is where the last step begins along k, `rows` those of a tile in each buffer."""

    matmul: Matmul
    last: Linear
    rows: dict[Value, int]

    @property
    def count(self) -> int:
        """How many places there are."""
        return self.matmul.schedule.buffers

    @property
    def step(self) -> int:
        """How many summed elements a step has."""
        return self.matmul.block["k"]

    def start(self, build: Builder, step: Linear) -> Linear:
        """Where the step begins that is copied for one that begins so far along k, or would."""
        if not step.terms and not self.last.terms:
            return Linear(min(step.constant, self.last.constant))
        map_, values = map_of([step, self.last])
        return form_of(build(affine.Min(values, map_)).out)

    def places(self, build: Builder, step: Linear, name: str) -> Places:
        """In which row of each buffer the tile of a step begins that begins so far along k."""
        depth, count = AffineConstant(self.step), AffineConstant(self.count)
        number = divide(AffineOperator.MOD, divide(AffineOperator.FLOORDIV, Dimension(0), depth), count)
        at = applied(build, step)
        return {
            buffer: form_of(index_value(build, multiply(number, AffineConstant(rows)), [at], name))
            for buffer, rows in self.rows.items()
        }

    def turn(self, build: Builder, token: Value | None) -> None:
        """Wait for the copies of the next step, if there are any that go on, and for all threads."""
        if token is not None:
            build(nvgpu.DeviceAsyncWait(token, IntegerAttribute(self.count - 2, I32)))
        build(gpu.Barrier())


def apply(matmul: Matmul, name: str) -> None:
    """Give the buffers of A and B their places. Raises `NotApplicable` if others than the steps access them."""
    k, kk, last = (matmul.loop(each, name) for each in ("k", "kk", "last"))
    limits, end = bounds(k), last.next
    assert limits is not None, "check_steps has seen them"
    assert end is not None, "a block ends in a terminator"
    ring = _Ring(matmul, limits[1], _rows(matmul, (k, last), name))
    outside = dict.fromkeys(
        _outermost(each.store, k) for each in _copies(matmul.nest(name)) if each.store.base in ring.rows
    )
    first = [op for op in outside if op is not k]
    for op in list(_barriers(k, last)):
        op.erase()
    for buffer, rows in ring.rows.items():
        type_ = memref_of(buffer)
        buffer.type = structs.replace(type_, shape=(ring.count * rows, shape_of(buffer)[1]))
    m, n, _ = matmul.schedule.fragments
    steps = unrolled(kk, m * n), unrolled(last, m * n)
    token = _copy_first(ring, first)
    _copy_ahead(ring, k, steps, token)
    if token is not None:
        Builder.before_op(end)(nvgpu.DeviceAsyncWait(token))


def _rows(matmul: Matmul, steps: tuple[affine.For, affine.For], name: str) -> dict[Value, int]:
    """Of a tile in each buffer of A and of B. Raises `NotApplicable` where others than the steps access them."""
    k, last = steps
    found: dict[Value, int] = {}
    for op in accesses(matmul.nest(name)):
        if not is_shared(op.memref) or op.memref is matmul.sums:
            continue
        is_first = writes(op) and stands_before(_outermost(op, k), k)
        if not (k.is_ancestor_of(op) or (last.is_ancestor_of(op) and not writes(op)) or is_first):
            places = f"which have their places with buffers={matmul.schedule.buffers}"
            said = f"%{op.memref.name} is accessed beside the steps along k, {places}"
            raise NotApplicable(op, said, 'leave "buffers" out')
        rows, _ = shape_of(op.memref)
        assert rows is not None, "tiles are of known extents"
        found[op.memref] = rows
    return found


def _outermost(op: Access, k: Operation) -> Operation:
    """What stands in the block of another operation."""
    return next((outer for outer in (op, *op.ancestors()) if outer.block is k.block), op)


def _copies(root: Operation) -> list[_Copy]:
    """The rows that threads copy to shared memory below an operation."""
    found: list[_Copy] = []
    for op in root.walk():
        load = stored_by(op).defining_op if isinstance(op, vector.Store) and is_shared(op.base) else None
        if isinstance(op, vector.Store) and isinstance(load, vector.Load):
            found.append(_Copy(load, op))
    return found


def _barriers(k: affine.For, last: affine.For) -> Iterator[gpu.Barrier]:
    """Those in a step, in front of all steps and in front of the last one."""
    assert k.block is not None
    around = (op for op in k.block if op.next in (k, last))
    return (op for op in (*around, *inside(k)) if isinstance(op, gpu.Barrier))


def _copy_first(ring: _Ring, nests: Sequence[Operation]) -> Value | None:
    """Copy the tiles of the first steps, each to its place; gives the token of the last group, if copies go on."""
    build, token = Builder.before_op(nests[0]), None
    for number in range(ring.count - 1):
        start = ring.start(build, Linear(number * ring.step))
        places = {buffer: Linear(number * rows) for buffer, rows in ring.rows.items()}
        copies = [copy for nest in nests for copy in _copies(build(nest.clone()))]
        tokens = [_place(ring, copy, start, places, _behind(copy.store)) for copy in copies]
        if any(tokens):
            token = build(nvgpu.DeviceAsyncCreateGroup([])).asyncToken
    for nest in nests:
        nest.erase()
    return token


def _copy_ahead(
    ring: _Ring, k: affine.For, steps: tuple[Sequence[Slice], Sequence[Slice]], token: Value | None
) -> None:
    """Let steps copy for later ones, and multiply what is in their places; `token` is None if no copy goes on."""
    (slices, final), ahead = steps, ring.matmul.schedule.ahead
    first, end = k.body.entry.first, k.body.entry.last
    assert first is not None
    assert end is not None
    if ahead > len(slices):
        said = f"a step has {len(slices)} slices along k, fewer than ahead={ahead}"
        raise NotApplicable(k, said, f'give "ahead={len(slices)}" at most')
    head, here = Builder.before_op(first), form_of(variable(k))
    early = slices[: len(slices) - ahead]
    turn = Builder.before_op(slices[len(early)].products[0]) if ahead else Builder.before_op(end)
    behind = Builder.before_op(final[0].loads[0])
    last = ring.places(behind, ring.last, "last_place")
    if not ahead:
        ring.turn(head, token)
        ring.turn(behind, token)
    now = ring.places(head, here, "place")
    _copy_beside(ring, k, early, (head, turn))
    if not ahead:
        multiply_ahead(slices, (), (now, None), ahead)
        multiply_ahead(final, (), (last, None), ahead)
        return
    ring.turn(turn, token)
    build = Builder.before_op(k)
    ring.turn(build, token)
    held = read(build, slices[:ahead], dict.fromkeys(ring.rows, Linear()))
    following = ring.places(head, here.plus(Linear(ring.step)), "next_place")
    sums = list(end.operands)
    loop = carrying(k, [*k.inits, *held])
    ring.matmul.mark("k", loop)
    hand_on(loop, [*sums, *multiply_ahead(slices, loop.body.entry.arguments[-len(held) :], (now, following), ahead)])
    multiply_ahead(final, loop.outs[-len(held) :], (last, None), ahead)


def _copy_beside(ring: _Ring, k: affine.For, slices: Sequence[Slice], at: tuple[Builder, Builder]) -> None:
    """Copy for a later step beside the products of some slices, a few at a time; what threads store comes behind."""
    (head, end), copies = at, _copies(k)
    further = form_of(variable(k)).plus(Linear((ring.count - 1) * ring.step))
    start = ring.start(head, further) if ring.count > 2 else further
    places = ring.places(head, further, "free_place")
    products = [op for one in slices for op in one.products]
    groups, tokens, build = -(-len(copies) // _TOGETHER), list[Value](), end
    own = form_of(variable(k)).plus(Linear(ring.step))
    for number, copy in enumerate(copies):
        if copy.goes_on and products:
            build = Builder.before_op(products[number // _TOGETHER * len(products) // groups])
        token = _place(ring, copy, start.plus(own, -1), places, build if copy.goes_on else end)
        tokens += [] if token is None else [token]
    if tokens:
        build(nvgpu.DeviceAsyncCreateGroup(tokens))


def _place(ring: _Ring, copy: _Copy, further: Linear, places: Places, build: Builder) -> Value | None:
    """Copy what lies further along k to a place; gives the token of a copy that goes on."""
    matrix = next(each for each in (ring.matmul.a, ring.matmul.b) if each.memref is copy.load.base)
    source, target = list(map(form_of, copy.load.indices)), list(map(form_of, copy.store.indices))
    along = matrix.letters.index("k")
    source[along], target[0] = source[along].plus(further), target[0].plus(places[copy.store.base])
    if not copy.goes_on:
        early = Builder.before_op(copy.load)
        copy.load.operands = [copy.load.base, *(applied(early, form) for form in source)]
        copy.store.detach()
        build(copy.store).operands = [copy.load.out, copy.store.base, *(applied(build, form) for form in target)]
        return None
    to, from_ = ([applied(build, form) for form in forms] for forms in (target, source))
    length = IntegerAttribute(copy.load.vector.shape[0], INDEX)
    token = build(nvgpu.DeviceAsyncCopy(copy.store.base, to, copy.load.base, from_, [], length)).asyncToken
    copy.store.erase()
    copy.load.erase()
    return token


def _behind(op: Operation) -> Builder:
    assert op.next is not None, "a block ends in a terminator"
    return Builder.before_op(op.next)
