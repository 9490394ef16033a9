"""Stage 9, unroll_inner: the three innermost loops become one product of matrices after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from tilewright.dialects.mlir import mma
from tilewright.ir.core import Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import inside, name_of, numbers, perfect_nest, variable
from tilewright.transforms.matmul_stages.s06_wmma_generate import check_matrices
from tilewright.transforms.matmul_stages.s08_permute_inner import ORDER
from tilewright.transforms.matmul_stages.tiling import substitute
from tilewright.transforms.matmul_stages.visits import check_visits

NAME = "unroll_inner"


def apply(matmul: Matmul) -> str:
    """Unroll kkk, iii and jjj."""
    loops = perfect_nest(matmul.loop(ORDER[0], NAME))
    trips = [numbers(loop) for loop in loops]
    known = [one for one in trips if one is not None]
    if tuple(map(name_of, loops)) != ORDER or len(known) != 3:
        raise NotApplicable(loops[0], f"the loops over {', '.join(ORDER)} are not the whole body of one another")
    outermost, body = loops[0], list(inside(loops[-1]))
    block = outermost.block
    assert block is not None
    for values in product(*known):
        parts = {variable(loop): Linear(value) for loop, value in zip(loops, values, strict=True)}
        mapping: dict[Value, Value] = {}
        for op in body:
            copy = op.clone(mapping)
            block.insert(copy, outermost)
            substitute([copy], parts)
    outermost.erase()
    return f"{len(_products(matmul))} products in each step along kk"


def _products(matmul: Matmul) -> list[mma.Compute]:
    return [op for op in inside(matmul.loop("kk", NAME)) if isinstance(op, mma.Compute)]


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """None of the loops is left; as many products as a warp's tile has matrices."""
    check_unrolled(matmul)
    check_matrices(matmul)
    check_visits(matmul, matmul.loop("i", NAME))


def check_unrolled(matmul: Matmul) -> None:
    """No loop within a step along kk, and the right number of products."""
    left = [name for name in matmul.loops if name in ORDER]
    if left:
        raise Broken("unrolled", matmul.loops[left[0]], f"the loop over %{left[0]} is left")
    m, n, k = matmul.schedule.fragments
    found = _products(matmul)
    if len(found) != m * n * k:
        said = f"{len(found)} products in a step along kk, not {m} * {n} * {k}"
        raise Broken("number of products", matmul.loop("kk", NAME), said)
