"""Mistakes that are made on the result of a stage, and what the check of its property says of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from tilewright.dialects.mlir import gpu
from tilewright.transforms.matmul_stages.matmul import Broken
from transforms.matmul_stages.products import At, HasText, behind

Mutation = Callable[[At], object]


def found_broken(stage: str, mutate: Mutation, said: str, case: HasText, schedule: str) -> At:
    """The property holds, and after the mutation it does not."""
    _holds(stage, case, schedule)
    at = behind(stage, case, schedule)
    mutate(at)
    with pytest.raises(Broken) as error:
        at.check()
    assert said in str(error.value)
    assert error.value.place.primary is not None
    return at


@cache
def _holds(stage: str, case: HasText, schedule: str) -> None:
    """The property of a stage holds of what it made, of which many mutations are tried."""
    behind(stage, case, schedule).check()


def barriers(at: At) -> list[gpu.Barrier]:
    """The barriers of a program, in the order of the text."""
    return [op for op in at.unit.walk() if isinstance(op, gpu.Barrier)]


def without(number: int) -> Mutation:
    """Forget a barrier."""

    def mutate(at: At) -> None:
        barriers(at)[number].erase()

    return mutate
