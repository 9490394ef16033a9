"""The page that shows a kernel from text to PTX is what the compiler does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loaded import loaded
from tilewright.machine.host import llvm_version

ROOT = Path(__file__).parents[2]
HINT = "run: python scripts/levels_page.py --write"


@pytest.fixture(scope="module")
def script() -> Any:
    return loaded(ROOT / "scripts" / "levels_page.py")


@pytest.mark.usefixtures("users_ptx")
def test_the_page_is_up_to_date(script: Any) -> None:
    """PTX is compared where LLVM is of the version that wrote it."""
    written, made = script.PAGE.read_text(encoding="utf-8"), script.page()
    if f"(LLVM {llvm_version()}.)" in written:
        assert written == made, HINT
    assert script.without_ptx(written) == script.without_ptx(made), HINT
    assert len(script.without_ptx(made)) < len(made)


@pytest.mark.usefixtures("users_ptx")
def test_every_level_is_on_it(script: Any) -> None:
    made = script.page()
    assert "ld.global.v4.b32" in made
    assert "\n## PTX\n" in made
    for word in ("tile.load", "#layout<reg", "lane.load", "define ptx_kernel", "passes over the banks"):
        assert word in script.without_ptx(made)
    assert "registers a thread" not in made, "ptxas is not everywhere"
