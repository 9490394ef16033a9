"""How a product had better be run, as the model that chose its tile has it: told by the loop over its terms.

    %sum = scf.for %k = 0 to %terms step 64 (%acc = 0) {sharing = "stream=yes"} { .. }

`lower-collectives` says so; `spread-collectives` and `choose-schedule` do so where nothing else is asked for.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from tilewright.dialects import scf
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Value
from tilewright.ir.schedules import Schedule, parse_line

SHARING: Final = "sharing"
"""Attribute of a loop over the terms of a product."""


def wish_for(accumulators: Value, sharing: Schedule) -> Value:
    """The accumulators of a loop that says how it had better be run; of another operation as they are."""
    loop = accumulators.defining_op
    if sharing != Schedule() and isinstance(loop, scf.For):
        loop.attributes[SHARING] = str(sharing)
    return accumulators


def with_wishes(asked: Schedule, kernel: Kernel) -> Schedule:
    """What is asked for a kernel, and what its products wish for where nothing is asked."""
    for wish in _wishes(kernel):
        said = {name: getattr(wish, name) for name in wish.__struct_fields__ if getattr(asked, name) in (None, "")}
        asked = replace(asked, **said)
    return asked


def _wishes(kernel: Kernel) -> list[Schedule]:
    found = (op.attributes.get(SHARING) for op in kernel.walk() if isinstance(op, scf.For))
    return [parse_line(line) for line in found if isinstance(line, str)]


def forget_wishes(kernel: Kernel) -> None:
    """Leave nothing of them in a program whose schedule has been chosen."""
    for op in kernel.walk():
        op.attributes.pop(SHARING, None)
