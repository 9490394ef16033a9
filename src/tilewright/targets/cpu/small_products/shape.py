"""Code shape of products that are not packed: how many vectors by how many columns a register block has.

Evidence for the rules: benchmarks/batched_gemm.py.
"""

from __future__ import annotations

from tilewright.targets.cpu.expressions.blocks import UNROLLED_VECTORS, Shape, balanced
from tilewright.targets.cpu.machine import Machine

_UNROLLED_MULTIPLIES = 1024
_BUSY_REGISTERS = 2
_COMPACT_COLUMNS = 4


def product_shape(machine: Machine, pieces: int, columns: int, depth: int, bare: bool = False) -> Shape:
    """Code shape of a matrix product with `pieces` vectors of rows, `columns` columns and `depth` terms.

    With 32 registers and straight-line code up to 3 vectors by 20 accumulators (24 where one vector is as high as the
    tile): more makes the scheduler spill. Loops keep their accumulators in phis and take 24. With 16 registers 12.
    Straight-line code of a `bare` product, which needs registers for nothing else, takes all there are where 3 vectors
    share each scalar: 27 accumulators (`microkernel` keeps the scheduler from spilling these). That is worth 3 to 6 %
    on 35x9x20 f32 and f64 and 20x9x9 f64; where old elements are read it is worth nothing on f32, a loss on 20x9x9.
    Straight-line code takes 4 vectors if these are all: columns are then stored in one piece, which is worth 18 % where
    stores miss the first cache (56x9x9 f32) and costs 2 % where they hit.
    Where `lhs` is one vector high, it stays in registers beside the accumulators of two blocks, so that one block is
    stored while the next is computed; not if these would be narrower than a quarter of the registers (16x16x16 and
    9x35x20 f32: up to a tenth slower so).
    A single column takes its time reading `lhs` once, whatever the code: long ones are loops.
    """
    if machine.compact:
        return Shape(1, min(columns, _COMPACT_COLUMNS), unrolled=False)
    unrolled = pieces * columns * depth <= _UNROLLED_MULTIPLIES and (columns > 1 or pieces <= UNROLLED_VECTORS)
    room = (machine.registers - _BUSY_REGISTERS - depth) // 2
    if unrolled and pieces == 1 and room >= machine.registers // 4:
        return Shape(1, max(balanced(columns, room)), unrolled, resident=True)
    group = 4 if unrolled and pieces == 4 and machine.registers >= 32 else max(balanced(pieces, 3))
    width = max(balanced(columns, max(1, _accumulators(machine, group, unrolled, bare) // group)))
    return Shape(group, width, unrolled)


def _accumulators(machine: Machine, group: int, unrolled: bool, bare: bool) -> int:
    """How many a block of `group` vectors of rows may have."""
    if machine.registers < 32:
        return 12
    if bare and unrolled and group == 3:
        return machine.registers - _BUSY_REGISTERS - group
    return 24 if group == 1 or not unrolled else scheduled_accumulators(machine)


def scheduled_accumulators(machine: Machine) -> int:
    """So many of several vectors LLVM does not spill in straight-line code, in whatever order it puts that.

    With more, terms one by one are worth 6 % on AVX2 (20x9x9 f32).
    """
    return 20 if machine.registers >= 32 else 8
