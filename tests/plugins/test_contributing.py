"""What CONTRIBUTING.md shows, as a package that somebody else has written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .package import PROGRAMS, ROOT, documented_files, documented_programs, installed, succeed


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the page, installed."""
    return installed(tmp_path_factory.mktemp("site"), documented_files())


@pytest.mark.parametrize("program", documented_programs())
def test_programs_of_the_page(package: Path, program: str) -> None:
    succeed("-c", program, packages=package)


@pytest.mark.parametrize("program", ["check_flip", "check_relu"])
def test_right_answers(package: Path, program: str) -> None:
    succeed(str(PROGRAMS / f"{program}.py"), "extra", packages=package)


@pytest.mark.parametrize(
    ("shown", "program", "dialect", "parts"),
    [
        ("extra/flip.py", "check_flip", "tile", ["bounds", "subgroups", "rules", "nvidia"]),
        ("extra/relu.py", "check_relu", "tl", ["refusals", "overlaps", "nvidia"]),
    ],
)
def test_in_the_tree_one_file_changes(tmp_path: Path, shown: str, program: str, dialect: str, parts: list[str]) -> None:
    """A copy of the sources in which the definition stands with its dialect, and nothing else is changed.

    Compiled modules come along, but for those that another process is about to write.
    """
    tree = shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.pyc.*"))
    with (tree / "tilewright" / "dialects" / f"{dialect}.py").open("a", encoding="utf-8") as module:
        module.write(documented_files()[shown].replace('"extra.', f'"{dialect}.'))
    succeed(str(PROGRAMS / f"{program}.py"), dialect, *parts, packages=tree, fresh=True)
