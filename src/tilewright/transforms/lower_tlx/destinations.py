"""Results that a store takes are computed where it would copy them to, if that overlaps nothing that is read for them.

Whether it does is known when the program runs: then the result goes to a buffer that lies as the target does, and is
copied.
"""

from __future__ import annotations

from tilewright.dialects.arith import Cmp, Or, Predicate
from tilewright.dialects.statics import Reserve
from tilewright.dialects.tlx import elementwise, products, reductions, shapes
from tilewright.dialects.tlx import memory as tlx
from tilewright.dialects.tlx.base import TlxOperation, tensor_of
from tilewright.dialects.tlx.types import dense_distances
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import MemrefType, PointerType, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.aliasing import addresses_apart, effects_of
from tilewright.transforms.lower_tlx.context import (
    Destination,
    Lowering,
    address_of,
    origin,
    stored_strides,
    strides_of,
)
from tilewright.transforms.lower_tlx.elementwise import is_epilogue
from tilewright.transforms.separate_arrays import TESTED, hold_up

_SPARSE = 4
"""A buffer has at most so many times the elements of the result."""


_WRITERS = (
    products.Product,
    products.MultiplyAccumulate,
    elementwise.TensorUnary,
    elementwise.Broadcast,
    reductions.Reduction,
    shapes.Pad,
    shapes.Concat,
)
"""Operations whose large results are written to memory that may be chosen."""


def disjoint(low: Lowering, x: Value, y: Value) -> Value:
    """Whether two views in memory share no byte."""
    (first, end), (start, stop) = _range(low, x), _range(low, y)
    before, behind = low.b(Cmp(Predicate.LE, end, start)).out, low.b(Cmp(Predicate.LE, stop, first)).out
    return low.b(Or(before, behind)).out


def _range(low: Lowering, view: Value) -> tuple[Value, Value]:
    """The first byte of a view and the one behind its last; strides are positive."""
    type_, address = emit.memref_type(view), address_of(view)
    reach = low.sum([1, *(low.product((n or 1) - 1, s) for n, s in zip(type_.shape, strides_of(view), strict=True))])
    return address, low.further(address, reach, type_.element.bytes)


def apart(low: Lowering, source: Value, target: Value) -> bool:
    """Whether what was read and where is written certainly share no byte: the source was reserved here, so that no
    address of the program's leads there, or the program says so."""
    return origin(source) in low.buffers or addresses_apart(address_of(source), address_of(target))


def destination(low: Lowering, op: TlxOperation) -> tuple[tlx.Store, Destination] | None:
    """The store that takes the large result of an operation next, and where it may be computed; None if none does."""
    if not isinstance(op, _WRITERS) or not low.is_large(tensor_of(op.results[0])) or is_epilogue(low, op):
        return None
    store = _next_store(low, op)
    return None if store is None else _chosen(low, op, store)


def vector_destination(low: Lowering, op: Operation) -> tuple[tlx.Store, Destination] | None:
    """The same of a long vector, which is stored as a tensor whose elements lie one behind the other as its own do."""
    store = _next_store(low, op)
    if store is None or not isinstance(store.input.defining_op, tlx.TypeInfo):
        return None
    type_ = tensor_of(store.input)
    dense = list(dense_distances(type_))
    return _chosen(low, op, store) if type_.is_dense and list(store.mixed_distances) == dense else None


def _chosen(low: Lowering, op: Operation, store: tlx.Store) -> tuple[tlx.Store, Destination] | None:
    if not _moved_before(op, [store.address, *store.dynamic]):
        return None
    type_ = tensor_of(store.input)
    strides = stored_strides(type_, store.mixed_distances)
    target = low.view(store.address, type_.element, type_.shape[::-1], strides)
    read = [low.values[v] for v in op.operands if v in low.values]
    foreign = [v for v in read if isinstance(v.type, MemrefType) and not apart(low, v, target)]
    if not foreign:
        return store, Destination(target, target, None)
    span = emit.memref_type(target).span
    if span is None or span > _SPARSE * type_.size:
        return None
    hold_up(op, TESTED)
    separate = disjoint(low, target, foreign[0])
    for other in foreign[1:]:
        separate = emit.both(low.b, separate, disjoint(low, target, other))
    buffer = low.b(Reserve(span * type_.element.bytes, 64)).out
    view = low.view(emit.select(low.b, separate, store.address, buffer), type_.element, type_.shape[::-1], strides)
    return store, Destination(view, target, separate)


def _next_store(low: Lowering, op: Operation) -> tlx.Store | None:
    """The only reader of a result, if it is a store and between them nothing reads memory, as tensors may be.

    Epilogues of a product change its result where it is.
    """
    value, finishing = op.results[0], set[Operation]()
    while value.has_one_use():
        user = next(iter(value.uses))
        if is_epilogue(low, user):
            finishing.add(user)
        elif not isinstance(user, shapes.Transpose | tlx.TypeInfo):
            break
        value = user.results[0]
    store = next(iter(value.uses), None)
    if not value.has_one_use() or not isinstance(store, tlx.Store) or store.block is not op.block:
        return None
    at = op.next
    while at is not None and at is not store:
        if effects_of(at) != [] or not (
            isinstance(at, shapes.Transpose | tlx.TypeInfo) or at in finishing or _is_scalar(at)
        ):
            return None
        at = at.next
    return store if at is store else None


def _is_scalar(op: Operation) -> bool:
    return all(isinstance(v.type, ScalarType | PointerType) for v in (*op.operands, *op.results))


def _moved_before(op: Operation, values: list[Value]) -> bool:
    """Whether values are known in front of an operation, behind which only what is pure computes them; it is moved."""
    behind: dict[Operation, None] = {}
    waiting = list(values)
    following = set(_following(op))
    while waiting:
        source = waiting.pop().defining_op
        if source is op:
            return False
        if source in following:
            behind[source] = None
            waiting += source.operands
    if any(source.regions for source in behind):
        return False
    assert op.block is not None
    for source in [o for o in _following(op) if o in behind]:
        source.detach()
        op.block.insert(source, op)
    return True


def _following(op: Operation) -> list[Operation]:
    found: list[Operation] = []
    at = op.next
    while at is not None:
        found.append(at)
        at = at.next
    return found
