"""Machines: their descriptions, the scheduling of tiles onto them, and the lowering to LLVM."""
