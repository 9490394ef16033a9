"""Branches of a region without cycles become `scf.if`; what is left of the region is one block."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects import arith, scf
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.cf import Branch, BranchOperation, ConditionalBranch, Switch, Undefined
from tilewright.ir.control_flow import predecessors
from tilewright.ir.core import Block, Region, Value
from tilewright.transforms.lift_control_flow.edges import EdgeOut, Junction, check_carried, edges_of


def lift_branches(region: Region) -> list[Region]:
    """Pull everything behind the entry into it; the arms that this made, which may have branches of their own."""
    left = {block: len(found) for block, found in predecessors(region.blocks).items()}
    made: list[Region] = []
    entry = region.entry
    while isinstance(entry.last, BranchOperation):
        if len(entry.last.successors) == 1:
            _merge(region, entry, entry.last)
        else:
            made += _split(region, entry, left)
    return made


def _merge(region: Region, entry: Block, branch: BranchOperation) -> None:
    """Append the only block that the entry leads to, and that nothing else leads to."""
    ((block, forwarded),) = branch.edges()
    values = list(forwarded)
    branch.erase()
    for argument, value in zip(block.arguments, values, strict=True):
        argument.replace_all_uses_with(value)
    for op in list(block):
        op.detach()
        entry.append(op)
    region.blocks.remove(block)


class _Arm(Struct, frozen=True):
    """What runs behind one edge of a branch and nowhere else: no block if the edge leads where others lead too."""

    edge: EdgeOut
    blocks: tuple[Block, ...]
    leaving: tuple[EdgeOut, ...]


def _split(region: Region, entry: Block, left: dict[Block, int]) -> list[Region]:
    """Put the arms of the entry's branch into regions, and lead the entry to where they meet."""
    arms = _arms(edges_of([entry]), left)
    target = _meeting_place(region, [edge for arm in arms for edge in arm.leaving], left)
    branch = arms[0].edge.branch
    check_carried((a.type for a in target.arguments), "a branch", branch.location)
    made: list[Region] = []
    choices = [_choice(region, arm, target, made) for arm in arms]
    b = Builder.before_op(branch)
    match branch:
        case ConditionalBranch():
            values = _either(b, branch.condition, choices[0], choices[1])
        case Switch():
            values = _one_of(b, branch, choices)
        case _:
            raise AssertionError(f"{branch.name} is no branch that can be lifted")
    branch.erase()
    entry.append(Branch(values, target, location=b.location))
    return made


def _arms(edges: Sequence[EdgeOut], left: dict[Block, int]) -> list[_Arm]:
    """A block belongs to an arm if all edges that lead to it come from that arm."""
    arms: list[_Arm] = []
    for edge in edges:
        blocks: list[Block] = []
        work = [edge]
        came: dict[Block, list[EdgeOut]] = {}
        while work:
            found = work.pop()
            arrived = came.setdefault(found.dest, [])
            arrived.append(found)
            if len(arrived) == left[found.dest]:
                blocks.append(found.dest)
                del came[found.dest]
                work += edges_of([blocks[-1]])
        leaving = [found for waiting in came.values() for found in waiting]
        arms.append(_Arm(edge, tuple(blocks), tuple(leaving)))
    return arms


def _meeting_place(region: Region, edges: Sequence[EdgeOut], left: dict[Block, int]) -> Block:
    """The block that the edges lead to, or a new one from which each path goes on as its edge did."""
    targets = {edge.dest for edge in edges}
    if len(targets) == 1:
        return targets.pop()
    junction = Junction(region, edges)
    for edge in edges:
        left[edge.dest] -= 1
    for edge, values in [(edge, junction.forwarded(edge)) for edge in edges]:
        edge.redirect(junction.block, values)
    junction.fork(Builder.at_end(junction.block), list(junction.block.arguments))
    for target in junction.targets:
        left[target] += 1
    left[junction.block] = len(edges)
    return junction.block


class _Choice(Struct, frozen=True):
    """An arm as structured code: values from outside, or a region that yields them."""

    values: tuple[Value, ...]
    region: Region | None


def _choice(region: Region, arm: _Arm, target: Block, made: list[Region]) -> _Choice:
    if not arm.blocks:
        return _Choice(tuple(arm.edge.values), None)
    body, first = new_region()
    last = Block()
    values = [last.add_argument(a.type) for a in target.arguments]
    for edge in arm.leaving:
        edge.redirect(last, edge.values)
    first.append(Branch(arm.edge.values, arm.edge.dest))
    for block in arm.blocks:
        region.blocks.remove(block)
        body.add_block(block)
    last.append(scf.Yield(list(values)))
    body.add_block(last)
    made.append(body)
    return _Choice((), body)


def _either(b: Builder, condition: Value, then: _Choice, orelse: _Choice) -> list[Value]:
    """What the arm that the condition chooses forwards."""
    if then.region is None and orelse.region is None:
        return [_selected(b, condition, x, y) for x, y in zip(then.values, orelse.values, strict=True)]
    regions = [_region(choice) for choice in (then, orelse)]
    types = [v.type for v in _yields(regions[0])]
    return list(b(scf.If(condition, regions[0], regions[1], result_types=types)).outs)


def _selected(b: Builder, condition: Value, x: Value, y: Value) -> Value:
    if x is y or isinstance(y.defining_op, Undefined):
        return x
    if isinstance(x.defining_op, Undefined):
        return y
    return b(arith.Select(condition, x, y)).out


def _region(choice: _Choice) -> Region:
    if choice.region is not None:
        return choice.region
    region, block = new_region()
    block.append(scf.Yield(list(choice.values)))
    return region


def _yields(region: Region) -> Sequence[Value]:
    """What the block that a region ends in yields."""
    last = region.blocks[-1].last
    assert isinstance(last, scf.Yield)
    return last.operands


def _one_of(b: Builder, branch: Switch, choices: Sequence[_Choice]) -> list[Value]:
    """Compare with one case after the other."""
    *cases, rest = choices
    for number, choice in zip(reversed(branch.cases[1:]), reversed(cases[1:]), strict=True):
        region, block = new_region()
        inner = Builder.at_end(block, b.location)
        values = _either(inner, _equals(inner, branch.value, number), choice, rest)
        inner(scf.Yield(values))
        rest = _Choice((), region)
    return _either(b, _equals(b, branch.value, branch.cases[0]), cases[0], rest)


def _equals(b: Builder, value: Value, number: int) -> Value:
    return b(arith.Cmp(Predicate.EQ, value, b.constant(number, value.type))).out
