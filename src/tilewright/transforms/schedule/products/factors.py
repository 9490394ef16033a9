"""How a factor of a product lies in shared memory, and which of it a lane reads with one instruction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.types import ScalarType
from tilewright.transforms.lane_accesses import LANES, bank_conflicts

SLAB: Final = 128
"""Bytes of a row that are swizzled together where nothing else is said."""
ANY_SLAB: Final = 64
"""The same at least where tiles may be any: two whole sectors."""
PIECE: Final = 16
"""Bytes of the widest access, and of a row of what `ldmatrix` loads."""
TURNED_ROWS: Final = 8
"""Rows of shared memory that lanes beside each other write where these are columns in global memory: whole sectors."""
_ROWS: Final = 8


class Factor(Struct, frozen=True):
    """One factor: `outer` x `depth` elements, of which `outer` is m or n.

    Its rows in shared memory are runs along `outer` if `along_outer`, else along k, `pitch` bytes apart. Instructions
    hold `part`s of it. Neighbours that a lane reads at once belong to different instructions: `outer_scale` parts are
    interleaved along `outer`, `depth_scale` along k. `warps` share `outer`.

    If `swizzled`, as groups of warps read it, rows are cut into slabs of `slab` bytes, one behind the other, and the 16
    bytes of number p in row r of a slab of 128 bytes lie at place p ^ r % 8 (see `SWIZZLED_LINES`). If `turned`, its
    rows in global memory run the other way, and it is copied element by element, by lanes of which `TURNED_ROWS` have
    elements of as many rows. If `held`, threads have it in registers, as the instruction wants it, and none of it lies
    in shared memory. If `read`, threads have it in registers, too, and read it from shared memory, in which it is
    swizzled.

    A swizzled row along `outer` is whole slabs: what is beyond `outer` is copied and not multiplied.
    """

    element: ScalarType
    outer: int
    depth: int
    along_outer: bool
    part: Layout
    word_elements: int
    outer_scale: int
    depth_scale: int
    warps: int
    pitch: int = 0
    swizzled: bool = False
    turned: bool = False
    held: bool = False
    read: bool = False
    slab: int = SLAB

    @property
    def by_matrices(self) -> bool:
        """Whether `ldmatrix` reads it."""
        return self.word_elements > 1

    @property
    def repeats(self) -> int:
        """Parts along `outer` that a warp has."""
        return self.outer // (self.warps * self.part.shape[0])

    @property
    def rows(self) -> int:
        """Rows in shared memory."""
        return self.depth if self.along_outer else self.outer

    @property
    def row_bytes(self) -> int:
        """Bytes of a row, without what lies between rows."""
        found = (self.outer if self.along_outer else self.depth) * self.element.bytes
        return -(-found // self.slab) * self.slab if self.swizzled and self.along_outer else found

    @property
    def is_padded(self) -> bool:
        """Whether rows are longer than what is multiplied."""
        return self.along_outer and self.row_bytes > self.outer * self.element.bytes

    @property
    def bytes(self) -> int:
        """Shared memory that it takes, a multiple of 128."""
        return 0 if self.held else -(-self.rows * self.pitch // 128) * 128

    @property
    def steps(self) -> tuple[int, int]:
        """Bytes between neighbours along `outer` and along k."""
        near, far = self.element.bytes, self.pitch
        return (near, far) if self.along_outer else (far, near)

    @property
    def vector(self) -> int:
        """Neighbours that a lane reads with one access."""
        return self.outer_scale if self.along_outer else self.depth_scale

    def offset(self, outer: int, deep: int) -> int:
        """Where an element lies, in bytes."""
        return outer * self.steps[0] + deep * self.steps[1]

    def repeat_start(self, repeat: int) -> int:
        """The coordinate of a warp's part of that number along `outer`, beyond where the warp begins."""
        scale, extent = self.outer_scale, self.part.shape[0]
        return repeat // scale * scale * extent + repeat % scale

    def step_start(self, step: int) -> int:
        """The k at which the parts of a step begin."""
        scale, extent = self.depth_scale, self.part.shape[1]
        return step // scale * scale * extent + step % scale

    def words(self) -> Sequence[tuple[int, int]]:
        """Coordinates of the first element of each register of lane 0 in a part, scaled."""
        table = self.part.first_thread()[:: self.word_elements]
        return [(int(outer) * self.outer_scale, int(deep) * self.depth_scale) for outer, deep in table]

    def layout_of_parts(self, depth: int, dim: int, others: int, first: bool) -> Layout:
        """Who has what of `depth` along k when warps multiply it from registers: words, then repeats, then steps.

        `dim` is that of `outer`. The warps that share the other factor, `others`, have the same; those of this one are
        counted `first`, or behind them.
        """
        dims, scales, extents = (dim, 1 - dim), (self.outer_scale, self.depth_scale), self.part.shape
        digits = [
            digit if digit.dim is None else replace(digit, dim=dims[digit.dim], stride=digit.stride * scales[digit.dim])
            for digit in self.part.digits
        ]
        for mode, count in enumerate((self.repeats, depth // extents[1])):
            digits.append(Digit(Owner.REG, scales[mode], dims[mode], 1))
            digits.append(Digit(Owner.REG, count // scales[mode], dims[mode], scales[mode] * extents[mode]))
        warps = [Digit(Owner.WARP, self.warps, dims[0], self.repeats * extents[0]), Digit(Owner.WARP, others)]
        shape = (self.outer, depth) if dim == 0 else (depth, self.outer)
        return Layout(shape, (*digits, *(warps if first else reversed(warps))))

    def lane_steps(self) -> Sequence[tuple[int, int, int]]:
        """The lane's offset as a sum: (weight, extent, bytes) stand for `lane // weight % extent * bytes`."""
        scales = (self.outer_scale, self.depth_scale)
        return [
            (place.weight, place.digit.extent, place.digit.stride * scales[dim] * self.steps[dim])
            for place in self.part.places
            if place.digit.owner is Owner.LANE and (dim := place.digit.dim) is not None
        ]

    def conflicts(self) -> int:
        """Accesses that a bank of shared memory serves one after the other when a warp reads; 1 is the best."""
        if self.by_matrices:
            return bank_conflicts([lane % _ROWS * self.pitch for lane in range(LANES)], PIECE)
        found = [sum(lane // w % e * step for w, e, step in self.lane_steps()) for lane in range(LANES)]
        return max(bank_conflicts(found, self.vector * self.element.bytes), self._conflicts_of_copies())

    def _conflicts_of_copies(self) -> int:
        """The same when a warp copies single elements."""
        if not self.turned:
            return 1
        size = self.element.bytes
        return bank_conflicts([n % TURNED_ROWS * self.pitch + n // TURNED_ROWS * size for n in range(LANES)], size)
