"""Who holds what of a product of a group of four warps (`wgmma`): accumulators, and the factor of the rows in
registers.

The instruction fixes which register of which lane belongs to its rows 0 to 63; which rows of a matrix these are is
free. Of a factor that lies along its rows in swizzled shared memory they are those that lanes read together best.
"""

from __future__ import annotations

from typing import Final

from tilewright.ir.layouts import Digit, Layout, Owner

WARPGROUP_ROWS: Final = 64
WARPGROUP_BYTES: Final = 32
"""Of a row of a factor that one instruction reads."""
_WORD: Final = 4

Rows = tuple[Digit, tuple[Digit, ...], tuple[Digit, ...]]
"""What of a row's number two registers of a lane differ by, what lanes do, what warps do."""

_IN_ORDER: Final[Rows] = (
    Digit(Owner.REG, 2, 0, 8),
    (Digit(Owner.LANE, 8, 0, 1),),
    (Digit(Owner.WARP, 4, 0, 16),),
)
_TURNED: Final[dict[int, Rows]] = {
    # 8 bytes a lane: four lanes with the same k read two pieces of 16 bytes that k moves to eight others
    4: (
        Digit(Owner.REG, 2, 0, 1),
        (Digit(Owner.LANE, 2, 0, 2), Digit(Owner.LANE, 2, 0, 16), Digit(Owner.LANE, 2, 0, 4)),
        (Digit(Owner.WARP, 2, 0, 8), Digit(Owner.WARP, 2, 0, 32)),
    ),
    # matrices of 16 bytes by pairs of neighbours: a warp's are the bytes of one row of a matrix
    1: (
        Digit(Owner.REG, 2, 0, 1),
        (Digit(Owner.LANE, 8, 0, 2),),
        (Digit(Owner.WARP, 4, 0, 16),),
    ),
}
"""By bytes of an element: rows of a factor that lies along them."""


def has_turned_rows(bytes_: int) -> bool:
    """Whether rows of elements of so many bytes are read from memory in which they lie beside each other."""
    return bytes_ in _TURNED


def layouts_of_group(columns: int, bytes_: int, turned: bool) -> tuple[Layout, Layout]:
    """Of accumulators with so many columns, and of rows of elements of so many bytes."""
    apart, lanes, warps = _TURNED[bytes_] if turned else _IN_ORDER
    depth, adjacent = WARPGROUP_BYTES // bytes_, _WORD // bytes_
    accumulators = (
        *(Digit(Owner.REG, 2, 1, 1), apart, Digit(Owner.REG, columns // 8, 1, 8)),
        *(Digit(Owner.LANE, 4, 1, 2), *lanes, *warps),
    )
    held = (
        *(Digit(Owner.REG, adjacent, 1, 1), apart, Digit(Owner.REG, 2, 1, depth // 2)),
        *(Digit(Owner.LANE, 4, 1, adjacent), *lanes, *warps),
    )
    return Layout((WARPGROUP_ROWS, columns), accumulators), Layout((WARPGROUP_ROWS, depth), held)
