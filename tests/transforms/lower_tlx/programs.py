"""Kernels that load tensors, apply operations of TLX to them and store a tensor; and running them on every floor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dialects.tlx.tensors import garbage, put
from targets.nvidia.launching import program_of_module
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module
from tilewright.diagnostics import Report
from tilewright.dialects.addresses import AddressOf
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.tlx.memory import Load, Store
from tilewright.dialects.tlx.types import TensorType, dense_distances
from tilewright.interpreter.program import interpreted_module
from tilewright.ir.core import Value
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.types import PointerType, ScalarType, Type
from tilewright.ir.verifier import verified
from tilewright.program import Program, load_artifact
from tilewright.targets import find_target
from tilewright.transforms.lower_tlx import LowerTlx
from tilewright.transforms.lower_tlx.postconditions import broken_postconditions

Array = NDArray[Any]
Body = Callable[[Builder, Sequence[Value]], Value]
"""From tensors and numbers, the parameters, to the tensor that is stored."""


def program(types: Sequence[Type], body: Body) -> tuple[Module, TensorType]:
    """Kernel `f` of the parameters, tensors as pointers and numbers, and one pointer more; the type that is stored."""
    region, block = new_region(PointerType(t.element) if isinstance(t, TensorType) else t for t in types)
    b = Builder(block)
    values: list[Value] = []
    for parameter, type_ in zip(list(block.arguments), types, strict=True):
        if isinstance(type_, TensorType):
            address = b(AddressOf(parameter)).out
            values.append(b(Load(address, [], dense_distances(type_), result_types=[type_])).out)
        else:
            values.append(parameter)
    result = body(b, values)
    assert isinstance(result.type, TensorType)
    target = b(AddressOf(block.add_argument(PointerType(result.type.element)))).out
    b(Store(target, result, [], dense_distances(result.type)))
    module_region, module_block = new_region()
    module_block.append(Kernel("f", region))
    module = Module(module_region)
    verified(module)
    return module, result.type


def lowered(module: Module, limit: int) -> Module:
    """The module behind the first stage, whose promises hold."""
    PassManager([LowerTlx(limit)], verify_each=True).run(module, PassContext())
    assert broken_postconditions(module, limit) == []
    return module


def compiled(module: Module, level: int = 2) -> Program:
    """A lowered module for the CPU."""
    options = CompileOptions(level, verify_each=True)
    return load_artifact(compile_module(module, find_target("cpu"), options, Report()))


def results(
    rng: np.random.Generator,
    types: Sequence[Type],
    body: Body,
    arguments: Sequence[Array],
    limit: int = 4096,
    levels: Sequence[int] = (2, 0),
) -> dict[str, Array]:
    """What the kernel stores of logical tensors and numbers: interpreted as written and lowered, and compiled.

    Without a level nothing is compiled.
    """
    given = [
        put(rng, t, a).reshape(-1) if isinstance(t, TensorType) else a[()]
        for t, a in zip(types, arguments, strict=True)
    ]
    module, type_ = program(types, body)
    behind = lowered(_copy(module), limit)
    start = garbage(rng, type_.element, type_.size)
    runs: dict[str, Program] = {
        "written": interpreted_module(module, "", True),
        "lowered": interpreted_module(_copy(behind), "", False),
    }
    runs |= {f"compiled at level {level}": compiled(_copy(behind), level) for level in levels}
    if levels:
        runs["on the emulated device"] = program_of_module(_copy(behind), levels[0])
    found: dict[str, Array] = {}
    for name, run in runs.items():
        inputs, out = [g.copy() for g in given], start.copy()
        run["f"][1](*inputs, out)
        for a, b in zip(inputs, given, strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes(), f"{name} wrote to an input"
        found[name] = out
    return found


def _copy(module: Module) -> Module:
    copy = module.clone()
    assert isinstance(copy, Module)
    return copy


def element_of(type_: Type) -> ScalarType:
    assert isinstance(type_, TensorType)
    return type_.element
