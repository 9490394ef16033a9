"""The interpreter of NVIDIA's Tile IR: the meaning of every operation of the cuda_tile dialect, in NumPy."""

from tilewright.interpreter.tile_ir.engine import GlobalMemory, run_entry

__all__ = ["GlobalMemory", "run_entry"]
