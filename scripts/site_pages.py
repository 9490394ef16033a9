"""Which files are pages of the site (hooks of MkDocs, see mkdocs.yml): those of `docs/` and three beside them.

Each has its path in the repository, where MkDocs by itself knows the paths below `docs/` and nothing above.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pygments.formatters import HtmlFormatter

_ROOT: Final = Path(__file__).parents[1]
_BESIDE: Final = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
_FILE: Final = re.compile(r"^```(\w+) file=(\S+)$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages in place of what MkDocs found, and the colours of code; what the theme adds stays."""
    theirs = [file for file in files if not file.is_documentation_page()]
    pages = [*(_ROOT / name for name in _BESIDE), *sorted((_ROOT / "docs").rglob("*.md"))]
    ours = [
        File.generated(config, path.relative_to(_ROOT).as_posix(), content=path.read_text(encoding="utf-8"))
        for path in pages
    ]
    ours += [
        File.generated(config, path.relative_to(_ROOT).as_posix(), content=path.read_text(encoding="utf-8"))
        for path in sorted((_ROOT / "docs").rglob("*.svg"))
    ]
    colours = File.generated(config, "pygments.css", content=HtmlFormatter().get_style_defs(".highlight"))
    return Files([*theirs, *ours, colours])


def on_page_markdown(markdown: str, **_page: object) -> str:
    """A block that is the content of a file has the file's name as its title."""
    return _FILE.sub(r'```\1 title="\2"', markdown)
