"""Patterns of the readers: what Python's own versions take for the same."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).parents[2] / "src" / "tilewright"
_POSSESSIVE_GROUP: Final = re.compile(r"(?<!\\)\)[*+?]\+")


def _literals(path: Path) -> list[tuple[int, str]]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return [(n.lineno, n.value) for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def test_groups_are_atomic_and_not_possessive() -> None:
    """Python 3.11.0 to 3.11.4 go on behind what the last, failing round of a possessive group has read (gh-106052)."""
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {text!r}"
        for path in sorted(SOURCE.rglob("*.py"))
        if "re.compile" in (whole := path.read_text()) and _POSSESSIVE_GROUP.search(whole)
        for line, text in _literals(path)
        if _POSSESSIVE_GROUP.search(text)
    ]
    assert not found, "write (?>(?:..)*) and (?>..|) for (?:..)*+ and (?:..)?+"
