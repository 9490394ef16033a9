"""Calling the real command and programs in processes of their own."""

from __future__ import annotations

import os
import subprocess

from warm.python import command

AXPBY = """func @axpby(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) {
    axpby %a, %x, %b, %y
}
"""


def environment(**settings: str) -> dict[str, str]:
    """The environment of a child: one thread, and what is given."""
    return {**os.environ, "TILEWRIGHT_NUM_THREADS": "1", **settings}


def tilewright(*arguments: str, text: str | None = None, **settings: str) -> subprocess.CompletedProcess[str]:
    """Call the command line."""
    return python("-m", "tilewright", *arguments, text=text, **settings)


def python(*arguments: str, text: str | None = None, **settings: str) -> subprocess.CompletedProcess[str]:
    """Call Python."""
    return subprocess.run(
        [*command(), *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment(**settings),
    )
