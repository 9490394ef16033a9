"""What is told of a compiled kernel: how it runs, what it does with memory, what ptxas gives it, and blocks by that."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.artifacts.artifact import Artifact, KernelInfo
from tilewright.artifacts.parameters import SCHEDULE, entry_symbols, with_stand_ins
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.lane_products import Mma, MmaAsync
from tilewright.ir.schedules import Schedule, parse_line
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import KernelResources, assemble, find_assembler
from tilewright.transforms.explanations import explain_kernel
from tilewright.transforms.explanations.costs import place_of
from tilewright.transforms.explanations.records import KernelUse

WARP: Final = 32
_WARPS: Final = 64
"""Of a multiprocessor."""
_BLOCKS: Final = 32
_REGISTERS: Final = 65536
_REGISTERS_AT_ONCE: Final = 256
"""A warp is given registers in such steps, warps of a multiprocessor in fours."""
_WARPS_AT_ONCE: Final = 4
_OWN_SHARED_BYTES: Final = 1024
"""What the system keeps of shared memory for each block."""


class Explanation(Struct, frozen=True):
    """Of a kernel for a GPU: how it runs, its `products`, what it does with memory (`use`), and what ptxas says.

    `shared_bytes` are those that a launch gives a block. Without ptxas on this machine `resources` and `blocks`, those
    that a multiprocessor runs at a time, are None; where launches with all maps run an entry of their own, these are of
    that, and `others` of what all others run. `steps` and `apart` are of what may run in its place.
    """

    kernel: str
    schedule: str
    launch: str
    products: tuple[str, ...]
    use: KernelUse
    shared_bytes: int
    resources: KernelResources | None
    blocks: int | None
    others: KernelResources | None = None
    steps: tuple[Explanation, ...] = ()
    apart: Explanation | None = None

    def __str__(self) -> str:
        parts = {
            "products": self.products,
            "accesses (line:column of the source)": [*map(str, self.use.accesses), *self.use.untold],
            "shared buffers": list(map(str, self.use.buffers)),
            "barriers": list(map(str, self.use.waits)),
            "resources": self._resources(),
        }
        lines = [f"{self.kernel}: {self.schedule}", f"  {self.launch}"]
        for title, told in parts.items():
            lines += [f"  {title}", *(f"    {line}" for line in told)] if told else []
        others = [("in its place", step) for step in self.steps]
        others += [] if self.apart is None else [("where no array overlaps one that is written", self.apart)]
        return "\n".join([*lines, *(f"  {when}: {other}".replace("\n", "\n  ") for when, other in others)])

    def _resources(self) -> list[str]:
        found = self.resources
        if found is None:
            return ["not known: ptxas, NVIDIA's assembler, is not on PATH"]
        shared = found.shared_bytes + self.shared_bytes
        told = f"{shared:,} bytes of shared memory a block, {self.blocks} blocks a multiprocessor at most"
        if self.others is None:
            return [f"{_of_thread(found)}, {told}"]
        return [
            f"with maps of all matrices that the device can copy: {_of_thread(found)}, {told}",
            f"without: {_of_thread(self.others)}",
        ]


def _of_thread(found: KernelResources) -> str:
    return (
        f"{found.registers} registers a thread, {found.spill_store_bytes} bytes of spills stored and "
        f"{found.spill_load_bytes} loaded"
    )


def explain(module: Module, artifact: Artifact) -> dict[str, Explanation]:
    """The explanations of a module behind all passes and what was generated from it, by kernel."""
    architecture = Architecture(artifact.features)
    found = assemble(artifact.texts["ptx"], architecture).kernels if find_assembler() is not None else {}
    infos = {info.name: info for head in artifact.kernels for info in with_stand_ins(head)}
    told = {
        kernel.sym_name: _explained(kernel, infos[kernel.sym_name], found, architecture) for kernel in module.kernels
    }
    whole = {
        kernel.sym_name: replace(told[kernel.sym_name], steps=tuple(told[s.sym_name] for s in module.steps_of(kernel)))
        for kernel in module.kernels
        if kernel.step_of is None
    }
    others = {kernel: module.apart_from(kernel) for kernel in module.kernels if kernel.is_head}
    return {
        kernel.sym_name: replace(whole[kernel.sym_name], apart=None if other is None else whole[other.sym_name])
        for kernel, other in others.items()
    }


def _explained(
    kernel: Kernel, info: KernelInfo, resources: dict[str, KernelResources], architecture: Architecture
) -> Explanation:
    assert info.launch is not None, "devices have a launch"
    every, mapped = info.symbol, entry_symbols(info)[-1]
    taken, others = resources.get(mapped), resources.get(every) if mapped != every else None
    shared = info.local_bytes + (0 if taken is None else taken.shared_bytes)
    x, y, z = info.launch.threads
    blocks = None if taken is None else resident_blocks(x * y * z, taken.registers, shared, architecture)
    launch = f"{info.launch}, {info.local_bytes:,} bytes of shared memory a block"
    schedule, use = info.facts.get(SCHEDULE, ""), explain_kernel(kernel)
    products = tuple(_products(kernel, parse_line(schedule)))
    return Explanation(info.name, schedule, launch, products, use, info.local_bytes, taken, blocks, others)


def _products(kernel: Kernel, schedule: Schedule) -> list[str]:
    """The products: the entry of the schedule that each comes from, or where several may be it, the
    instruction."""
    found: dict[str, None] = {}
    for op in kernel.walk():
        if isinstance(op, Mma | MmaAsync):
            choices = [str(each) for each in schedule.products if each.instruction == op.instruction]
            found[f"{place_of(op)}: {choices[0] if len(choices) == 1 else op.instruction}"] = None
    return list(found)


def resident_blocks(threads: int, registers: int, shared_bytes: int, architecture: Architecture) -> int:
    """Blocks that a multiprocessor runs at a time, by the rules of NVIDIA's occupancy calculator."""
    warps = -(-threads // WARP)
    of_warp = -(-registers * WARP // _REGISTERS_AT_ONCE) * _REGISTERS_AT_ONCE
    by_registers = _REGISTERS // of_warp // _WARPS_AT_ONCE * _WARPS_AT_ONCE // warps if registers else _BLOCKS
    by_shared = architecture.multiprocessor_shared_bytes // (shared_bytes + _OWN_SHARED_BYTES)
    return min(_BLOCKS, _WARPS // warps, by_registers, by_shared)
