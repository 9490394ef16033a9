"""Kernels of NVIDIA's Python front end (`cuda-tile`) without a GPU.

    import cuda.tile as ct
    from tilewright.interop import cutile

    cutile.launch(grid, kernel, (x, y, 2.0, 128))

The front end is an optional extra: `pip install tilewright[cutile]`.
"""

from tilewright.interop.cutile.front_end import FrontEndMissing
from tilewright.interop.cutile.launcher import bytecode, compile, launch

__all__ = ["FrontEndMissing", "bytecode", "compile", "launch"]
