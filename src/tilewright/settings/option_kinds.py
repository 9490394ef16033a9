"""Options as callers give them: each is of its kind, or is refused by its name with what it may be.

A text would do for a flag that is off, and for a table of names, if nobody looked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast


def check_flag(name: str, value: object) -> None:
    """Raises ValueError for what is neither true nor false, such as "no"."""
    if value not in (True, False):
        raise ValueError(f"{name} is True or False, not {value!r}")


def check_text(name: str, value: object) -> None:
    """Raises ValueError for what is no text and not None, which says nothing."""
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is text, not {value!r}")


def check_texts_by_name(name: str, value: object) -> None:
    """Raises ValueError for what is no mapping from texts to texts and not None."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} is a mapping from names to texts, such as {{'n': '16'}}, not {value!r}")
    entries = cast("Mapping[object, object]", value).items()
    wrong = [part for item in entries for part in item if not isinstance(part, str)]
    if wrong:
        raise ValueError(f"{name} has names and texts, such as {{'n': '16'}}; {wrong[0]!r} is none")
