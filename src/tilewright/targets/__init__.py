"""The machines that kernels are compiled for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright.targets.target import Target


class UnknownTarget(ValueError):
    """There is no such target, or this machine cannot be it."""


def find_target(name: str) -> Target:
    """A target by name: `cpu`, or `cpu:avx512`, `cpu:avx2`, `cpu:generic` for a smaller feature set of this machine.

    `nvidia` is the GPU of this machine (`nvidia:sm_80`, `nvidia:sm_90a` any of that architecture, here or elsewhere).
    Raises `UnknownTarget`.
    """
    base, _, variant = name.partition(":")
    try:
        match base:
            case "cpu":
                from tilewright.targets.cpu.target import CpuTarget

                return CpuTarget.of(variant or "host")
            case "nvidia":
                from tilewright.targets.nvidia.target import NvidiaTarget

                return NvidiaTarget.of(variant)
            case _:
                pass
    except ValueError as error:
        raise UnknownTarget(f"target {name!r}: {error}") from None
    raise UnknownTarget(
        f"there is no target {name!r}; there are cpu, cpu:avx512, cpu:avx2, cpu:generic, nvidia, nvidia:sm_80, "
        f"nvidia:sm_90a"
    )
