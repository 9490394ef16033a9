"""Lowers vectors, which are rows of elements on their way from memory to memory, to their elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tilewright.dialects.mlir import vector
from tilewright.ir.core import Operation, Value
from tilewright.transforms.lower_mlir.context import Handler, Lowering, Unsupported


def _places(low: Lowering, op: vector.Load | vector.Store) -> Iterator[list[Value]]:
    """Where the elements lie."""
    first, *rest = low.indices(op.indices)
    for number in range(op.vector.shape[0]):
        yield [low.index(low.add(first, number)), *rest]


def _load(low: Lowering, op: Operation) -> None:
    assert isinstance(op, vector.Load)
    memory = low.value(op.base)
    low.vectors[op.out] = [low.load(memory, place, op.vector.element) for place in _places(low, op)]


def _store(low: Lowering, op: Operation) -> None:
    assert isinstance(op, vector.Store)
    memory, elements = low.value(op.base), low.vectors.get(op.valueToStore)
    if elements is None:
        raise Unsupported(op, "vector.store: a vector that was not loaded in the same block is not supported")
    for element, place in zip(elements, _places(low, op), strict=True):
        low.store(element, memory, place)


def handlers() -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    return {vector.Load: _load, vector.Store: _store}
