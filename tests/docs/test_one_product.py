"""The page that explains the schedule of a product: it is the compiler's, and its numbers are so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tilewright as tw

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "one-product.md").read_text(encoding="utf-8")
TEXT, LINE = (block.strip() for block in re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
ROWS = dict(re.findall(r"^\| `(.+?)` \| (.*?) \|", PAGE, re.MULTILINE))


@pytest.fixture(scope="module")
def kernel() -> tw.Kernel:
    return tw.compile(TEXT, target="nvidia:sm_90a").product


def test_the_line_is_what_the_compiler_chooses(kernel: tw.Kernel) -> None:
    assert kernel.schedule == LINE, "docs/guide/one-product.md: explain the line that the compiler chooses now"


def test_each_entry_has_a_row() -> None:
    _, product = re.findall(r"(product=)(\S+)", LINE)[0]
    tile, _, how = product.partition(":")
    instruction, warps, stages = how.split("/")
    said = [f"product={tile}:", instruction, f"/{warps}", f"/{stages}"]
    assert list(ROWS) == [
        part for entry in LINE.split() for part in (said if entry.startswith("product=") else [entry])
    ]


def test_numbers_and_instructions(kernel: tw.Kernel) -> None:
    explained, ptx = str(kernel.explain()), tw.compile(TEXT, target="nvidia:sm_90a").text("ptx")
    for number in ("131,072", "65,536", "32,768"):
        assert number in PAGE
        assert f"{number} bytes" in explained
    for entry, found in {
        "threads=256": ("384 threads",),
        "spread=yes": ("16 x 32",),
        "persistent=yes": ("132",),
    }.items():
        assert all(text in ROWS[entry] for text in found)
    assert "blocks of 384 threads, min(32 x 16, 132 / work-groups)" in explained
    assert "clusters of 2 x 1 x 1 blocks" in explained
    for instruction in (
        r"setmaxnreg\.dec\S+\s+40;",
        r"setmaxnreg\.inc\S+\s+232;",
        r"stmatrix\.sync",
        r"multicast::cluster",
        r"cp\.async\.bulk\.tensor\.2d\.global\.shared",
        r"griddepcontrol\.launch_dependents",
        r"wgmma\.mma_async\.sync\.aligned\.m64n256k16\.f32\.f16\.f16",
    ):
        assert re.search(instruction, ptx), instruction


def test_what_the_line_leaves_out(kernel: tw.Kernel) -> None:
    """Said, it changes nothing."""
    text = tw.compile(TEXT, target="nvidia:sm_90a").text("ptx")
    more = f"{LINE} order=8 pingpong=no stream=no dependent=yes"
    assert tw.compile(TEXT, target="nvidia:sm_90a", schedule=more).text("ptx") == text
