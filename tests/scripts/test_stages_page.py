"""The page that walks through the stages of a product, and its pictures, are what the stages do."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from loaded import loaded

ROOT = Path(__file__).parents[2]
HINT = "run: python scripts/stages_page.py --write"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def script() -> Any:
    return loaded(ROOT / "scripts" / "stages_page.py")


def test_the_page_is_up_to_date(script: Any) -> None:
    assert (script.GUIDE / script.PAGE).read_text(encoding="utf-8") == script.page(), HINT


def test_the_pictures_are_up_to_date(script: Any) -> None:
    found: dict[str, str] = script.pictures()
    assert sorted(found) == sorted(path.name for path in script.GUIDE.glob("matmul-stages-*.svg"))
    for name, picture in found.items():
        assert (script.GUIDE / name).read_text(encoding="utf-8") == picture, HINT


def test_every_thread_copies_its_rows_in_the_picture(script: Any) -> None:
    """64 threads copy 128 rows of 8 elements of each of two tiles."""
    root = ET.fromstring(script.pictures()["matmul-stages-threads.svg"])
    labels = [element.text for element in root.iter(f"{SVG}text")]
    assert sorted(int(text) for text in labels if text and text.isdigit()) == sorted([*range(64)] * 4)


def test_padding_ends_conflicts_in_the_picture(script: Any) -> None:
    root = ET.fromstring(script.pictures()["matmul-stages-banks.svg"])
    said = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert "rows of 32 elements, 64 bytes: 4 cycles" in said
    assert "rows of 40 elements, 80 bytes: 1 cycles" in said
    read = [float(element.get("stroke-width", 0)) for element in root.iter(f"{SVG}rect")]
    assert read.count(2.5) == 16


def test_all_four_barriers_are_in_the_order_of_events(script: Any) -> None:
    assert script.page().count("- **barrier**") == 4
