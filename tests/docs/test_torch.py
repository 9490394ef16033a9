"""The example of the page on operators of torch runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "torch.md"


def test_the_example() -> None:
    pytest.importorskip("torch")
    (example,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {})
