"""Running a case on a GPU through the driver binding: arrays are copied to the device and back, byte by byte."""

from __future__ import annotations

from targets.nvidia.case import Array, Launch
from targets.nvidia.device_memory import Packer, work_of
from tilewright.artifacts.artifact import Artifact
from tilewright.machine.cuda.driver import Context


def run(context: Context, artifact: Artifact, launch: Launch, number: int = 0) -> dict[int, Array | list[Array | None]]:
    """Launch a kernel of an artefact; contents of the array arguments afterwards."""
    info = artifact.kernels[number]
    packer = Packer(context)
    slots = packer.block(info.parameters, launch.arguments)
    work = work_of(context, info, launch.grid, bytes(slots))
    function = context.load(artifact.payload.decode()).function(info.symbol)
    function.allow_shared(info.local_bytes)
    m, n = info.work_group_size
    function.launch(work.blocks, (m * n, 1, 1), work.block, shared_bytes=info.local_bytes)
    context.synchronize()
    return packer.results()
