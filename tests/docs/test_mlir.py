"""The example of the guide to MLIR runs, and the page names every operation of linalg that is read."""

from __future__ import annotations

import re
from pathlib import Path

from tilewright.dialects.mlir import linalg, mlir_operations

_PAGE = Path(__file__).parents[2] / "docs" / "guide" / "mlir.md"


def test_the_example() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", _PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(_PAGE), "exec"), {})


def test_named_operations_are_listed() -> None:
    [row] = re.findall(r"^\| linalg, on memrefs or tensors \| (.*) \|$", _PAGE.read_text(), re.MULTILINE)
    listed = set(re.findall(r"`(\w+)`", row))
    known = {op.removeprefix("linalg.") for op, cls in mlir_operations().items() if issubclass(cls, linalg.Structured)}
    assert {name for name in known if "transpose" not in name} <= listed
