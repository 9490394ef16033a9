"""Collective instructions and the regions that leave collective execution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilewright.dialects import team, tl
from tilewright.frontends.tensor_language.instruction import Instruction, plain
from tilewright.frontends.tensor_language.regions import RegionReader, region_of, types_of
from tilewright.frontends.tensor_language.vocabulary import ATOMIC, TRANSPOSE, Modifier
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.types import INDEX, Type


def _finish(p: RegionReader, op: Operation, **flags: Modifier | None) -> None:
    """Attach the flags that are set and finish."""
    for name, flag in flags.items():
        if flag:
            op.attributes[name] = True
    p.finish(op)


def _axpby(p: RegionReader, word: str) -> None:
    atomic, transpose = p.modifiers((ATOMIC, TRANSPOSE))
    alpha, a, beta, b = p.values(4)
    _finish(p, tl.Axpby(alpha, a, beta, b), transpose=transpose, atomic=atomic)


def _sum(p: RegionReader, word: str) -> None:
    atomic, transpose = p.modifiers((ATOMIC, TRANSPOSE))
    alpha, a, beta, b = p.values(4)
    _finish(p, tl.Sum(alpha, a, beta, b), transpose=transpose, atomic=atomic)


def _cumsum(p: RegionReader, word: str) -> None:
    (atomic,) = p.modifiers((ATOMIC,))
    alpha, a = p.values(2)
    p.expect(",")
    mode = p.integer_attribute("mode", "the number of a mode")
    p.expect(",")
    beta, b = p.values(2)
    _finish(p, tl.Cumsum(alpha, a, beta, b, mode), atomic=atomic)


def _gemm(p: RegionReader, word: str) -> None:
    atomic, transpose_a, transpose_b = p.modifiers((ATOMIC, TRANSPOSE, TRANSPOSE))
    alpha, a, b, beta, c = p.values(5)
    _finish(p, tl.Gemm(alpha, a, b, beta, c), transpose_a=transpose_a, transpose_b=transpose_b, atomic=atomic)


def _gemv(p: RegionReader, word: str) -> None:
    atomic, transpose = p.modifiers((ATOMIC, TRANSPOSE))
    alpha, a, b, beta, c = p.values(5)
    _finish(p, tl.Gemv(alpha, a, b, beta, c), transpose=transpose, atomic=atomic)


def _ger(p: RegionReader, word: str) -> None:
    (atomic,) = p.modifiers((ATOMIC,))
    alpha, a, b, beta, c = p.values(5)
    _finish(p, tl.Ger(alpha, a, b, beta, c), atomic=atomic)


def _hadamard(p: RegionReader, word: str) -> None:
    (atomic,) = p.modifiers((ATOMIC,))
    alpha, a, b, beta, c = p.values(5)
    _finish(p, tl.Hadamard(alpha, a, b, beta, c), atomic=atomic)


def _parallel(p: RegionReader, word: str) -> None:
    block = Block()
    p.open_region(team.Spmd(region_of(block)), block, (), p.finish_region)


def _box(p: RegionReader) -> tuple[list[int], list[Value], list[Value]]:
    """`(%i, ..)=(%from, ..),(%to, ..)`."""
    names = p.new_names()
    p.expect("=")
    p.expect("(")
    lowers = p.value_list(")")
    p.expect(",")
    p.expect("(")
    return names, lowers, p.value_list(")")


def _variable_types(names: list[int], lowers: list[Value]) -> list[Type]:
    """Types of loop variables; lists of unequal length, which the verifier reports, are filled up."""
    return (types_of(lowers) + [INDEX] * len(names))[: len(names)]


def _foreach(p: RegionReader, word: str) -> None:
    names, lowers, uppers = _box(p)
    block = Block()
    p.arguments(block, names, _variable_types(names, lowers))
    p.open_region(tl.Foreach(lowers, uppers, region_of(block)), block, names, p.finish_region)


def _foreach_tile(p: RegionReader, word: str) -> None:
    names, lowers, uppers = _box(p)
    p.expect("as")
    sizes_at = p.i
    sizes = p.new_names()
    p.expect("<=")
    first = p.i
    shape = _tile_shape(p)
    p.places["tile_shape"] = p.since(first)
    if len(sizes) != len(names):
        message = f"{len(names)} tile offsets, but {len(sizes)} tile sizes"
        p.error("V43", p.range(sizes_at, first - 2), message).hint("all five lists have the same length")
        p.poisoned = True
    block = Block()
    p.arguments(block, names, _variable_types(names, lowers))
    p.arguments(block, sizes, _variable_types(sizes, lowers))
    op = tl.ForeachTile(lowers, uppers, shape, region_of(block))
    p.open_region(op, block, [*names, *sizes], p.finish_region)


def _tile_shape(p: RegionReader) -> tuple[int, ...]:
    first = p.i
    p.expect("(")
    shape: list[int] = []
    while True:
        where = p.i
        shape.append(p.integer("the extent of a tile"))
        p.places["tile", len(shape) - 1] = p.range(where)
        if not p.accept(","):
            break
    if not p.accept(")"):
        p.fail("`,` or `)`")
    p.check_count(len(shape), first)
    return tuple(shape)


INSTRUCTIONS: Final[Mapping[str, Instruction]] = {
    "axpby": plain(_axpby),
    "sum": plain(_sum),
    "cumsum": plain(_cumsum),
    "gemm": plain(_gemm),
    "gemv": plain(_gemv),
    "ger": plain(_ger),
    "hadamard": plain(_hadamard),
    "parallel": plain(_parallel),
    "foreach": plain(_foreach),
    "foreach_tile": plain(_foreach_tile),
}
