"""Factors on their way into shared memory: 16 bytes at a time by asynchronous copies where memory allows.

What is loaded as it is goes past the registers. Bounds cost nothing there: what lies outside is filled with zeros.
Elements that are converted or computed first, or lie where no copy may begin, go through registers, a few rows a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.scf import For
from tilewright.ir.core import Value
from tilewright.ir.types import MemrefType, TileType
from tilewright.transforms import emit
from tilewright.transforms.address_spaces import is_surely_global
from tilewright.transforms.schedule.products.boxes import Box, turned
from tilewright.transforms.schedule.products.factors import PIECE, Factor
from tilewright.transforms.schedule.products.matrices import Matrix, matrix_of, obstacle
from tilewright.transforms.schedule.products.sources import Source

_AT_ONCE: Final = 4
"""Elements of a thread that go through registers at a time."""
_WRITTEN_OUT: Final = 32
"""Copies of single elements of a thread at most that are no loop."""
_WORD: Final = 4
"""Bytes of elements that have more code for edges, and for rows at any distance.

Products of f32 of 1025 and 3001 cubed are faster with it, wherever rows of factors begin; those of f64, which has no
registers left for that, are slower (`benchmarks/gpu/matmul.py --only odd` has both).
"""


class Leaves(Enum):
    """Where boxes may leave their matrices."""

    NOWHERE = "nowhere"
    BEHIND_TERMS = "behind the last terms"
    ANYWHERE = "anywhere"


class Staging(Struct, frozen=True):
    """A factor and its memory; `outer_dim` is the factor's dimension along m or n, `threads` those of the block.

    If `aligned`, the matrix is known to begin, with all of its rows, where copies of 16 bytes may. `leaves` says where
    boxes may lie outside of it. Elements that can be copied alone are so `by_element`, wherever rows begin, if these
    are not known to begin at 16 bytes.
    """

    factor: Factor
    outer_dim: int
    buffer: Value
    threads: int
    aligned: bool = False
    leaves: Leaves = Leaves.ANYWHERE
    by_element: bool = False

    @property
    def _type(self) -> MemrefType:
        assert isinstance(self.buffer.type, MemrefType)
        return self.buffer.type

    @property
    def _near(self) -> int:
        return self.factor.row_bytes // self.factor.element.bytes

    def stage(self, build: Builder, stage: Value, value: Value) -> None:
        """Write a tile that is there to a stage."""
        order = (
            (self.outer_dim, 1 - self.outer_dim) if self.factor.along_outer else (1 - self.outer_dim, self.outer_dim)
        )
        self._write(build, stage, turned(build, value, order), build.index(0))

    def load(
        self, build: Builder, stage: Value, source: Source, known: Mapping[Value, Value], *, often: bool = False
    ) -> None:
        """Begin to bring a loaded matrix to a stage; `known` says which values stand for those of the program. What is
        done `often` may have more code."""
        box = self.box(source, known)
        size = self.factor.element.bytes
        copied = self._is_copied(box)
        wide, narrow, rows = PIECE // size, size in gpu.COPIED_BYTES and copied, self.factor.rows
        may = self._may_take(build, box, narrow) if copied else None
        # with one way for all copies there are registers enough
        unrolled = narrow and (size == _WORD or self.by_element)
        often = often and (size == _WORD or self.by_element)

        def whole(at: Builder) -> None:
            self._tested(at, box, lambda here, part: self._copy(here, stage, part, here.index(0), rows, wide), often)

        def pieces(at: Builder) -> None:
            if not box.is_turned and not unrolled:
                self._by_rows(at, stage, box, narrow, _AT_ONCE)
                return
            self._tested(at, box, lambda here, part: self._by_rows(here, stage, part, narrow, _WRITTEN_OUT), often)

        if may is None:
            pieces(build)
        elif isinstance(may, bool):
            whole(build)
        else:
            emit.if_else(build, may, whole, pieces)

    def _may_take(self, build: Builder, box: Box, narrow: bool) -> Value | bool | None:
        """Whether 16 bytes are copied at a time."""
        if narrow and self.by_element and not box.is_aligned(PIECE):
            return None
        return box.may_take(build, PIECE, self.aligned)

    def _is_copied(self, box: Box) -> bool:
        return box.is_copied_as(self.factor.element) and is_surely_global(box.view)

    def tested_matrix(self, source: Source) -> Matrix | None:
        """The matrix of which a launch tells whether 16 bytes are copied at a time; None if that is known."""
        box = self.box(source, {})
        if not self._is_copied(box) or not box.is_whole(PIECE) or box.is_aligned(PIECE):
            return None
        found = matrix_of(box.view, box.near)
        return found if isinstance(found, Matrix) and obstacle(box.view, box.near) is None else None

    def box(self, source: Source, known: Mapping[Value, Value]) -> Box:
        """Where a loaded matrix lies."""
        load = source.load
        outer, deep = source.dims[self.outer_dim], source.dims[1 - self.outer_dim]
        near, far = (outer, deep) if self.factor.along_outer else (deep, outer)
        view, indices = known.get(load.memref, load.memref), [known.get(i, i) for i in load.indices]
        check = tuple(load.check) or (False, False)
        if self.factor.is_padded:
            # what is copied beyond the tile may lie outside
            check = tuple(tested or mode == near for mode, tested in enumerate(check))
        if self.leaves is not Leaves.ANYWHERE:
            is_behind = self.leaves is Leaves.BEHIND_TERMS
            check = tuple(is_behind and tested and mode == deep for mode, tested in enumerate(check))
        return Box(view, indices, check, near, far, source.element, begins=self.leaves is Leaves.BEHIND_TERMS)

    def fits(
        self, build: Builder, source: Source, known: Mapping[Value, Value], *, terms: bool
    ) -> Sequence[Value] | None:
        """What tells that a box lies in its matrix, if not of `terms` but for its end behind the last ones; None if it
        never does."""
        box, (outer, deep) = self.box(source, known), (source.dims[self.outer_dim], source.dims[1 - self.outer_dim])
        modes = [mode for mode in ((outer, deep) if terms else (outer,)) if box.check[mode]]
        fits = box.tested_along(modes).inside(build, self._near, self.factor.rows) if modes else None
        if modes and fits is None:
            return None
        found = [] if fits is None else [fits]
        begins = box.check[deep] and not terms
        return [*found, emit.not_less(build, box.indices[deep], build.index(0))] if begins else found

    def _tested(self, build: Builder, box: Box, copy: Callable[[Builder, Box], None], apart: bool) -> None:
        """Copies without tests along both modes where all of the box lies in the matrix, which one test tells.

        If told `apart`, where that is so along the terms, copies without tests along these: at the edge of a result all
        boxes but the last have tests that are the same in each iteration.
        """
        every = [mode for mode, tested in enumerate(box.check) if tested]
        terms = box.far if self.factor.along_outer else box.near
        self._free_along(build, box, copy, [every, [terms]] if apart and len(every) > 1 else [every])

    def _free_along(
        self, build: Builder, box: Box, copy: Callable[[Builder, Box], None], kinds: Sequence[Sequence[int]]
    ) -> None:
        """Copies without tests along the first of `kinds` of modes along which the box lies in the matrix."""
        kind, *others = kinds
        inside = box.tested_along(kind).inside(build, self._near, self.factor.rows)
        if inside is None:
            copy(build, box)
            return
        free = box.tested_along([mode for mode, tested in enumerate(box.check) if tested and mode not in kind])

        def edge(at: Builder) -> None:
            if others:
                self._free_along(at, box, copy, others)
            else:
                copy(at, box)

        emit.if_else(build, inside, lambda at: copy(at, free), edge)

    def _copy(self, build: Builder, stage: Value, box: Box, row: Value, rows: int, width: int) -> None:
        """Asynchronous copies of some rows, of so many elements each."""
        modes = (box.near, box.far, box.near)[: self._type.order - 1]
        near, _, *slabs, _ = (extent or 0 for extent in self._type.shape)
        places = [build.index(0), row, *(build.index(0) for _ in slabs), stage]
        shape = (near, rows, *slabs, 1)
        build(gpu.CopyAsync(box.view, box.at(build, row), self.buffer, places, modes, shape, width, box.check))

    def _by_rows(self, build: Builder, stage: Value, box: Box, narrow: bool, at_once: int) -> None:
        """Copies of one element each if there are such, else through registers; so many of a thread at once."""
        total, most = self.factor.rows, max(self.threads * at_once // self._near, 1)
        rows = max(count for count in range(1, min(most, total) + 1) if total % count == 0)
        if not narrow and self.factor.swizzled and rows not in self._shared(most):
            self._by_slabs(build, stage, box, at_once)
            return

        def some(at: Builder, row: Value) -> None:
            if narrow:
                self._copy(at, stage, box, row, rows, 1)
                return
            shape = tuple(self._near if mode == box.near else rows for mode in range(2))
            self._write(at, stage, box.load(at, box.at(at, row), box.check, shape), row)

        _each(build, self.factor.rows, rows, some)

    def _by_slabs(self, build: Builder, stage: Value, box: Box, at_once: int) -> None:
        """Rows of one slab after the other through registers, as many as threads share evenly: nothing else tells where
        rows of swizzled memory end for some threads and not for others. The last ones may go on behind the box.
        """
        total, width = self.factor.rows, self.factor.slab // self.factor.element.bytes
        shared = self._shared(max(self.threads * at_once // width, 1))
        rows = max((count for count in shared if total % count == 0), default=shared[-1])
        shape, is_cut = tuple(width if mode == box.near else rows for mode in range(2)), total % rows != 0
        # what is beyond the box may be beyond the matrix
        check = tuple(tested or (is_cut and mode == box.far) for mode, tested in enumerate(box.check))

        def some(at: Builder, slab: Value, row: Value) -> None:
            begin = emit.mul(at, slab, at.index(width))
            indices = [emit.add(at, i, begin) if mode == box.near else i for mode, i in enumerate(box.at(at, row))]
            value = emit.cast(at, box.load(at, indices, check, shape), self.factor.element)
            whole = TileType((width, rows, 1, 1), self.factor.element)
            value = at(tile.Reshape(value, result_types=[whole])).out
            at(tile.Store(value, self.buffer, [at.index(0), row, slab, stage], (False, is_cut, False, False)))

        def slabs(at: Builder, row: Value) -> None:
            _each(at, self._near // width, 1, lambda here, slab: some(here, slab, row))

        _each(build, total, rows, slabs)

    def _shared(self, most: int) -> Sequence[int]:
        """Numbers of rows that threads share evenly, up to `most` if there are any: powers of two, as often as the
        number of threads has another factor."""
        odd = self.threads // (self.threads & -self.threads)
        return [odd << k for k in range(max(most // odd, 1).bit_length())]

    def _write(self, build: Builder, stage: Value, value: Value, row: Value) -> None:
        """Store a tile of whole rows, neighbours first."""
        value = emit.cast(build, value, self.factor.element)
        assert isinstance(value.type, TileType)
        element, (near, rows) = value.type.element, value.type.shape
        width, _, *slabs, _ = (extent or 0 for extent in self._type.shape)
        places = [build.index(0), row, *(build.index(0) for _ in slabs), stage]
        if slabs:
            cut = TileType((width, near // width, rows), element)
            value = turned(build, build(tile.Reshape(value, result_types=[cut])).out, (0, 2, 1))
        box = TileType((width, rows, *slabs, 1), element)
        build(tile.Store(build(tile.Reshape(value, result_types=[box])).out, self.buffer, places))


def _each(build: Builder, total: int, step: int, emit_some: Callable[[Builder, Value], None]) -> None:
    """So many after the other, in a loop if that is not all."""
    if step == total:
        emit_some(build, build.index(0))
        return
    loop = emit.open_loop(build, build.index(0), build.index(total), build.index(step))
    assert isinstance(loop.op, For)
    loop.op.unroll = False
    emit_some(loop.body, loop.index)
