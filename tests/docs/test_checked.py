"""The page on checked runs shows what its example prints."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from textwrap import dedent
from typing import Final

import tilewright as tw

_PAGE: Final = Path(__file__).parents[2] / "docs" / "guide" / "checked.md"
_EXAMPLE: Final = re.compile(r"```python\n(?P<code>.*?)```\n\n(?P<shown>(?:    [^\n]*\n)+)", re.DOTALL)


def test_the_example() -> None:
    found = _EXAMPLE.search(_PAGE.read_text())
    assert found is not None
    printed = StringIO()
    with redirect_stdout(printed), tw.config(cache="off"):
        exec(compile(found["code"], str(_PAGE), "exec"), {})
    assert printed.getvalue() == dedent(found["shown"])
