"""Factors of matrix instructions: which lane has which elements of a tile, and how it reads them from a slab."""

from __future__ import annotations

from math import gcd
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects.lane import Steps
from tilewright.dialects.lane_products import MATRIX_BYTES, MATRIX_ROWS
from tilewright.dialects.matrix_instructions import MatrixInstruction
from tilewright.transforms.lane_accesses import WORD, most_in_a_bank, passes_of
from tilewright.transforms.pack_items.policy import PackingPolicy
from tilewright.transforms.pack_items.slabs import LANES_OF_ROW, Slab, strides_along_k
from tilewright.transforms.pack_items.tilings import Run, Tiling

MATRICES_TOGETHER: Final = 4
"""That one instruction loads."""


class Factor(Struct, frozen=True):
    """A factor of an instruction: `outer` is the mode of its slab that is not k.

    A warp has `parts` of `halves` times eight rows; those of several `warps` lie side by side, the next ones behind
    them. If both factors are loaded `by_matrices`, a step of k is as the instruction says. Else the four lanes of a row
    deal k out among them, for both factors alike: each takes a run of neighbours, or every fourth one if four do not
    divide them. So a register that is more than k has is zero on all lanes, and at most one on some of them.
    """

    slab: Slab
    outer: int
    parts: int
    halves: int
    unit: MatrixInstruction
    warps: int = 1
    by_matrices: bool = False

    @property
    def deep(self) -> int:
        """The mode of k."""
        return 1 - self.outer

    @property
    def adjacent(self) -> int:
        """Neighbours along k in a register."""
        return self.unit.word_elements

    @property
    def depth(self) -> int:
        """The extent of k."""
        return self.slab.shape[self.deep]

    @property
    def registers(self) -> int:
        """Of a lane and a row in a step."""
        return 2 * self.adjacent

    @property
    def steps(self) -> int:
        """Instructions behind each other."""
        return -(-self.depth // self.unit.shape[2])

    @property
    def strides(self) -> tuple[int, int]:
        """Along k from lane to lane, and from register to register of a step."""
        return strides_along_k(self.depth, self.registers, self.unit.factor)

    @property
    def step(self) -> int:
        """Along k from a step to the next."""
        if self.by_matrices:
            return self.unit.shape[2]
        lanes, apart = self.strides
        return LANES_OF_ROW * lanes if lanes == self.registers else self.registers * apart

    def filled(self, step: int) -> tuple[int, bool]:
        """Registers of a step that hold something on all lanes, and whether another one does on some."""
        whole, left = divmod(self.depth, LANES_OF_ROW)
        first = step * self.registers
        return max(min(whole - first, self.registers), 0), bool(left) and first <= whole < first + self.registers

    @property
    def is_transposed(self) -> bool:
        """Whether rows of memory run along the other mode than k."""
        return self.slab.order[0] == self.outer

    def has_matrices(self) -> bool:
        """Whether ldmatrix can load it."""
        slab, size = self.slab, self.slab.element.bytes
        near, far = slab.order
        whole = (
            slab.shape[self.outer] % (MATRIX_ROWS * self.halves * self.warps)
            == slab.shape[self.deep] % self.unit.shape[2]
            == 0
        )
        aligned = slab.strides[far] * size % MATRIX_BYTES == slab.pitch % MATRIX_BYTES == 0
        return size == 2 and whole and aligned and slab.strides[near] == 1

    def matrices(self) -> list[tuple[int, int]]:
        """Where those of a step begin, along the outer mode and k, in the order of registers."""
        return [
            (MATRIX_ROWS * self.warps * (self.halves * part + half), MATRIX_ROWS * deep)
            for part in range(self.parts)
            for deep in range(2)
            for half in range(self.halves)
        ]

    @property
    def whole(self) -> int:
        """Eights of rows, of a step's, that the tile fills."""
        return min(self.slab.shape[self.outer] // (MATRIX_ROWS * self.warps), self.parts * self.halves)

    @property
    def is_cut(self) -> bool:
        """Whether there are eights that it does not fill: what is multiplied with these is nobody's."""
        return self.whole < self.parts * self.halves

    def elements(self, registers: int, eights: int) -> tuple[Steps, int]:
        """What a lane loads of so many eights where there are no matrices, and elements of an access."""
        lanes, apart = self.strides
        runs, starts = [Run(1, 1), Run(1, 1)], [1, 1]
        if apart == 1:
            runs[self.deep], starts[self.deep] = Run(registers, registers), gcd(lanes, self.registers)
        steps = ((registers, self.deep, apart), (eights, self.outer, MATRIX_ROWS * self.warps))
        return steps, self.slab.width(runs, starts)

    def held(self) -> list[tuple[int, int]]:
        """Which register of the row's and which eight each register of a step is."""
        return [
            (near + self.adjacent * deep, min(half + self.halves * part, self.whole))
            for part in range(self.parts)
            for deep in range(2)
            for half in range(self.halves)
            for near in range(self.adjacent)
        ]

    @property
    def accesses(self) -> float:
        """Of a thread for all steps; of elements that are put together with others each is two instructions."""
        if self.by_matrices:
            return self.steps * -(-len(self.matrices()) // MATRICES_TOGETHER)
        _, width = self.elements(self.registers, 1)
        each = 1 if width * self.slab.element.bytes >= WORD else 2
        return each * -(-self.depth // LANES_OF_ROW) // width * (self.whole + self.is_cut)

    def passes(self, policy: PackingPolicy) -> float:
        """Over the banks of shared memory, of a warp for all steps."""
        slab, size = self.slab, self.slab.element.bytes
        outer, deep = (slab.strides[mode] * size for mode in (self.outer, self.deep))
        if self.by_matrices:
            far = slab.strides[slab.order[1]] * size // MATRIX_BYTES
            rows = [row * far for row in range(MATRIX_ROWS)]
            return self.steps * len(self.matrices()) * most_in_a_bank(rows, policy.bank_bytes // MATRIX_BYTES)
        _, width = self.elements(self.registers, 1)
        count = -(-self.depth // LANES_OF_ROW) // width * (self.whole + self.is_cut)
        unit = max(width * size, WORD)
        together = min(policy.bank_bytes // unit, policy.warp)
        units = [
            (lane // LANES_OF_ROW * outer + lane % LANES_OF_ROW * self.strides[0] * deep) // unit
            for lane in range(policy.warp)
        ]
        return count * passes_of(units, together, policy.bank_bytes // unit)


def factors_of(tiling: Tiling, unit: MatrixInstruction, slabs: tuple[Slab, Slab]) -> tuple[Factor, Factor]:
    """Those of rows and columns of the instruction, of the slabs of the left and the right tile."""
    rows, columns, _ = unit.shape
    across, behind = tiling.warps
    parts = (-(-tiling.shape[1] // (rows * behind)), -(-tiling.shape[0] // (columns * across)))
    left, right = slabs
    found = (
        Factor(right, 1, parts[0], rows // MATRIX_ROWS, unit, behind),
        Factor(left, 0, parts[1], columns // MATRIX_ROWS, unit, across),
    )
    if all(factor.has_matrices() for factor in found):
        return replace(found[0], by_matrices=True), replace(found[1], by_matrices=True)
    return found
