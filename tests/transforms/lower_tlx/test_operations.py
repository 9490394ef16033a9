"""Every operation of TLX: as written = behind the first stage = compiled, small in registers and large in memory."""

from __future__ import annotations

import numpy as np
import pytest

from dialects.tlx.tensors import Array, got, same
from effort import count, thorough
from tilewright.dialects.tlx.base import TlxOperation
from tilewright.dialects.tlx.elementwise import TensorUnary
from tilewright.dialects.tlx.reductions import ReduceMax
from tilewright.dialects.tlx.shapes import Pad
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.specs import ELEMENTARY
from tilewright.ir.types import I32, ScalarType
from transforms.lower_tlx.cases import CASES, maker_of, tensors
from transforms.lower_tlx.programs import program, results

TRIES = count("RANDOM_TLX_LOWERINGS", 1, 40)
SHARE = count("RANDOM_TLX_COMPILED_SHARE", 10, 1)
LIMITS = {"small": 4096, "large": 4}
LEVELS = {"small": (2, 0) if thorough() else (2,), "large": (2, 0)}
"""What is in memory is the longer code."""


def close(found: Array, wanted: Array, bits: int) -> bool:
    """Within 2 units in the last place, which is what functions of f32 promise; NaN, infinities, zeros exactly."""
    x, y = found.astype(np.float64), wanted.astype(np.float64)
    near = np.isfinite(y) & (y != 0)
    unit = np.abs(np.spacing(wanted[near])).astype(np.float64)
    allowed = (4 if bits == 64 else 2) * unit
    return bool((np.abs(x[near] - y[near]) <= allowed).all()) and same(found[~near], wanted[~near])


@pytest.mark.covering(1)
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(("cls", "element"), CASES, ids=str)
def test_operation(rng: np.random.Generator, cls: type[TlxOperation], element: ScalarType, limit: str) -> None:
    """In the interpreter; one in so many is compiled too, which takes three times as long."""
    levels = LEVELS[limit] if rng.integers(SHARE) == 0 else ()
    for _ in range(TRIES):
        case = maker_of(cls)(rng, element)
        _, type_ = program(case.types, case.body)
        stored = results(rng, case.types, case.body, case.arguments, LIMITS[limit], levels)
        found = {name: got(type_, array.reshape(type_.extents)) for name, array in stored.items()}
        wanted = found.pop("written")
        for name, tensor in found.items():
            if ELEMENTARY in cls.definition.traits:
                assert close(tensor, wanted, type_.element.bits), name
            elif type_.element.is_float and not issubclass(cls, TensorUnary):
                zeros = np.zeros((), tensor.dtype)
                assert same(np.where(tensor == 0, zeros, tensor), np.where(wanted == 0, zeros, wanted)), name
            else:
                assert same(tensor, wanted), name


def test_values_on_the_way_are_no_larger_than_what_is_padded(rng: np.random.Generator) -> None:
    """Three elements two apart are seven in registers; with a gap behind the last one they were nine, and refused."""
    types, arguments = tensors(rng, (I32, [3]))
    arguments.append(np.array(5, np.int32))
    stored = results(rng, [*types, I32], lambda b, v: b(Pad(v[0], v[1], (0,), (0,), (2,))).out, arguments, 7, ())
    assert len(stored) > 1
    assert all(same(found, stored["written"]) for found in stored.values())


@pytest.mark.parametrize(("window", "steps"), [((6, 5), (1, 1)), ((2, 5), (2, 1)), ((6, 3), (1, 2))])
def test_rows_are_put_together_where_all_of_them_are_wanted(
    rng: np.random.Generator, window: tuple[int, int], steps: tuple[int, int]
) -> None:
    """Rows follow each other in memory, and no two windows have the same maximum of different elements."""
    elements = rng.permutation(30).astype(np.int32).reshape(6, 5)
    types = [TensorType.dense(I32, (6, 5))]
    stored = results(rng, types, lambda b, v: b(ReduceMax(v[0], window, steps)).out, [elements], LIMITS["large"], ())
    assert all(same(found, stored["written"]) for found in stored.values())
