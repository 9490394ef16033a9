"""Cycles of blocks become `scf.while`; what is left of the region has none."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.diagnostics import UNKNOWN, Location
from tilewright.dialects import scf
from tilewright.dialects.builder import Builder
from tilewright.dialects.cf import Branch
from tilewright.ir.control_flow import cycles, dominator_chain, immediate_dominators
from tilewright.ir.core import Block, BlockArgument, Operation, Region, Value
from tilewright.ir.types import BOOL
from tilewright.transforms.lift_control_flow.edges import (
    EdgeOut,
    Junction,
    NotStructured,
    check_carried,
    edges_of,
    undefined,
)


def lift_cycles(region: Region) -> list[Region]:
    """Put the outermost cycles of a region into loops; the bodies of these, which may have cycles of their own."""
    _enter_from_outside(region)
    return [_lift(region, members) for members in cycles(region.blocks)]


def _enter_from_outside(region: Region) -> None:
    """Give the region an entry that no branch leads to."""
    old = region.entry
    if all(edge.dest is not old for edge in edges_of(region.blocks)):
        return
    new = Block()
    new.region = region
    region.blocks.insert(0, new)
    for argument in old.arguments:
        new.add_argument(argument.type, argument.name, argument.location)
    new.append(Branch(list(new.arguments), old))


class _Cycle(Struct, frozen=True):
    """Blocks that reach each other, and how they are entered and left: `back` and `exits` are all the edges that
    lead to the header or out. `escaping` are values of the cycle that are used outside; of those, the ones that a
    block may use stand in `known`."""

    header: Block
    blocks: list[Block]
    entries: list[EdgeOut]
    back: list[EdgeOut]
    exits: list[EdgeOut]
    escaping: list[Value]
    known: dict[Block, set[Value]]
    location: Location


def _lift(region: Region, members: Sequence[Block]) -> Region:
    """Put one cycle into a loop that stands in a new block of the region."""
    cycle = _cycle(region, members)
    junction = Junction(region, cycle.exits)
    latch = junction.block
    forwarded = [a.type for a in latch.arguments]
    kept = [*(a.type for a in cycle.header.arguments), *(v.type for v in cycle.escaping)]
    check_carried([*forwarded, *kept], "a loop", cycle.location)
    for type_ in (*kept, BOOL):
        latch.add_argument(type_)
    _lead_to_latch(cycle, junction, len(forwarded))
    return _loop(region, cycle, junction, len(forwarded))


def _cycle(region: Region, members: Sequence[Block]) -> _Cycle:
    location = next((b.last.location for b in members if b.last is not None), UNKNOWN)
    inside = set(members)
    edges = edges_of(region.blocks)
    entries = [e for e in edges if e.dest in inside and e.source not in inside]
    targets = {e.dest for e in entries}
    blocks = list(members)
    if len(targets) == 1:
        header = targets.pop()
    else:
        into = [e for e in edges if e.dest in targets]
        junction = Junction(region, into)
        for edge, values in [(e, junction.forwarded(e)) for e in into]:
            edge.redirect(junction.block, values)
        junction.fork(Builder.at_end(junction.block, location), list(junction.block.arguments))
        header = junction.block
        blocks.append(header)
        inside.add(header)
    leaving = edges_of(blocks)
    exits = [e for e in leaving if e.dest not in inside]
    if not exits:
        raise NotStructured("this loop never ends", location)
    back = [e for e in leaving if e.dest is header]
    escaping = _escaping(blocks, inside)
    known = _known([header, *(b for b in blocks if b is not header)], {e.source for e in exits}, set(escaping))
    return _Cycle(header, blocks, entries, back, exits, escaping, known, location)


def _escaping(blocks: Sequence[Block], inside: set[Block]) -> list[Value]:
    """Values that the blocks define and others use."""
    region = blocks[0].region
    values = [v for b in blocks for v in (*b.arguments, *(r for op in b for r in op.results))]
    return [v for v in values if any(_block_in(region, user) not in inside for user in v.uses)]


def _block_in(region: Region | None, op: Operation) -> Block | None:
    """The block of a region that an operation stands in, however deep."""
    block = op.block
    while block is not None and block.region is not region:
        parent = block.parent_op
        block = None if parent is None else parent.block
    return block


def _known(blocks: Sequence[Block], sources: set[Block], values: set[Value]) -> dict[Block, set[Value]]:
    """Which of some values are defined on every path through the cycle to the end of a block."""
    if not values:
        return {block: set() for block in sources}
    dominators = immediate_dominators(blocks)
    found: dict[Block, set[Value]] = {}
    for block in sources:
        over = {block, *dominator_chain(block, dominators)}
        found[block] = {v for v in values if _block_of(v) in over}
    return found


def _block_of(value: Value) -> Block | None:
    return value.block if isinstance(value, BlockArgument) else value.defining_op and value.defining_op.block


def _lead_to_latch(cycle: _Cycle, junction: Junction, forwarded: int) -> None:
    """Lead all edges to the header and out of the cycle to one block that says which of the two comes next."""
    latch = junction.block
    types = [a.type for a in latch.arguments]
    count = len(cycle.header.arguments)
    escaping = [v.type for v in cycle.escaping]
    changes: list[tuple[EdgeOut, list[Value]]] = []
    for edge in cycle.back:
        b = edge.builder()
        values = [*undefined(b, types[:forwarded]), *edge.values, *undefined(b, escaping), b.boolean(True)]
        changes.append((edge, values))
    for edge in cycle.exits:
        b, known = edge.builder(), cycle.known[edge.source]
        values = [*junction.forwarded(edge), *undefined(b, types[forwarded : forwarded + count])]
        values += [v if v in known else undefined(b, [v.type])[0] for v in cycle.escaping]
        changes.append((edge, [*values, b.boolean(False)]))
    for edge, values in changes:
        edge.redirect(latch, values)


def _loop(region: Region, cycle: _Cycle, junction: Junction, forwarded: int) -> Region:
    """Move the blocks of the cycle into the body of a loop, from which the paths go on as its edges did."""
    header, latch = cycle.header, junction.block
    count = len(header.arguments)
    before = region.add_block(Block())
    arguments: list[Value] = [before.add_argument(a.type, a.name, a.location) for a in header.arguments]
    for edge in cycle.entries:
        edge.redirect(before, edge.values)
    *carried, again = latch.arguments
    ordered = [*carried[forwarded : forwarded + count], *carried[forwarded + count :], *carried[:forwarded]]
    latch.append(scf.Yield([again, *ordered], location=cycle.location))
    body = Region()
    for block in (header, *(b for b in cycle.blocks if b is not header), latch):
        region.blocks.remove(block)
        body.add_block(block)
    types = [v.type for v in ordered]
    for type_ in types[count:]:
        header.add_argument(type_)
    b = Builder.at_end(before, cycle.location)
    inits = [*arguments, *undefined(b, types[count:])]
    loop = b(scf.While(inits, body, result_types=types))
    results = loop.outs[count:]
    for value, result in zip(cycle.escaping, results, strict=False):
        _replace_outside(value, result, loop)
    junction.fork(b, results[len(cycle.escaping) :])
    return body


def _replace_outside(value: Value, result: Value, loop: Operation) -> None:
    for user in list(value.uses):
        if not loop.is_ancestor_of(user):
            user.replace_operand(value, result)
