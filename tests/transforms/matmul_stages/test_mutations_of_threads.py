"""Mistakes that the stages from vectors to threads could make, each found by the check of its property."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from msgspec import structs

from tilewright.diagnostics import Report
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import memref as shared
from tilewright.dialects import team, tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import affine, arith, gpu, memref, scf, vector
from tilewright.dialects.mlir.base import memref_of
from tilewright.interpreter.program import interpreted_module
from tilewright.ir.affine import (
    AffineConstant,
    AffineExpression,
    AffineMap,
    AffineOperator,
    Dimension,
    divide,
    multiply,
)
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.dense import dense_of_numbers
from tilewright.ir.mlir.types import TensorType
from tilewright.ir.types import F16, I32, I64, INDEX, AddressSpace, MemrefType
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages import STAGES
from tilewright.transforms.matmul_stages.copies import copies_in
from tilewright.transforms.matmul_stages.matmul import NotApplicable
from tilewright.transforms.matmul_stages.nests import applied, inside, move_bounds, variable
from tilewright.transforms.matmul_stages.visits import known_subscripts
from transforms.matmul_stages.mutations import Mutation, barriers, found_broken, without
from transforms.matmul_stages.products import At, Case, behind

CASE = Case(64, 32, 96)
TILES = "block=32x32x32 warp=16x16x16"
REST = Case(71, 45, 99)
ROWS_OF_ONE = f"{TILES} vector=1"


def broken(stage: str, mutate: Mutation, said: str, case: Case = CASE, schedule: str = TILES) -> At:
    """A mutation that the check of a stage finds."""
    return found_broken(stage, mutate, said, case, schedule)


def loads(root: Operation) -> list[vector.Load]:
    """Reads of rows of elements, in the order of the text."""
    return [op for op in root.walk() if isinstance(op, vector.Load)]


def stores(root: Operation) -> list[vector.Store]:
    """Writes of rows of elements."""
    return [op for op in root.walk() if isinstance(op, vector.Store)]


def move(load: vector.Load, dimension: int, by: Linear) -> None:
    """Let a read begin elsewhere."""
    form = known_subscripts(load)[dimension]
    load.set_operand(1 + dimension, applied(Builder.before_op(load), form.plus(by)))


def base_of_four(at: At) -> None:
    """Rows of A are read 4 elements further on."""
    move(loads(at.unit)[1], 1, Linear(4))


def narrow_pad(at: At) -> None:
    """Rows of the buffers are 4 elements longer than the tile's."""
    for copy in copies_in(at.matmul.function):
        type_ = memref_of(copy.buffer)
        assert type_.shape is not None
        copy.buffer.type = structs.replace(type_, shape=(type_.shape[0], 36))


def every_second(at: At) -> None:
    """A copy leaves out every second row of elements."""
    inner = [op for op in copies_in(at.unit)[0].nest.walk() if isinstance(op, affine.For)][-1]
    inner.attributes["step"] = IntegerAttribute(16, INDEX)


def one_row_less(at: At) -> None:
    """A copy ends a row too early."""
    nest = copies_in(at.unit)[0].nest
    assert isinstance(nest, affine.For)
    move_bounds(nest, Linear(), Linear(31))


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (base_of_four, "alignment: %"),
        (narrow_pad, "alignment: rows of %b_smem are 36 elements of 2 bytes and begin at no multiples of 16"),
        (every_second, "it is not known which elements of the buffer are written"),
        (one_row_less, "not all of the tile in %b_smem is copied"),
    ],
)
def test_rows_of_elements(mutate: Mutation, said: str) -> None:
    broken("vectorise_copies", mutate, said)


def k_parallel(at: At) -> None:
    """Steps along k run at once, each with the sums from the beginning."""
    k = at.matmul.loops["k"]
    for before, after in zip(k.outs, k.inits, strict=True):
        before.replace_all_uses_with(after)
    for argument, value in zip(k.body.entry.arguments[1:], k.inits, strict=True):
        argument.replace_all_uses_with(value)
    body, block = new_region([INDEX])
    ones = dense_of_numbers(TensorType((1,), I32), I32, (1,), [1])
    steps = (IntegerAttribute(k.stride, I64),)
    parallel = affine.Parallel([], (), k.lowerBoundMap, ones, k.upperBoundMap, ones, steps, body, result_types=[])
    block.arguments[0].name = "k"
    Builder.before_op(k)(parallel)
    variable(k).replace_all_uses_with(block.arguments[0])
    for op in list(inside(k)):
        op.detach()
        block.append(op)
    block.append(affine.Yield([]))
    k.erase()


def copy_for_warp(at: At) -> None:
    """Each warp fills the buffer with other rows of B."""
    move(loads(at.unit)[0], 0, Linear(0, ((at.matmul.made.variables["ii"], 1),)))


def close_blocks(at: At) -> None:
    """Blocks begin 16 rows apart, within each other's tiles."""
    op = at.matmul.axis("i", "test").op
    steps = op.attributes["steps"]
    assert isinstance(steps, tuple)
    op.attributes["steps"] = (IntegerAttribute(16, I64), *steps[1:])


def _map(number: int) -> AffineMap:
    return AffineMap(0, 0, (AffineConstant(number),))


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (k_parallel, "dependences: iterations over %k depend on each other by %a_smem"),
        (copy_for_warp, "dependences: warps do not fill %b_smem with the same"),
        (close_blocks, "dependences: iterations over %i depend on each other by %C"),
    ],
)
def test_loops_that_are_not_parallel(mutate: Mutation, said: str) -> None:
    broken("parallelise", mutate, said)


def launch_of(at: At) -> gpu.Launch:
    return next(op for op in at.unit.walk() if isinstance(op, gpu.Launch))


def made_by(at: At, name: str) -> affine.Apply:
    """The first computation of an index of this name."""
    return next(op for op in launch_of(at).walk() if isinstance(op, affine.Apply) and op.out.name == name)


def computed_as(name: str, change: Callable[[affine.Apply], AffineExpression]) -> Mutation:
    """An index is computed by another map."""

    def mutate(at: At) -> None:
        op = made_by(at, name)
        op.attributes["map"] = AffineMap(op.map.dimensions, 0, (change(op),))

    return mutate


def by_columns(at: At) -> None:
    """Consecutive threads copy consecutive rows of the tile in place of what follows in a row."""
    row, column = made_by(at, "row"), made_by(at, "column")
    thread = Dimension(0)
    row.attributes["map"] = AffineMap(2, 0, (divide(AffineOperator.MOD, thread, AffineConstant(32)),))
    times = multiply(divide(AffineOperator.FLOORDIV, thread, AffineConstant(32)), AffineConstant(8))
    column.attributes["map"] = AffineMap(2, 0, (times,))


def another_grid(at: At) -> None:
    launch = launch_of(at)
    x, y = launch.gridSizeX, launch.gridSizeY
    launch.set_operand(0, y)
    launch.set_operand(1, x)


def fewer_threads(at: At) -> None:
    launch = launch_of(at)
    launch.set_operand(
        3, Builder.before_op(launch)(arith.Constant(IntegerAttribute(96, INDEX), result_types=[INDEX])).out
    )


def step_behind(at: At) -> None:
    """A thread fetches from the step that is being computed."""
    move(loads(at.matmul.loops["k"])[0], 0, Linear(-32))


def own_memory_elsewhere(at: At) -> None:
    """What a thread stores is not what it has fetched: it reads memory of its own at another place."""
    move(loads(at.matmul.loops["k"])[-1], 0, Linear(1))


def fewer_trips(at: At) -> None:
    """Threads do not copy the last rows of elements."""
    loop = next(op for op in launch_of(at).body.entry if isinstance(op, affine.For))
    move_bounds(loop, Linear(), Linear(0))


def lanes_only(at: At) -> None:
    """Only some threads reach a barrier."""
    barrier, thread = barriers(at)[2], launch_of(at).ids(1)[0]
    build = Builder.before_op(barrier)
    some = build(arith.Constant(IntegerAttribute(16, INDEX), result_types=[INDEX])).out
    condition = build(arith.CmpI(thread, some, IntegerAttribute(2, I64))).out
    body, block = new_region()
    build(scf.If(condition, body, Region(), result_types=[]))
    barrier.detach()
    block.append(barrier)
    block.append(scf.Yield([]))


def half_warps(op: affine.Apply) -> AffineExpression:
    return multiply(divide(AffineOperator.FLOORDIV, Dimension(0), AffineConstant(16)), AffineConstant(16))


def same_rows(op: affine.Apply) -> AffineExpression:
    return multiply(op.map.results[0], AffineConstant(0))


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (by_columns, "coalescing: a warp touches "),
        (another_grid, "the launch is not of 1 x 2 blocks of 128 threads"),
        (fewer_threads, "the launch is not of 1 x 2 blocks of 128 threads"),
        (step_behind, "copies by threads: "),
        (own_memory_elsewhere, "is read at another place than it was written"),
        (fewer_trips, "rows of elements of %B are copied"),
        (computed_as("ii", half_warps), "warps: the threads of warp 0 have 2 tiles"),
        (computed_as("ii", same_rows), "warps: the tiles of warps are not those of the block"),
        (computed_as("row", same_rows), "copied twice"),
        (computed_as("i", same_rows), "the tile in %a_smem is not that of the step that reads it"),
        (without(1), "_smem may be read before others have written it"),
        (without(2), "races: %b_smem may be written before others have read it"),
        (without(3), "_smem may be read before others have written it"),
        (lanes_only, "uniformity: a barrier in scf.if is not reached by all threads"),
    ],
)
def test_threads_that_do_something_else(mutate: Mutation, said: str) -> None:
    broken("map_to_gpu", mutate, said)


def rest(at: At, number: int) -> scf.For:
    return [op for op in launch_of(at).body.entry if isinstance(op, scf.For)][number]


def forget_rest(at: At) -> None:
    rest(at, 1).erase()


def begin_together(at: At) -> None:
    """All blocks deal with the same elements."""
    rest(at, 2).set_operand(0, launch_of(at).ids(1)[0])


def count_less(at: At) -> None:
    loop = rest(at, 1)
    loop.set_operand(1, Builder.before_op(loop)(arith.Constant(IntegerAttribute(800, INDEX), result_types=[INDEX])).out)


def sum_less(at: At) -> None:
    (loop,) = [op for op in rest(at, 0).walk() if isinstance(op, affine.For)]
    move_bounds(loop, Linear(96), Linear(98))


def exchange_row(at: At) -> None:
    """The element's row is its number in the row."""
    row, column = (next(op for op in rest(at, 0).walk() if op.results and op.result.name == name) for name in "xy")
    row.attributes["map"], column.attributes["map"] = column.attributes["map"], row.attributes["map"]


def read_other(at: At) -> None:
    (load,) = [op for op in rest(at, 0).walk() if isinstance(op, memref.Load)][:1]
    load.set_operand(0, at.matmul.b.memref)


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (forget_rest, "remainders: 2 parts beside the tiles are dealt to threads, of 3"),
        (begin_together, "remainders: threads do not deal "),
        (count_less, "remainders: threads do not deal "),
        (sum_less, "remainders: a thread sums other products than those from 96 to 99"),
        (exchange_row, "remainders: %A is not accessed where the thread's element is"),
        (read_other, "remainders: %B is not accessed where the thread's element is"),
        (without(4), "races: %C may be read before others have written it"),
    ],
)
def test_rests_that_are_not_dealt(mutate: Mutation, said: str) -> None:
    broken("map_to_gpu", mutate, said, REST, ROWS_OF_ONE)


def store_first(at: At) -> None:
    """What was fetched is stored in front of the products."""
    k, kk = at.matmul.loops["k"], at.matmul.loops["kk"]
    store = stores(k)[0]
    store.detach()
    k.body.entry.insert(store, kk)


def load_last(at: At) -> None:
    k = at.matmul.loops["k"]
    load = loads(k)[-1]
    behind_products = at.matmul.loops["kk"].next
    assert behind_products is not None
    load.detach()
    k.body.entry.insert(load, behind_products)


def drop_store(at: At) -> None:
    stores(at.matmul.loops["k"])[0].erase()


def load_twice(at: At) -> None:
    load = loads(at.matmul.loops["k"])[0]
    Builder.before_op(load)(load.clone())


def store_other(at: At) -> None:
    """What was fetched of A is stored where B belongs."""
    k = at.matmul.loops["k"]
    stores(k)[0].set_operand(0, loads(k)[-1].out)


def last_twice(at: At) -> None:
    """The loop computes the last step too."""
    move_bounds(at.matmul.loops["k"], Linear(), Linear(96))


def own_memory(at: At) -> None:
    first = launch_of(at).body.entry.first
    assert first is not None
    type_ = structs.replace(memref_of(launch_of(at).shared[0]), space=IntegerAttribute(5, I64))
    Builder.before_op(first)(memref.Alloca([], [], result_types=[type_]))


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (store_first, "latency hiding: %b_smem is written before the step has read it"),
        (load_last, "latency hiding: a tile is fetched behind the products that should hide it"),
        (drop_store, "rows of elements of %B are copied"),
        (load_twice, "loads a thread: "),
        (store_other, "is not filled from one matrix"),
        (last_twice, "pipeline: %k does not count from 0 to 64 by 32"),
        (own_memory, "latency hiding: %None is not in registers"),
        (without(1), "a step does not begin with a barrier"),
        (without(2), "have another one behind the products"),
        (without(3), "_smem may be read before others have written it"),
    ],
)
def test_steps_that_do_not_hide_the_next(mutate: Mutation, said: str) -> None:
    broken("complete_latency_hiding", mutate, said)


def kernel_ops(at: At, kind: type[Operation]) -> list[Operation]:
    module = at.matmul.made.module
    assert module is not None
    return [op for op in module.walk() if isinstance(op, kind)]


def leave_gpu(at: At) -> None:
    (first, *_) = kernel_ops(at, team.Spmd)
    Builder.before_op(first)(gpu.Barrier())


def leave_affine(at: At) -> None:
    (first, *_) = kernel_ops(at, team.Spmd)
    Builder.before_op(first)(affine.Apply([], _map(0)))


def much_memory(at: At) -> None:
    (first, *_) = kernel_ops(at, shared.Alloca)
    type_ = MemrefType(F16, (128, 192), (1, 128), AddressSpace.LOCAL)
    Builder.before_op(first)(shared.Alloca(result_types=[type_]))


def drop_barrier(at: At) -> None:
    kernel_ops(at, team.Barrier)[0].erase()


def other_team(at: At) -> None:
    module = at.matmul.made.module
    assert module is not None
    module.kernels[0].work_group_size = (64, 2)


def forget_alignment(at: At) -> None:
    module = at.matmul.made.module
    assert module is not None
    del module.kernels[0].parameter_attributes[1]["alignment"]


def drop_product(at: At) -> None:
    product = kernel_ops(at, tile.Mma)[0]
    assert isinstance(product, tile.Mma)
    product.out.replace_all_uses_with(product.acc)
    product.erase()


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (leave_gpu, "legality: gpu.barrier is left"),
        (leave_affine, "legality: affine.apply is left"),
        (much_memory, "bytes of shared memory, where blocks have 49152"),
        (drop_barrier, "barriers: 3 barriers, not 4"),
        (other_team, "a work-group is (64, 2), not 128 threads in warps of 32"),
        (forget_alignment, "alignment: %B is not known to begin at a multiple of 16 bytes"),
        (drop_product, "number of products: 1 products of tiles, not 2 * 1 * 1 * 1"),
    ],
)
def test_kernels_that_are_not_legal(mutate: Mutation, said: str) -> None:
    broken("outline_and_lower", mutate, said)


def found_by_race_detector(at: At, rng: np.random.Generator, case: Case) -> bool:
    """Whether the interpreter's race detector refuses the kernel."""
    module = at.matmul.made.module
    assert module is not None
    arrays = case.arrays(rng)
    program = interpreted_module(module, "", True, Report())
    try:
        program.f[1, 2](*arrays)
    except KernelError:
        return True
    return False


@pytest.mark.parametrize("number", range(5))
def test_the_race_detector_misses_each_barrier_but_the_first(number: int, rng: np.random.Generator) -> None:
    """The first coincides with the second in the first step; the fifth is in front of what is dealt to threads."""
    at = behind("outline_and_lower", REST, ROWS_OF_ONE)
    at.check()
    kernel_ops(at, team.Barrier)[number].erase()
    assert found_by_race_detector(at, rng, REST) is (number > 0)


def test_the_race_detector_finds_nothing_else(rng: np.random.Generator) -> None:
    assert not found_by_race_detector(behind("outline_and_lower", REST, ROWS_OF_ONE), rng, REST)


def test_a_store_beside_the_launch_is_not_outlined() -> None:
    at = behind("complete_latency_hiding", CASE, TILES)
    launch = launch_of(at)
    element = Builder.before_op(launch)(arith.Constant(IntegerAttribute(0, INDEX), result_types=[INDEX])).out
    index: list[Value] = [element, element]
    Builder.before_op(launch)(memref.Load(at.matmul.c.memref, index))
    following = next(one for one in STAGES if one.name == "outline_and_lower")
    with pytest.raises(NotApplicable, match=r"memref.load stands beside the launch in @f") as error:
        following.apply(at.matmul)
    assert "function of its own" in error.value.hint
