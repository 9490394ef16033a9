"""The interpreter: the meaning of every operation, in NumPy."""

from tilewright.interpreter.engine import Group, interpret
from tilewright.interpreter.errors import KernelError

__all__ = ["Group", "KernelError", "interpret"]
