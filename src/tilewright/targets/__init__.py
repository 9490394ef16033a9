"""The machines that kernels are compiled for and run on; nothing of one is imported before it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from tilewright.diagnostics.caller_error import CallerError
from tilewright.plugins import extended
from tilewright.settings.config import current
from tilewright.settings.product_units import read_units
from tilewright.targets.target import TakesSchedules, UsesUnits

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from tilewright.artifacts.artifact import Artifact
    from tilewright.runtime.launcher import Launcher
    from tilewright.targets.target import Target


class UnknownTarget(CallerError, ValueError):
    """There is no such target, or this machine cannot be it."""


class UnitsElsewhere(CallerError, ValueError):
    """Product units were named for a target that has none to choose from."""


class ScheduleElsewhere(CallerError, ValueError):
    """A schedule was given for a target that takes none."""


class TargetFamily(Struct, frozen=True):
    """Machines of one kind: what to compile with (for a variant, or "" for the machine at hand) and to launch with,
    and what finds out whether code is what its header says."""

    variants: tuple[str, ...]
    target: Callable[[str], Target]
    check: Callable[[Artifact], None]
    launchers: Callable[[Artifact], Mapping[str, Launcher]]


def _cpu(variant: str) -> Target:
    from tilewright.targets.cpu.target import CpuTarget

    return CpuTarget.of(variant or "host")


def _check_cpu(artifact: Artifact) -> None:
    from tilewright.runtime.code_checks import check_object

    check_object(artifact)


def _cpu_launchers(artifact: Artifact) -> Mapping[str, Launcher]:
    from tilewright.runtime.launch import bind_artifact

    return bind_artifact(artifact)


def _nvidia(variant: str) -> Target:
    from tilewright.targets.nvidia.target import NvidiaTarget

    return NvidiaTarget.of(variant)


def _check_nvidia(artifact: Artifact) -> None:
    from tilewright.runtime.nvidia.code_checks import check_ptx

    check_ptx(artifact)


def _nvidia_launchers(artifact: Artifact) -> Mapping[str, Launcher]:
    from tilewright.runtime.nvidia.launch import bind_artifact

    return bind_artifact(artifact)


_FAMILIES: Final[Mapping[str, TargetFamily]] = {
    "cpu": TargetFamily(("avx512", "avx2", "generic"), _cpu, _check_cpu, _cpu_launchers),
    "nvidia": TargetFamily(("sm_80", "sm_90a"), _nvidia, _check_nvidia, _nvidia_launchers),
}


def target_names(*families: str) -> list[str]:
    """What `find_target` knows without plug-ins, of all machines or of some kinds: `cpu`, `cpu:avx512`, .."""
    return _names({family: _FAMILIES[family] for family in families} if families else _FAMILIES)


def _names(families: Mapping[str, TargetFamily]) -> list[str]:
    return [
        name
        for family, kind in families.items()
        for name in (family, *(f"{family}:{variant}" for variant in kind.variants))
    ]


@cache
def _all_families() -> Mapping[str, TargetFamily]:
    return extended("a target", _FAMILIES, lambda plugin: plugin.targets)


def find_target(name: str, units: str | None = None) -> Target:
    """A target by name: `cpu`, or `cpu:avx512`, `cpu:avx2`, `cpu:generic` for a smaller feature set of this machine.

    `nvidia` is the GPU of this machine (`nvidia:sm_80`, `nvidia:sm_90a` any of that architecture, here or elsewhere).
    `units` are the product units that the CPU may use (`machine/units.py`), else those of the settings.
    Raises `UnknownTarget`, `ConfigError` for what is no unit, and ValueError for units of a target that has none.
    """
    found = _find(name)
    permitted = current(units=units).units
    if permitted is None:
        return found
    if isinstance(found, UsesUnits):
        return found.using(read_units(permitted))
    if units is not None:
        raise UnitsElsewhere(f"product units are chosen for the CPU: target {name!r} has none")
    return found


def find_scheduled(name: str, units: str | None = None, schedule: str | None = None) -> Target:
    """As `find_target`, whose kernels run as `schedule` says, if one is given.

    Raises `CompileError` for a text that is no schedule, and `ScheduleElsewhere`.
    """
    found = find_target(name, units)
    if schedule is None:
        return found
    if not isinstance(found, TakesSchedules):
        raise ScheduleElsewhere(f"target {name!r} takes no schedules")
    return found.scheduled(schedule)


def _find(name: str) -> Target:
    families = _all_families()
    if name not in _names(families):
        raise UnknownTarget(
            f"there is no target {name!r} to compile for; there are {', '.join(_names(families))}, and interpreter, "
            f"which compiles nothing"
        )
    family, _, variant = name.partition(":")
    try:
        return families[family].target(variant)
    except ValueError as error:
        raise UnknownTarget(f"target {name!r}: {error}") from None


def launchers_of(artifact: Artifact) -> Callable[[], Mapping[str, Launcher]]:
    """What loads the artefact's code and makes its kernels launchable, by name. Raises `UnknownTarget`."""
    family = _all_families().get(artifact.target)
    if family is None:
        raise UnknownTarget(f"this machine cannot load artefacts for the target {artifact.target!r}")
    return partial(family.launchers, artifact)


def read_artifact(data: ReadableBuffer) -> Artifact:
    """An artefact from the bytes of one, whose code is what its header says.

    Raises `ArtifactError`, or TypeError for what is no buffer.
    """
    from tilewright.artifacts.artifact import Artifact

    artifact = Artifact.from_bytes(data)
    family = _all_families().get(artifact.target)
    if family is not None:
        family.check(artifact)
    return artifact
