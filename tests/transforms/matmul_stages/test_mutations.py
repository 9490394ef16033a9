"""Mistakes that a stage could make: each one is made on its result, and the check of its property has to name it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import affine, gpu, memref, mma
from tilewright.dialects.mlir.base import memref_of
from tilewright.ir.affine import AffineConstant, AffineConstraint, Dimension, IntegerSet, add
from tilewright.ir.core import Region
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import F16, INDEX
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages import STAGES
from tilewright.transforms.matmul_stages.copies import buffers, copies_in
from tilewright.transforms.matmul_stages.matmul import Broken, NotApplicable
from tilewright.transforms.matmul_stages.nests import applied, bounds, move_access, move_bounds, perfect_nest, variable
from tilewright.transforms.matmul_stages.tiling import reorder
from tilewright.transforms.matmul_stages.visits import known_subscripts, products
from transforms.matmul_stages.mutations import Mutation, barriers, found_broken, without
from transforms.matmul_stages.products import At, Case, behind, computed, outcomes

SMALL = Case(24, 16, 8)
SCALARS = "block=12x8x4 warp=6x4x2 pad=0"
MATRICES = Case(64, 32, 64)
TILES = "block=32x32x32 warp=32x16x16"


def broken(stage: str, mutate: Mutation, said: str, case: Case = SMALL, schedule: str = SCALARS) -> At:
    """A mutation that the check of a stage finds."""
    return found_broken(stage, mutate, said, case, schedule)


def stepping(loop: str, step: int) -> Mutation:
    """A loop counts by another step."""

    def mutate(at: At) -> None:
        at.matmul.loops[loop].attributes["step"] = IntegerAttribute(step, INDEX)

    return mutate


def swapping(first: str, second: str) -> Mutation:
    """Two loops have each other's bounds and steps."""

    def mutate(at: At) -> None:
        one, other = (at.matmul.loops[name].attributes for name in (first, second))
        for key in ("upperBoundMap", "step"):
            one[key], other[key] = other[key], one[key]

    return mutate


def overlap(at: At) -> None:
    """Tiles of warps begin within each other, and end where they should."""
    stepping("ii", 3)(at)
    move_bounds(at.matmul.loops["ii"], Linear(), Linear(7))


@pytest.mark.parametrize(
    ("stage", "mutate", "said"),
    [
        ("tile_block", stepping("i", 10), "visits: i = "),
        ("tile_block", stepping("k", 8), "visits: k = 4 is visited 0 times"),
        ("tile_block", swapping("i", "j"), "visits: "),
        ("tile_block", swapping("ii", "jj"), "visits: "),
        ("tile_warp", stepping("jj", 3), "visits: j = "),
        ("tile_warp", overlap, "visits: i = 3 is visited 2 times, not once"),
        ("tile_warp", stepping("iii", 2), "visits: i = 1 is visited 0 times"),
        ("tile_warp", swapping("ii", "jj"), "visits: "),
        ("tile_warp", swapping("iii", "kkk"), "visits: "),
    ],
)
def test_tiles_that_visit_something_twice_or_never(stage: str, mutate: Mutation, said: str) -> None:
    broken(stage, mutate, said)


def rest_of(at: At) -> list[affine.For]:
    """The nests behind the tiles."""
    outermost = at.matmul.loops["i"]
    assert outermost.block is not None
    return [op for op in outermost.block if isinstance(op, affine.For) and op is not outermost]


def forget_rest(at: At) -> None:
    rest_of(at)[0].erase()


def move_rest(at: At) -> None:
    """The rest along i begins a row early, and ends one early."""
    nest = rest_of(at)[-1]
    limits = bounds(nest)
    assert limits is not None
    move_bounds(nest, *(limit.plus(Linear(-1)) for limit in limits))


def repeat_rest(at: At) -> None:
    nest = rest_of(at)[1]
    assert nest.block is not None
    nest.block.insert(nest.clone(), nest)


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (forget_rest, "remainders: 3441 products are computed, not 3825"),
        (move_rest, "remainders: something is computed in two nests"),
        (repeat_rest, "remainders: something is computed in two nests"),
    ],
)
def test_remainders_that_are_not_the_rest(mutate: Mutation, said: str) -> None:
    broken("tile_block", mutate, said, Case(25, 17, 9))


def shift_factor(at: At) -> None:
    (one,) = products(at.matmul, at.matmul.loops["i"])
    assert isinstance(one.b, affine.Load)
    first, second = known_subscripts(one.b)
    move_access(one.b, [first.plus(Linear(1)), second])


def test_a_factor_of_another_place() -> None:
    broken("tile_warp", shift_factor, "the k of B is not that of what it is combined with")


def copy_late(at: At) -> None:
    """The copy of A behind the computation."""
    step = at.matmul.loops["k"].body.entry
    nest = copies_in(at.unit)[0].nest
    nest.detach()
    step.insert(nest, step.last)


def copy_less(at: At) -> None:
    """One row of a tile is not copied."""
    nest = copies_in(at.unit)[0].nest
    assert isinstance(nest, affine.For)
    less = add(nest.upperBoundMap.results[0], AffineConstant(-1))
    nest.attributes["upperBoundMap"] = structs.replace(nest.upperBoundMap, results=(less,))


def buffer_of_all_blocks(at: At) -> None:
    """A buffer in front of all loops: blocks that run at once would share it."""
    op = buffers(at.matmul)[0]
    outermost = at.matmul.loops["i"]
    for user in op.memref.uses:
        if isinstance(user, memref.Dealloc):
            user.detach()
            assert outermost.block is not None
            outermost.block.insert(user, outermost.next)
            break
    op.detach()
    assert outermost.block is not None
    outermost.block.insert(op, outermost)


def stage_c(at: At) -> None:
    """A copy reads C."""
    copies_in(at.unit)[0].load.set_operand(0, at.matmul.c.memref)


def read_global(at: At) -> None:
    """A factor is read from its matrix, where its tile is."""
    (one,) = products(at.matmul, at.matmul.loops["i"])
    assert isinstance(one.a, affine.Load)
    forms = known_subscripts(one.a)
    tile = [Linear(0, ((variable(at.matmul.loops[letter]), 1),)) for letter in at.matmul.a.letters]
    one.a.set_operand(0, at.matmul.a.memref)
    move_access(one.a, [form.plus(start) for form, start in zip(forms, tile, strict=True)])


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (copy_late, "is read before it is written"),
        (copy_less, "of dimension 0, which is not written"),
        (buffer_of_all_blocks, "does not belong to one block"),
        (stage_c, "is staged in shared memory, which only A and B are"),
        (read_global, "in global memory"),
    ],
)
def test_buffers_that_do_not_hold_what_is_read(mutate: Mutation, said: str) -> None:
    broken("create_shared_buffers", mutate, said)


@pytest.mark.parametrize("mutate", [copy_late, copy_less])
def test_the_interpreter_finds_elements_that_were_not_written(
    mutate: Mutation, rng: np.random.Generator, tmp_path: Path
) -> None:
    arrays = SMALL.arrays(rng)
    at = behind("create_shared_buffers", SMALL, SCALARS)
    mutate(at)
    with pytest.raises(KernelError, match="local memory %b_smem, which nothing has written"):
        computed(at.text, "interpreter", arrays, tmp_path)


def widen(at: At, pad: int) -> None:
    """Rows of all buffers are so many elements longer than the tile's."""
    for op in buffers(at.matmul):
        type_ = memref_of(op.memref)
        assert type_.shape is not None
        rows, columns = type_.shape
        assert columns is not None
        op.memref.type = structs.replace(type_, shape=(rows, columns - at.matmul.schedule.pad + pad))


def test_padding_that_is_not_aligned() -> None:
    behind("pad_shared", MATRICES, f"{TILES} pad=8").check()
    at = behind("pad_shared", MATRICES, f"{TILES} pad=8")
    widen(at, 4)
    changed = structs.replace(at.matmul, schedule=structs.replace(at.matmul.schedule, pad=4))
    with pytest.raises(Broken, match="alignment: rows of"):
        at.stage.check(changed, at.before)
    broken("pad_shared", lambda at: widen(at, 16), "shared buffers: buffers of", MATRICES, TILES)


def test_padding_that_adds_conflicts() -> None:
    at = behind("pad_shared", MATRICES, f"{TILES} pad=8")
    widen(at, 32)
    changed = structs.replace(at.matmul, schedule=structs.replace(at.matmul.schedule, pad=32))
    with pytest.raises(Broken, match="bank conflicts"):
        at.stage.check(changed, at.before)


def test_padding_that_changes_operations() -> None:
    def add_barrier(at: At) -> None:
        Builder.before_op(at.matmul.loops["i"])(gpu.Barrier())

    broken("pad_shared", add_barrier, "operations changed", MATRICES, TILES)


def old_lead(at: At) -> None:
    for op in at.unit.walk():
        if isinstance(op, mma.LoadMatrix) and op.memref is buffers(at.matmul)[0].memref:
            op.attributes["leadDimension"] = IntegerAttribute(32, INDEX)


def narrow_sums(at: At) -> None:
    """C is read as f16."""
    for op in at.unit.walk():
        if isinstance(op, mma.LoadMatrix) and op.matrix.role == "COp":
            op.out.type = structs.replace(op.matrix, element=F16)


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (old_lead, "lead dimension: "),
        (stepping("kkk", 8), "fragment shape: %kkk counts by 8, matrices by 16"),
        (narrow_sums, "fragment types: the matrix is a "),
        (stepping("kk", 32), "visits: k = 16 is visited 0 times"),
    ],
)
def test_matrices_of_another_kind(mutate: Mutation, said: str) -> None:
    broken("wmma_generate", mutate, said, MATRICES, TILES)


def slant(at: At, along: str) -> None:
    """Let C be read in another row than it is written to, by a loop's variable: sums of other steps."""
    load = next(op for op in at.unit.walk() if isinstance(op, mma.LoadMatrix) and op.matrix.role == "COp")
    moved = known_subscripts(load)[0].plus(Linear(0, ((variable(at.matmul.loops[along]), 1),)))
    load.set_operand(1, applied(Builder.before_op(load), moved))


@pytest.mark.parametrize(
    ("stage", "previous", "along", "said"),
    [
        ("permute_outer", "wmma_generate", "k", "in the order ii, jj, k, kk %C would be accessed before"),
        ("permute_inner", "permute_outer", "kkk", "in the order kkk, iii, jjj %C would be accessed before"),
    ],
)
def test_orders_of_loops_that_a_dependence_forbids(stage: str, previous: str, along: str, said: str) -> None:
    case, schedule = Case(256, 64, 128), "block=128x64x64 warp=64x32x32"
    behind(stage, case, schedule).check()
    at = behind(previous, case, schedule)
    slant(at, along)
    following = next(one for one in STAGES if one.name == stage)
    with pytest.raises(NotApplicable) as error:
        following.apply(at.matmul)
    assert said in str(error.value)


def keep_in_place(at: At) -> None:
    """The loops of the last stage stand in the order before it."""
    reorder(perfect_nest(at.matmul.loops["kkk"]), (1, 2, 0))


def test_loops_in_the_order_before() -> None:
    broken("permute_inner", keep_in_place, "the loop over %kkk does not stand in that over %kk", MATRICES, TILES)


def forget_product(at: At) -> None:
    """One product of a step is computed, and stored where the next one is."""
    stores = [op for op in at.unit.walk() if isinstance(op, mma.StoreMatrix)]
    stores[0].erase()


def repeat_product(at: At) -> None:
    """The last step along kkk is that before it."""
    loads = [op for op in at.unit.walk() if isinstance(op, mma.LoadMatrix) and op.matrix.role != "COp"]
    half = len(loads) // 2
    for first, second in zip(loads[:half], loads[half:], strict=True):
        second.operands = first.operands


@pytest.mark.parametrize(
    ("mutate", "said"),
    [(forget_product, "a product is not stored to C"), (repeat_product, "8 products at 4 places are no grid")],
)
def test_unrolled_steps_that_miss_something(mutate: Mutation, said: str) -> None:
    broken("unroll_inner", mutate, said, MATRICES, "block=32x32x32 warp=32x32x32")


def read_in_step(at: At) -> None:
    """A sum is read in the loop over k, which others have stored to by then."""
    load = next(op for op in at.unit.walk() if isinstance(op, mma.LoadMatrix) and op.matrix.role == "COp")
    copy = load.clone()
    block = at.matmul.loops["k"].body.entry
    block.insert(copy, block.first)


def swap_sums(at: At) -> None:
    """Two sums are handed on in each other's place."""
    end = at.matmul.loops["k"].body.entry.last
    assert end is not None
    first, second, *rest = end.operands
    end.operands = [second, first, *rest]


def drop_sum(at: At) -> None:
    """A loop hands on what it began with in place of a sum."""
    loop = at.matmul.loops["kk"]
    end = loop.body.entry.last
    assert end is not None
    end.set_operand(0, loop.body.entry.arguments[1])


def drop_carried(at: At) -> None:
    """A loop carries one value less."""
    loop = at.matmul.loops["kk"]
    last = loop.outs[-1]
    last.replace_all_uses_with(loop.inits[-1])
    end, argument = loop.body.entry.last, loop.body.entry.arguments[-1]
    assert end is not None
    argument.replace_all_uses_with(loop.inits[-1])
    end.operands = end.operands[:-1]
    loop.body.entry.erase_argument(argument.index)
    loop.results.pop()
    loop.operands = loop.operands[:-1]
    loop.attributes["operand_segments"] = (0, 0, len(loop.operands))


def read_twice(at: At) -> None:
    """A matrix of A is read once more."""
    load = next(op for op in at.unit.walk() if isinstance(op, mma.LoadMatrix) and op.matrix.role == "AOp")
    assert load.block is not None
    load.block.insert(load.clone(), load)


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (read_in_step, "C in registers: "),
        (swap_sums, "carried sums: result 0 is not the sum that it carries"),
        (drop_sum, "a product is not stored to C"),
        (drop_carried, "carried count: %kk carries 3 sums, not 2 * 2"),
        (read_twice, "fragment loads: 9 reads of matrices in a step, not (2 + 2) * 2"),
    ],
)
def test_sums_that_do_not_stay_in_registers(mutate: Mutation, said: str) -> None:
    broken("cse_hoist_c", mutate, said, MATRICES, "block=32x32x32 warp=32x32x32")


def test_c_is_not_hoisted_past_a_loop_that_writes_it() -> None:
    at = behind("unroll_inner", MATRICES, TILES)
    step = at.matmul.loops["k"].body.entry
    store = next(op for op in at.unit.walk() if isinstance(op, mma.StoreMatrix))
    load = next(op for op in at.unit.walk() if isinstance(op, mma.LoadMatrix) and op.matrix.role == "COp")
    read = load.clone()
    step.insert(read, step.last)
    step.insert(mma.STOCK.store(read.results[0], store.dstMemref, store.indices, store.leadDimension), step.last)
    following = next(one for one in STAGES if one.name == "cse_hoist_c")
    with pytest.raises(NotApplicable, match="accessed beside the products"):
        following.apply(at.matmul)


def commit_early(at: At) -> None:
    """The next tile of A is stored where the products still read this one."""
    loops = at.matmul.loops
    commit = copies_in(loops["k"])[0].nest
    commit.detach()
    loops["k"].body.entry.insert(commit, loops["kk"])


def ending(steps: int) -> Mutation:
    """The loop over k has more or fewer trips."""

    def mutate(at: At) -> None:
        size = at.matmul.block["k"]
        end = Linear(at.matmul.extents["k"] + (steps - 1) * size)
        move_bounds(at.matmul.loops["k"], Linear(), end)

    return mutate


def fetch_same(at: At) -> None:
    """The tiles of this step are fetched once more."""
    k, size = at.matmul.loops["k"], at.matmul.block["k"]
    for loop in at.unit.walk():
        found = bounds(loop) if isinstance(loop, affine.For) and loop is not k and k.is_ancestor_of(loop) else None
        if isinstance(loop, affine.For) and found is not None and variable(k) in found[0].values:
            move_bounds(loop, found[0].plus(Linear(-size)), found[1].plus(Linear(-size)))
            for op in loop.walk():
                if isinstance(op, affine.Store):
                    forms = [f.plus(Linear(size)) if variable(k) in f.values else f for f in known_subscripts(op)]
                    move_access(op, forms)


def no_first_copy(at: At) -> None:
    """Nothing is copied in front of the loop."""
    copies_in(at.unit)[0].nest.erase()


PIPELINED = Case(32, 32, 96)
"""Of three steps along k."""


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (commit_early, "pipeline: %b_smem is written before the step has read it"),
        (ending(1), "pipeline: %k does not count from 0 to 64 by 32"),
        (ending(-1), "pipeline: %k does not count from 0 to 64 by 32"),
        (fetch_same, "_smem is not that of the step that reads it"),
        (no_first_copy, "_smem is not filled once in front of the loop and once in each step"),
    ],
)
def test_pipelines_that_compute_something_else(
    mutate: Mutation, said: str, rng: np.random.Generator, tmp_path: Path
) -> None:
    at = broken("shift_peel_k", mutate, said, PIPELINED, TILES)
    arrays = PIPELINED.arrays(rng)
    try:
        found = computed(at.text, "interpreter", arrays, tmp_path)
    except KernelError:
        return
    assert not np.array_equal(found, PIPELINED.expected(*arrays))


def branch_around(at: At) -> None:
    """Only some warps reach a barrier."""
    barrier = barriers(at)[2]
    body, block = new_region()
    orelse = Region()
    condition = IntegerSet(1, 0, (AffineConstraint(Dimension(0), is_equality=True),))
    around = affine.If([variable(at.matmul.loops["ii"])], condition, body, orelse, result_types=[])
    assert barrier.block is not None
    barrier.block.insert(around, barrier)
    barrier.detach()
    block.append(barrier)
    block.append(affine.Yield([]))


def barrier_in_copy(at: At) -> None:
    """A barrier in a loop whose iterations are distributed over the threads."""
    barrier = barriers(at)[2]
    barrier.detach()
    body = copies_in(at.unit)[0].nest.body.entry
    body.insert(barrier, body.first)


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (without(1), "_smem may be read before others have written it"),
        (without(2), "races: %b_smem may be written before others have read it"),
        (without(3), "_smem may be read before others have written it"),
        (branch_around, "uniformity: a barrier in affine.if is not reached by all threads"),
        (barrier_in_copy, "uniformity: a barrier in %copy_k's loop is not reached by all threads"),
    ],
)
def test_barriers_that_are_missing_or_not_reached(mutate: Mutation, said: str) -> None:
    broken("insert_barriers", mutate, said, PIPELINED, TILES)


def test_the_barrier_in_front_of_the_loop_coincides_with_the_first_at_its_head() -> None:
    at = behind("insert_barriers", PIPELINED, TILES)
    assert len(barriers(at)) == 4
    without(0)(at)
    at.check()
    found = outcomes(PIPELINED.text, TILES)
    said = next(one.changed for one in found if one.name == "insert_barriers")
    assert said.endswith("; the one in front of the loop over k would not be missed")


def test_a_single_step_needs_one_barrier() -> None:
    at = behind("insert_barriers", Case(32, 32, 32), TILES)
    at.check()
    barriers(at)[-1].erase()
    at.check()
    barriers(at)[0].erase()
    with pytest.raises(Broken, match="races: "):
        at.check()
