"""`llvmlite.binding`, which takes 30 ms to import: on first use, since code that is loaded needs no LLVM."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from tilewright.machine.llvm_types import Binding


def binding() -> Binding:
    """llvmlite's binding."""
    return cast("Binding", importlib.import_module("llvmlite.binding"))
