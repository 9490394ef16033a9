"""The table of settings: name, meaning, default and how a text becomes a value."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from tilewright.diagnostics.caller_error import CallerError
from tilewright.settings.product_units import UNIT_WORDS, read_units

MAX_THREADS: Final = 4096

Value: TypeAlias = str | int | bool | Path | None


class ConfigError(CallerError, ValueError):
    """A setting that does not exist, or a value that it cannot take."""


class Setting(Struct, frozen=True):
    """One setting. `parse` takes what an environment variable, a TOML value or a keyword argument may hold."""

    name: str
    default: Value
    parse: Callable[[object], Value]
    wanted: str
    doc: str

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return f"TILEWRIGHT_{self.name.upper()}"

    def read(self, raw: object, where: str) -> Value:
        """The value, or a `ConfigError` that tells where it stands and what would be right."""
        try:
            return self.parse(raw)
        except (ValueError, TypeError):
            raise ConfigError(f"{where}: {raw!r} is no {self.wanted}") from None


_TRUE: Final = ("1", "true", "yes", "on")
_FALSE: Final = ("0", "false", "no", "off", "")
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE: Final = re.compile(r"(\d{1,15})\s*([KMGT]?)I?B?", re.IGNORECASE | re.ASCII)


def _flag(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    text = str(raw).strip().lower() if isinstance(raw, str | int) else "?"
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise ValueError


def _text(raw: object) -> str:
    if isinstance(raw, str):
        return raw
    raise TypeError


def _one_of(*choices: str) -> Callable[[object], str]:
    def parse(raw: object) -> str:
        text = _text(raw).strip().lower()
        if text in choices:
            return text
        raise ValueError

    return parse


def _path(raw: object) -> Path | None:
    if isinstance(raw, Path):
        return raw.expanduser()
    return Path(_text(raw)).expanduser() if raw else None


def _place(raw: object) -> str | None:
    found = _path(raw)
    return None if found is None else str(found)


def _bytes(raw: object) -> int:
    if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0:
        return raw
    match = _SIZE.fullmatch(_text(raw).strip())
    if match is None:
        raise ValueError
    return int(match[1]) * _UNITS[match[2].upper()]


def _count(raw: object) -> int | None:
    if raw is None or raw == "":
        return None
    count = raw if isinstance(raw, int) and not isinstance(raw, bool) else int(_text(raw))
    if not 1 <= count <= MAX_THREADS:
        raise ValueError
    return count


def _units(raw: object) -> str | None:
    return ",".join(sorted(unit.value for unit in read_units(_text(raw)))) if raw else None


_FLAG: Final = "truth value (1 or 0, true or false, on or off)"

SETTINGS: Final[tuple[Setting, ...]] = (
    Setting("cache", "rw", _one_of("off", "ro", "rw"), "mode: off, ro or rw", "how the artefact cache is used"),
    Setting("cache_dir", None, _path, "path", "where the cache lies; the user's cache directory if not set"),
    Setting("cache_size", 1 << 30, _bytes, "size such as 500M or 2G", "bytes the cache may hold"),
    Setting("always_compile", False, _flag, _FLAG, "compile although the cache has the result"),
    Setting(
        "num_threads",
        None,
        _count,
        f"number from 1 to {MAX_THREADS}",
        "threads of the pool, which the first launch makes",
    ),
    Setting(
        "units",
        None,
        _units,
        f"list of product units: {', '.join(UNIT_WORDS)}, with commas between",
        "units of the CPU that products may use where they are there; those that are exact if not set",
    ),
    Setting(
        "tuned",
        None,
        _place,
        "path, or off",
        "file of the user's schedules that tuning found; off takes none; in the user's data directory if not set",
    ),
)

BY_NAME: Final = {setting.name: setting for setting in SETTINGS}
