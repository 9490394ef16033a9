"""A fresh seed for each test, shown when it fails."""

from __future__ import annotations

import secrets

import pytest


@pytest.fixture
def seed() -> int:
    """A seed that pytest prints with the captured output of a failure."""
    found = secrets.randbelow(1 << 32)
    print(f"seed: {found}")
    return found
