"""Launching on NVIDIA devices."""
