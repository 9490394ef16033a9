"""The machines that kernels are compiled for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright.targets.target import Target


class UnknownTarget(ValueError):
    """There is no such target, or this machine cannot be it."""


def find_target(name: str) -> Target:
    """A target by name: `cpu`, or `cpu:avx512`, `cpu:avx2`, `cpu:generic` for a smaller feature set of this machine.

    Raises `UnknownTarget`.
    """
    base, _, variant = name.partition(":")
    if base != "cpu":
        raise UnknownTarget(f"there is no target {name!r}; there are cpu, cpu:avx512, cpu:avx2, cpu:generic")
    from tilewright.targets.cpu.target import CpuTarget

    try:
        return CpuTarget.of(variant or "host")
    except ValueError as error:
        raise UnknownTarget(f"target {name!r}: {error}") from None
