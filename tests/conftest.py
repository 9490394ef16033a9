"""Settings and random data of all tests."""

from __future__ import annotations

import secrets

import numpy as np
import pytest
from hypothesis import settings

# A deadline in milliseconds says something about the machine's load, not about the code.
settings.register_profile("tilewright", deadline=None)
settings.load_profile("tilewright")


@pytest.fixture
def seed() -> int:
    """A fresh seed; pytest shows it when the test fails."""
    found = secrets.randbelow(1 << 32)
    print(f"seed: {found}")
    return found


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """Random data from that seed."""
    return np.random.default_rng(seed)
