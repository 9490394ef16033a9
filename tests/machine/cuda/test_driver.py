"""The driver binding on a machine without a driver: it imports, and it says what is missing."""

from __future__ import annotations

import pytest

from tilewright.machine.cuda import driver


@pytest.mark.skipif(driver.available(), reason="this machine has a driver; tests/gpu covers it")
def test_absent_driver_is_a_clear_error() -> None:
    assert not driver.available()
    with pytest.raises(driver.DriverUnavailable, match="NVIDIA driver"):
        driver.open_device()
