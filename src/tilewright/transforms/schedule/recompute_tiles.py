"""recompute-tiles: what there is no room for across a reduction is computed behind it again.

before:  %x = tile.load ..  %w = tile.load ..  %s = tile.reduce %x ..  %d = arith.sub %x, .. %s ..  %q = .. %d, %w
after:   %x = tile.load ..  %s = tile.reduce %x ..  %x2 = tile.load ..  %d = arith.sub %x2, ..  %w2 = tile.load

First go tiles that nothing in front of the reduction needs, which costs nothing; if that does not suffice, all that is
cheap. A tile is loaded again only if nothing that writes or synchronises lies between.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from msgspec import Struct, field

from tilewright.dialects import arith, scf, team, tile
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.definition import ELEMENTARY
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import BOOL, TileType
from tilewright.transforms.aliasing import effects_of
from tilewright.transforms.schedule.known import collective, runs_lanes, teams_of

_ROOM: Final = 32
"""Registers of a thread that tiles may fill across a reduction."""

_REGISTER_BITS: Final = 32
_CHEAP: Final = (arith.Constant, Elementwise, MovesElements, tile.Load, tile.Splat, tile.Iota)
_QUIET: Final = frozenset({EffectKind.READ, EffectKind.HINT, EffectKind.ALLOCATE})


class RecomputeTiles(Pass, frozen=True):
    """Keep few tiles alive across reductions."""

    name: ClassVar[str] = "recompute-tiles"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if runs_lanes(kernel):
                for block in blocks_of(kernel):
                    changed |= _Room(block, teams_of(kernel).threads).make()
        return changed


def blocks_of(kernel: Kernel) -> Iterator[Block]:
    """The blocks in which a work-group works on tiles."""
    yield kernel.body.entry
    for op in collective(kernel):
        if isinstance(op, scf.For | scf.If | scf.While):
            yield from (region.entry for region in op.regions)


class _Room(Struct):
    """The tiles of one block; `parts` says between which reductions each operation stands."""

    block: Block
    threads: int
    parts: dict[Operation, int] = field(default_factory=dict[Operation, int])
    copies: dict[tuple[Value, int], Value] = field(default_factory=dict[tuple[Value, int], Value])

    def make(self) -> bool:
        """Recompute until there is room or nothing left that is cheap."""
        part = 0
        for op in self.block:
            self.parts[op] = part
            part += isinstance(op, tile.Reduce | ReduceBy | tile.Scan | ScanBy)
        changed = False
        for only_unused in (True, False):
            if part and self._held() > _ROOM:
                changed |= self._recompute(only_unused)
        return changed

    def _registers(self, value: Value) -> int:
        """Those that a tile fills; what is a part of one is not worth the trouble."""
        return words_of_thread(value, self.threads)

    def _held(self) -> int:
        """The most registers that tiles fill at a reduction."""
        last = max(self.parts.values())
        at = [0] * (last + 1)
        for op, part in self.parts.items():
            for value in op.results:
                until = max((self._part_of(user) for user in value.uses), default=part)
                for k in range(part, until):
                    at[k] += self._registers(value)
        return max(at)

    def _part_of(self, user: Operation) -> int:
        """Of the operation of the block that a user is, or stands in."""
        while user.block is not self.block:
            parent = user.parent_op
            assert parent is not None
            user = parent
        return self.parts[user]

    def _recompute(self, only_unused: bool) -> bool:
        """Let operations take tiles from in front of a reduction once more; whether there were any."""
        changed = False
        unused = self._unused() if only_unused else None
        for op in list(self.block):
            for index, value in enumerate(op.operands):
                if self._crosses(value, op, unused):
                    op.set_operand(index, self._copy(value, op, unused))
                    changed = True
        for op in list(reversed(self.block)) if changed else ():
            if _is_cheap(op) and not op.results[0].uses:
                del self.parts[op]
                op.erase()
        return changed

    def _unused(self) -> frozenset[Operation]:
        """Cheap operations that nothing needs before the reduction behind them."""
        found: set[Operation] = set()
        for op in reversed(self.block):
            users = [user for value in op.results for user in value.uses]
            here = [user for user in users if user not in found and self._part_of(user) == self.parts[op]]
            if _is_cheap(op) and not here:
                found.add(op)
        return frozenset(found)

    def _crosses(self, value: Value, user: Operation, unused: frozenset[Operation] | None) -> bool:
        """Whether a tile comes from in front of a reduction and can be had again."""
        op = value.defining_op
        if op is None or op.block is not self.block or not _is_cheap(op) or not self._registers(value):
            return False
        if self.parts[op] == self.parts[user] or (unused is not None and op not in unused):
            return False
        return not isinstance(op, tile.Load) or is_quiet(op, user)

    def _copy(self, value: Value, user: Operation, unused: frozenset[Operation] | None) -> Value:
        """The tile once more in the part of a user, in front of it."""
        part = self.parts[user]
        known = self.copies.get((value, part))
        if known is not None:
            return known
        op = value.defining_op
        assert op is not None
        mapping = {o: self._copy(o, user, unused) for o in op.operands if self._crosses(o, user, unused)}
        copy = op.clone(mapping)
        self.block.insert(copy, user)
        self.parts[copy] = part
        self.copies[value, part] = copy.results[0]
        return copy.results[0]


def words_of_thread(value: Value, threads: int) -> int:
    """Whole words that a tile fills of each thread."""
    if not isinstance(value.type, TileType):
        return 0
    bits = 8 if value.type.element is BOOL else value.type.element.bytes * 8
    return value.type.size * bits // (threads * _REGISTER_BITS)


def _is_cheap(op: Operation) -> bool:
    return isinstance(op, _CHEAP) and ELEMENTARY not in op.definition.traits


def is_quiet(load: Operation, user: Operation, barriers: bool = False) -> bool:
    """Whether nothing between two operations of a block writes or synchronises; `barriers` there may be if asked."""
    op = load.next
    while op is not None and op is not user:
        effects = effects_of(op)
        orders = effects is None or any(effect.kind not in _QUIET for effect in effects)
        if orders and not (barriers and isinstance(op, team.Barrier)):
            return False
        op = op.next
    return True
