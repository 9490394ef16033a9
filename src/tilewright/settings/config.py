"""Settings from five places, later ones winning: default, pyproject.toml, environment, `with config(..)`, argument.

    with tilewright.config(cache="off", num_threads=2):
        tilewright.compile(text)

In `pyproject.toml` the table is `[tool.tilewright]`, in the environment each name is upper case after `TILEWRIGHT_`.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Final, Never, cast

from msgspec import Struct

from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.files import read_file
from tilewright.settings.settings import BY_NAME, SETTINGS, ConfigError, Setting, Value

__all__ = ["Config", "ConfigError", "Origin", "config", "current"]

_PREFIX: Final = "TILEWRIGHT_"
_LARGEST: Final = 1 << 24
"""Bytes of a `pyproject.toml` that are read."""
# what our own scripts and tests are told, which are no settings
_DEVELOPMENT: Final = ("TILEWRIGHT_RANDOM_", "TILEWRIGHT_GPU_", "TILEWRIGHT_TILEIRAS", "TILEWRIGHT_VENV")


class Origin(Struct, frozen=True):
    """A setting's `name` and `value`, its `origin` (the place that it came from), and `doc`, what it means."""

    name: str
    value: Value
    origin: str
    doc: str


class Config(Struct, frozen=True):
    """All settings, resolved. `origins` tells where each came from.

    `cache` is `off`, `ro` or `rw`; `cache_dir` the folder of the artefact cache, None for the user's cache folder;
    `cache_size` the bytes that it may hold; `always_compile` whether to compile what the cache has; `num_threads` the
    threads of the pool, which the first launch makes, None for `OMP_NUM_THREADS` or the cores that the process may use;
    `units` the names of the product units that compiled code may use, with commas between, None for the exact ones;
    `tuned` the file of schedules that `tilewright.tune` has found, `off` for none, None for one in the user's data
    folder.
    """

    cache: str
    cache_dir: Path | None
    cache_size: int
    always_compile: bool
    num_threads: int | None
    units: str | None
    tuned: str | None
    origins: Mapping[str, str]

    def explain(self) -> list[Origin]:
        """Every setting with its value, where that came from, and what it means."""
        return [Origin(s.name, getattr(self, s.name), self.origins[s.name], s.doc) for s in SETTINGS]


class _Layer(Struct, frozen=True):
    """Values from one place."""

    origin: str
    values: Mapping[str, Value]


_overrides: Final[ContextVar[tuple[_Layer, ...]]] = ContextVar("tilewright_config", default=())


def _setting(name: str, origin: str, spelling: str) -> Setting:
    setting = BY_NAME.get(name)
    if setting is None:
        meant = nearest(name, BY_NAME)
        hint = f"; {did_you_mean(meant)}" if meant else f"; there are {', '.join(BY_NAME)}"
        raise ConfigError(f"unknown setting {spelling} in {origin}{hint}")
    return setting


def _layer(origin: str, entries: Iterable[tuple[str, str, object]]) -> _Layer:
    values: dict[str, Value] = {}
    for name, spelling, raw in entries:
        values[name] = _setting(name, origin, spelling).read(raw, f"{spelling} in {origin}")
    return _Layer(origin, values)


def _from_environment(environment: Mapping[str, str]) -> _Layer:
    # an empty variable is one that was unset as far as a shell can
    ours = [
        (name[len(_PREFIX) :].lower(), name, raw)
        for name, raw in environment.items()
        if raw != "" and name.startswith(_PREFIX) and not name.startswith(_DEVELOPMENT)
    ]
    return _layer("environment", ours)


@lru_cache(maxsize=16)
def _from_pyproject(path: Path, _modified: int, _size: int) -> _Layer:
    import tomllib

    try:
        document: Mapping[str, object] = tomllib.loads(read_file(path, _LARGEST).decode())
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    table: object = document
    for key in ("tool", "tilewright"):
        table = cast("Mapping[str, object]", table).get(key, {}) if isinstance(table, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"[tool.tilewright] in {path} is not a table")
    entries = cast("Mapping[str, object]", table).items()
    return _layer(str(path), [(key.replace("-", "_"), key, raw) for key, raw in entries])


def _folders(start: Path | None) -> Sequence[Path]:
    """A folder, else the current one, and what is above it; none if the current one was deleted."""
    try:
        first = start or Path.cwd()
    except FileNotFoundError:
        return ()
    return first, *first.parents


def _project_layer(start: Path | None) -> _Layer:
    for folder in _folders(start):
        path = folder / "pyproject.toml"
        try:
            found = path.stat()
        except OSError:
            continue
        return _from_pyproject(path, found.st_mtime_ns, found.st_size)
    return _Layer("pyproject.toml", {})


def current(
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    **arguments: object,
) -> Config:
    """The settings as they are here and now. Arguments win over all else; None stands for an argument not given."""
    given = [(name, name, raw) for name, raw in arguments.items() if raw is not None]
    layers = [
        _Layer("default", {setting.name: setting.default for setting in SETTINGS}),
        _project_layer(folder),
        _from_environment(os.environ if environment is None else environment),
        *_overrides.get(),
        _layer("argument", given),
    ]
    values: dict[str, Value] = {}
    origins: dict[str, str] = {}
    for layer in layers:
        values.update(layer.values)
        origins.update(dict.fromkeys(layer.values, layer.origin))
    return Config(**cast("dict[str, Never]", values), origins=origins)


@contextmanager
def config(**settings: object) -> Generator[Config]:
    """Change settings for the duration of a block, in this thread and in the tasks started from it.

    Settings are `cache`, `cache_dir`, `cache_size` (a number, or text such as `"500M"`), `always_compile`,
    `num_threads`, `units` (`"vnni,vector"`) and `tuned` (a path, or `"off"`); the block gets all of them as a
    `Config`. Later places win: default, the table `[tool.tilewright]` of `pyproject.toml`, variables such as
    `TILEWRIGHT_CACHE`, this.

    Raises `ConfigError` for a setting that does not exist, or a value that it cannot take.
    """
    layer = _layer("with config(..)", [(name, name, raw) for name, raw in settings.items()])
    token = _overrides.set((*_overrides.get(), layer))
    try:
        yield current()
    finally:
        _overrides.reset(token)
