"""What the device that attention runs on can do."""

from __future__ import annotations


def takes_tensors(target: str) -> bool:
    """Whether a target's device copies boxes of matrices by itself, and multiplies by groups of warps."""
    from tilewright.machine.cuda.architecture import Architecture
    from tilewright.targets.nvidia.target import NvidiaTarget

    name, _, architecture = target.partition(":")
    return name == "nvidia" and NvidiaTarget.of(architecture).architecture is Architecture.SM_90A


def multiprocessors() -> int:
    """So many blocks that have one for themselves run at a time."""
    from tilewright.targets.nvidia.model import MULTIPROCESSORS

    return MULTIPROCESSORS
