"""How items are packed: threads of an item, items of a chunk, chunks of a block, by a model of what limits them.

A *crew* of threads, a warp or all threads of the block, treats one *chunk*: items that follow each other, loaded in one
stage. A *team* of the crew works on an item at a time. The model looks for a chunk that is not large, at which
computing takes less than the time of moving the bytes, all of these move in whole pieces, and enough warps are there;
then for the least work.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, gcd, lcm

from msgspec import Struct

from tilewright.dialects import tile
from tilewright.ir.core import Value
from tilewright.ir.schedules import Schedule
from tilewright.ir.types import TileType
from tilewright.transforms.pack_items.items import Items, Transfer, tile_type
from tilewright.transforms.pack_items.slabs import PIECE, Slabs, place_slabs
from tilewright.transforms.pack_items.tilings import ProductCost, Tiling, terms_together, tilings, wide_type, words_of
from tilewright.transforms.policy import PackingPolicy

Shape = tuple[int, ...]


class Plan(Struct, frozen=True, eq=False):
    """`crew` threads treat a chunk of `items`, `team` of them an item at a time; `tilings` by shape of tile.

    `rows` are the transfers that are done for the whole chunk at once; `cost` is cycles of a multiprocessor an item.
    """

    team: int
    crew: int
    crews: int
    items: int
    tilings: dict[Shape, Tiling]
    rows: frozenset[Transfer]
    slabs: Slabs
    cost: float

    @property
    def teams(self) -> int:
        """Teams of a crew."""
        return self.crew // self.team

    @property
    def passes(self) -> int:
        """Items that a team works on, one after the other."""
        return self.items // self.teams

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.crew * self.crews

    def lacks(self, wanted: Schedule) -> str | None:
        """What a caller asks for who does not ask for packed items, and they have not."""
        if wanted.products:
            return f"product={wanted.products[0]}"
        return None if wanted.threads in (None, self.threads) else f"threads={wanted.threads}"

    def __str__(self) -> str:
        return (
            f"{self.items * self.crews} items a block, {self.items} a chunk of {self.crew} threads, "
            f"{self.team} threads an item, "
            f"{self.slabs.bytes_of(self.crews)} bytes of shared memory"
        )


def plan_of(items: Items, policy: PackingPolicy) -> Plan | str:
    """The best plan; in words why there is none."""
    moved = sum(transfer.bytes for transfer in items.transfers.values() if not transfer.is_fixed)
    chunked = _chunked_bytes(items)
    rows = [transfer for transfer in items.transfers.values() if transfer.is_row and not transfer.is_fixed]
    budget = moved / policy.bytes_a_cycle
    best: tuple[tuple[float, ...], Plan] | None = None
    for plan in _plans(items, policy):
        slow = sum(transfer.bytes for transfer in rows if transfer not in plan.rows) / moved
        chunk = plan.items * chunked * policy.warp / plan.crew
        warps = plan.threads // policy.warp * (policy.all_shared_bytes // max(plan.slabs.bytes_of(plan.crews), 1))
        few = max(1 - warps / policy.warps, 0)
        key = (max(plan.cost / budget, 1) + slow + few, max(chunk, policy.usual_bytes), plan.cost, chunk)
        if best is None or key < best[0]:
            best = key, plan
    if best is None:
        return f"items of {moved} bytes, for which a block has no room"
    suited = [op for op in items.products if policy.suits_units(tile_type(op.lhs), tile_type(op.rhs))]
    if best[1].cost > budget and suited:
        return f"products of {tile_type(suited[0].lhs)} that keep matrix instructions busy"
    return best[1]


def _plans(items: Items, policy: PackingPolicy) -> Iterator[Plan]:
    costs = [(_shape(op), ProductCost.of(op, policy)) for op in items.products]
    words = _held_shapes(items)
    room = min(policy.registers, policy.all_registers // max(_most_live(items), 1))
    terms = {
        shape: max((terms_together(op) for op in items.products if _shape(op) == shape), default=0) for shape in words
    }
    choices = {
        shape: list(tilings(shape, policy.block, room // count, terms[shape], policy.product_registers // count))
        for shape, count in words.items()
    }
    # the threads of the tile that takes most are those of the team
    for team in sorted({tiling.threads for found in choices.values() for tiling in found}):
        for crew in (policy.warp, 2 * policy.warp, policy.block):
            teams = crew // team
            if not teams or (crew > policy.warp and not _is_fuller(team, crew, policy.warp)):
                continue
            chosen = _chosen(choices, costs, team)
            if chosen is None:
                continue
            cycles = sum(cost.cycles(chosen[shape], team) for shape, cost in costs)
            # each element is tested where boxes lie over each other
            cycles += 2 * sum(tiling.registers for tiling in chosen.values() if any(map(tiling.hangs_over, (0, -1))))
            # warps that wait for each other are never all busy
            cycles *= 1 if crew == policy.warp or team > policy.warp else policy.waiting
            cost = (policy.cycles_of_pass + cycles) / (teams * policy.warp / crew)
            plan = _filled(items, policy, (team, crew), chosen, cost)
            if plan is not None:
                yield plan


def _is_fuller(team: int, crew: int, warp: int) -> bool:
    """Whether fewer threads of a crew are idle than of one of half as many."""
    half = crew // 2
    return half < warp or (crew // team) * team * half > (half // team) * team * crew


def _chosen(
    choices: dict[Shape, list[Tiling]], costs: list[tuple[Shape, ProductCost]], team: int
) -> dict[Shape, Tiling] | None:
    """For each shape the tiling by which its products cost least."""
    found: dict[Shape, Tiling] = {}
    for shape, tilings_ in choices.items():
        fitting = [tiling for tiling in tilings_ if tiling.threads <= team]
        if not fitting:
            return None
        mine = [cost for of, cost in costs if of == shape]
        found[shape] = min(
            fitting, key=lambda tiling: (sum(cost.cycles(tiling, team) for cost in mine), tiling.registers)
        )
    return found


def _filled(
    items: Items, policy: PackingPolicy, team_and_crew: tuple[int, int], chosen: dict[Shape, Tiling], cost: float
) -> Plan | None:
    """A chunk that is large enough and moves in whole pieces; else a smaller one, without rows that do not."""
    team, crew = team_and_crew
    teams, crews = crew // team, max(policy.block // crew, 1) if crew == policy.warp else 1
    moving = [transfer for transfer in items.transfers.values() if not transfer.is_fixed]
    chunked = _chunked_bytes(items)
    rows = [transfer for transfer in moving if transfer.is_row]
    whole = lcm(teams, *(PIECE // gcd(PIECE, transfer.bytes) for transfer in rows))
    least = policy.chunk_bytes * crew // policy.warp
    for unit in (whole, teams):
        count = unit * max(ceil(least / (unit * chunked)), 1)
        kept = frozenset(transfer for transfer in rows if count * transfer.bytes % PIECE == 0)
        slabs = place_slabs(items, count, count > teams, kept)
        if slabs.bytes_of(crews) <= policy.shared_bytes:
            return Plan(team, crew, crews, count, chosen, kept, slabs, cost)
    return None


def _chunked_bytes(items: Items) -> int:
    """Of an item by which chunks are measured: what is loaded, or stored if only that differs from item to item."""
    loaded = sum(transfer.bytes for transfer in items.loads if not transfer.is_fixed)
    return loaded or sum(transfer.bytes for transfer in items.stores)


def _shape(op: tile.Mma) -> Shape:
    return tile_type(op.out).shape


def is_held(value: Value) -> bool:
    """Whether the elements of a tile are in registers at some time: not if it is loaded and only multiplied."""
    if not isinstance(value.type, TileType):
        return False
    multiplied = all(isinstance(op, tile.Mma) and op.acc is not value for op in value.uses)
    return not (isinstance(value.defining_op, tile.Load) and multiplied)


def _held_shapes(items: Items) -> dict[Shape, int]:
    """The shapes of tiles that are in registers, and the words of their largest elements."""
    found: dict[Shape, int] = {}
    for op in items.operations:
        for value in filter(is_held, op.results):
            type_ = tile_type(value)
            words = words_of(wide_type(op) if isinstance(op, tile.Mma) else type_.element)
            found[type_.shape] = max(found.get(type_.shape, 1), words)
    return found


def _most_live(items: Items) -> int:
    """The most tiles that are in registers at a time."""
    position = {op: k for k, op in enumerate(items.operations)}
    changes = [0] * (len(position) + 1)
    for op, born in position.items():
        for value in filter(is_held, op.results):
            changes[born] += 1
            changes[max((position[use] for use in value.uses if use in position), default=born)] -= 1
    live = most = 0
    for change in changes:
        live += change
        most = max(most, live)
    return most
