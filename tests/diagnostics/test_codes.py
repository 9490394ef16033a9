"""Every code that the sources use has an explanation."""

from __future__ import annotations

import re
from pathlib import Path

from tilewright.diagnostics.codes import CODES, explain

SOURCES = Path(__file__).parents[2] / "src" / "tilewright"
CODE = re.compile(r'"((?:U|V|B|C|M|IR|L|T|TLX|R)[0-9]{1,3})"')


def test_every_code_in_the_sources_is_explained() -> None:
    used = {code for path in SOURCES.rglob("*.py") for code in CODE.findall(path.read_text(encoding="utf-8"))}
    assert used <= set(CODES), sorted(used - set(CODES))
    assert all(explain(code) for code in CODES)
    assert explain("V99") is None
