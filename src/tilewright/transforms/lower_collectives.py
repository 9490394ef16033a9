"""lower-collectives: the tensor language's collective instructions become loops over tiles of the work-group.

before:  tl.gemm %one, %A, %B, %zero, %C                    (16x8, 8x16, 16x16)
after:   %a = tile.load %A[0, 0]    %b = tile.load %B[0, 0]
         %p = tile.mma %a, %b, 0    tile.store %p, %C[0, 0]

Sizes beyond the policy's tiles become `scf.for` nests, outer loops `parallel`; the inner dimension carries the
accumulator tile. Arithmetic is in acc(T) with one rounding; zero factors follow BLAS. Loops and accesses of one
instruction share a `step` attribute: its written operand overlaps no other than element for element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from msgspec import field

from tilewright.dialects import arith, scf, tile, tl
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Operation
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.collectives_contractions import lower_contract
from tilewright.transforms.collectives_elementwise import lower_elementwise, lower_ger
from tilewright.transforms.collectives_products import lower_gemm, lower_gemv
from tilewright.transforms.collectives_reductions import lower_cumsum, lower_sum
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.limit_operations import within_limit
from tilewright.transforms.policy import NO_PREFETCH, Schedule, StreamPrefetch, TilePolicy
from tilewright.transforms.product_tiles import offer_tiles
from tilewright.transforms.steps import STEP, next_step, tag_step


class LowerCollectives(Pass, frozen=True):
    """Lower the collectives that work element by element, and `tl.gemm`, `contract`, `gemv`, `ger`, `sum`, `cumsum`."""

    name: ClassVar[str] = "lower-collectives"
    policy: TilePolicy = field(default_factory=GenericTilePolicy)
    prefetch: StreamPrefetch = NO_PREFETCH

    def run(self, module: Module, context: PassContext) -> bool:
        offer_tiles(module, self.policy, context)
        first = step = next_step(module)
        count = within_limit(module, context.report)
        if count is None:
            return False
        policies = {kernel: self.policy.of(kernel) for kernel in module.kernels}
        for op in list(module.walk()):
            lowering = _lowering(op, Schedule(_policy(policies, op) or self.policy, self.prefetch))
            if lowering is not None:
                before = op.previous
                lowering(Builder.before_op(op))
                made = tag_step(_between(before, op), step)
                step += 1
                if not count.grown(made - 1, op, context.report):
                    break
                op.erase()
        return step > first

    def broken(self, module: Module) -> list[str]:
        """No collective is left, and no loop over terms reads its accumulator from memory in each of its rounds."""
        found: list[str] = []
        for op in module.walk():
            if isinstance(op, tl.Collective):
                found.append(f"{op.name} is left")
            elif isinstance(op, tile.Mma) and _reads_each_round(op):
                found.append("a loop over terms reads its accumulator in every round")
        return found


def _policy(policies: Mapping[Kernel, TilePolicy], op: Operation) -> TilePolicy | None:
    """The sizes of tiles in the kernel of an operation, if it is in one."""
    return next((policies[around] for around in op.ancestors() if isinstance(around, Kernel)), None)


def _reads_each_round(op: tile.Mma) -> bool:
    """Whether a loop of the same instruction that is not parallel loads what a product is added to."""
    source = op.acc.defining_op
    while isinstance(source, tile.Mma | arith.Cast):
        source = source.acc.defining_op if isinstance(source, tile.Mma) else source.value.defining_op
    loop = None if source is None else source.parent_op
    step = None if source is None else source.attributes.get(STEP)
    is_inside = isinstance(loop, scf.For) and not loop.parallel and loop.attributes.get(STEP) == step
    return isinstance(source, tile.Load) and step is not None and is_inside


def _between(before: Operation | None, end: Operation) -> list[Operation]:
    """The operations after `before` (None: from the start of the block) and in front of `end`."""
    found: list[Operation] = []
    op = end.previous
    while op is not None and op is not before:
        found.append(op)
        op = op.previous
    return found


def _lowering(op: Operation, schedule: Schedule) -> Callable[[Builder], None] | None:
    match op:
        case tl.ElementwiseCollective():
            return lambda build: lower_elementwise(op, build, schedule)
        case tl.Ger():
            return lambda build: lower_ger(op, build, schedule)
        case tl.Gemm():
            return lambda build: lower_gemm(op, build, schedule)
        case tl.Contract():
            return lambda build: lower_contract(op, build, schedule)
        case tl.Gemv():
            return lambda build: lower_gemv(op, build, schedule)
        case tl.Sum():
            return lambda build: lower_sum(op, build, schedule)
        case tl.Cumsum():
            return lambda build: lower_cumsum(op, build, schedule)
        case _:
            return None
