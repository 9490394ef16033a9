"""What a kernel says, as a key: the same for all layouts and comments of its text."""

from __future__ import annotations

import hashlib
import json

from tilewright.compile_options import CompileOptions
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.printer import print_op


def fingerprints(module: Module, options: CompileOptions) -> dict[str, str]:
    """SHA-256 by kernel of a program as it was read: over the kernel, what it shares with others, and the options."""
    facts = json.dumps([options.level, options.checked, options.reorder_sums, options.precision.value])
    shared = [print_op(op) for op in module.body.entry if not isinstance(op, Kernel)]
    return {
        kernel.sym_name: hashlib.sha256("\0".join([facts, *shared, print_op(kernel)]).encode()).hexdigest()
        for kernel in module.kernels
    }
