"""Packages as a user has them installed, in a folder of their own, and programs that run beside them.

Plug-ins are read once in a process, so every program has a process of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from warm.python import command

ROOT: Final = Path(__file__).parents[2]
PROGRAMS: Final = Path(__file__).parent / "programs"
CONTRIBUTING: Final = ROOT / "CONTRIBUTING.md"
_FENCE: Final = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documented_files() -> dict[str, str]:
    """The files that CONTRIBUTING.md shows, by name."""
    return {file: text for _, file, text in _FENCE.findall(CONTRIBUTING.read_text(encoding="utf-8")) if file}


def documented_programs() -> list[str]:
    """The Python programs that CONTRIBUTING.md shows, which are no files."""
    found = _FENCE.findall(CONTRIBUTING.read_text(encoding="utf-8"))
    return [text for language, file, text in found if language == "python" and not file]


def installed(folder: Path, files: Mapping[str, str]) -> Path:
    """The folder, with what installing a package of these files leaves there; `pyproject.toml` is one of them."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    project = tomllib.loads(files["pyproject.toml"])["project"]
    metadata = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    lines: list[str] = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def run(
    *arguments: str, packages: Path | None = None, cache: str = "off", fresh: bool = False
) -> subprocess.CompletedProcess[str]:
    """A process beside the packages of a folder; a `fresh` one imports all itself, a tilewright of the folder too."""
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [*([str(packages)] if packages else []), str(ROOT / "src"), *given]
    return subprocess.run(
        [*([sys.executable] if fresh else command("imported")), *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TILEWRIGHT_CACHE": cache},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def succeed(*arguments: str, packages: Path | None = None, cache: str = "off", fresh: bool = False) -> str:
    """Its output, if it ends well."""
    done = run(*arguments, packages=packages, cache=cache, fresh=fresh)
    assert done.returncode == 0, done.stderr
    return done.stdout
