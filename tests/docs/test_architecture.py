"""Files that `docs/architecture.md` and `CONTRIBUTING.md` speak of are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = ("src/tilewright", "benchmarks", "scripts", "tests")


@pytest.mark.parametrize("document", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_the_files_that_it_names_exist(document: str) -> None:
    paths = [path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    named = re.findall(r"`([\w/]+\.py)`", (ROOT / document).read_text())
    assert named
    assert [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in paths)] == []
