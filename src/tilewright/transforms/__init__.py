"""The way down from a source language to scheduled tiles: one pass a file, listed in `pipeline`."""
