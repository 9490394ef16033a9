"""The fixture of a driver that is played, for tests that also run where there is a real one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from machine.cuda.fake_driver import FakeDriver
from tilewright.machine.cuda import driver


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDriver]:
    """A driver with one device, of capability 9.0."""
    fake = FakeDriver()
    library = fake.library()
    driver.open_device.cache_clear()
    monkeypatch.setattr(driver, "library", lambda: library)
    yield fake
    driver.open_device.cache_clear()
