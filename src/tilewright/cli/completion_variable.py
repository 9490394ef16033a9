"""What the shell's scripts set when they ask the command how a line may go on."""

from __future__ import annotations

from typing import Final

COMPLETE: Final = "_TILEWRIGHT_COMPLETE"
