"""spread-collectives: work-groups whose instructions are too large for one block are divided among many.

before:  scf.for %j = 0 to 8192 step 128 parallel {
             scf.for %i = 0 to 8192 step 128 parallel { .. tile.store %x, %C[%i, %j] } }
after:   %p = team.part    %n = team.num_parts
         scf.for %t = %p to 4096 step %n parallel {
             %i = .. %t ..    %j = .. %t ..    .. tile.store %x, %C[%i, %j] }         and `parts` on the kernel

Each block takes every n-th tile of each instruction, in an order in which neighbours share factors. The answer does not
depend on how many blocks there are: a launch decides that by the extents of its arguments (`artifacts/parts.py`). What
is no loop over tiles is done by the first block, numbers are loaded by all.

Where an instruction must wait for tiles of another one, the kernel stays as it is, and behind it come kernels that are
its steps (`phases.py`): one launch for each phase, in which no instruction waits. A launch takes them if its grid is
small and its matrices are large.

Left alone are kernels that report to the host, since each block would; those of which a launch does not know how many
tiles there are; and those with fewer than the policy wants. `spread` of the schedule says what was done, its reason why
nothing was. Linear in the operations and launches, but for the pairs of instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar, cast

from msgspec import field
from msgspec.structs import replace

from tilewright.artifacts.constraints import Origin, Polynomial
from tilewright.artifacts.parts import Parts, Trips, parts_to_json
from tilewright.dialects import scf, team
from tilewright.dialects.arith import Rem, Sub
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.gpu_clusters import MOST_BLOCKS
from tilewright.ir.core import Attribute, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.schedules import Schedule, Slices
from tilewright.ir.types import MemrefType
from tilewright.transforms.divide_tiles.grids import groups_of
from tilewright.transforms.footprints import Footprints
from tilewright.transforms.launch_quantities import LaunchQuantities
from tilewright.transforms.policy import SpreadPolicy
from tilewright.transforms.schedule.request import ScheduleRequest
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.separate_arrays import TESTED, hold_up, lie_apart
from tilewright.transforms.spread_collectives.clusters import Clusters
from tilewright.transforms.spread_collectives.numbering import Blocks, write_task
from tilewright.transforms.spread_collectives.phases import phases_of, write_steps
from tilewright.transforms.spread_collectives.sharing import (
    SharedMemory,
    accumulators_type,
    flag_bytes,
    loop_over_terms,
)
from tilewright.transforms.spread_collectives.tasks import Task, step_of, tasks_of
from tilewright.transforms.spread_collectives.units import Unit, Unspread, erase, units_of, wait_for_each_other
from tilewright.transforms.spread_collectives.wishes import with_wishes


class SpreadCollectives(Pass, frozen=True):
    """Divide work-groups among blocks by the target's model."""

    name: ClassVar[str] = "spread-collectives"
    policy: SpreadPolicy = field(default_factory=SpreadPolicy)
    request: ScheduleRequest = ScheduleRequest()

    def run(self, module: Module, context: PassContext) -> bool:
        heads = [kernel for kernel in module.kernels if kernel.step_of is None or _slices_of(kernel) is not None]
        changed = [self._spread(kernel, _wide(module, kernel)) for kernel in heads]
        if context.offers is not None:
            for kernel in heads:
                is_spread = kernel.parts is not None or kernel.stepped is not None
                if is_spread or self.request.of(kernel).spread is False:
                    context.offers.add(kernel.sym_name, [Schedule(spread=not is_spread)])
        return any(changed)

    def _spread(self, kernel: Kernel, wide: Kernel | None) -> bool:
        """Divide a kernel if that is possible and wanted; whether it or what its schedule says has changed.

        `wide` is the same with larger tiles (`widening`), which is no more if it is not divided as it is.
        """
        if self.request.of(kernel).spread is False or kernel.parts is not None:
            return False
        launches: list[Kernel] = []
        try:
            launches = self._launches(kernel, wide)
        except Unspread as reason:
            _say(kernel, False, str(reason))
        if not any(launch.step_of is None for launch in launches) and self._would_divide(kernel):
            hold_up(kernel, self.name)
        if wide is not None and wide not in launches:
            wide.erase()
        if len(launches) > 1:
            _say(kernel, True, self._told(launches))
        for launch in launches:
            policy = replace(self.policy, band=self._band(launch))
            _divide(launch, policy, self._clusters(launch), streams=self._streams(launch))
        return bool(launches or wide is not None or kernel.schedule or kernel.held_up)

    def _would_divide(self, kernel: Kernel) -> bool:
        """Whether a kernel that is not divided, at least not as one launch, would be if its arrays did not overlap, or
        is known to be of such arrays."""
        if lie_apart(kernel):
            return True
        loops = [op for op in kernel.walk() if isinstance(op, scf.For) and op.parallel]
        counts = [task.tiles for task in tasks_of(loops, Footprints(), one_instruction=True) if task.loops]
        if not any(count is None or count >= self.policy.fewest for count in counts):
            return False
        if TESTED in (kernel.held_up or {}):
            return True
        try:
            units = units_of(kernel)
        except Unspread:
            return False
        return wait_for_each_other(units) and not wait_for_each_other(units, apart=True)

    def _clusters(self, kernel: Kernel) -> tuple[int, int] | None:
        """The clusters that are asked or wished for, if the machine has them."""
        wanted = with_wishes(self.request.of(kernel), kernel).cluster
        if wanted is None or not 1 < prod(wanted) <= MOST_BLOCKS:
            return None
        if not self.policy.has_clusters:
            _say(kernel, True, "no clusters: the machine has none")
            return None
        return wanted

    def _band(self, kernel: Kernel) -> int:
        """How many tiles along one mode of a result blocks take together: the `order` that is asked or wished for,
        which is that of work-groups if there are several."""
        wanted = with_wishes(self.request.of(kernel), kernel).order
        if wanted is None or any(isinstance(op, team.GroupId) for op in kernel.walk()):
            return self.policy.band
        if any(task.multiplies and len(task.loops) > 1 for unit in units_of(kernel) for task in unit.tasks):
            kernel.schedule = str(replace(schedule_of(kernel), order=wanted))
            return wanted
        return self.policy.band

    def _streams(self, kernel: Kernel) -> bool:
        """Whether blocks had better share the terms of products."""
        if not with_wishes(self.request.of(kernel), kernel).stream:
            return False
        if kernel.step_of is not None or kernel.stepped is not None:
            _say(kernel, True, "no terms shared: a launch may take other kernels in its place")
            return False
        return True

    def _told(self, launches: Sequence[Kernel]) -> str:
        """What a schedule says of launches that may take a kernel's place, or stand beside it."""
        if launches[0].step_of is None:
            return f"products of {self.policy.wide_tiles} large tiles and more by larger tiles"
        return f"on grids of at most {self.policy.groups} work-groups {len(launches)} launches with spread tiles"

    def _launches(self, kernel: Kernel, wide: Kernel | None) -> list[Kernel]:
        """What is to be divided: the kernel itself and `wide`, or launches in its place; nothing if there are too few
        tiles.

        Raises `Unspread` if it cannot be divided.
        """
        if not any(isinstance(op, scf.For) and op.parallel for op in kernel.walk()):
            return []
        units = units_of(kernel)
        counts = [task.tiles for unit in units for task in unit.tasks if task.loops]
        fewest = self.policy.fewest if _slices_of(kernel) is None else 1
        if not counts or all(count is not None and count < fewest for count in counts):
            return []
        if not any(_nests(kernel, units)):
            raise Unspread("a launch does not know how many tiles there are")
        phases = phases_of(units)
        if phases[-1] == 0:
            if wide is None:
                return [kernel]
            kernel.stepped = (self.policy.product_blocks, self.policy.wide_tiles)
            return [kernel, wide]
        if all(count is not None and count < self.policy.step_tiles for count in counts):
            return []
        source = kernel if wide is None else wide
        steps = write_steps(source, phases_of(units_of(source)), kernel)
        kernel.stepped = (self.policy.groups, self.policy.step_tiles)
        return steps


def _slices_of(kernel: Kernel) -> Slices | None:
    """Into how many slices the tiles of a kernel have been divided, which blocks then share however few there are."""
    divide = schedule_of(kernel).divide
    return divide if divide is not None and divide.are_all else None


def _few(kernel: Kernel) -> int:
    """The most work-groups of launches that take a kernel in another one's place; 0 if it has its own place."""
    module = kernel.parent_op
    if kernel.step_of is None or not isinstance(module, Module):
        return 0
    head = module.kernel(kernel.step_of)
    return head.stepped[0] if head.stepped is not None else 0


def _wide(module: Module, kernel: Kernel) -> Kernel | None:
    """The same kernel with larger tiles (`widening`)."""
    return next((step for step in module.steps_of(kernel) if _slices_of(step) is None), None)


def _say(kernel: Kernel, spread: bool, reason: str) -> None:
    kernel.schedule = str(replace(schedule_of(kernel), spread=spread, reason=reason))


def _divide(kernel: Kernel, policy: SpreadPolicy, cluster: tuple[int, int] | None, *, streams: bool = False) -> None:
    """Let blocks share the units of a kernel, none of which waits for another one; in clusters if products allow.

    If it `streams`, blocks share the terms of products that are left behind whole waves.
    """
    units = units_of(kernel)
    tasks = [task for unit in units for task in unit.tasks]
    found = None if cluster is None else Clusters.of(tasks, cluster)
    clusters = found if isinstance(found, Clusters) else None
    if clusters is not None:
        kernel.cluster = cluster
    elif isinstance(found, str):
        _say(kernel, True, f"no clusters: {found}")
    extents = (1, 1) if clusters is None else clusters.extents
    most = policy.product_blocks if any(task.multiplies for task in tasks) else policy.blocks
    slices = _slices_of(kernel)
    if slices is not None:
        most = groups_of(kernel) or _few(kernel) * prod(slices.parts) or policy.divided_blocks
    sums = _shared_sums(tasks, policy) if streams else None
    if isinstance(sums, str):
        _say(kernel, True, f"no terms shared: {sums}")
    elif sums is not None:
        most = min(most, policy.stream_blocks)
        kernel.group_bytes, kernel.flag_bytes = SharedMemory.bytes(sums), flag_bytes(sums)
    parts = Parts(_nests(kernel, units), most, extents)
    _rewrite(kernel, units, policy, clusters, sums if isinstance(sums, MemrefType) else None)
    kernel.parts = cast("dict[str, Attribute]", dict(parts_to_json(parts)))


def _shared_sums(tasks: Sequence[Task], policy: SpreadPolicy) -> MemrefType | str:
    """Memory of sums that blocks hand on to each other, or why they share no terms."""
    products = [task for task in tasks if task.multiplies and task.tiles != 1]
    if len(products) != 1:
        return f"{len(products)} instructions have several tiles of products"
    loop = loop_over_terms(products[0])
    return loop if isinstance(loop, str) else accumulators_type(products[0], policy.stream_blocks)


def _nests(kernel: Kernel, units: Sequence[Unit]) -> tuple[tuple[Trips, ...], ...]:
    """The loops around tiles, as far as a launch knows them."""
    known = LaunchQuantities(kernel)
    for op in kernel.walk():
        if op is not kernel:
            known.see(op)
    tasks = [task for unit in units for task in unit.tasks if task.loops]
    return tuple(dict.fromkeys(tuple(_trips(task, known)) for task in tasks))


def _trips(task: Task, known: LaunchQuantities) -> list[Trips]:
    """What a launch knows of the loops around a tile."""
    found: list[Trips] = []
    for loop in task.loops:
        lower, upper = (_estimate(bound, known) for bound in (loop.lower, loop.upper))
        extent = None if lower is None or upper is None else upper - lower
        if extent is not None and extent.is_small and all(q.origin is not Origin.GROUP_ID for q in extent.quantities):
            found.append(Trips(extent, step_of(loop)))
    return found


def _estimate(bound: Value, known: LaunchQuantities) -> Polynomial | None:
    """A bound of a loop, or an extent from which only less than a tile was taken away."""
    op = bound.defining_op
    if isinstance(op, Sub) and isinstance(op.rhs.defining_op, Rem) and op.rhs.defining_op.lhs is op.lhs:
        return known.integer(op.lhs)
    return known.integer(bound)


def _rewrite(
    kernel: Kernel, units: Sequence[Unit], policy: SpreadPolicy, clusters: Clusters | None, sums: MemrefType | None
) -> None:
    first = kernel.body.entry.first
    assert first is not None
    build = Builder.before_op(first)
    part, count = build(team.Part()).out, build(team.NumParts()).out
    together = 1 if clusters is None else prod(clusters.extents)
    memory = None if sums is None else SharedMemory.place(build, sums, part, together)
    blocks = Blocks(part, count, policy.band, clusters, memory)
    for unit in units:
        if not unit.tasks:
            continue
        last = unit.ops[-1]
        assert last.block is not None
        at = Builder(last.block, last.next, unit.ops[0].location)
        for task in unit.tasks:
            write_task(at, task, blocks)
        for op in reversed(unit.ops):
            erase(op)
