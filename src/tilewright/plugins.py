"""What third parties add: operations, passes, languages, targets, from packages that declare an entry point.

    [project.entry-points."tilewright.plugins"]
    flip = "flip_package:PLUGIN"

`PLUGIN` is a `Plugin`. Packages are looked for and loaded once in a process, when something is first compiled.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct, field

from tilewright.diagnostics.caller_error import CallerError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import ModuleType

    from tilewright.interpreter.state import Handler
    from tilewright.ir.core import Operation
    from tilewright.ir.passes import Pass
    from tilewright.languages import Language
    from tilewright.targets import TargetFamily

_Entry = TypeVar("_Entry")

GROUP: Final = "tilewright.plugins"


class PluginError(CallerError, ImportError):
    """An installed plug-in cannot be used; the message names it and says why."""


def _no_handlers() -> Mapping[type[Operation], Handler]:
    return {}


def _no_targets() -> Mapping[str, TargetFamily]:
    return {}


class Plugin(Struct, frozen=True, kw_only=True):
    """What a package adds. Names that are taken, here or by another plug-in, are a `PluginError`.

    `dialects` are modules that declare operations, which all that knows operations by their definition knows then;
    collectives among them are instructions of the tensor language. `handlers` say what operations mean for which no
    interface does, for the interpreter.

    `passes` are known by name. `lowerings` are, too, and run on every program between the passes of its language and
    those of the target: they leave nothing behind that targets do not know.

    `languages` are asked before the tensor language, which takes any text. `targets` have the names of families of
    machines.
    """

    dialects: Sequence[ModuleType] = ()
    handlers: Mapping[type[Operation], Handler] = field(default_factory=_no_handlers)
    passes: Sequence[Callable[[], Pass]] = ()
    lowerings: Sequence[Callable[[], Pass]] = ()
    languages: Sequence[Language] = ()
    targets: Mapping[str, TargetFamily] = field(default_factory=_no_targets)


@cache
def plugins() -> Mapping[str, Plugin]:
    """The installed plug-ins by name, package and version. Raises `PluginError`."""
    return {_description(entry): _loaded(entry) for entry in _entry_points()}


def fingerprint() -> list[str]:
    """What code that is compiled now depends on, as far as plug-ins go."""
    return sorted(f"{_description(entry)}: {entry.value}" for entry in _entry_points())


def extended(
    what: str, own: Mapping[str, _Entry], added: Callable[[Plugin], Mapping[str, _Entry]]
) -> dict[str, _Entry]:
    """Entries by name with those that plug-ins add. Raises `PluginError` for a name that is taken; `what` has one."""
    found = dict(own)
    for plugin, content in plugins().items():
        for name, entry in added(content).items():
            if name in found:
                raise PluginError(f"plug-in {plugin} cannot be used: there is {what} {name!r} already")
            found[name] = entry
    return found


@cache
def _entry_points() -> Sequence[EntryPoint]:
    # `importlib.metadata` takes 30 ms to import; a look at the installed packages by ourselves less than one
    if not any(map(_has_plugins, sys.path)):
        return ()
    from importlib.metadata import entry_points

    return tuple(entry_points(group=GROUP))


def _has_plugins(path: str) -> bool:
    """Whether a package in a folder of `sys.path` may declare plug-ins: archives may."""
    try:
        with os.scandir(path or ".") as entries:
            installed = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except NotADirectoryError:
        return True
    except OSError:
        return False
    return any(_declares_plugins(os.path.join(folder, "entry_points.txt")) for folder in installed)


def _declares_plugins(file: str) -> bool:
    try:
        with open(file, "rb") as declared:
            return GROUP.encode() in declared.read()
    except OSError:
        return False


def _description(entry: EntryPoint) -> str:
    package = entry.dist
    return repr(entry.name) if package is None else f"{entry.name!r} of {package.name} {package.version}"


def _loaded(entry: EntryPoint) -> Plugin:
    try:
        found: object = entry.load()
    except Exception as error:
        message = f"plug-in {_description(entry)} cannot be loaded from {entry.value}: {type(error).__name__}: {error}"
        raise PluginError(message) from error
    if not isinstance(found, Plugin):
        message = f"plug-in {_description(entry)} cannot be used: {entry.value} is a {type(found).__name__}, no Plugin"
        raise PluginError(message)
    return found
