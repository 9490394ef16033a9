"""Tensors in memory: kernels of TLX operations, run by the interpreter, against NumPy's strided views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dialects.tlx.tensors import garbage, got, random_type
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects.addresses import AddressOf
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.tlx.memory import Load, Store
from tilewright.dialects.tlx.types import ELEMENTS, TensorType
from tilewright.interpreter.engine import interpret
from tilewright.ir.core import Value
from tilewright.ir.types import F32, INDEX, PointerType, ScalarType
from tilewright.ir.verifier import verified

Array = NDArray[Any]


def copy(type_: TensorType, reads: tuple[int | None, ...], writes: tuple[int, ...]) -> Kernel:
    """Loads a tensor from `%a`, distances that are None given as further parameters, and stores it to `%b`."""
    pointers = [PointerType(type_.element)] * 2
    body, block = new_region([*pointers, *([INDEX] * reads.count(None))])
    b = Builder(block)
    source, target = (b(AddressOf(p)).out for p in block.arguments[:2])
    dynamic: list[Value] = list(block.arguments[2:])
    tensor = b(Load(source, dynamic, reads, result_types=[type_])).out
    b(Store(target, tensor, [], writes))
    kernel = Kernel("copy", body, subgroup_size=1, work_group_size=(1, 1))
    verified(kernel)
    return kernel


def random_distances(rng: np.random.Generator, valid: tuple[int, ...]) -> tuple[int, ...]:
    """Distances without collisions, in any order of the positions, with gaps."""
    found, reach = [0] * len(valid), 1
    for position in map(int, rng.permutation(len(valid))):
        found[position] = reach + int(rng.integers(0, 3))
        reach = found[position] * valid[position]
    return tuple(found)


def view(memory: Array, valid: tuple[int, ...], distances: tuple[int, ...]) -> Array:
    return np.lib.stride_tricks.as_strided(memory, valid, [d * memory.itemsize for d in distances])


@pytest.mark.parametrize("element", ELEMENTS, ids=str)
def test_loads_and_stores_touch_what_is_data_and_nothing_else(rng: np.random.Generator, element: ScalarType) -> None:
    for _ in range(8):
        shape = [int(n) for n in rng.integers(1, 5, int(rng.integers(1, 7)))]
        type_ = random_type(rng, element, shape)
        reads, writes = random_distances(rng, type_.valid), random_distances(rng, type_.valid)
        sizes = [1 + sum((n - 1) * d for n, d in zip(type_.valid, ds, strict=True)) for ds in (reads, writes)]
        a, b = (garbage(rng, element, size) for size in sizes)
        known: tuple[int | None, ...] = tuple(d if rng.integers(2) else None for d in reads)
        given = [d for d, k in zip(reads, known, strict=True) if k is None]
        wanted = b.copy()
        view(wanted, type_.valid, writes)[...] = view(a, type_.valid, reads)
        interpret(copy(type_, known, writes), [a, b, *given], checked=True)
        assert b.tobytes() == wanted.tobytes()


def test_a_dense_load_is_the_flattened_order(rng: np.random.Generator) -> None:
    type_ = TensorType(F32, (3, 4), (1, 0), (1, 1))
    a, b = rng.standard_normal(12).astype(np.float32), np.zeros(12, np.float32)
    interpret(copy(type_, (4, 1), (4, 1)), [a, b])
    assert np.array_equal(got(type_, b), got(type_, a))
    assert np.array_equal(b.reshape(3, 4) != 0, np.pad(np.ones((2, 3), bool), ((0, 1), (0, 1))))


def test_arrays_that_touch_or_overlap(rng: np.random.Generator) -> None:
    """An address at the end of one array and in another one is that of the other one."""
    type_ = TensorType.dense(F32, (8,))
    for start in (4, 8):
        memory = rng.standard_normal(24).astype(np.float32)
        wanted = memory.copy()
        wanted[start : start + 8] = memory[:8]
        interpret(copy(type_, (1,), (1,)), [memory[:8], memory[start : start + 8]])
        assert np.array_equal(memory, wanted)


def test_beyond_the_array_is_an_error() -> None:
    type_ = TensorType.dense(F32, (3, 4))
    a, b = np.zeros(11, np.float32), np.zeros(12, np.float32)
    with pytest.raises(KernelError, match="R010"):
        interpret(copy(type_, (4, 1), (4, 1)), [a, b])


@pytest.mark.parametrize("distance", [0, -1])
def test_distances_of_a_launch_are_checked(distance: int) -> None:
    type_ = TensorType.dense(F32, (3,))
    a = np.zeros(3, np.float32)
    with pytest.raises(KernelError, match=f"a distance of {distance} elements; distances are at least 1"):
        interpret(copy(type_, (None,), (1,)), [a[2:], a.copy(), distance], checked=True)
