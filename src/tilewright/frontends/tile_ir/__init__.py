"""CUDA Tile IR, as text and as bytecode."""
