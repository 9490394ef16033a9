"""The Python of the page on TLX runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import numpy as np
import pytest

ROOT: Final = Path(__file__).parents[2]


def test_the_examples_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/tlx.md").read_text(), re.DOTALL):
        exec(compile(block, "tlx.md", "exec"), names)
    c = names["c"]
    assert isinstance(c, np.ndarray)
    assert (c[:, :16] == 32).all()
