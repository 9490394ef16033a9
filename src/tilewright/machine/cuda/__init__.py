"""NVIDIA devices through libcuda. Importing it needs no driver."""
