"""Artefacts kept between processes."""
