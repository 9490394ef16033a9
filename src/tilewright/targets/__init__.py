"""The machines that kernels are compiled for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilewright.diagnostics.caller_error import CallerError

if TYPE_CHECKING:
    from tilewright.targets.target import Target


_NAMES: Final = ("cpu", "cpu:avx512", "cpu:avx2", "cpu:generic", "nvidia", "nvidia:sm_80", "nvidia:sm_90a")


class UnknownTarget(CallerError, ValueError):
    """There is no such target, or this machine cannot be it."""


def find_target(name: str) -> Target:
    """A target by name: `cpu`, or `cpu:avx512`, `cpu:avx2`, `cpu:generic` for a smaller feature set of this machine.

    `nvidia` is the GPU of this machine (`nvidia:sm_80`, `nvidia:sm_90a` any of that architecture, here or elsewhere).
    Raises `UnknownTarget`.
    """
    if name not in _NAMES:
        raise UnknownTarget(
            f"there is no target {name!r} to compile for; there are {', '.join(_NAMES)}, and interpreter, which "
            f"compiles nothing"
        )
    base, _, variant = name.partition(":")
    try:
        if base == "cpu":
            from tilewright.targets.cpu.target import CpuTarget

            return CpuTarget.of(variant or "host")
        from tilewright.targets.nvidia.target import NvidiaTarget

        return NvidiaTarget.of(variant)
    except ValueError as error:
        raise UnknownTarget(f"target {name!r}: {error}") from None
