"""tilewright compiles tensor kernels: several languages in, CPUs and GPUs out, the same answers everywhere."""

from __future__ import annotations

__version__ = "0.1.0"
