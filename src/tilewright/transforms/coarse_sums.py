"""coarse-sums: products of floats of 8 bits for units that keep their sums in fewer bits than f32, where a caller
allows that.

before:  %d = tile.mma %a, %b, %c : tile<64x128xf8E4M3FN>, ..
after:   %d = tile.mma %a, %b, %c {fast = true}

Other products stay as they are. Units without such sums, and the interpreter, form them in f32.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import tile
from tilewright.dialects.builtin import Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import F8E4M3FN, F8E5M2
from tilewright.transforms.tile_values import tile_type


class CoarseSums(Pass, frozen=True):
    """Let the products of floats of 8 bits of a module sum in what units have."""

    name: ClassVar[str] = "coarse-sums"

    def run(self, module: Module, context: PassContext) -> bool:
        products = [op for op in module.walk() if isinstance(op, tile.Mma) and _is_small(op) and not op.fast]
        for op in products:
            op.attributes["fast"] = True
        return bool(products)


def _is_small(op: tile.Mma) -> bool:
    lhs, rhs = (tile_type(value).element for value in (op.lhs, op.rhs))
    return lhs is rhs and lhs in (F8E4M3FN, F8E5M2)
