"""Questions that any pass or target may ask of an operation, answered by its definition.

An interface is a family (`definition`) whose methods the definitions that derive from it give; `isinstance` and `case`
patterns find it. So an operation of a new dialect takes part in all that interfaces tell, and no pass knows its name.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.ir.definition import Operation
from tilewright.ir.index_map import Move


class MovesElements(Operation):
    """The result, a tile, has elements of the operands, all of which are tiles, in other places."""

    def moves(self) -> Sequence[Move]:
        """Boxes that share out the result, and where the elements of each come from."""
        raise NotImplementedError
