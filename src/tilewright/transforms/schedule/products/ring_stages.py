"""Stages of the factors of products that run ahead: who issues which copies, behind whose readers, and who awaits
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import scf, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.ahead import Ahead, late_product
from tilewright.transforms.schedule.products.beside import Beside
from tilewright.transforms.schedule.products.iterations import at_iteration
from tilewright.transforms.schedule.products.overlapping import Ring, stage_of, turn_before
from tilewright.transforms.schedule.products.sources import Source
from tilewright.transforms.schedule.products.staging import Staging


class RingStages(Struct, frozen=True):
    """A loop with products whose factors are in rings, each with two barriers for each of its stages."""

    loop: scf.For
    ahead: Ahead
    rings: Sequence[Ring]
    step: int

    @property
    def late(self) -> tile.Mma | None:
        """The last product if its accumulators are nothing but handed on."""
        return late_product(self.loop, self.ahead.products)

    @property
    def stages(self) -> int:
        return self.ahead.stages

    def ring_of(self, op: tile.Mma) -> Ring | None:
        """Where factors of a product run ahead."""
        return next((ring for ring in self.rings if op in ring.ops), None)

    def behind(self, ring: Ring) -> int:
        """How many iterations lie between the one that issues a copy and the one that multiplies it."""
        return 2 if any(self.ahead.is_late(self.loop, op) for op in ring.ops) else 1

    @property
    def peels(self) -> bool:
        """Whether the first iteration stands in front of the loop, and issues no copies."""
        return self.late is not None and not self.ahead.overlap

    def fill(self, build: Builder, known: Mapping[Value, Value], turn: Value | None) -> None:
        """Fill the stages that iterations do not fill, from a turn on; without one nobody has read any.

        `known` stands for what the loop's bounds and places are computed of.
        """
        lower = emit.to_index(build, known.get(self.loop.lower, self.loop.lower))
        for number in range(self.stages):
            index = emit.add(build, lower, build.index(number * self.step))
            for ring in self.rings:
                if number + self.behind(ring) < self.stages + self.peels:
                    at = (build.index(number), None) if turn is None else self.read_before(build, turn, number)
                    self.load(build, ring, index, lower, at, known)

    def read_before(self, build: Builder, turn: Value, number: int) -> tuple[Value, Value]:
        """The stage of so many turns on, and the parity in which it has been read."""
        for _ in range(self.stages - number):
            turn = turn_before(build, turn, 2 * self.stages)
        return self.place_of(build, turn)

    def copy(self, build: Builder, index: Value, turn: Value) -> None:
        """Ask for what iterations to come need, where those before a turn have read, or nobody has."""
        present = emit.to_index(build, index)
        for ring in self.rings:
            before = turn
            for _ in range(self.behind(ring)):
                before = turn_before(build, before, 2 * self.stages)
            following = emit.add(build, present, build.index((self.stages - self.behind(ring)) * self.step))
            self.load(build, ring, following, present, self.place_of(build, before), {})

    def read(self, build: Builder, op: tile.Mma, turn: Value) -> None:
        """Say that this warp has awaited the product of a turn."""
        ring = self.ring_of(op)
        if ring is not None:
            stage, _ = self.place_of(build, turn)
            build(tensors.Arrive(ring.readers, stage, bool(ring.beside)))

    def load(
        self,
        build: Builder,
        ring: Ring,
        index: Value,
        present: Value,
        at: tuple[Value, Value | None],
        outside: Mapping[Value, Value],
    ) -> None:
        """Ask for the boxes of an iteration if there is one, to a stage, behind its readers in a phase of a parity.

        `outside` stands for values that the loop finds.
        """
        upper, (stage, parity) = self.loop.upper, at
        there = at_iteration(build, self.loop, index, present, outside.get(upper))
        if there is None:
            return
        type_ = emit.scalar_type(self.loop.index.type)
        known: dict[Value, Value] = {**outside, self.loop.index: emit.cast(there, index, type_)}
        for op in self.ahead.slices:
            there(op.clone(known))
        if parity is not None:
            there(tensors.AwaitReaders(ring.readers, stage, parity))
        self.ask(there, ring.sources, known, ring.barriers, stage, ring.beside)

    @staticmethod
    def ask(
        build: Builder,
        sources: Sequence[tuple[Staging, Source]],
        known: Mapping[Value, Value],
        barriers: Value,
        stage: Value,
        beside: Mapping[Beside, Value],
    ) -> None:
        """Ask for boxes that go to a stage, which a barrier of the same number counts."""
        boxes = [(staging.box(source, known), staging.buffer) for staging, source in sources]
        boxes += [(each.box(known), buffer) for each, buffer in beside.items()]
        total = sum(tensors.bytes_of_stage(gpu.memref_of(buffer)) for _, buffer in boxes)
        build(tensors.Expect(barriers, stage, total))
        for box, buffer in boxes:
            modes = (box.near, box.far)
            build(tensors.CopyTensor(box.view, box.indices, buffer, stage, barriers, stage, modes))

    def place_of(self, build: Builder, turn: Value) -> tuple[Value, Value]:
        """Stage and parity of a turn, which goes twice round the stages."""
        return stage_of(build, turn, self.stages)

    def await_factors(self, build: Builder, op: tile.Mma, turn: Value) -> None:
        """Wait until the factors that a product of a turn has of its ring have arrived."""
        ring = self.ring_of(op)
        if ring is not None:
            build(tensors.AwaitPhase(ring.barriers, *self.place_of(build, turn)))
