"""Calls of functions, intrinsics and assembly: what waits for others, barriers, asynchronous copies and products."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from .arithmetic import applied, intrinsic
from .clusters import ARRIVE_TOGETHER, MEETING, mapped
from .frame import Lanes, Operand, Step, Sync, typed_operand
from .groups import multiplications
from .matrices import WARP
from .meetings import ARRIVE, COUNTED, NUMBERED
from .memory import SHARED
from .text import EmulatorError, split

_SYNCS: Final = (
    "llvm.nvvm.shfl.sync.",
    "llvm.nvvm.bar.warp.sync",
    "llvm.nvvm.elect.sync",
    "llvm.nvvm.vote.all.sync",
    "llvm.nvvm.barrier.cta.sync.all",
    COUNTED,
    NUMBERED,
    MEETING,
    "llvm.nvvm.mma.",
    "llvm.nvvm.ldmatrix.",
    "llvm.nvvm.stmatrix.",
    "llvm.nvvm.mbarrier.try.wait.parity.",
)
_FENCES: Final = (
    "llvm.nvvm.wgmma.fence.sync.aligned",
    "llvm.nvvm.fence.mbarrier_init.release.cluster",
    # a launch is alone here
    "llvm.nvvm.griddepcontrol.launch.dependents",
    "llvm.nvvm.griddepcontrol.wait",
    # maps have no cache
    "llvm.nvvm.prefetch.tensormap.p101",
    # threads have registers enough
    "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32",
    "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32",
)
_PROXY_FENCES: Final = ("llvm.nvvm.fence.proxy.async", "llvm.nvvm.fence.proxy.async.shared_cta")
_BARRIER: Final = "llvm.nvvm.mbarrier."
_MAPPED: Final = "llvm.nvvm.mapa.shared.cluster"
_WAIT: Final = re.compile(r"wgmma\.wait_group\.sync\.aligned (\d+);")
_COPY: Final = "llvm.nvvm.cp.async."
_ACTIVE: Final = "llvm.nvvm.activemask"
_REGISTER: Final = "llvm.nvvm.read.ptx.sreg."
_ASSEMBLY: Final = re.compile(r'^(.*?) asm (?:sideeffect )?"(.*?)", "(.*?)"\((.*)\)$')
_ADDRESS: Final = re.compile(r"mov\.b64 \$0, (\w+);")
_CALL: Final = re.compile(r"^(.*?)\s?@([\w.$]+)\((.*?)\)(?: #\d+)?$")


def call_of(result: str, rest: str) -> Step | Sync:
    """The step of `call ...`, or what waits for other threads."""
    assembly = _ASSEMBLY.match(rest)
    if assembly is not None:
        begin = _ADDRESS.match(assembly[2])
        if begin is not None:
            return _address(result, begin[1])
        operands = [typed_operand(part) for part in split(assembly[4])]
        return _assembly(result, assembly[2], assembly[3].count("="), operands)
    found = _CALL.match(rest)
    if found is None:
        raise EmulatorError(f"unknown call: {rest}")
    name, operands = found[2], [typed_operand(part) for part in split(found[3])]
    if name.startswith(_SYNCS):
        return Sync(name, operands, result)
    if name == ARRIVE_TOGETHER:
        return lambda lanes: lanes.team.arrive_together(lanes.threads)
    if name == _MAPPED:
        return _map(result, operands)
    if name == ARRIVE:
        return lambda lanes: lanes.team.arrive(lanes.threads, lanes.full(operands[0]), lanes.full(operands[1]))
    if name.startswith(_BARRIER):
        return _barrier(result, name.removeprefix(_BARRIER), operands)
    if name == "llvm.nvvm.wgmma.commit_group.sync.aligned":
        return lambda lanes: lanes.team.commit_products(lanes.threads)
    if name == "llvm.nvvm.wgmma.wait_group.sync.aligned":
        return lambda lanes: lanes.team.await_products(lanes.threads, int(lanes[operands[0]][0]))
    if name in _PROXY_FENCES:
        return lambda lanes: lanes.team.show_writes(lanes.threads)
    if name in _FENCES:
        return lambda lanes: None
    if name.startswith(_COPY):
        return _copy(name.removeprefix(_COPY), operands)
    if name == _ACTIVE:
        return _active(result)
    if name.startswith(_REGISTER):
        return _special(result, name.removeprefix(_REGISTER))
    if name.startswith("llvm."):
        return applied(result, intrinsic(name, found[1]), operands)

    def step(lanes: Lanes) -> None:
        values = lanes.team.call(name, lanes.threads, [lanes.full(x) for x in operands])
        if len(values) == 1:
            lanes[result] = values[0]
        else:
            lanes.parts[result] = values

    return step


def _special(result: str, register: str) -> Step:
    def step(lanes: Lanes) -> None:
        lanes[result] = lanes.team.special(register, lanes.threads)

    return step


def _active(result: str) -> Step:
    """A bit of each thread of the warp that is here together with this one."""

    def step(lanes: Lanes) -> None:
        warps, bits = lanes.threads // WARP, 1 << lanes.threads % WARP
        masks = np.bincount(warps, bits).astype(np.uint32).view(np.int32)
        lanes[result] = masks[warps]

    return step


def _address(result: str, name: str) -> Step:
    """Where a global begins, in a register of its own."""

    def step(lanes: Lanes) -> None:
        lanes[result] = lanes.team.address_of(name)

    return step


def _assembly(result: str, text: str, results: int, operands: Sequence[Operand]) -> Step | Sync:
    """Products of groups of warps, which are there at once; waiting gives what it is given."""
    wait = _WAIT.match(text)
    if wait is None:
        products = multiplications(text, results)
        return Sync(products[0].name, operands, result, products)

    def step(lanes: Lanes) -> None:
        lanes.team.await_products(lanes.threads, int(wait[1]))
        lanes.parts[result] = [lanes[x] for x in operands]

    return step


def _barrier(result: str, name: str, operands: Sequence[Operand]) -> Step:
    """What a thread does with a barrier that counts copies."""

    def step(lanes: Lanes) -> None:
        places, *numbers = (lanes.full(x).tolist() for x in operands)
        for thread, place, *given in zip(lanes.threads.tolist(), places, *numbers, strict=True):
            match name, given:
                case "init.shared", [arrivals]:
                    lanes.team.open_barrier(place + SHARED, arrivals)
                case "inval.shared", []:
                    lanes.team.close_barrier(place + SHARED)
                case "arrive.scope.cta.space.cta", [1]:
                    lanes.team.arrive_behind_products(thread, place + SHARED)
                case "arrive.scope.cta.space.cluster", [1]:
                    lanes.team.arrive_at(thread, place)
                case "arrive.expect.tx.scope.cta.space.cta", [count]:
                    lanes.team.expect(place + SHARED, count)
                case _:
                    raise EmulatorError(f"unknown operation of barriers: {name}")
        if result:
            lanes[result] = np.zeros(1, np.int64)

    return step


def _map(result: str, operands: Sequence[Operand]) -> Step:
    """Where an address of shared memory lies in another block of the cluster."""

    def step(lanes: Lanes) -> None:
        place, rank = (lanes.full(each).astype(np.int64) for each in operands)
        lanes[result] = mapped(place, rank)

    return step


def _copy_box(operands: Sequence[Operand], mask: Operand, several: Operand) -> Step:
    """A box of a matrix to shared memory, of the blocks of the cluster that a mask says if there are `several`."""

    def step(lanes: Lanes) -> None:
        target, barrier, pointer, *at = (lanes.full(each).tolist() for each in operands)
        masks = lanes.full(mask).tolist() if lanes[several][0] else None
        for k, thread in enumerate(lanes.threads.tolist()):
            start = tuple(each[k] for each in at)
            if masks is None:
                lanes.team.copy_box(thread, barrier[k] + SHARED, target[k], pointer[k], start)
            else:
                lanes.team.copy_box_to(thread, masks[k], (barrier[k] + SHARED, target[k], pointer[k]), start)

    return step


def _store_box(operands: Sequence[Operand]) -> Step:
    """A box of a matrix from shared memory."""

    def step(lanes: Lanes) -> None:
        slab, pointer, *at = (lanes.full(each).tolist() for each in operands)
        for k, thread in enumerate(lanes.threads.tolist()):
            lanes.team.store_box(thread, slab[k] + SHARED, pointer[k], tuple(each[k] for each in at))

    return step


def _copy(name: str, operands: Sequence[Operand]) -> Step:
    """Asynchronous copies: what they read is read when they begin, and arrives when somebody waits."""
    match name.split("."), operands:
        case ["commit", "group"], []:
            return lambda lanes: lanes.team.commit_copies(lanes.threads)
        case ["wait", "group"], [pending]:
            return lambda lanes: lanes.team.await_copies(lanes.threads, int(lanes[pending][0]))
        case ["bulk", "tensor", "g2s", "tile", rank], _:
            count = 3 + int(rank.removesuffix("d"))
            return _copy_box(operands[:count], operands[count], operands[count + 2])
        case ["bulk", "tensor", "s2g", "tile", rank], _:
            return _store_box(operands[: 2 + int(rank.removesuffix("d"))])
        case ["bulk", "commit", "group"], []:
            return lambda lanes: lanes.team.commit_stores(lanes.threads)
        case ["bulk", "wait", "group", "read"], [pending]:
            return lambda lanes: lanes.team.await_stores(lanes.threads, int(lanes[pending][0]))
        case [_, "shared", "global", size, *_], [target, source, *rest]:
            given = rest[0] if rest else f"i32 {size}"
            return lambda lanes: lanes.team.copy_later(
                lanes.threads,
                lanes.full(target) + SHARED,
                lanes.full(source),
                int(size),
                lanes.full(given),
            )
        case _:
            raise EmulatorError(f"unknown copy: {name}")
