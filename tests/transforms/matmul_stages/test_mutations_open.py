"""Mistakes with extents that only a launch knows, each of which the check of a stage has to name."""

from __future__ import annotations

import pytest

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, arith, gpu, scf
from tilewright.ir.affine import AffineConstant, AffineMap, AffineOperator, AffineSymbol, divide, multiply
from tilewright.ir.core import Operation
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import I64
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.nests import constant, move_access, move_bounds
from tilewright.transforms.matmul_stages.remainders import rest_of
from tilewright.transforms.matmul_stages.visits import known_subscripts
from transforms.matmul_stages.mutations import Mutation, found_broken
from transforms.matmul_stages.products import At, Case

OPEN = Case(16, 16, 16, opened="ijk")
TILES = "block=16x16x16 warp=16x16x16 vector=1"


def named(at: At, name: str) -> Operation:
    """The operation that computes an extent."""
    return next(op for op in at.unit.walk() if op.results and op.results[0].name == name)


def staged(at: At, number: int) -> Operation:
    """What fills the tile of C, or stores it."""
    return at.matmul.made.staged[number]


def other_tiles(at: At) -> None:
    """Columns are counted in tiles of twice their size."""
    count = divide(AffineOperator.FLOORDIV, AffineSymbol(0), AffineConstant(32))
    named(at, "j_whole").attributes["map"] = AffineMap(0, 1, (multiply(count, AffineConstant(32)),))


def whatever_steps(at: At) -> None:
    """Rows are tiled where no tile has a step along k."""
    op = named(at, "i_whole")
    count = divide(AffineOperator.FLOORDIV, AffineSymbol(0), AffineConstant(16))
    op.attributes["map"] = AffineMap(0, 1, (multiply(count, AffineConstant(16)),))
    op.operands = op.operands[:1]


def no_rest(number: int) -> Mutation:
    """A nest behind the tiles is forgotten."""

    def mutate(at: At) -> None:
        rest_of(at.matmul)[number].erase()

    return mutate


def rest_from_zero(at: At) -> None:
    """The nest for summed elements behind the tiles sums them all."""
    loops = [op for op in rest_of(at.matmul)[0].walk() if isinstance(op, affine.For)]
    move_bounds(loops[-1], Linear(), at.matmul.lengths["k"])


def unfilled(at: At) -> None:
    """The tile of C is not read."""
    staged(at, 0).erase()


def stored_early(at: At) -> None:
    """The tile of C is stored before it is summed."""
    nest = staged(at, 1)
    block = nest.block
    nest.detach()
    assert block is not None
    block.insert(nest, staged(at, 0))


def stored_elsewhere(at: At) -> None:
    """The tile is stored one row below."""
    store = next(op for op in staged(at, 1).walk() if isinstance(op, affine.Store))
    row, column = known_subscripts(store)
    move_access(store, [row.plus(Linear(1)), column])


def partly_filled(at: At) -> None:
    """The last row of the tile is not read."""
    nest = staged(at, 0)
    assert isinstance(nest, affine.For)
    move_bounds(nest, Linear(), Linear(15))


def no_step_behind(at: At) -> None:
    """The loop over k counts the step that is peeled, too."""
    move_bounds(at.matmul.loop("k", "mutation"), Linear(), at.matmul.whole["k"])


def without_named(where: str) -> Mutation:
    """Forget the barrier behind the copy of C, or in front of that to C."""

    def mutate(at: At) -> None:
        fill, store = at.matmul.made.staged
        op = fill.next if where == "fill" else store.previous
        assert isinstance(op, gpu.Barrier)
        op.erase()

    return mutate


def branch_of(at: At) -> scf.If:
    """The branch of blocks that have a tile."""
    return next(op for op in at.unit.walk() if isinstance(op, scf.If))


def turned_branch(at: At) -> None:
    """Blocks multiply that have no tile, and no others."""
    for op in (branch_of(at).condition.defining_op or at.unit).operands:
        compared = op.defining_op
        assert isinstance(compared, arith.CmpI)
        compared.attributes["predicate"] = IntegerAttribute(arith.INTEGER_PREDICATES.index("sge"), I64)


def open_branch(at: At) -> None:
    """All blocks multiply."""
    for value in (branch_of(at).condition.defining_op or at.unit).operands:
        compared = value.defining_op
        assert isinstance(compared, arith.CmpI)
        compared.set_operand(1, constant(Builder.before_op(compared), 1 << 20))


def branch_of_lanes(at: At) -> None:
    """Threads of a block go different ways."""
    value = (branch_of(at).condition.defining_op or at.unit).operands[0]
    launch = at.matmul.nest("mutation")
    assert isinstance(launch, gpu.Launch)
    assert value.defining_op is not None
    value.defining_op.set_operand(0, launch.ids(1)[0])


def no_block(at: At) -> None:
    """No block where there is no whole tile."""
    op = named(at, "j_blocks")
    count = divide(AffineOperator.FLOORDIV, AffineSymbol(0), AffineConstant(16))
    op.attributes["map"] = AffineMap(0, 1, (count,))


def other_rows(at: At) -> None:
    """Threads of the grid are counted as if it had as many columns as rows."""
    launch = at.matmul.nest("mutation")
    assert isinstance(launch, gpu.Launch)
    product = next(
        op for op in launch.walk() if isinstance(op, affine.Apply) and launch.ids(0)[1] in op.values and op.map.symbols
    )
    product.set_operand(1, launch.gridSizeY)


def skipped(number: int) -> Mutation:
    """Threads take every second of the elements that are theirs."""

    def mutate(at: At) -> None:
        loop = staged(at, number)
        assert isinstance(loop, scf.For)
        loop.set_operand(2, constant(Builder.before_op(loop), 64))

    return mutate


@pytest.mark.parametrize(
    ("stage", "mutate", "said"),
    [
        ("tile_block", other_tiles, "visits: j = 0 is visited 0 times"),
        ("tile_block", whatever_steps, "visits: there are more iterations than the 0 of i"),
        ("tile_block", no_rest(0), "remainders: "),
        ("tile_block", no_rest(2), "remainders: "),
        ("tile_block", rest_from_zero, "remainders: something is computed in two nests"),
        ("wmma_generate", unfilled, "the tile of C is not filled once and stored once"),
        ("wmma_generate", stored_early, "the tile of C is not filled in front of products and stored behind them"),
        ("wmma_generate", stored_elsewhere, "%C is not accessed where the element of the tile is"),
        ("wmma_generate", partly_filled, "a nest is not over the 16 x 16 elements of the tile"),
        ("shift_peel_k", no_step_behind, "one step is peeled"),
        ("insert_barriers", without_named("fill"), "races: %c_smem may be read before others have written it"),
        ("insert_barriers", without_named("store"), "races: %c_smem may be read before others have written it"),
        ("map_to_gpu", turned_branch, "it is not known which blocks enter"),
        ("map_to_gpu", open_branch, "blocks multiply that have no tile"),
        ("map_to_gpu", branch_of_lanes, "uniformity: a barrier in scf.if is not reached by all threads"),
        ("map_to_gpu", no_block, "the launch is not of"),
        ("map_to_gpu", other_rows, "threads do not deal"),
        ("map_to_gpu", skipped(0), "threads do not deal the 16 x 16 elements of the tile"),
        ("map_to_gpu", skipped(1), "threads do not deal the 16 x 16 elements of the tile"),
    ],
)
def test_mistakes_with_open_extents(stage: str, mutate: Mutation, said: str) -> None:
    found_broken(stage, mutate, said, OPEN, TILES)
