"""Kernels written for other people's front ends, and ours in other people's frameworks."""
