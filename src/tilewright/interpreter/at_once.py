"""Loops whose iterations leave each other's elements alone: run at once, as lanes, with the same result.

Nothing is proven beforehand. Iterations of a loop, or of several perfectly nested ones, run as if they were work-items,
and what each of them touches is noted. Where one has touched what another one wrote, or anything has failed, all is
undone and the loop runs as it stands. So what a loop means and its faults are those of one iteration after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import arith, memref, scf
from tilewright.interpreter.state import WorkGroup
from tilewright.interpreter.trial import Trial
from tilewright.ir.core import Operation
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.types import ScalarType

Array = NDArray[Any]

_MOST_LANES: Final = 1 << 13
_FEWEST_LANES: Final = 16
"""Of fewer, as the tiles of a product often are, it is better to run more of the loops inside of them at once."""
_MOST_ITERATIONS: Final = 1 << 24
"""Of more, what has to be kept to undo them might not fit the memory."""
_LANES_A_STEP: Final = 128
"""So many lanes of an operation take the time of one operation, of which the interpreter's limit tells."""


class _Count(Struct, frozen=True):
    """What a loop variable counts: `trips` numbers from `lower` on."""

    lower: int
    step: int
    trips: int
    dtype: np.dtype[Any]


def trip_count(lower: int, upper: int, step: int) -> int:
    """`step > 0 and upper > lower ? ceil((upper - lower) / step) : 0`."""
    return -(-(upper - lower) // step) if step > 0 and upper > lower else 0


def ran_at_once(w: WorkGroup, op: scf.For) -> bool:
    """Run a loop outside of SPMD regions with several iterations at once, if that is the same; else nothing is done."""
    if w.mask is not None or w.checked or op.inits:
        return False
    if op not in w.nests:
        nest = _nest(op)
        w.nests[op] = nest if all(map(_is_lanewise, nest[-1].body.entry)) else []
    while nest := w.nests[op]:
        counts = _counts(w, nest)
        if math.prod(count.trips for count in counts) < _FEWEST_LANES:
            return False
        few = math.prod(count.trips for count in counts) <= _MOST_ITERATIONS
        if few and len(counts) == len(nest) and _ran(w, nest, counts):
            return True
        w.nests[op] = nest[:-1]
    return False


def _nest(op: scf.For) -> list[scf.For]:
    """A loop, and those inside of it that have nothing beside them but numbers computed in front of them."""
    found = [op]
    while True:
        inside = [inner for inner in found[-1].body.entry if not isinstance(inner, scf.Yield)]
        if not inside or not all(map(_is_number, inside[:-1])):
            return found
        inner = inside[-1]
        if not isinstance(inner, scf.For) or inner.inits:
            return found
        found.append(inner)


def _is_number(op: Operation) -> bool:
    """Whether an operation computes numbers of numbers and does nothing else."""
    computes = isinstance(op, arith.Constant | arith.Select) or op.evaluate is not None
    return computes and all(isinstance(value.type, ScalarType) for value in op.results)


def _is_lanewise(op: Operation) -> bool:
    """Whether lanes run an operation as iterations do, and what it touches is noted."""
    match op:
        case memref.Load() | memref.Store() | ViewLike() | scf.Yield():
            return True
        case scf.For() | scf.If():
            inside = [inner for region in op.regions for inner in region.entry]
            return all(isinstance(value.type, ScalarType) for value in op.results) and all(map(_is_lanewise, inside))
        case _:
            return _is_number(op)


def _counts(w: WorkGroup, nest: Sequence[scf.For]) -> list[_Count]:
    """What the variables of a nest count, up to the first whose bounds depend on those around it."""
    found: list[_Count] = []
    w.mask = np.ones(1, bool)
    for loop in nest:
        lower, upper = w.scalar(loop.lower), w.scalar(loop.upper)
        step = np.asarray(1) if loop.step is None else w.scalar(loop.step)
        if lower.ndim or upper.ndim or step.ndim:
            break
        trips = trip_count(int(lower), int(upper), int(step))
        found.append(_Count(int(lower), int(step), trips, lower.dtype))
        w.values[loop.index] = np.full(1, lower)
        if loop is not nest[-1]:
            _run_numbers(w, loop)
    w.mask = None
    return found


def _run_numbers(w: WorkGroup, loop: scf.For) -> None:
    """What a loop of a nest computes in front of the next one."""
    for op in loop.body.entry:
        if isinstance(op, scf.For):
            return
        w.handlers[type(op)](w, op)


def _ran(w: WorkGroup, nest: Sequence[scf.For], counts: Sequence[_Count]) -> bool:
    """Run all iterations of a nest; memory is as before if their order matters or one fails."""
    total, fuel, trials = math.prod(count.trips for count in counts), w.fuel, list[Trial]()
    try:
        for first in range(0, total, _MOST_LANES):
            trials.append(Trial())
            _run_lanes(w, nest, counts, np.arange(first, min(first + _MOST_LANES, total)), trials[-1])
            if trials[-1].depends_on_order:
                break
            trials[-1].touched.clear()
        else:
            return True
    except KernelError:
        pass  # the loop fails as it stands, when the iterations before have done what they do
    finally:
        w.mask = w.who = w.trial = None
    for trial in reversed(trials):
        trial.undo()
    w.fuel = fuel
    return False


def _run_lanes(w: WorkGroup, nest: Sequence[scf.For], counts: Sequence[_Count], numbers: Array, trial: Trial) -> None:
    """Run the iterations of these numbers, in the order in which the nest has them."""
    w.mask, w.who, w.trial = np.ones(len(numbers), bool), np.arange(len(numbers)), trial
    w.fuel -= len(numbers) // _LANES_A_STEP
    trips = np.unravel_index(numbers, [count.trips for count in counts])
    for loop, count, trip in zip(nest, counts, trips, strict=True):
        w.values[loop.index] = (count.lower + trip * count.step).astype(count.dtype)
        if loop is not nest[-1]:
            _run_numbers(w, loop)
    w.run(nest[-1].body.entry)
