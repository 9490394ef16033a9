"""What the guide says of product units: its table has all of them, its example prints what stands behind it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Final

from tilewright.machine.units import FACTS

_GUIDE: Final = Path(__file__).parents[2] / "docs" / "guide" / "README.md"


def _section() -> str:
    return _GUIDE.read_text().split("\n## Product units\n")[1].split("\n## ")[0]


def test_the_table_has_every_unit() -> None:
    rows = {found[1]: found[0] for found in re.finditer(r"^\| `([\w-]+)` \|.*$", _section(), re.MULTILINE)}
    assert list(rows) == [unit.value for unit in FACTS]
    for unit, facts in FACTS.items():
        assert ("you ask for it" in rows[unit.value]) == bool(facts.deviation)
        assert all(word in rows[unit.value] for word in re.findall(r"(?:vp?|t)d\w+", facts.instructions))


def test_the_example_prints_a_schedule() -> None:
    code = _section().split("```python\n")[1].split("```")[0]
    said = code.rpartition("# ")[2].strip()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    shape = re.compile(r"blocks of \d+x\d+|; (amx-int8|vnni): .*")
    assert shape.sub("", printed.getvalue().strip()) == shape.sub("", said)
    assert "; vnni: " in printed.getvalue()
