"""Products of large matrices: packed panels and macro-kernels."""
