"""`llvmlite.binding`, which takes 30 ms to import: on first use, since code that is loaded needs no LLVM."""

from __future__ import annotations

import importlib
import os
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, cast

from tilewright.once import once

if TYPE_CHECKING:
    from tilewright.machine.llvm_types import Binding


@once
def binding() -> Binding:
    """llvmlite's binding, of which a forked child can make use."""
    found = cast("Binding", importlib.import_module("llvmlite.binding"))
    lock = llvm_lock()
    if lock is not None and hasattr(os, "register_at_fork"):
        # a child would wait for ever for a thread of its parent that was inside LLVM: no fork before it is outside
        leave = partial(lock.__exit__, None, None, None)
        os.register_at_fork(before=lock.__enter__, after_in_parent=leave, after_in_child=leave)
    return found


def llvm_lock() -> AbstractContextManager[object] | None:
    """What llvmlite holds while a thread is inside LLVM; None if it is not where llvmlite 0.50 has it.

    It is private, and nothing public says the same: `register_lock_callback` tells of the lock, but does not take it.
    Without it a process that is forked while another thread compiles may wait for ever in its own first compilation.
    """
    found = getattr(importlib.import_module("llvmlite.binding.ffi").lib, "_lock", None)
    return found if hasattr(found, "__enter__") and hasattr(found, "__exit__") else None
