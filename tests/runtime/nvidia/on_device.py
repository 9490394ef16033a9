"""Arrays on devices that are played (`machine.cuda.fake_driver`), and kernels without code."""

from __future__ import annotations

from machine.cuda.fake_driver import FIRST_ON_DEVICE
from tilewright.artifacts.artifact import Artifact, KernelInfo, LaunchPlan, Parameter, device_block_size
from tilewright.artifacts.constraints import Constraint
from tilewright.artifacts.parameters import entry_symbols
from tilewright.runtime.nvidia.launch import CudaKernel, bind_artifact

HERE = FIRST_ON_DEVICE
PLAN = LaunchPlan((64, 1, 1))


class OnDevice:
    """An array on a device, which says so as CuPy's do."""

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, address: int = HERE) -> None:
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": "<f4",
            "data": (address, False),
            "strides": strides,
            "version": 3,
        }


def artifact_of(*infos: KernelInfo, features: str = "sm_80") -> Artifact:
    """Kernels whose code is entries with the parameters that they should have."""
    entries: list[str] = []
    for info in infos:
        size = device_block_size(info)
        block = f".param .align 16 .b8 slots[{size}]" if size else ""
        entries += [f".visible .entry {symbol}({block})" for symbol in entry_symbols(info)]
    return Artifact("nvidia", infos, "\n".join(entries).encode(), features=features)


def kernel(
    *parameters: Parameter,
    plan: LaunchPlan = PLAN,
    local_bytes: int = 0,
    constraints: tuple[Constraint, ...] = (),
    device: int | None = None,
) -> CudaKernel:
    """A kernel of these parameters."""
    info = KernelInfo("k", "k", parameters, local_bytes=local_bytes, constraints=constraints, launch=plan)
    return bind_artifact(artifact_of(info), device)["k"]
