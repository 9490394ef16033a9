"""All pages together: links lead somewhere, the site lists every page, the reference has every public name."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import pytest

import tilewright as tw
from tilewright.interop import cutile

_ROOT: Final = Path(__file__).parents[2]
_PAGES: Final = {
    path.relative_to(_ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (*sorted(_ROOT.glob("[A-Z]*.md")), *sorted((_ROOT / "docs").rglob("*.md")))
}
_NAVIGATION: Final = re.findall(r"^ +- [^:\n]+: (\S+\.md)$", (_ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
_REFERENCE: Final = re.findall(r"^::: (\S+)$", _PAGES["docs/api.md"], re.MULTILINE)
_MISSING: Final = [name for name in ("mkdocs", "mkdocstrings") if find_spec(name) is None]


def _without_blocks(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


def _anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    headings = re.findall(r"^#+ (.*)$", _without_blocks(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", _PAGES)
def test_links_lead_somewhere(name: str) -> None:
    prose = re.sub(r"`[^`\n]*`", "", _without_blocks(_PAGES[name]))
    targets: list[str] = re.findall(r"\]\(([^)]+)\)", prose)
    for target in targets:
        if urlsplit(target).scheme:
            continue
        path, _, anchor = target.partition("#")
        file = (_ROOT / name).parent / path if path else _ROOT / name
        assert file.is_file(), target
        if file.suffix == ".svg":
            continue
        page = _PAGES.get(file.resolve().relative_to(_ROOT.resolve()).as_posix())
        assert page is not None, f"{target} is no page of the site"
        assert not anchor or anchor in _anchors(page), target


def test_the_navigation_lists_every_page_once() -> None:
    assert sorted(_NAVIGATION) == sorted(_PAGES)


def test_the_reference_has_every_public_name() -> None:
    assert len(_REFERENCE) == len(set(_REFERENCE))
    public = {f"{module.__name__}.{name}" for module in (tw, cutile) for name in module.__all__}
    assert public <= set(_REFERENCE)


def _found(path: str) -> object:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _undocumented(path: str) -> Iterator[str]:
    """What a docstring is missing for: an object, its methods and properties, and fields that its own does not name."""
    found = _found(path)
    text = inspect.getdoc(found) or ""
    if not text:
        yield path
    if not isinstance(found, type):
        return
    named = re.findall(r"`(\w+)`", text)
    fields = [name for name in inspect.get_annotations(found) if not name.startswith("_")]
    yield from (f"{path}.{name}" for name in fields if name not in named)
    for name, member in vars(found).items():
        is_shown = not name.startswith("_") or name in ("__getitem__", "__call__")
        is_code = inspect.isroutine(member) or isinstance(member, property | staticmethod | classmethod)
        if is_shown and is_code and not inspect.getdoc(getattr(found, name)):
            yield f"{path}.{name}"


@pytest.mark.parametrize("path", [path for path in _REFERENCE if path != "tilewright.__version__"])
def test_docstrings_tell(path: str) -> None:
    assert list(_undocumented(path)) == []


def test_settings_are_described() -> None:
    text = inspect.getdoc(tw.config) or ""
    with tw.config() as settings:
        assert [origin.name for origin in settings.explain() if f"`{origin.name}`" not in text] == []


class _Html(HTMLParser):
    """Anchors of a page, and where its links, styles and scripts lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.targets.append(value)


@pytest.mark.skipif(bool(_MISSING), reason="MkDocs is not installed (extra docs); scripts/site checks the same")
def test_the_site(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    pages = {path.resolve(): _Html(path.read_text(encoding="utf-8")) for path in tmp_path.rglob("*.html")}
    assert len(pages) >= len(_PAGES)
    for path, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert file.is_file(), f"{path.name}: {target}"
            assert not parts.fragment or unquote(parts.fragment) in pages[file].anchors, f"{path.name}: {target}"
    assert set(_REFERENCE) <= pages[tmp_path.resolve() / "docs" / "api.html"].anchors
