"""Mistakes with what is around a product, each of which the check of a stage has to name."""

from __future__ import annotations

import pytest

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, arith, gpu, memref, mma, scf
from tilewright.dialects.mlir.base import integers_of
from tilewright.ir.affine import AffineConstant, AffineMap, AffineOperator, Dimension, divide
from tilewright.ir.core import Operation
from tilewright.ir.mlir.attributes import DenseArray, IntegerAttribute
from tilewright.ir.types import I64, INDEX
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.nests import bounds, move_access, move_bounds
from transforms.matmul_stages.mutations import Mutation, barriers, found_broken
from transforms.matmul_stages.products import At
from transforms.matmul_stages.surrounded import Surrounded

WHOLE = Surrounded(17, 18, 33, batch=(3,), alpha="alpha", front=("beta",), behind=("bias", "narrow"))
TILES = "block=16x16x16 warp=16x16x16 vector=1"


def broken(stage: str, mutate: Mutation, said: str, case: Surrounded = WHOLE) -> None:
    """A mutation that the check of a stage finds."""
    found_broken(stage, mutate, said, case, TILES)


def nest(at: At, number: int) -> affine.For:
    """A nest over the elements of C: that in front, then those behind."""
    found = [*at.matmul.made.before, *at.matmul.made.behind][number]
    assert isinstance(found, affine.For)
    return found


def within(root: Operation, cls: type[Operation], number: int = 0) -> Operation:
    """An operation of a kind below another one."""
    return [op for op in root.walk() if isinstance(op, cls)][number]


def forget(at: At) -> None:
    """The bias is never added."""
    nest(at, 1).erase()


def late(at: At) -> None:
    """C is scaled behind the product instead of in front."""
    front = nest(at, 0)
    block = front.block
    front.detach()
    assert block is not None
    block.insert(front, block.last)


def early(at: At) -> None:
    """The bias is added in front."""
    behind = nest(at, 1)
    block = behind.block
    behind.detach()
    assert block is not None
    block.insert(behind, nest(at, 0))


def less(at: At) -> None:
    """The last row of C is not scaled."""
    front = nest(at, 0)
    limits = bounds(front)
    assert limits is not None
    move_bounds(front, limits[0], limits[1].plus(Linear(-1)))


def other_element(at: At) -> None:
    """The bias of the row's number instead of the column's."""
    load = next(op for op in nest(at, 1).walk() if isinstance(op, affine.Load) and op.memref.name == "bias")
    loops = [op for op in nest(at, 1).walk() if isinstance(op, affine.For)]
    move_access(load, [Linear(0, ((loops[0].body.entry.arguments[0], 1),))])


def other_arithmetic(at: At) -> None:
    """The bias is subtracted."""
    add = within(nest(at, 1), arith.AddF)
    difference = Builder.before_op(add)(arith.SubF(add.operands[0], add.operands[1])).out
    add.results[0].replace_all_uses_with(difference)
    add.erase()


def exchanged_operands(at: At) -> None:
    """C is stored as it was."""
    store = within(nest(at, 1), affine.Store)
    store.set_operand(0, within(nest(at, 1), affine.Load).results[0])


@pytest.mark.parametrize("stage", ["start", "tile_warp", "insert_barriers"])
@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (forget, "nothing"),
        (late, "elements of C: what is done with elements of C is done in another order"),
        (early, "elements of C: what is done with elements of C is done in another order"),
        (less, "elements of C: a nest is not over the 17 x 18 elements of C"),
        (other_element, "elements of C: what is done with an element of C is not what it was"),
        (other_arithmetic, "elements of C: what is done with an element of C is not what it was"),
        (exchanged_operands, "elements of C: what is done with an element of C is not what it was"),
    ],
)
def test_elements_of_c_in_loops(stage: str, mutate: Mutation, said: str) -> None:
    if mutate is forget:
        mutate, said = _forgotten, "elements of C: 1 nests over the elements of C, not 2"
    broken(stage, mutate, said)


def _forgotten(at: At) -> None:
    forget(at)
    at.matmul.made.behind = at.matmul.made.behind[1:]


# The batch


def fewer(at: At) -> None:
    """The last entry is not computed."""
    loop = at.matmul.loops["b"]
    move_bounds(loop, Linear(), Linear(2))


def slices(at: At) -> list[memref.Subview]:
    """Those of A, B and C."""
    return [op for op in at.unit.walk() if isinstance(op, memref.Subview)]


def first_entry(at: At) -> None:
    """All products read the first entry of B."""
    op = slices(at)[1]
    op.attributes["static_offsets"] = DenseArray(I64, (0, *integers_of(op.static_offsets)[1:]))
    op.attributes["operand_segments"] = (1, 0, 0, 0)
    op.operands = [op.source]


def shifted_slice(at: At) -> None:
    """The slice of A begins a row late."""
    op = slices(at)[0]
    op.attributes["static_offsets"] = DenseArray(I64, (integers_of(op.static_offsets)[0], 1, 0))


@pytest.mark.parametrize("stage", ["start", "create_shared_buffers"])
@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (fewer, "batch: %b does not count the 3 entries"),
        (first_entry, "batch: %B_slice is not the slice of the entry that is computed"),
        (shifted_slice, "batch: %A_slice is not the slice of the entry that is computed"),
    ],
)
def test_entries_of_a_batch(stage: str, mutate: Mutation, said: str) -> None:
    broken(stage, mutate, said)


def launch(at: At) -> gpu.Launch:
    """The launch."""
    return next(op for op in at.unit.walk() if isinstance(op, gpu.Launch))


def fewer_blocks(at: At) -> None:
    """The grid is one block deep."""
    op = launch(at)
    op.set_operand(2, op.gridSizeX)


def same_entry(at: At) -> None:
    """Each block works on the entry of its column."""
    op = launch(at)
    variable = at.matmul.made.variables["b"].defining_op
    assert isinstance(variable, affine.Apply)
    variable.set_operand(0, op.ids(0)[0])


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (fewer_blocks, "map_to_gpu: the launch is not of 1 x 1 blocks"),
        (same_entry, "visits: each iteration over %bz computes the same once more"),
    ],
)
def test_entries_of_a_launch(mutate: Mutation, said: str) -> None:
    broken("map_to_gpu", mutate, said)


# Scaled products


def unscaled(at: At) -> None:
    """A product is added as it is."""
    store = next(op for op in at.unit.walk() if isinstance(op, affine.Store) and op.memref is at.matmul.c.memref)
    scaling = next(op for op in at.unit.walk() if isinstance(op, arith.MulF) and at.matmul.alpha in op.operands)
    assert store is not None
    scaling.out.replace_all_uses_with(scaling.lhs)
    scaling.erase()


def scaled_otherwise(at: At) -> None:
    """Products are scaled by beta."""
    beta = at.matmul.function.body.entry.arguments[-1]
    for op in at.matmul.loops["k"].walk():
        for number, value in enumerate(op.operands):
            if value is at.matmul.alpha:
                op.set_operand(number, beta)


def fragments_scaled_otherwise(at: At) -> None:
    """Matrices are scaled by beta."""
    for op in at.unit.walk():
        if isinstance(op, mma.ConstantMatrix) and op.value is at.matmul.alpha:
            op.set_operand(0, at.matmul.function.body.entry.arguments[-1])


def c_scaled(at: At) -> None:
    """The sum that is scaled begins with C, which so is scaled and added once more."""
    op = next(op for op in at.unit.walk() if isinstance(op, mma.StoreMatrix))
    load = next(x for x in at.unit.walk() if isinstance(x, mma.LoadMatrix) and x.matrix.role == "COp")
    k = at.matmul.loops["k"]
    load.detach()
    assert k.block is not None
    k.block.insert(load, k)
    for value in load.indices:
        home = value.defining_op
        if home is not None:
            home.detach()
            k.block.insert(home, load)
    k.set_operand(len(k.operands) - 1, load.out)
    assert op.memref is at.matmul.c.memref


@pytest.mark.parametrize(
    ("stage", "mutate", "said"),
    [
        ("start", unscaled, "perfect nest: the body is"),
        ("tile_warp", unscaled, "scale: products are not multiplied by what they are scaled by"),
        ("tile_block", scaled_otherwise, "scale: products are not multiplied by what they are scaled by"),
        ("wmma_generate", fragments_scaled_otherwise, "scale: products are not multiplied"),
        ("cse_hoist_c", fragments_scaled_otherwise, "scale: products are not multiplied"),
        ("cse_hoist_c", c_scaled, "scale: what is scaled is not summed from zero"),
        ("complete_latency_hiding", fragments_scaled_otherwise, "scale: products are not multiplied"),
    ],
)
def test_products_that_are_not_scaled_right(stage: str, mutate: Mutation, said: str) -> None:
    broken(stage, mutate, said)


# Elements dealt to threads


def dealt(at: At, number: int) -> scf.For:
    """A loop of threads over elements of C."""
    return at.matmul.made.rest[number]


def forget_front(at: At) -> None:
    dealt(at, 0).erase()


def front_behind(at: At) -> None:
    """C is scaled behind the products."""
    loop, other = dealt(at, 0), dealt(at, 1)
    loop.detach()
    assert other.block is not None
    other.block.insert(loop, other)


def no_barrier_in_front(at: At) -> None:
    barriers(at)[0].erase()


def no_barrier_behind(at: At) -> None:
    barriers(at)[-1].erase()


def element_otherwise(at: At) -> None:
    """Threads add the bias of the row."""
    op = next(op for op in dealt(at, -1).walk() if isinstance(op, memref.Load) and op.memref.name == "bias")
    op.set_operand(1, next(x for x in dealt(at, -1).walk() if isinstance(x, memref.Load)).operands[1])


def sum_forgotten(at: At) -> None:
    """Threads do not multiply what is no whole tile."""
    within(dealt(at, -1), affine.For).erase()


def sum_unscaled(at: At) -> None:
    op = next(x for x in dealt(at, -1).walk() if isinstance(x, arith.MulF) and at.matmul.alpha in x.operands)
    op.out.replace_all_uses_with(op.lhs)
    op.erase()


def rows_as_columns(at: At) -> None:
    """A thread's element is that of the number divided by another number of columns."""
    op = next(x for x in dealt(at, -1).walk() if isinstance(x, affine.Apply) and "floordiv" in str(x.map))
    wrong = divide(AffineOperator.FLOORDIV, Dimension(0), AffineConstant(5))
    op.attributes["map"] = AffineMap(1, 0, (wrong,))


def fewer_elements(at: At) -> None:
    op = dealt(at, 0)
    less_ = Builder.before_op(op)(arith.Constant(IntegerAttribute(255, INDEX), result_types=[INDEX])).out
    op.set_operand(1, less_)


@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (forget_front, "remainders: "),
        (front_behind, "before or behind the products, where they should not"),
        (no_barrier_behind, "races: "),
        (element_otherwise, "elements of C: what is done with an element of C is not what it was"),
        (sum_forgotten, "remainders: a thread computes no sum of products"),
        (sum_unscaled, "scale: products of a thread are not multiplied"),
        (rows_as_columns, "remainders: i of a thread's element"),
        (fewer_elements, "remainders: threads do not deal 16 x 16 elements"),
    ],
)
def test_elements_of_c_of_threads(mutate: Mutation, said: str) -> None:
    broken("map_to_gpu", mutate, said)


def test_c_is_written_before_tiles_of_it_are_read() -> None:
    """Where products are not scaled, sums begin with C."""
    broken("map_to_gpu", no_barrier_in_front, "races: %C may be read before", Surrounded(16, 16, 32, front=("beta",)))
