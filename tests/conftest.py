"""Settings for all tests."""

from __future__ import annotations

from hypothesis import settings

# A deadline in milliseconds says something about the machine's load, not about the code.
settings.register_profile("tilewright", deadline=None)
settings.load_profile("tilewright")
