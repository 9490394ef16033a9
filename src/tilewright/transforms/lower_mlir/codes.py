"""The code under which operations are refused that have no lowering."""

from __future__ import annotations

from typing import Final

UNSUPPORTED: Final = "M11"
