"""Memory order and scope of atomics in the LLVM text of both targets: no run can tell that one is too weak."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import pytest

from targets.nvidia.case import kernel
from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.cpu.kernel import lower_kernel
from tilewright.targets.cpu.machine import machine_of
from tilewright.targets.cpu.target import CpuTarget
from tilewright.targets.cpu.tiles.lowering import CpuTiles
from tilewright.targets.llvm.emitter import Module as LlvmModule
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.targets.target import Target

# How strong each access must be at least, and may be at most: C++'s rules, in LLVM's words.
LOADS: Final = {
    "relaxed": "monotonic",
    "acquire": "acquire",
    "release": "monotonic",
    "acquire_release": "acquire",
    "sequentially_consistent": "seq_cst",
}
STORES: Final = {
    "relaxed": "monotonic",
    "acquire": "monotonic",
    "release": "release",
    "acquire_release": "release",
    "sequentially_consistent": "seq_cst",
}
UPDATES: Final = {
    "relaxed": "monotonic",
    "acquire": "acquire",
    "release": "release",
    "acquire_release": "acq_rel",
    "sequentially_consistent": "seq_cst",
}
ORDER: Final = r"\b(?:monotonic|acquire|release|acq_rel|seq_cst)\b"


def on_cpu(module: Module) -> str:
    """The text for a CPU."""
    machine, llvm = machine_of(), LlvmModule()
    lower_kernel(module.kernels[0], llvm, machine.flags, CpuTiles(machine), machine.attributes)
    return str(llvm)


def on_device(module: Module) -> str:
    """The text for a device."""
    return emit_llvm(module, Architecture.SM_80)[0]


DEVICE: Final = NvidiaTarget(Architecture.SM_80)
Emit = Callable[[Module], str]
targets = pytest.mark.parametrize("emit", [on_cpu, on_device], ids=["cpu", "nvidia"])


def atomics(semantics: str, scope: str = "device", dtype: str = "i32", space: str = "") -> Module:
    """A load, a store and two updates by each work-item."""
    facts = f'semantics = "{semantics}", scope = "{scope}"'
    body = f"""    %z = arith.constant {{value = 0}} -> index
    %x = memref.load %B, %z -> {dtype}
    {"%A = memref.alloca -> memref<" + dtype + "x4,local>" if space else ""}
    team.spmd {{
      %one = team.subgroup_local_id -> i32
      %id = arith.cast %one -> index
      %a = memref.atomic_load %A, %id {{{facts}}} -> {dtype}
      memref.atomic_store %x, %A, %id {{{facts}}}
      %b = memref.atomic_rmw %a, %A, %id {{kind = "add", {facts}}} -> {dtype}
      %c = memref.atomic_rmw %b, %A, %id {{kind = "max", {facts}}} -> {dtype}
    }}"""
    pointer = "" if space else f"%A: memref<{dtype}x4>, "
    text = kernel(f"{pointer}%B: memref<{dtype}x4>", body, 4, (4, 1))
    module = parse_ir(Source("atomics.twir", text), Report(), operation_classes())
    assert isinstance(module, Module)
    return module


def lines(text: str, word: str) -> list[str]:
    """The instructions of a kind."""
    return [line for line in text.splitlines() if re.search(rf"(?:= |  ){word} ", line)]


def orders(text: str, word: str) -> set[str]:
    """The orders of the instructions of a kind, success and failure of a swap together."""
    return {" ".join(re.findall(ORDER, line)) for line in lines(text, word)}


@targets
@pytest.mark.parametrize("semantics", list(LOADS))
def test_orders(emit: Emit, semantics: str) -> None:
    text = emit(atomics(semantics))
    assert orders(text, "load atomic") == {LOADS[semantics]}
    assert orders(text, "store atomic") == {STORES[semantics]}
    assert orders(text, "atomicrmw") == {UPDATES[semantics]}


@targets
@pytest.mark.parametrize("dtype", ["f16", "f64", "i8"])
@pytest.mark.parametrize("semantics", list(UPDATES))
def test_orders_of_swaps(emit: Emit, dtype: str, semantics: str) -> None:
    """A swap that fails has read, so it acquires as a load does."""
    found = orders(emit(atomics(semantics, dtype=dtype)), "cmpxchg")
    if not (emit is on_cpu and dtype == "i8"):
        assert found == {f"{UPDATES[semantics]} {LOADS[semantics]}"}


TILE_IR: Final = """cuda_tile.module @m {{
entry @k(%p: tile<ptr<i32>>) {{
  %a = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %x = constant <i32: 1> : tile<1xi32>
  %old, %t = atomic_cas_tko {order} {scope} %a, %x, %x : tile<1xptr<i32>>, tile<1xi32> -> tile<1xi32>, token
  %was, %u = atomic_rmw_tko {order} {scope} %a, umax, %x : tile<1xptr<i32>>, tile<1xi32> -> tile<1xi32>, token
  return
}}
}}"""
TILE_IR_ORDERS: Final = {"relaxed": "relaxed", "acquire": "acquire", "release": "release", "acq_rel": "acquire_release"}


def from_tile_ir(order: str, scope: str, target: Target) -> Module:
    """A compare-and-swap and an update of bits, scheduled for a target."""
    report = Report()
    module = read_module(Source("m.tileir", TILE_IR.format(order=order, scope=scope)), report)
    lower_module(module, target, CompileOptions(), report)
    return module


@targets
@pytest.mark.parametrize("order", list(TILE_IR_ORDERS))
def test_orders_of_tile_ir(emit: Emit, order: str) -> None:
    target = CpuTarget.of() if emit is on_cpu else DEVICE
    text, meant = emit(from_tile_ir(order, "device", target)), TILE_IR_ORDERS[order]
    assert orders(text, "cmpxchg") == {f"{UPDATES[meant]} {LOADS[meant]}"}
    assert orders(text, "atomicrmw") == {UPDATES[meant]}
    assert "cmpxchg weak" not in text, "a weak one may fail where it should not"


@pytest.mark.parametrize(("scope", "word"), [("work_group", "device"), ("device", "device"), ("cross_device", "")])
def test_scopes_of_global_memory(scope: str, word: str) -> None:
    """Work-groups of a launch may share what is atomic for a work-group, so the device is the least."""
    text = on_device(atomics("relaxed", scope))
    for kind in ("load atomic", "store atomic", "atomicrmw"):
        for line in lines(text, kind):
            assert re.findall(r'syncscope\("(\w+)"\)', line) == ([word] if word else []), line


@pytest.mark.parametrize(("scope", "word"), [("device", "block"), ("cross_device", "")])
def test_scopes_of_local_memory(scope: str, word: str) -> None:
    found = lines(on_device(atomics("relaxed", scope, space="local")), "atomicrmw")
    assert found
    assert all(re.findall(r'syncscope\("(\w+)"\)', line) == ([word] if word else []) for line in found)


@pytest.mark.parametrize(("scope", "word"), [("tl_blk", "device"), ("device", "device"), ("sys", "")])
def test_scopes_of_tile_ir(scope: str, word: str) -> None:
    text = on_device(from_tile_ir("relaxed", scope, DEVICE))
    for kind in ("cmpxchg", "atomicrmw"):
        assert all(re.findall(r'syncscope\("(\w+)"\)', line) == ([word] if word else []) for line in lines(text, kind))


@targets
def test_cells_are_aligned_to_their_size(emit: Emit) -> None:
    for dtype, size in (("i32", 4), ("i64", 8)):
        text = emit(atomics("relaxed", dtype=dtype))
        found = [line for kind in ("load atomic", "store atomic", "atomicrmw") for line in lines(text, kind)]
        assert found
        assert all(line.endswith(f", align {size}") for line in found), found
