"""next-loads: loops prefetch what the next iteration loads before they use what they have.

before:  %t = scf.for %i = 0 to %n (%s = %zero) { %x = tile.load %A, %i  %r = arith.add %s, %x  scf.yield %r }
after:   %x = tile.load %A, 0
         %t, .. = scf.for %i = 0 to %n (%s = %zero, %y = %x) {
           %j = %i + 1 if that is below %n, else %i    %next = tile.load %A, %j    %r = arith.add %s, %y
           scf.yield %r, %next }

A loop that only loads and adds up waits for memory in each iteration; so twice as many bytes are on their way. Of loops
that load little, write nothing and wait for nobody, whose addresses follow from their variable. The last iteration
loads what it has once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from tilewright.dialects import arith, gpu_products, scf, tile
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import I64, INDEX, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.choose_schedule import rows_there
from tilewright.transforms.schedule.known import collective, runs_lanes, teams_of
from tilewright.transforms.schedule.recompute_tiles import words_of_thread
from tilewright.transforms.schedule.work_groups import most_groups

_WORD: Final = 4
_FEWEST: Final = 4
"""Iterations: the last one loads for nothing."""
_ROOM_OF_ALL: Final = 96
"""Those with what the loop carries, and what it loads twice."""


class NextLoads(Pass, frozen=True):
    """Load an iteration ahead."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    name: ClassVar[str] = "next-loads"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            ops = list(collective(kernel)) if runs_lanes(kernel) else []
            if not any(isinstance(op, gpu_products.Mma | gpu_products.MmaParts) for op in ops):
                little = self.policy.bytes_ahead(most_groups(kernel)) if ops else 0
                for op in ops:
                    loads = _loads(op, kernel, little) if isinstance(op, scf.For) else []
                    if loads:
                        assert isinstance(op, scf.For)
                        _rotate(op, loads)
                        changed = True
        return changed


def _loads(loop: scf.For, kernel: Kernel, little: int) -> list[tile.Load]:
    """What a loop would load ahead, if it only loads and computes, of so many bytes of a block at most."""
    body = [op for op in loop.body.entry if not isinstance(op, scf.Yield)]
    loads = [op for op in body if isinstance(op, tile.Load)]
    if any(op.regions or PURE not in op.definition.traits for op in body if op not in loads):
        return []
    trips = _trips(loop)
    if (
        _step(loop) is None
        or (trips is not None and trips < _FEWEST)
        or not all(_address(load, loop) is not None for load in loads)
    ):
        return []
    threads, there = teams_of(kernel).threads, rows_there(kernel)
    words = sum(words_of_thread(load.out, threads, there) for load in loads)
    held = sum(words_of_thread(value, threads, there) for value in loop.carried)
    is_little = 0 < words * threads * _WORD <= little
    return loads if is_little and held + 2 * words <= _ROOM_OF_ALL else []


def _step(loop: scf.For) -> int | None:
    """By how much the variable grows, if that is known."""
    found = 1 if loop.step is None else emit.integer_of(loop.step)
    return found if found is not None and found > 0 else None


def _trips(loop: scf.For) -> int | None:
    """How often the body runs, if that is known."""
    lower, upper = emit.integer_of(loop.lower), emit.integer_of(loop.upper)
    return None if lower is None or upper is None else len(range(lower, upper, _step(loop) or 1))


def _address(load: tile.Load, loop: scf.For) -> list[Operation] | None:
    """The operations of the body from which it follows where a load is; None if that is more than the variable."""
    found: dict[Operation, None] = {}
    waiting = list(load.operands)
    while waiting:
        value = waiting.pop()
        op = value.defining_op
        if value in loop.carried or isinstance(op, tile.Load):
            return None
        if op is not None and op.block is loop.body.entry and op not in found:
            found[op] = None
            waiting += op.operands
    return [op for op in loop.body.entry if op in found]


def _rotate(loop: scf.For, loads: list[tile.Load]) -> None:
    """Carry what is loaded into the next iteration."""
    build = Builder.before_op(loop)
    first = _first(build, loop, loads)
    types = [load.out.type for load in loads]
    region, block = new_region([loop.lower.type, *(init.type for init in [*loop.inits, *first])])
    at = Builder.at_end(block, loop.location)
    mapping: dict[Value, Value] = dict(zip([loop.index, *loop.carried], block.arguments, strict=False))
    ahead = _loaded(at, loop, loads, mapping | {loop.index: _next(at, block.arguments[0], loop)})
    mapping |= zip((load.out for load in loads), block.arguments[-len(loads) :], strict=True)
    gone = _only_of(loads, loop)
    for op in loop.body.entry:
        if not isinstance(op, scf.Yield) and op not in gone:
            copy = at(op.clone(mapping))
            mapping |= zip(op.results, copy.results, strict=True)
    at(scf.Yield([*(mapping.get(value, value) for value in scf.yielded(loop.body)), *ahead]))
    results = [*(out.type for out in loop.outs), *types]
    new = scf.For(loop.lower, loop.upper, region, loop.step, [*loop.inits, *first], result_types=results)
    new.attributes |= {name: value for name, value in loop.attributes.items() if name not in new.attributes}
    new.places = loop.places
    build(new)
    for old, out in zip(loop.outs, new.outs, strict=False):
        old.replace_all_uses_with(out)
        out.name = old.name
    loop.erase()


def _only_of(loads: list[tile.Load], loop: scf.For) -> set[Operation]:
    """The loads, and what nothing else needs."""
    found: set[Operation] = set(loads)
    for op in reversed(loop.body.entry):
        users = [user for value in op.results for user in value.uses]
        if users and found.issuperset(users):
            found.add(op)
    return found


def _first(build: Builder, loop: scf.For, loads: list[tile.Load]) -> list[Value]:
    """What the first iteration loads, if there is one."""
    if _trips(loop) is not None:
        return _loaded(build, loop, loads, {loop.index: loop.lower})
    some = build(arith.Cmp(Predicate.LT, loop.lower, loop.upper)).out
    arms = [new_region() for _ in range(2)]
    at, other = (Builder.at_end(block, loop.location) for _, block in arms)
    at(scf.Yield(_loaded(at, loop, loads, {loop.index: loop.lower})))
    other(scf.Yield([other.constant(0, load.out.type) for load in loads]))
    types = [load.out.type for load in loads]
    return list(build(scf.If(some, arms[0][0], arms[1][0], result_types=types)).outs)


def _loaded(build: Builder, loop: scf.For, loads: list[tile.Load], mapping: Mapping[Value, Value]) -> list[Value]:
    """The loads of the iteration that the variable is mapped to."""
    known = dict(mapping)
    needed = {op for load in loads for op in _address(load, loop) or ()}
    for op in loop.body.entry:
        if op in needed or op in loads:
            copy = build(op.clone(known))
            known |= zip(op.results, copy.results, strict=True)
    return [known[load.out] for load in loads]


def _next(build: Builder, index: Value, loop: scf.For) -> Value:
    """The variable of the next iteration, or of this one if it is the last."""
    type_, step = index.type, _step(loop)
    assert isinstance(type_, ScalarType)
    wide, upper = (value if type_ is INDEX else emit.cast(build, value, I64) for value in (index, loop.upper))
    by = build.constant(step or 1, wide.type)
    there = build(arith.Add(wide, by)).out
    is_below = build(arith.Cmp(Predicate.LT, there, upper)).out
    return emit.cast(build, build(arith.Select(is_below, there, wide)).out, type_)
