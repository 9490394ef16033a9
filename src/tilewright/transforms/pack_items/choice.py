"""How items are packed: threads of an item, items of a chunk, chunks of a block, by a model of what limits them.

A *crew* of threads, a warp or all threads of the block, treats one *chunk*: items that follow each other, loaded in one
stage. A *team* of the crew works on an item at a time. The model looks for a chunk that is not large, at which
computing takes less than the time of moving the bytes, all of these move in whole pieces, and enough warps are there;
then for the least work.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, gcd, inf, lcm
from typing import Final

from msgspec.structs import replace

from tilewright.dialects import arith, tile
from tilewright.ir.schedules import Schedule, Way
from tilewright.transforms.lane_accesses import WORD
from tilewright.transforms.pack_items.costs import Bounded, Costs
from tilewright.transforms.pack_items.items import PIECE, SECTOR, Items, is_held
from tilewright.transforms.pack_items.plan import Plan, Shape
from tilewright.transforms.pack_items.policy import PackingPolicy
from tilewright.transforms.pack_items.slabs import Slabs, is_padded, place_slabs
from tilewright.transforms.pack_items.tilings import Tiling, tilings, unit_of, unit_tiling, wide_type, words_of
from tilewright.transforms.tile_values import tile_type

_ANY = Schedule()
_MOST_JOINED: Final = 16
_INSTRUCTION_ROWS: Final = 16
_FILLED: Final = 0.95
"""Of the rows of matrix instructions."""


def plan_of(items: Items, policy: PackingPolicy, wanted: Schedule = _ANY) -> Plan | str:
    """The best plan, with threads and chunk as they are wanted if that is possible; in words why there is none."""
    moved = sum(transfer.bytes for transfer in items.transfers.values() if not transfer.is_fixed)
    any_chunk = replace(_ANY, persistent=wanted.persistent, pairs=wanted.pairs)
    best = _usual(items, policy, moved / policy.bytes_a_cycle, any_chunk)
    if best is not None:
        best = _in_sectors(best, items, policy, moved / policy.bytes_a_cycle)
    if best is not None and not best.is_wanted(wanted):
        best = _usual(items, policy, moved / policy.bytes_a_cycle, wanted) or best
    if best is None:
        return f"items of {moved} bytes, for which a block has no room"
    alone = best.items == 1 and best.crew > policy.warp
    if wanted.way is None and policy.leaves_alone and alone and _fills_units(items, policy):
        return "a block would have one item, whose product matrix instructions fill"
    return best


def _in_sectors(plan: Plan, items: Items, policy: PackingPolicy, budget: float) -> Plan:
    """The plan with more items a chunk, whose rows are whole sectors: what two chunks share of one is moved twice.

    Fewer warps have room then, which plans that compute for long would feel, and those of narrow elements: more of them
    are computed with for the same bytes.
    """
    count = lcm(plan.items, *(SECTOR // gcd(SECTOR, transfer.row_bytes) for transfer in plan.rows))
    is_short = plan.cost < budget * policy.short_computing and all(row.element.bytes >= WORD for row in plan.rows)
    if plan.joined > 1 or plan.most is not None or not is_short or count == plan.items:
        return plan
    wanted = Schedule(threads=plan.threads, chunk=replace(plan.chunk, items=count), pairs=plan.pairs)
    larger = _best(items, policy, budget, wanted)
    if larger is None or larger.threads // policy.warp * _resident(larger, policy) < policy.sector_warps:
        return plan
    return larger


def _panelled(items: Items, policy: PackingPolicy, budget: float, wanted: Schedule) -> Plan | None:
    """The best plan with factors in panels; only blocks that go on copy constants so seldom."""
    items = replace(items, panelled=True)
    if not any(transfer.is_fixed and items.panel_mode(transfer.value) is not None for transfer in items.loads):
        return None
    found = _best(items, policy.going_on(), budget, wanted)
    return found if found is not None and found.most is not None else None


def _fills_units(items: Items, policy: PackingPolicy) -> bool:
    """Whether items are one product, of whole matrix instructions whatever the order of its modes is."""
    known = (*policy.units, *policy.joined_units)
    units = [(op, unit_of(op, known)) for op in items.products]
    shapes = [tile_type(value).shape for op in items.products for value in (op.lhs, op.rhs)]
    sides = [side for shape in shapes for side in shape]
    return len(units) == 1 and all(unit and all(n % max(unit.shape) == 0 for n in sides) for _, unit in units)


def _usual(items: Items, policy: PackingPolicy, budget: float, wanted: Schedule) -> Plan | None:
    """The best plan of those wanted, with more room where less is not enough."""
    best = _best(items, policy, budget, wanted)
    if best is None and (wanted.threads or wanted.chunk):
        best = _best(items, policy.with_room(), budget, wanted)
    elif best is not None and best.cost > budget:
        larger = _best(items, policy.with_room(), budget, wanted)
        best = min(best, larger or best, key=lambda plan: plan.cost)
        panelled = _panelled(items, policy, budget, wanted)
        if panelled is not None and panelled.cost < best.cost * policy.bank_conflicts:
            best = panelled
    if best is None or best.cost > budget:
        joined = [_best(each, policy.joining(), budget, wanted) for each in _joined(items, wanted)]
        best = min([best, *joined], key=lambda plan: inf if plan is None else _busy_cycles(plan, policy))
    elif not best.has_units:
        # what instructions of matrices leave of the time is for conversions and accesses, which others wait for
        joined = [_best(each, policy.beside(), budget, wanted) for each in _joined(items, wanted)]
        fitting = [plan for plan in joined if plan and plan.cost <= budget and plan.crew == policy.warp]
        best = min(fitting, key=lambda plan: plan.cost, default=best)
    return best


def _busy_cycles(plan: Plan, policy: PackingPolicy) -> float:
    """What computing takes with warps that there is shared memory for, what each block loads for all of its items too.

    Of few warps, none computes while another one waits.
    """
    warps = plan.threads // policy.warp * _resident(plan, policy)
    fixed = plan.slabs.fixed_bytes / (plan.items * plan.crews * policy.cached_bytes_a_cycle)
    return (plan.cost + fixed) * max(policy.busy_warps / warps, 1)


def _resident(plan: Plan, policy: PackingPolicy) -> int:
    """Blocks for which a multiprocessor has shared memory."""
    return max(policy.all_shared_bytes // max(plan.slabs.bytes_of(plan.crews), 1), 1)


def _joined(items: Items, wanted: Schedule) -> Iterator[Items]:
    """Items joined to some that matrix instructions fill, or to a power of two."""
    if not items.can_join or not items.products:
        return
    columns = tile_type(items.products[0].out).shape[1]
    for count in range(2, _MOST_JOINED + 1):
        filled = columns * count / (_INSTRUCTION_ROWS * ceil(columns * count / _INSTRUCTION_ROWS))
        usual = filled >= _FILLED or count & (count - 1) == 0
        if usual if wanted.chunk is None else wanted.chunk.joined == count:
            yield replace(items, joined=count)


def moves_from(plan: Plan, items: Items, policy: PackingPolicy) -> Iterator[Schedule]:
    """What else packed items could have: larger and smaller chunks and blocks, other teams and crews."""
    chunk = plan.chunk
    for count in (2 * chunk.items, chunk.items // 2):
        if count and count % (plan.teams * plan.joined) == 0:
            yield Schedule(threads=plan.threads, chunk=replace(chunk, items=count))
    if _has_pairs(plan.team, plan.crew, policy) and not plan.pairs:
        yield Schedule(threads=plan.threads, chunk=chunk, pairs=True)
    for threads in (2 * plan.threads, plan.threads // 2):
        if plan.crew == policy.warp and policy.warp <= threads <= policy.block:
            yield Schedule(threads=threads, chunk=chunk)
    usual = _plans(items, policy, _ANY)
    larger = _plans(items, policy.with_room(), _ANY)
    for other in sorted([*usual, *larger], key=lambda each: each.cost):
        if (other.team, other.crew) != (plan.team, plan.crew):
            yield Schedule(threads=other.threads, chunk=other.chunk)
    yield Schedule(Way.LANES)


def _best(items: Items, policy: PackingPolicy, budget: float, wanted: Schedule) -> Plan | None:
    """The best plan; `budget` are the cycles that memory takes for an item."""
    chunked = _chunked_bytes(items)
    moving = [transfer for transfer in items.transfers.values() if not transfer.is_fixed]
    rows, moved = [transfer for transfer in moving if transfer.is_row], sum(transfer.bytes for transfer in moving)
    best: tuple[tuple[float, ...], Plan] | None = None
    for plan in _plans(items, policy, wanted):
        slow = sum(transfer.bytes for transfer in rows if transfer not in plan.rows) / moved
        chunk = plan.items * chunked * policy.warp / plan.crew
        blocks = _resident(plan, policy)
        warps, crews = plan.threads // policy.warp * blocks, plan.crews * blocks
        few = max(1 - warps / policy.warps, 1 - crews / policy.crews, 0)
        key = (max(plan.cost / budget, 1) + slow + few, max(chunk, policy.usual_bytes), plan.cost, chunk)
        if items.joined > 1:
            key = (_busy_cycles(plan, policy), *key)
        if best is None or key < best[0]:
            best = key, plan
    return None if best is None else best[1]


def _plans(items: Items, policy: PackingPolicy, wanted: Schedule) -> Iterator[Plan]:
    costs = Costs.of(items, policy)
    moved = sum(transfer.bytes for transfer in items.transfers.values() if not transfer.is_fixed) / policy.bank_bytes
    words = _held_shapes(items)
    room = min(policy.registers, policy.all_registers // max(_most_live(items), 1))
    choices: dict[Shape, list[Bounded]] = {}
    for shape, count in words.items():
        found = [] if items.panelled else _unit_tilings(items, policy, shape)
        # of joined items matrix instructions alone were faster
        if items.joined == 1:
            products = [op for op in items.products if items.shape(op.out) == shape]
            most = policy.product_registers // count
            # smaller boxes are more threads, which move what lies apart faster
            fewer = policy.fewer_terms or items.lie_dense
            others = tilings(shape, policy.block, room // count, products, most, fewer=fewer)
            found += [each for each in others if not items.panelled or not any(map(each.hangs_over, range(len(shape))))]
        choices[shape] = costs.by_bound(found)
    # the threads of the tile that takes most are those of the team
    for team in sorted({tiling.threads for found in choices.values() for _, tiling in found}):
        for crew in (policy.warp, 2 * policy.warp, policy.block):
            teams = crew // team
            # all that is joined may be a block's, which has what is the same for all once
            of_block = items.joined > 1 and crew == policy.block
            if not teams or (crew > policy.warp and not of_block and not _is_fuller(team, crew, policy.warp)):
                continue
            if wanted.chunk is not None and (team, crew, items.joined) != wanted.chunk.shares:
                continue
            chosen = _chosen(choices, costs, team)
            if chosen is None:
                continue
            issued = sum(map(costs.issued, chosen.values()))
            # each element is tested where boxes lie over each other
            issued += 2 * sum(tiling.registers for tiling in chosen.values() if any(map(tiling.hangs_over, (0, -1))))
            passes = sum(costs.passes(tiling, team) for tiling in chosen.values())
            # warps that wait for each other are never all busy
            waiting = 1 if crew == policy.warp or team > policy.warp else policy.waiting
            warps = crew / policy.warp / teams
            cost = max(
                (policy.cycles_of_pass + issued * waiting) * warps / items.joined,
                passes * waiting * warps / items.joined + moved,
            )
            plan = _filled(items, policy, (team, crew), chosen, cost, wanted)
            if plan is not None:
                yield plan


def _unit_tilings(items: Items, policy: PackingPolicy, shape: Shape) -> list[Tiling]:
    """Accumulators of matrix instructions, if all products of a shape are by the same one."""
    units = [unit_of(op, policy.units) for op in items.products if items.shape(op.out) == shape]
    if not units or units[0] is None or any(unit is not units[0] for unit in units):
        return []
    most = policy.block // policy.warp
    behind = [1 << n for n in range(most.bit_length() if items.joined > 1 else 1)]
    dealt = [(1 << n, of) for of in behind for n in range((most // of).bit_length())]
    found = [unit_tiling(shape, units[0], warps) for warps in dealt]
    return [tiling for tiling in found if tiling.registers <= policy.registers // max(_most_live(items), 1)]


def _is_fuller(team: int, crew: int, warp: int) -> bool:
    """Whether fewer threads of a crew are idle than of one of half as many."""
    half = crew // 2
    return half < warp or (crew // team) * team * half > (half // team) * team * crew


def _chosen(choices: dict[Shape, list[Bounded]], costs: Costs, team: int) -> dict[Shape, Tiling] | None:
    """For each shape the tiling by which what is done with its tiles costs least."""
    found: dict[Shape, Tiling] = {}
    for shape, bounded in choices.items():
        fitting = [each for each in bounded if _fits(each[1], team)]
        if not fitting:
            return None
        most = max(tiling.threads for _, tiling in fitting)
        found[shape] = costs.best([each for each in fitting if 2 * each[1].threads > most], team)
    return found


def _fits(tiling: Tiling, team: int) -> bool:
    """Whether a team holds the boxes: those of matrix instructions want whole warps."""
    return tiling.threads == team if tiling.unit else tiling.threads <= team


def _filled(
    items: Items,
    policy: PackingPolicy,
    team_and_crew: tuple[int, int],
    chosen: dict[Shape, Tiling],
    cost: float,
    wanted: Schedule,
) -> Plan | None:
    """A chunk that is large enough and moves in whole pieces; else a smaller one, without rows that do not.

    Blocks that compute for longer than they move go on, since what is the same for all items is loaded once then, and
    nobody waits for items.
    """
    team, crew = team_and_crew
    teams = crew // team
    moving = [transfer for transfer in items.transfers.values() if not transfer.is_fixed]
    chunked = _chunked_bytes(items)
    rows = [transfer for transfer in moving if transfer.is_row]
    padded = any(tiling.unit for tiling in chosen.values())
    rows = [transfer for transfer in rows if not (padded and is_padded(transfer))]
    together = teams * items.joined
    whole = lcm(together, *(PIECE // gcd(PIECE, transfer.row_bytes) for transfer in rows))
    least = policy.chunk_bytes * crew // policy.warp
    counts = [unit * max(ceil(least / (unit * chunked)), 1) for unit in (whole, together)]
    if wanted.chunk is not None:
        counts = [wanted.chunk.items] if wanted.chunk.items % together == 0 else []
    for count in counts:
        kept = frozenset(transfer for transfer in rows if count * transfer.row_bytes % PIECE == 0)
        moved = sum(transfer.bytes for transfer in moving) / policy.bytes_a_cycle
        goes_on = wanted.persistent
        if goes_on is None:
            goes_on = (
                cost > moved and len(moving) < len(items.transfers) and all(t.is_row and t.is_dense for t in moving)
            )
        slabs = place_slabs(items, count, count > together, kept, chosen, kept=goes_on)
        crews = _crews(policy, crew, slabs) if wanted.threads is None else _wanted_crews(policy, crew, wanted.threads)
        if crews and slabs.bytes_of(crews) <= policy.shared_bytes:
            plan = Plan(team, crew, crews, count, chosen, kept, slabs, cost, items.joined)
            plan = replace(plan, pairs=bool(wanted.pairs) and _has_pairs(team, crew, policy))
            if goes_on and slabs.fixed_bytes:
                plan = replace(plan, most=_resident(plan, policy) * policy.multiprocessors)
            return plan
    return None


def _has_pairs(team: int, crew: int, policy: PackingPolicy) -> bool:
    """Whether lanes of a warp can be of two teams by turns."""
    return crew == policy.warp and team % 2 == 0 and crew // team % 2 == 0


def _crews(policy: PackingPolicy, crew: int, slabs: Slabs) -> int:
    """Crews of a block: more of them where what is the same for all items is larger than these."""
    if crew > policy.warp:
        return 1
    crews = max((policy.usual_block if slabs.fixed_bytes <= slabs.crew_bytes else policy.block) // crew, 1)
    while crews > 1 and slabs.bytes_of(crews) > policy.shared_bytes:
        crews //= 2
    return crews


def _wanted_crews(policy: PackingPolicy, crew: int, threads: int) -> int:
    """Crews of a block of so many threads, 0 if there can be no such: only warps share one."""
    if threads % crew or threads > policy.block:
        return 0
    return threads // crew if crew == policy.warp or threads == crew else 0


def _chunked_bytes(items: Items) -> int:
    """Of an item by which chunks are measured: what is loaded, or stored if only that differs from item to item."""
    loaded = sum(transfer.bytes for transfer in items.loads if not transfer.is_fixed)
    return loaded or sum(transfer.bytes for transfer in items.stores)


def _held_shapes(items: Items) -> dict[Shape, int]:
    """The shapes of tiles that are in registers, and the words of their largest elements."""
    found: dict[Shape, int] = {}
    for op in items.operations:
        for value in filter(is_held, op.results):
            type_ = tile_type(value)
            words = words_of(wide_type(op) if isinstance(op, tile.Mma) else type_.element)
            shape = items.shape(value)
            found[shape] = max(found.get(shape, 1), words)
    return found


def _most_live(items: Items) -> int:
    """The most tiles that are in registers at a time: what is in a slab is read when it is needed."""
    position = {op: k for k, op in enumerate(items.operations)}
    changes, read = [0] * (len(position) + 1), [0] * len(position)
    for op, born in position.items():
        if isinstance(op, tile.Splat | arith.Constant):
            continue
        for value in filter(is_held, op.results):
            uses = [use for use in value.uses if use in position]
            if isinstance(op, tile.Load) or value in items.factors:
                for use in uses:
                    read[position[use]] += not isinstance(use, tile.Mma)
                continue
            changes[born] += 1
            changes[max(map(position.__getitem__, uses), default=born)] -= 1
    live = most = 0
    for change, more in zip(changes, read, strict=False):
        live += change
        most = max(most, live + more)
    return most
