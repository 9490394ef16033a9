"""late-epilogues: what is stored slab by slab is computed slab by slab.

before:  %x = arith.fma %sums, %scale, %bias    lane.store_slab (lane.pick %x [0, 1])    gpu.store_tensor ..
                                                lane.store_slab (lane.pick %x [2, 3])    gpu.store_tensor ..
after:   %x = arith.fma (lane.pick %sums [0, 1]), ..    lane.store_slab %x    gpu.store_tensor ..
         %y = arith.fma (lane.pick %sums [2, 3]), ..    lane.store_slab %y    gpu.store_tensor ..

So the machine stores while threads compute, and need not be waited for when a slab is filled again. ptxas moves
arithmetic up to where its operands are known, in front of all stores: `lane.behind` keeps one operand from it.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import lane, scf
from tilewright.dialects.arith import Cast, Constant
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.dialects.gpu_stores import StoreSlab, StoreTensor
from tilewright.dialects.lane import fragment_of
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import FragmentType
from tilewright.transforms.schedule.known import runs_lanes
from tilewright.transforms.schedule.reductions import picked

_FEWEST: Final = 4
"""Operations that are worth it: fewer take no longer than a slab is filled."""
_SEVERAL: Final = 3
"""Slabs of a warp: it has memory for two, which need not be read before they are filled.

H200, f16, bias and gelu, in parts of arithmetic in front of all: 256 x 128 of four slabs 2048 .97, 4096 .99; 128 x
64 of two 1024 1.03.
"""


class LateEpilogues(Pass, frozen=True):
    """Compute what each slab takes in front of it."""

    name: ClassVar[str] = "late-epilogues"

    def run(self, module: Module, context: PassContext) -> bool:
        found = [op for kernel in module.kernels if runs_lanes(kernel) for op in kernel.walk()]
        blocks = dict.fromkeys(op.block for op in found if isinstance(op, StoreSlab) and op.block is not None)
        changed = [_compute_late(block) for block in blocks]
        return any(changed)


def _compute_late(block: Block) -> bool:
    """Let each slab of a block have its own copy of the arithmetic, if there is enough of it and more than one."""
    slabs = [op for op in block if isinstance(op, StoreSlab) and _is_worth_it(op)]
    if len(slabs) < _SEVERAL:
        return False
    before = {op for slab in slabs for op in _arithmetic(_picked(slab), block)}
    for last, slab in zip([None, *slabs], slabs, strict=False):
        pick = _picked(slab)
        part = _Part(Builder.before_op(slab if last is None else _behind_store(last, slab)), block, pick.registers)
        leaves = _leaves(pick, block)
        if last is not None and leaves:
            part.hold(min(leaves, key=lambda leaf: _bytes(leaf, pick.registers)))
        slab.value = part.of(pick.fragments[0])
    for op in reversed(list(block)):
        if (isinstance(op, lane.Pick) or op in before) and not any(result.uses for result in op.results):
            op.erase()
    return True


def _behind_store(last: StoreSlab, slab: StoreSlab) -> Operation:
    """What stands behind the store of a slab, or the next slab if both are stored together."""
    op: Operation | None = last
    while op is not None and op is not slab:
        if isinstance(op, scf.If) and any(isinstance(inner, StoreTensor) for inner in op.walk()):
            assert op.next is not None, "a slab follows"
            return op.next
        op = op.next
    return slab


def _picked(slab: StoreSlab) -> lane.Pick:
    pick = slab.value.defining_op
    assert isinstance(pick, lane.Pick)
    return pick


def _is_worth_it(slab: StoreSlab) -> bool:
    """Whether a slab takes a part of what its block computes by several operations, for slabs alone."""
    pick, block = slab.value.defining_op, slab.block
    if not isinstance(pick, lane.Pick) or len(pick.fragments) != 1 or block is None:
        return False
    arithmetic = _arithmetic(pick, block)
    own = [op for op in arithmetic if not isinstance(op, Constant)]
    is_for_slabs = all(user in arithmetic or isinstance(user, lane.Pick) for op in own for user in op.results[0].uses)
    return is_for_slabs and sum(not isinstance(op, Cast) for op in own) >= _FEWEST


def _arithmetic(pick: lane.Pick, block: Block) -> dict[Operation, None]:
    """What computes, in a block, each register of a fragment of those of the same number, its last operation first."""
    found: dict[Operation, None] = {}
    waiting = [pick.fragments[0]]
    while waiting:
        op = waiting.pop().defining_op
        if op is not None and op not in found and _is_computed(op, block):
            found[op] = None
            waiting += op.operands
    return found


def _is_computed(op: Operation, block: Block) -> bool:
    is_plain = isinstance(op, Elementwise | Constant) and PURE in op.definition.traits and not op.regions
    return is_plain and op.block is block and isinstance(op.results[0].type, FragmentType)


def _leaves(pick: lane.Pick, block: Block) -> list[Value]:
    """What the arithmetic of a slab begins with, beside numbers."""
    arithmetic = _arithmetic(pick, block)
    operands = (operand for op in arithmetic for operand in op.operands if isinstance(operand.type, FragmentType))
    return [
        operand
        for operand in operands
        if operand.defining_op not in arithmetic and not isinstance(operand.defining_op, Constant | lane.Fill)
    ]


def _bytes(leaf: Value, registers: tuple[int, ...]) -> int:
    """Of the registers of a leaf that are not the same."""
    return len(set(_source(leaf, registers)[1])) * fragment_of(leaf).element.bytes


def _source(leaf: Value, registers: tuple[int, ...]) -> tuple[Value, tuple[int, ...]]:
    """Where the registers of a leaf come from."""
    op = leaf.defining_op
    if isinstance(op, lane.Pick) and len(op.fragments) == 1:
        return op.fragments[0], tuple(op.registers[register] for register in registers)
    return leaf, registers


class _Part:
    """Copies of the arithmetic of a block for some registers."""

    def __init__(self, build: Builder, block: Block, registers: tuple[int, ...]) -> None:
        self._build, self._block, self._registers = build, block, registers
        self._known: dict[Value, Value] = {}

    def hold(self, leaf: Value) -> None:
        """Nothing is computed of a leaf before what stands in front."""
        source, registers = _source(leaf, self._registers)
        own = sorted(set(registers))
        held = self._build(lane.Behind(picked(self._build, [source], own))).out
        self._known[leaf] = picked(self._build, [held], [own.index(register) for register in registers])

    def of(self, value: Value) -> Value:
        """These registers of a fragment, or a scalar itself."""
        if not isinstance(value.type, FragmentType):
            return value
        if value not in self._known:
            self._known[value] = self._made(value)
        return self._known[value]

    def _made(self, value: Value) -> Value:
        op = value.defining_op
        if op is None or not _is_computed(op, self._block):
            source, registers = _source(value, self._registers)
            return picked(self._build, [source], registers)
        copy = op.clone({operand: self.of(operand) for operand in op.operands})
        copy.results[0].type = FragmentType(len(self._registers), fragment_of(value).element)
        return self._build(copy).results[0]
