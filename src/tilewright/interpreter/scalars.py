"""Arithmetic, control flow and team operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import arith, operation_classes, scf, team
from tilewright.dialects.memref import AtomicKind
from tilewright.interpreter.at_once import ran_at_once, trip_count
from tilewright.interpreter.state import Handler, RuntimeValue, WorkGroup
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.evaluation import evaluated, integer_format
from tilewright.ir.types import AddressSpace, CoopMatrixType, FragmentType, ScalarType, TileType, element_of
from tilewright.numerics.arrays import dtype_of

Array = NDArray[Any]


def _constant(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, arith.Constant)
    if op.out in w.values:
        return
    element = element_of(op.out.type)
    assert element is not None
    value = np.asarray(op.value).astype(dtype_of(element.format))
    if isinstance(op.out.type, TileType | CoopMatrixType):
        shape = op.out.type.shape
        value = np.broadcast_to(value, shape if w.mask is None else (w.subgroups, *shape))
    w.values[op.out] = value


def _elementwise(w: WorkGroup, op: Operation) -> None:
    operands = [w.scalar(o) for o in op.operands]
    w.values[op.results[0]] = evaluated(op, *operands)


def _select(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, arith.Select)
    if isinstance(op.out.type, ScalarType | FragmentType | TileType):
        x, y = w.scalar(op.on_true), w.scalar(op.on_false)
        condition = w.scalar(op.condition)
        if condition.ndim == 1 and isinstance(op.out.type, TileType) and w.mask is not None:
            condition = w.per_subgroup(condition).reshape(-1, *(1,) * op.out.type.rank)
        w.values[op.out] = evaluated(op, condition, x, y)
        return
    chosen = op.on_true if bool(w.uniform(w.scalar(op.condition))) else op.on_false
    w.values[op.out] = w.values[chosen]


def merge(w: WorkGroup, condition: Array, x: RuntimeValue, y: RuntimeValue, value: Value) -> RuntimeValue:
    """Per work-item (per subgroup for tiles): `x` where the condition holds, else `y`."""
    assert isinstance(x, np.ndarray)
    assert isinstance(y, np.ndarray)
    type_ = value.type
    if isinstance(type_, CoopMatrixType | TileType):
        rank = len(type_.shape)
        rows = condition.reshape(w.subgroups, w.subgroup_size).any(axis=1)
        condition = rows.reshape(-1, *(1,) * rank)
    return np.where(condition, x, y).astype(x.dtype)


def _if(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, scf.If)
    condition = w.scalar(op.condition)
    if condition.ndim == 0:
        region = op.then if condition else op.orelse
        if region is not None:
            w.run(region.entry)
            _bind(w, op, region)
        return
    assert w.mask is not None
    outer = w.mask
    arms: list[list[RuntimeValue]] = []
    for region, taken in ((op.then, outer & condition), (op.orelse, outer & ~condition)):
        if region is None:
            continue
        w.mask = taken
        if taken.any():
            w.run(region.entry)
            arms.append([w.values[v] for v in scf.yielded(region)[: len(op.outs)]])
        else:
            arms.append([])
    w.mask = outer
    _merge_arms(w, op, condition, arms)


def _merge_arms(w: WorkGroup, op: scf.If, condition: Array, arms: list[list[RuntimeValue]]) -> None:
    for index, result in enumerate(op.outs):
        present = [arm[index] for arm in arms if arm]
        if not present:
            w.values[result] = _nothing(w, result)
        elif len(present) == 1:
            w.values[result] = present[0]
        else:
            w.values[result] = merge(w, condition, present[0], present[1], result)


def _nothing(w: WorkGroup, value: Value) -> Array:
    """A value that no active work-item computes."""
    element = element_of(value.type)
    assert element is not None
    if isinstance(value.type, CoopMatrixType | TileType):
        return np.zeros((w.subgroups, *value.type.shape), dtype_of(element.format))
    return np.zeros((), dtype_of(element.format))


def _bind(w: WorkGroup, op: Operation, region: Region) -> None:
    for result, value in zip(op.results, scf.yielded(region), strict=False):
        w.values[result] = w.values[value]


def _for(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, scf.For)
    bounds = [w.scalar(op.lower), w.scalar(op.upper), np.asarray(1) if op.step is None else w.scalar(op.step)]
    if ran_at_once(w, op):
        return
    if all(b.ndim == 0 for b in bounds):
        _uniform_for(w, op, bounds)
    else:
        _divergent_for(w, op, bounds)


def _uniform_for(w: WorkGroup, op: scf.For, bounds: list[Array]) -> None:
    lower, upper, step = (int(b) for b in bounds)
    carried = [w.values[v] for v in op.inits]
    for number in range(trip_count(lower, upper, step)):
        _iteration(w, op, np.asarray(lower + number * step).astype(bounds[0].dtype), carried)
        carried = [w.values[v] for v in scf.yielded(op.body)[: len(carried)]]
    for result, value in zip(op.outs, carried, strict=True):
        w.values[result] = value


def _while(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, scf.While)
    carried, again = [w.values[v] for v in op.inits], True
    while again:
        for argument, value in zip(op.carried, carried, strict=True):
            w.values[argument] = value
        w.run(op.body.entry)
        condition, *yields = scf.yielded(op.body)
        carried, again = [w.values[v] for v in yields], bool(w.uniform(w.scalar(condition)))
    for result, value in zip(op.outs, carried, strict=True):
        w.values[result] = value


def _iteration(w: WorkGroup, op: scf.For, index: Array, carried: list[RuntimeValue]) -> None:
    w.values[op.index] = index
    for argument, value in zip(op.carried, carried, strict=True):
        w.values[argument] = value
    w.run(op.body.entry)


def _divergent_for(w: WorkGroup, op: scf.For, bounds: list[Array]) -> None:
    assert w.mask is not None
    outer = w.mask
    lanes = [np.broadcast_to(b, outer.shape) for b in bounds]
    trips = np.array([trip_count(*t) for t in zip(*(b.tolist() for b in lanes), strict=True)], np.int64)
    carried = [w.values[v] for v in op.inits]
    # Modulo 2 to the 64, and so to any width.
    first, _, apart = (b.astype(np.int64) for b in lanes)
    unused = 64 - integer_format(op).bits
    number = 0
    while (active := outer & (number < trips)).any():
        w.mask = active
        index = first + number * apart << unused >> unused
        _iteration(w, op, index.astype(bounds[0].dtype), carried)
        following = [w.values[v] for v in scf.yielded(op.body)[: len(carried)]]
        carried = [merge(w, active, n, o, v) for n, o, v in zip(following, carried, op.outs, strict=True)]
        number += 1
    w.mask = outer
    for result, value in zip(op.outs, carried, strict=True):
        w.values[result] = value


def _yield(w: WorkGroup, op: Operation) -> None:
    """Read by the operation that owns the region."""


# Teams


def _group_id(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.GroupId)
    w.values[op.out] = np.asarray(w.group_id[op.dim], np.int64)


def _num_groups(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.NumGroups)
    w.values[op.out] = np.asarray(w.num_groups[op.dim], np.int64)


def _part(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.Part)
    w.values[op.out] = np.asarray(w.part, np.int64)


def _num_parts(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.NumParts)
    w.values[op.out] = np.asarray(w.num_parts, np.int64)


def _num_subgroups(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.NumSubgroups)
    w.values[op.out] = np.asarray((w.size[0] // w.subgroup_size, w.size[1], 1)[op.dim], np.int32)


def _subgroup_size(w: WorkGroup, op: Operation) -> None:
    w.values[op.results[0]] = np.asarray(w.subgroup_size, np.int32)


def _subgroup_numbers(w: WorkGroup) -> Array:
    return (np.arange(w.items) // w.subgroup_size).astype(np.int32)


def _subgroup_id(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.SubgroupId)
    across = w.size[0] // w.subgroup_size
    number = _subgroup_numbers(w)
    w.values[op.out] = (number % across, number // across, number * 0)[op.dim].astype(np.int32)


def _subgroup_linear_id(w: WorkGroup, op: Operation) -> None:
    w.values[op.results[0]] = _subgroup_numbers(w)


def _subgroup_local_id(w: WorkGroup, op: Operation) -> None:
    w.values[op.results[0]] = (np.arange(w.items) % w.subgroup_size).astype(np.int32)


def _spmd(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.Spmd)
    enter_spmd(w, np.arange(w.items))
    w.run(op.body.entry)
    leave_spmd(w)


def enter_spmd(w: WorkGroup, who: Array, mask: Array | None = None) -> None:
    """Start an SPMD step: all work-items (or those of the mask) active, nothing unsynchronised."""
    w.mask = np.ones(w.items, bool) if mask is None else mask
    w.who = who


def leave_spmd(w: WorkGroup) -> None:
    """The step is finished by the whole work-group."""
    w.mask = w.who = None
    w.shadow.synchronise(tuple(AddressSpace))


def _barrier(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.Barrier)
    if w.mask is None:
        return
    if not w.mask.all():
        missing = int(np.flatnonzero(~w.mask)[0])
        fail("R022", op.location, f"not all work-items reach this barrier: work-item {missing} does not")
    fenced = {AddressSpace.GLOBAL: op.fence_global, AddressSpace.LOCAL: op.fence_local}
    w.shadow.synchronise([space for space in AddressSpace if fenced[space]])


def whole_subgroups(w: WorkGroup, op: Operation) -> None:
    """Fail unless of each subgroup all work-items are active or none."""
    assert w.mask is not None
    rows = w.mask.reshape(w.subgroups, w.subgroup_size)
    if (rows.any(axis=1) != rows.all(axis=1)).any():
        fail("R023", op.location, "not all work-items of a subgroup reach this subgroup instruction")


def rows_of(w: WorkGroup, op: Operation, value: Value) -> Array:
    """A value with one row a subgroup; subgroups must be complete."""
    whole_subgroups(w, op)
    return w.spread(w.scalar(value)).reshape(w.subgroups, w.subgroup_size)


def _broadcast(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.Broadcast)
    rows = rows_of(w, op, op.value)
    lanes = w.per_subgroup(w.scalar(op.lane))
    active = w.active_subgroups
    if ((lanes[active] < 0) | (lanes[active] >= w.subgroup_size)).any():
        fail("R024", op.location, f"the work-item of a broadcast must be in 0 .. {w.subgroup_size - 1}")
    chosen = rows[np.arange(w.subgroups), np.clip(lanes, 0, w.subgroup_size - 1)]
    w.values[op.out] = np.repeat(chosen, w.subgroup_size)


COMBINE: Mapping[AtomicKind, Any] = {AtomicKind.ADD: np.add, AtomicKind.MAX: np.fmax, AtomicKind.MIN: np.fmin}


def identity(kind: AtomicKind, dtype: np.dtype[Any]) -> Array:
    """0 for sums; the least value (or -inf) for max, the greatest (or inf) for min."""
    if kind is AtomicKind.ADD:
        return np.zeros((), dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.asarray(limits.min if kind is AtomicKind.MAX else limits.max, dtype)
    return np.asarray(-np.inf if kind is AtomicKind.MAX else np.inf).astype(dtype)


def accumulated(values: Array, kind: AtomicKind, axis: int) -> Array:
    """Inclusive prefix along an axis; 16-bit floats in f32, rounded at the end."""
    work = values.astype(np.float32) if values.dtype.itemsize == 2 and values.dtype.kind not in "iu" else values
    with np.errstate(all="ignore"):
        return COMBINE[kind].accumulate(work, axis=axis, dtype=work.dtype).astype(values.dtype)


def reduced(values: Array, kind: AtomicKind, axis: int) -> Array:
    """Reduction along an axis; 16-bit floats in f32, rounded at the end."""
    if values.shape[axis] == 0:
        shape = values.shape[:axis] + values.shape[axis + 1 :]
        return np.broadcast_to(identity(kind, values.dtype), shape).copy()
    work = values.astype(np.float32) if values.dtype.itemsize == 2 and values.dtype.kind not in "iu" else values
    with np.errstate(all="ignore"):
        return COMBINE[kind].reduce(work, axis=axis, dtype=work.dtype).astype(values.dtype)


def _reduce(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.Reduce)
    rows = rows_of(w, op, op.value)
    w.values[op.out] = np.repeat(reduced(rows, op.kind, 1), w.subgroup_size)


def _scan(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, team.Scan)
    rows = rows_of(w, op, op.value)
    if not op.inclusive:
        first = np.broadcast_to(identity(op.kind, rows.dtype), (w.subgroups, 1))
        rows = np.concatenate([first, rows[:, :-1]], axis=1)
    w.values[op.out] = accumulated(rows, op.kind, 1).reshape(-1)


def handlers() -> dict[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        **{cls: _elementwise for cls in operation_classes().values() if cls.evaluate is not None},
        arith.Constant: _constant,
        arith.Select: _select,
        scf.If: _if,
        scf.For: _for,
        scf.While: _while,
        scf.Yield: _yield,
        team.GroupId: _group_id,
        team.NumGroups: _num_groups,
        team.Part: _part,
        team.NumParts: _num_parts,
        team.NumSubgroups: _num_subgroups,
        team.SubgroupSize: _subgroup_size,
        team.SubgroupId: _subgroup_id,
        team.SubgroupLinearId: _subgroup_linear_id,
        team.SubgroupLocalId: _subgroup_local_id,
        team.Spmd: _spmd,
        team.Barrier: _barrier,
        team.Broadcast: _broadcast,
        team.Reduce: _reduce,
        team.Scan: _scan,
    }
