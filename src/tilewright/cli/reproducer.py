"""What an internal error leaves behind: the command, its input and the traceback in one file."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback
from pathlib import Path

from tilewright.version import __version__


def write_reproducer(error: Exception) -> Path | None:
    """Write a report of an internal error into the temporary folder; None if that is impossible."""
    lines = [
        f"tilewright {__version__}, Python {platform.python_version()}, {platform.platform()}",
        "command: " + " ".join(sys.argv),
        "".join(traceback.format_exception(error)),
    ]
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="tilewright-internal-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write("\n".join(lines))
    except OSError:
        return None
    return Path(file.name)
