"""Machine code of our own that never changes: compiled once for a processor, and kept for later processes."""

from __future__ import annotations

from tilewright.kept.by_products import kept
from tilewright.machine.host import llvm_version
from tilewright.machine.native import compile_text
from tilewright.machine.processor import machine


def own_code(text: str, *, optimisation: int = 3) -> bytes:
    """Object code of LLVM IR for this machine, as `compile_text` makes it. Raises what that does."""
    target = machine()
    facts = [llvm_version(), target.triple, target.cpu, target.features, str(optimisation), text]
    return kept("code", facts, lambda: compile_text(text, target, optimisation=optimisation))
