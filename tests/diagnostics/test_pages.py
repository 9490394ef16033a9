"""The pages of `tilewright explain`: every example is wrong or right as the page says."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
import tilewright.diagnostics
from frontends.tile_ir.marked import findings
from tilewright.diagnostics.codes import CODES, explain
from verifier.marked import diagnostics_of

PAGES = Path(tilewright.diagnostics.__file__).parent / "pages"
LAUNCH_AND_TARGETS = {"V47", "V48"}
REPORTED_AS = {"V3": "L006"}
LANGUAGE = [code for code in CODES if code.startswith("V") and code not in LAUNCH_AND_TARGETS]
TILE_IR = [code for code in CODES if code.startswith("C")]


def example(page: str, heading: str) -> str:
    found = re.search(rf"^{heading}\b.*:\n\n((?:    .*\n|\n)+)", page, re.MULTILINE)
    assert found, f"no example {heading}"
    return textwrap.dedent(found[1])


def test_every_language_code_has_a_page_and_every_page_a_code() -> None:
    codes = {code for code in CODES if code[0] in "CUV"}
    assert {path.stem for path in PAGES.iterdir()} == codes
    for code in codes:
        assert (explain(code) or "").startswith(f"{code}: {CODES[code]}\n\n")


@pytest.mark.parametrize("code", LANGUAGE)
def test_the_wrong_example_is_wrong_in_this_way(code: str) -> None:
    found = diagnostics_of(example((PAGES / f"{code}.md").read_text(), "Wrong"))
    assert found, "no finding"
    assert {d.code for d in found} == {REPORTED_AS.get(code, code)}, [str(d) for d in found]


@pytest.mark.parametrize("code", LANGUAGE)
def test_the_right_example_is_clean(code: str) -> None:
    found = diagnostics_of(example((PAGES / f"{code}.md").read_text(), "Right"))
    assert not found, [str(d) for d in found]


@pytest.mark.parametrize("code", TILE_IR)
def test_the_wrong_example_of_tile_ir_is_wrong_in_this_way(code: str) -> None:
    found = findings(example((PAGES / f"{code}.md").read_text(), "Wrong"))
    assert [d.code for d in found] == [code], [str(d) for d in found]


@pytest.mark.parametrize("code", TILE_IR)
def test_the_right_example_of_tile_ir_is_clean(code: str) -> None:
    found = findings(example((PAGES / f"{code}.md").read_text(), "Right"))
    assert not found, [str(d) for d in found]


def test_the_launch_page_shows_a_refusal_and_its_way_out() -> None:
    page = (PAGES / "V47.md").read_text()
    text = textwrap.dedent(page[page.index("    func") : page.index("Wrong:")])
    program = tw.compile(text, cache=False)
    calls = {heading: example(page, heading).strip() for heading in ("Wrong", "Right")}
    for heading, call in calls.items():
        array = np.ones((4, 8), np.float32)
        passed = array if heading == "Wrong" else np.asfortranarray(array)
        assert call.startswith("program.scale[1](2.0, ")
        if heading == "Wrong":
            with pytest.raises(tw.LaunchError, match=r"^\[V47\] kernel scale, argument X: .*row-major"):
                program.scale[1](2.0, passed)
            assert (passed == 1).all()
        else:
            program.scale[1](2.0, passed)
            assert (passed == 2).all()


def test_the_target_page_shows_what_the_cpu_refuses() -> None:
    page = (PAGES / "V48.md").read_text()
    with pytest.raises(tw.CompileError) as refused:
        tw.compile(example(page, "Wrong"), cache=False)
    assert [d.code for d in refused.value.diagnostics] == ["V48"]
    tw.compile(example(page, "Right"), cache=False)
