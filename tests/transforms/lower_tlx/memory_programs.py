"""Programs that load tensors from memory and store them, and all ways in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from numpy.typing import NDArray

from targets.nvidia.launching import program_of_module
from tilewright.dialects.addresses import AddressOf
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.tlx.memory import Load, Store
from tilewright.dialects.tlx.types import TensorType, dense_distances
from tilewright.interpreter.program import interpreted_module
from tilewright.ir.core import Value
from tilewright.ir.types import (
    F32,
    PointerType,
    Type,
)
from tilewright.ir.verifier import verified
from tilewright.program import Program
from transforms.lower_tlx.programs import compiled, lowered

Array = NDArray[Any]
LIMITS = (4096, 8)
SQUARE = TensorType.dense(F32, (6, 6))
POINTER = PointerType(F32)
at_both_limits = pytest.mark.parametrize("limit", LIMITS)


def module_of(parameters: Sequence[Type], body: Callable[[Builder, Sequence[Value]], None]) -> Module:
    """Kernel `f`, whose body is given the addresses that its pointers hold, and its numbers."""
    region, block = new_region(parameters)
    b = Builder(block)
    body(b, [b(AddressOf(p)).out if isinstance(p.type, PointerType) else p for p in list(block.arguments)])
    outer, top = new_region()
    top.append(Kernel("f", region))
    module = Module(outer)
    verified(module)
    return module


def programs(make: Callable[[], Module], limit: int) -> dict[str, Program]:
    """As written and behind the first stage, interpreted and compiled, for an emulated GPU too."""
    return {
        "written": interpreted_module(make(), "", False),
        "lowered": interpreted_module(lowered(make(), limit), "", False),
        "compiled": compiled(lowered(make(), limit)),
        "on the emulated device": program_of_module(lowered(make(), limit)),
    }


def load(b: Builder, address: Value, type_: TensorType = SQUARE, distances: tuple[int, ...] = ()) -> Value:
    return b(Load(address, [], distances or dense_distances(type_), result_types=[type_])).out


def store(b: Builder, address: Value, tensor: Value, distances: tuple[int, ...] = ()) -> None:
    assert isinstance(tensor.type, TensorType)
    b(Store(address, tensor, [], distances or dense_distances(tensor.type)))
