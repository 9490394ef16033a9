"""Stage 14, parallelise: loops whose iterations do not depend on each other say so.

before:  affine.for %i { affine.for %j { .. affine.for %ii { affine.for %jj { .. affine.for %k { .. } } } } }
after:   affine.parallel (%i, %j) { .. affine.parallel (%ii, %jj) { .. affine.for %k { .. } } }

Copies become parallel loops too, and so do rows and columns of what is no whole tile. Loops along k stay: each step
adds to what the one before has summed. Shared buffers do not count between warps: each fills them with the same before
it reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import affine
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.dense import dense_of_numbers
from tilewright.ir.mlir.types import TensorType
from tilewright.ir.types import I32, I64, INDEX
from tilewright.transforms.matmul_stages import s13_vectorise_copies
from tilewright.transforms.matmul_stages.copies import copies_in, is_shared
from tilewright.transforms.matmul_stages.dependences import Crossing, accesses, carried_by
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    Axis,
    axes_around,
    axes_of,
    bounds,
    inside,
    loops_around,
    map_of,
    move_into,
    perfect_nest,
    variable,
)
from tilewright.transforms.matmul_stages.remainders import rest_of
from tilewright.transforms.matmul_stages.visits import known_subscripts

NAME = "parallelise"
WHAT = "dependences"
_BLOCKS = ("i", "j")
_WARPS = ("ii", "jj")


def apply(matmul: Matmul) -> str:
    """Make parallel loops: of blocks, of warps, of each copy, of each nest beside the tiles, of the batch."""
    made = matmul.made
    pairs = [matmul.chain(_BLOCKS, NAME), matmul.chain(_WARPS, NAME)]
    pairs += [perfect_nest(loop)[:2] for loop in rest_of(matmul) if isinstance(loop, affine.For)]
    copies = s13_vectorise_copies.all_copies(matmul)
    pairs += [[loop for loop in loops_around(copy.store) if copy.nest.is_ancestor_of(loop)] for copy in copies]
    for pair in pairs:
        _parallelise(matmul, pair)
    made.before, made.behind = (
        [_parallelise(matmul, perfect_nest(nest)) if isinstance(nest, affine.For) else nest for nest in nests]
        for nests in (made.before, made.behind)
    )
    made.staged = [
        _parallelise(matmul, perfect_nest(nest)) if isinstance(nest, affine.For) else nest for nest in made.staged
    ]
    if matmul.batch:
        _parallelise(matmul, matmul.chain(matmul.batch_names, NAME))
    crossing = _crossing(matmul)
    if crossing is not None:
        raise NotApplicable(crossing[1].sink, _said(*crossing))
    rest = len(pairs) - len(copies) - 2
    said = f"{'the batch, ' if matmul.batch else ''}blocks, warps and {len(copies)} copies are parallel loops"
    around = len(made.before) + len(made.behind)
    said += f", and {around} nests over the elements of C" if around else ""
    return f"{said}, and {rest} nests behind them; k and kk are not" if rest else f"{said}; k and kk are not"


def _parallelise(matmul: Matmul, loops: Sequence[affine.For]) -> affine.Parallel:
    """Loops, of which each is all that is in the one before, as one."""
    for outer, inner in pairwise(loops):
        if list(inside(outer)) != [inner] or outer.inits or inner.inits:
            raise NotApplicable(outer, f"the loop over %{variable(outer).name} holds more than the one in it")
    parallel = _parallel(loops)
    Builder.before_op(loops[0])(parallel)
    block = parallel.body.entry
    block.append(affine.Yield([], location=loops[0].location))
    move_into(block, list(inside(loops[-1])))
    for loop, argument in zip(loops, block.arguments, strict=True):
        argument.name = variable(loop).name
        for name, value in matmul.made.variables.items():
            if value is variable(loop):
                matmul.made.variables[name] = argument
        variable(loop).replace_all_uses_with(argument)
    loops[0].erase()
    return parallel


def _parallel(loops: Sequence[affine.For]) -> affine.Parallel:
    """A parallel loop with the bounds of others, and an empty body."""
    limits = [bounds(loop) for loop in loops]
    known = [limit for limit in limits if limit is not None]
    assert len(known) == len(loops), "stages make loops with one bound at each end"
    lower, lows = map_of([low for low, _ in known])
    upper, highs = map_of([high for _, high in known])
    body, _ = new_region([INDEX] * len(loops))
    shape = (len(loops),)
    one_each: Attribute = dense_of_numbers(TensorType(shape, I32), I32, shape, [1] * len(loops))
    steps = tuple(IntegerAttribute(loop.stride, I64) for loop in loops)
    return affine.Parallel([*lows, *highs], (), lower, one_each, upper, one_each, steps, body, result_types=[])


def parallel_loops(matmul: Matmul) -> Iterator[affine.Parallel]:
    """All of the function."""
    return (op for op in matmul.function.walk() if isinstance(op, affine.Parallel))


def _crossing(matmul: Matmul) -> tuple[Axis, Crossing] | None:
    """A dependence between iterations of a parallel loop; None if there is none."""
    warps = matmul.axis("ii", WHAT).op
    for op in parallel_loops(matmul):
        axes = axes_of(op)
        found = [one for one in accesses(op) if not _is_own(one.memref, op)]
        if op is warps:
            found = [one for one in found if not is_shared(one.memref) or one.memref is matmul.sums]
        for count in range(1, len(axes) + 1):
            crossing = carried_by(axes[:count], found)
            if crossing is not None:
                return axes[count - 1], crossing
    return None


def _is_own(memory: Value, op: Operation) -> bool:
    """Whether memory is allocated anew in each iteration."""
    home = memory.defining_op
    return home is not None and op.is_ancestor_of(home)


def _said(axis: Axis, crossing: Crossing) -> str:
    return f"iterations over %{axis.name} depend on each other by %{crossing.sink.memref.name}"


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """Iterations of parallel loops do not depend on each other; i, j, ii, jj and copies are such, k and kk are not."""
    crossing = _crossing(matmul)
    if crossing is not None:
        raise Broken(WHAT, crossing[1].sink, _said(*crossing))
    for name in (*matmul.batch_names, *_BLOCKS, *_WARPS):
        if not isinstance(matmul.axis(name, NAME).op, affine.Parallel):
            raise Broken(NAME, matmul.axis(name, NAME).op, f"the loop over %{name} is not parallel")
    matmul.chain(("k", "kk"), NAME)
    warps = {matmul.axis(name, NAME).variable for name in _WARPS}
    for copy in copies_in(matmul.function):
        if not isinstance(copy.nest, affine.Parallel):
            raise Broken(NAME, copy.nest, "a copy is not parallel")
        moved = {value for op in (copy.load, copy.store) for form in known_subscripts(op) for value in form.values}
        moved |= {
            v for a in axes_around(copy.store) if copy.nest is a.op and a.limits for x in a.limits for v in x.values
        }
        if moved & warps:
            raise Broken(WHAT, copy.nest, f"warps do not fill %{copy.buffer.name} with the same")
    s13_vectorise_copies.check(matmul, before)
