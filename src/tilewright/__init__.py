"""tilewright compiles tensor kernels: several languages in, CPUs and GPUs out, the same answers everywhere.

    kernels = tilewright.compile("examples/fused_kernel.tl")
    kernels.fused_kernel[batch](alpha, A, B, C, D)

Names are imported when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewright.api import compile as compile
    from tilewright.diagnostics import CompileError as CompileError
    from tilewright.diagnostics import Diagnostic as Diagnostic
    from tilewright.diagnostics.kernel_error import KernelError as KernelError
    from tilewright.interop import torch as torch
    from tilewright.operators.attention import attention as attention
    from tilewright.operators.einsum import einsum as einsum
    from tilewright.operators.errors import OperatorError as OperatorError
    from tilewright.operators.errors import OperatorTypeError as OperatorTypeError
    from tilewright.operators.matmul import matmul as matmul
    from tilewright.plugins import Plugin as Plugin
    from tilewright.plugins import PluginError as PluginError
    from tilewright.program import Kernel as Kernel
    from tilewright.program import Program as Program
    from tilewright.runtime.addresses import address as address
    from tilewright.runtime.errors import LaunchError as LaunchError
    from tilewright.runtime.group_arguments import ArrayGroup as ArrayGroup
    from tilewright.runtime.group_arguments import PointerArray as PointerArray
    from tilewright.settings.config import config as config
    from tilewright.tuning.tune import tune as tune
    from tilewright.version import __version__ as __version__

_HOMES = {
    "compile": "tilewright.api",
    "CompileError": "tilewright.diagnostics",
    "Diagnostic": "tilewright.diagnostics",
    "Kernel": "tilewright.program",
    "KernelError": "tilewright.diagnostics.kernel_error",
    "Plugin": "tilewright.plugins",
    "PluginError": "tilewright.plugins",
    "Program": "tilewright.program",
    "OperatorError": "tilewright.operators.errors",
    "OperatorTypeError": "tilewright.operators.errors",
    "attention": "tilewright.operators.attention",
    "config": "tilewright.settings.config",
    "einsum": "tilewright.operators.einsum",
    "matmul": "tilewright.operators.matmul",
    "address": "tilewright.runtime.addresses",
    "ArrayGroup": "tilewright.runtime.group_arguments",
    "LaunchError": "tilewright.runtime.errors",
    "PointerArray": "tilewright.runtime.group_arguments",
    "__version__": "tilewright.version",
    "tune": "tilewright.tuning.tune",
    "torch": "tilewright.interop.torch",
}
_MODULES = frozenset({"torch"})

__all__ = [
    "ArrayGroup",
    "CompileError",
    "Diagnostic",
    "Kernel",
    "KernelError",
    "LaunchError",
    "OperatorError",
    "OperatorTypeError",
    "Plugin",
    "PluginError",
    "PointerArray",
    "Program",
    "__version__",
    "address",
    "attention",
    "compile",
    "config",
    "einsum",
    "matmul",
    "torch",
    "tune",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}")
    value = importlib.import_module(home) if name in _MODULES else getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, each once."""
    return sorted(__all__)
