"""Tiles of a work-group that many blocks share."""
