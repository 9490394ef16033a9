"""Tiles of a work-group divided into slices, which several blocks compute."""
