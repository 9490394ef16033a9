"""Codes under which programs in MLIR are reported beside those of the reader of the generic form."""

from __future__ import annotations

from typing import Final

from tilewright.dialects.mlir.base import CODE

RULE: Final = CODE
UNSUPPORTED: Final = "M11"
