"""Arguments of launches that are given by the names of their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.artifacts.parameters import KernelInfo
from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.runtime.errors import LaunchTypeError


def in_order(info: KernelInfo, arguments: Sequence[object], named: Mapping[str, object]) -> tuple[object, ...]:
    """The arguments as if all had been given by position. Raises `LaunchTypeError`."""
    if not named:
        return tuple(arguments)
    names = [parameter.name for parameter in info.passed]
    for name in named:
        if name not in names:
            raise LaunchTypeError(_unknown(info, name, names))
        if name in names[: len(arguments)]:
            raise LaunchTypeError(f"kernel {info.name}, argument {name}: it is given by position and by name")
    missing = [name for name in names[len(arguments) :] if name not in named]
    if missing:
        raise LaunchTypeError(f"kernel {info.name}: nothing is given for {', '.join(missing)}")
    return (*arguments, *(named[name] for name in names[len(arguments) :]))


def _unknown(info: KernelInfo, name: str, names: Sequence[str]) -> str:
    if any(parameter.name == name for parameter in info.parameters):
        return f"kernel {info.name}, parameter {name}: local memory is the launch's own; give nothing for it"
    meant = nearest(name, names)
    hint = did_you_mean(meant) if meant else f"there are {', '.join(names) or 'none'}"
    return f"kernel {info.name} has no parameter {name}; {hint}"
