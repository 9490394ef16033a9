"""The examples of the pages on operators of torch, on products of arrays and on attention run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide"


def examples(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (GUIDE / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    ("page", "number"), [(p, k) for p in ("torch.md", "matmul.md") for k in range(len(examples(p)))]
)
def test_the_example(page: str, number: int) -> None:
    example = examples(page)[number]
    if "import torch" in example:
        pytest.importorskip("torch")
    exec(compile(example, page, "exec"), {})


def test_the_page_on_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its examples follow each other."""
    monkeypatch.chdir(GUIDE.parents[1])
    exec(compile("\n".join(examples("attention.md")), "attention.md", "exec"), {})
