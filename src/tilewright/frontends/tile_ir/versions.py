"""How a text says which version it is of."""

from __future__ import annotations

from typing import Final

VERSION: Final = "tilewright.version"
"""Attribute of a printed module whose version is later than 13.3: later versions relax some rules."""
