"""How often loops run."""

from __future__ import annotations

from tilewright.targets.llvm.emitter import Builder, Value, constant, zero


def trip_count(b: Builder, lower: Value, upper: Value, step: Value) -> Value:
    """`step > 0 and upper > lower ? ceil((upper - lower) / step) : 0`, on i64 scalars or vectors, without overflow."""
    one, none = constant(lower.type, 1), zero(lower.type)
    runs = b.icmp("sgt", upper, lower)
    if step.integer is None:
        runs = b.and_(runs, b.icmp("sgt", step, none))
        step = b.select(runs, step, one)
    elif step.integer <= 0:
        return none
    distance = b.sub(upper, lower)
    trips = distance if step.integer == 1 else b.add(b.udiv(b.sub(distance, one), step), one)
    return b.select(runs, trips, none)
