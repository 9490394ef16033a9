"""What IR values became in the code of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from tilewright.ir import core

_T = TypeVar("_T")


def lowered_as(values: Mapping[core.Value, object], value: core.Value, kind: type[_T]) -> _T:
    """What a value became, of the kind that its type says."""
    found = values[value]
    assert isinstance(found, kind)
    return found
