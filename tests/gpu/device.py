"""Running a case on a GPU through the driver binding: arrays are copied to the device and back, byte by byte."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from targets.nvidia.case import Array, Launch
from targets.nvidia.device_memory import Packer, entry_of, launches, work_of
from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.tensor_maps import TensorMap
from tilewright.machine.cuda.driver import Context
from tilewright.machine.cuda.tensor_maps import encoded


def run(context: Context, artifact: Artifact, launch: Launch, number: int = 0) -> dict[int, Array | list[Array | None]]:
    """Launch a kernel of an artefact; contents of the array arguments afterwards."""
    info = artifact.kernels[number]
    packer = Packer(context)
    slots = packer.block(info.parameters, launch.arguments)
    module = context.load(artifact.payload.decode())
    alive: list[object] = []
    for step, kept in launches(context, info, launch.grid):
        work = work_of(context, step, launch.grid, bytes(slots), kept=kept, described=partial(_described, context))
        function = module.function(entry_of(step, work.block))
        function.allow_shared(step.local_bytes)
        assert step.launch is not None
        # a producer warp is among them
        function.launch(work.blocks, step.launch.threads, work.block, shared_bytes=step.local_bytes)
        alive += [kept, work]
    context.synchronize()
    return packer.results()


def run_twice(
    context: Context, artifact: Artifact, launch: Launch, number: int = 0
) -> dict[int, Array | list[Array | None]]:
    """`run`, after another one on the same arguments has left the same bits: a moving result would be a race."""
    first, again = (run(context, artifact, launch, number) for _ in range(2))
    moved = [k for k in first if bits_of(first[k]) != bits_of(again[k])]
    assert not moved, f"other bits in a second run, arguments {moved}"
    return again


def bits_of(result: Array | list[Array | None]) -> list[bytes]:
    """An array, or all of a group, byte for byte."""
    arrays = result if isinstance(result, list) else [result]
    return [b"" if array is None else array.tobytes() for array in arrays]


def _described(
    context: Context, found: TensorMap, address: int, extents: Sequence[int], pitches: Sequence[int]
) -> bytes:
    return encoded(context, found.dtype, address, extents, pitches, found.box)
