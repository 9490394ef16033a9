"""Fragments that are read ahead of their products (`ahead=D`), by D slices along k.

before:  for %k { a, b = read(k, slice 0); a * b; c, d = read(k, 1); c * d }  ..
after:   wait; barrier; a, b = read(0, slice 0)
         for %k carrying a, b { c, d = read(k, 1); a * b; wait; barrier; read(k + 1, 0); c * d }  ..

Reads stand between the products of earlier slices, so that instructions which multiply follow each other while factors
are on their way to registers. What the last slices of a step read is of the next one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import mma
from tilewright.ir.core import Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.nests import applied, form_of
from tilewright.transforms.matmul_stages.slices import Slice

Places = Mapping[Value, Linear]
"""In which row of each buffer a tile begins."""


def read(build: Builder, slices: Sequence[Slice], places: Places) -> list[Value]:
    """What some slices multiply, of tiles in these places."""
    return [_read(build, load, places) for one in slices for load in one.loads]


def _read(build: Builder, load: mma.LoadMatrix, places: Places) -> Value:
    copy = load.clone()
    assert isinstance(copy, mma.LoadMatrix)
    row, column = map(form_of, load.indices)
    copy.operands = [load.memref, applied(build, row.plus(places[load.memref])), applied(build, column)]
    return build(copy).out


def multiply_ahead(
    slices: Sequence[Slice], held: Sequence[Value], places: tuple[Places, Places | None], ahead: int
) -> list[Value]:
    """Let slices multiply first what is `held`, then what is read in their place so many slices ahead.

    Gives what is read of the step behind, in the second place, if there is one.
    """
    here, behind = places
    values, following = list(held), list[Value]()
    for number, one in enumerate(slices):
        is_here = number + ahead < len(slices)
        place = here if is_here else behind
        if place is None:
            break
        loads = slices[(number + ahead) % len(slices)].loads
        for position, load in enumerate(loads):
            at = one.products[position * len(one.products) // len(loads)] if ahead else load
            (values if is_here else following).append(_read(Builder.before_op(at), load, place))
    for load, value in zip([load for one in slices for load in one.loads], values, strict=True):
        load.out.replace_all_uses_with(value)
        load.erase()
    return following
