"""Functions by pieces: where AVX-512 picks numbers out of two registers in one instruction, each piece of an axis has
coefficients of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.targets.llvm.floatkit import VECTOR_BITS, FloatKit
from tilewright.targets.llvm.types import vector
from tilewright.targets.llvm.values import lane_constants, poison

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tilewright.targets.llvm.values import Value


def by_registers(kit: FloatKit, x: Value, function: Callable[[FloatKit, Value], Value]) -> Value:
    """A function of whole registers on any number of lanes, so that a number has the same result in each of them."""
    b, lanes, whole = kit.b, kit.lanes, _lanes(kit)
    register = FloatKit(b, kit.features, vector(kit.scalar, whole))
    if lanes == whole:
        return function(register, x)
    parts = [function(register, _some_lanes(kit, x, start)) for start in range(0, lanes, whole)]
    while len(parts) > 1:
        if len(parts) % 2:
            parts.append(poison(parts[0].type))
        parts = [b.concat(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return b.shuffle(parts[0], None, range(lanes))


def picked(kit: FloatKit, table: Sequence[float], index: Value) -> Value:
    """Numbers of a table that fills two registers, by their index modulo its length."""
    lanes = kit.lanes
    assert 2 * lanes == 2 * _lanes(kit) == len(table)
    low, high = (lane_constants(kit.scalar, half) for half in (table[:lanes], table[lanes:]))
    letter = "s" if kit.format.bits == 32 else "d"
    name = f"llvm.x86.avx512.vpermi2var.p{letter}.{VECTOR_BITS[-1]}"
    return kit.b.intrinsic(name, kit.ltype, [low, index, high], overload=())


def _lanes(kit: FloatKit) -> int:
    """Of the largest register."""
    return VECTOR_BITS[-1] // kit.format.bits


def _some_lanes(kit: FloatKit, x: Value, start: int) -> Value:
    """A register of lanes from one on; what is behind the last is undefined."""
    lanes = _lanes(kit)
    if kit.lanes == 1:
        return kit.b.insert(poison(vector(kit.scalar, lanes)), x, 0)
    return kit.b.shuffle(x, None, [k if k < kit.lanes else -1 for k in range(start, start + lanes)])
