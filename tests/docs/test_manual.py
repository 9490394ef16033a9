"""The operation manual in docs/ is what the definitions generate."""

from __future__ import annotations

from pathlib import Path

from tilewright.dialects import all_dialects
from tilewright.dialects.manual import manual, operations

DOCS = Path(__file__).parents[2] / "docs"


def test_the_manual_is_up_to_date() -> None:
    wanted = manual(all_dialects())
    assert (DOCS / "operations.md").read_text(encoding="utf-8") == wanted, (
        "run: python -m tilewright.dialects.manual > docs/operations.md"
    )


def test_every_operation_is_documented() -> None:
    for dialect in all_dialects():
        assert dialect.__doc__
        for cls in operations(dialect):
            assert cls.__doc__, cls.name
            assert cls.definition.summary.endswith((".", ":")), cls.name
