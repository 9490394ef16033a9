"""Tensors in memory: where the elements of each value lie, and what is copied since values never change.

Each tensor lies in memory, of the arguments, of the results, or of the work-group. What changes elements (the outputs
of linalg, `tensor.insert`) does so in place where the tensor before is used by nobody afterwards and its memory is
nobody else's; else in memory of its own, with a copy if it looks at the elements before. What a function returns is
made in the memory of the result wherever the chain of such changes leads there; else it is copied there in the end.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from tilewright.dialects import addresses, statics
from tilewright.dialects.builder import new_region
from tilewright.dialects.mlir import arith, func, linalg, tensor
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import root_of
from tilewright.ir.mlir.dense import DenseElements
from tilewright.ir.mlir.float_text import value_of
from tilewright.ir.mlir.types import layout_of
from tilewright.ir.types import MemrefType, mixed
from tilewright.transforms.lower_mlir.context import Agreement, Handler, Lowering, Number, Unsupported
from tilewright.transforms.lower_mlir.contractions import plain_loops
from tilewright.transforms.lower_mlir.memory import allocated_at_most, copy, cut, each_element, lower_dim
from tilewright.transforms.lower_mlir.types import element_type, memory_of, memref_type


@contextmanager
def in_memory(low: Lowering, op: linalg.Structured) -> Generator[None]:
    """While an operation of linalg on tensors is lowered, its outputs are the memory of its results."""
    first, outputs = len(op.inputs), list(op.outputs)
    pairs = list(zip(outputs, op.outs, strict=False))
    chosen = [_changed(low, op, out, result, looks=_looks_at(op, k)) for k, (out, result) in enumerate(pairs)]
    _, block = new_region([out.type for out in outputs[: len(chosen)]])
    for k, (stand_in, memory) in enumerate(zip(block.arguments, chosen, strict=True)):
        low.values[stand_in] = memory
        op.set_operand(first + k, stand_in)
    try:
        yield
    finally:
        for k, out in enumerate(outputs):
            op.set_operand(first + k, out)
    for result, memory in zip(op.outs, chosen, strict=True):
        low.bind(result, memory)


def _looks_at(op: linalg.Structured, output: int) -> bool:
    """Whether the elements of an output before are any part of those behind."""
    loops = plain_loops(op.maps[len(op.inputs) + output])
    element = op.element(len(op.inputs) + output)
    used = element is not None and bool(element.uses)
    return used or loops is None or len(loops) < len(op.iterators)


def _changed(low: Lowering, op: Operation, before: Value, after: Value, *, looks: bool) -> Value:
    """Memory for a tensor that an operation makes of another one: that of the other if nobody needs it any more."""
    memory = low.value(before)
    if memory in low.buffers.owned and _is_last(op, before):
        return memory
    assert isinstance(memory.type, MemrefType)
    found = fresh(low, op, after, [low.extent(memory, k) for k in range(memory.type.order)])
    if low.certain:
        low.agreements += [Agreement((found, k), (memory, k), op.location) for k in range(memory.type.order)]
    if looks:
        copy(low, memory, found, op)
    return found


def _is_last(op: Operation, value: Value) -> bool:
    """Whether an operation uses a tensor of its own block once, and nothing does behind it."""
    home = value.defining_op
    if home is None or home.block is not op.block or sum(v is value for v in op.operands) != 1:
        return False
    users = set(value.uses) - {op}
    at: Operation | None = op
    while at is not None:
        if any(inner in users for inner in at.walk()):
            return False
        at = at.next
    return True


def fresh(low: Lowering, op: Operation, value: Value, sizes: Sequence[Number] = ()) -> Value:
    """Memory for a tensor: that of the result that it is to become, else of its own, with modes of these extents."""
    result = _becomes(low, value)
    if result is not None:
        low.buffers.taken.add(result)
        found = low.buffers.results[result]
    else:
        type_ = memref_type(op, memory_of(op, tensor.tensor_of(value)))
        found = allocated_at_most(low, op, type_, sizes)
    low.buffers.owned.add(found)
    return found


def _becomes(low: Lowering, value: Value) -> int | None:
    """The result of the kernel that a tensor is, or is changed into in place; None if its memory is taken."""
    function = low.buffers.function
    while value.defining_op is not None and value.defining_op.block is function.body.entry:
        users = value.uses
        end = next((user for user in users if isinstance(user, func.Return)), None)
        if end is not None:
            numbers = [k for k, returned in enumerate(end.values) if returned is value]
            return next((k for k in numbers if k not in low.buffers.taken), None)
        changed = next((found for user in users if (found := _changed_by(user, value)) is not None), None)
        if changed is None:
            return None
        value = changed
    return None


def _changed_by(op: Operation, value: Value) -> Value | None:
    """What an operation changes a tensor into in place."""
    if not _is_last(op, value):
        return None
    match op:
        case linalg.Structured():
            return next((result for out, result in zip(op.outputs, op.outs, strict=False) if out is value), None)
        case tensor.Insert() | tensor.InsertSlice():
            return op.out if op.dest is value else None
        case tensor.Cast():
            return op.dest
        case _:
            return None


def return_tensors(low: Lowering, end: Operation) -> None:
    """Copies what the kernel returns to where results lie, unless it was made there.

    Slices of what lies in the memory of another result leave it first, before that is written.
    """
    pairs = zip(low.all(end.operands), low.buffers.results, strict=True)
    left = [(found, target) for found, target in pairs if found is not target]
    while left:
        found, target = next((pair for pair in left if _is_free(pair, left)), left[0])
        left.remove((found, target))
        if not _is_free((found, target), left):
            raise Unsupported(end, "func.return: slices of two results are returned as each other's")
        assert isinstance(target.type, MemrefType)
        if low.certain:
            low.agreements += [Agreement((target, k), (found, k), end.location) for k in range(target.type.order)]
        copy(low, found, target, end)


def _is_free(pair: tuple[Value, Value], left: Sequence[tuple[Value, Value]]) -> bool:
    """Whether nothing else that is left to copy lies in the memory that a pair is copied to."""
    return all(other is pair or root_of(other[0]) is not pair[1] for other in left)


def _empty(low: Lowering, op: Operation) -> None:
    assert isinstance(op, tensor.Empty)
    shape = tensor.tensor_shape(op.out)
    found = fresh(low, op, op.out, mixed(shape[::-1], reversed(low.all(op.dynamicSizes))))
    low.values[op.out] = found
    open_ = [len(shape) - 1 - k for k, extent in enumerate(shape) if extent is None]
    if low.certain:
        sizes = low.all(op.dynamicSizes)
        low.agreements += [
            Agreement((found, k), (size, None), op.location) for k, size in zip(open_, sizes, strict=True)
        ]


def _extract(low: Lowering, op: Operation) -> None:
    assert isinstance(op, tensor.Extract)
    low.bind(op.result, low.load(low.value(op.tensor), low.indices(op.indices), op.result.type))


def _insert(low: Lowering, op: Operation) -> None:
    assert isinstance(op, tensor.Insert)
    memory = _changed(low, op, op.dest, op.out, looks=True)
    low.store(low.value(op.scalar), memory, low.indices(op.indices))
    low.bind(op.out, memory)


def _cast(low: Lowering, op: Operation) -> None:
    """The same memory, which two values share from now on if the first is used again."""
    assert isinstance(op, tensor.Cast)
    share(low, op, op.source)
    low.values[op.dest] = low.value(op.source)


def share(low: Lowering, op: Operation, source: Value) -> bool:
    """Whether a view of a tensor may be changed: if nobody needs that any more, else both keep what they are."""
    memory = low.value(source)
    if memory in low.buffers.owned and _is_last(op, source):
        return True
    low.buffers.owned.discard(memory)
    return False


def _extract_slice(low: Lowering, op: Operation) -> None:
    """A view of the source."""
    assert isinstance(op, tensor.ExtractSlice)
    is_own = share(low, op, op.source)
    found = cut(low, op, low.value(op.source), tensor.box_of(op))
    if is_own:
        low.buffers.owned.add(found)
    low.bind(op.out, found)


def _insert_slice(low: Lowering, op: Operation) -> None:
    """A copy to a view of memory that has the other elements."""
    assert isinstance(op, tensor.InsertSlice)
    memory = _changed(low, op, op.dest, op.out, looks=True)
    source, target = low.value(op.source), cut(low, op, memory, tensor.box_of(op))
    assert isinstance(target.type, MemrefType)
    if low.certain:
        low.agreements += [Agreement((target, k), (source, k), op.location) for k in range(target.type.order)]
    copy(low, source, target, op)
    low.bind(op.out, memory)


def constant(low: Lowering, op: arith.Constant) -> None:
    """A tensor of one number, written to memory, or of several, which the program holds."""
    value = op.value
    if not isinstance(value, DenseElements):
        raise Unsupported(
            op, "arith.constant: of tensors those of numbers are supported (`dense<0.0>`, `dense<[1, 2]>`)"
        )
    if not value.splat and value.count:
        type_ = memref_type(op, memory_of(op, tensor.tensor_of(op.result)))
        address = low.b(statics.GlobalAddress(low.globals.constant(value, low.functions))).out
        low.bind(op.result, low.b(addresses.FromAddress(address, [], [], result_types=[type_])).out)
        return
    element = element_type(op, value.element)
    layout, bits = layout_of(element), value.number(0)
    number = bits if layout is None else value_of(bits, layout)
    found = fresh(low, op, op.result)
    each_element(low, found, lambda at, _: at.constant(number, element), op)
    low.bind(op.result, found)


def handlers() -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    return {
        tensor.Empty: _empty,
        tensor.Dim: lower_dim,
        tensor.Extract: _extract,
        tensor.Insert: _insert,
        tensor.ExtractSlice: _extract_slice,
        tensor.InsertSlice: _insert_slice,
        tensor.Cast: _cast,
    }
