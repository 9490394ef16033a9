"""The interpreter: the meaning of every operation, in NumPy."""

from tilewright.diagnostics.kernel_error import KernelError
from tilewright.interpreter.engine import Group, interpret

__all__ = ["Group", "KernelError", "interpret"]
