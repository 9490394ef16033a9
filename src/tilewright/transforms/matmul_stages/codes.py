"""Codes under which the stages report."""

from __future__ import annotations

from typing import Final

NOT_APPLICABLE: Final = "M12"
BROKEN: Final = "M13"
SCHEDULE: Final = "M14"
