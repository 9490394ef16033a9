"""Kernels written for other people's front ends."""
