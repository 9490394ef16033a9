"""What CONTRIBUTING.md shows, as a package that somebody else has written."""

from __future__ import annotations

from pathlib import Path

import pytest

from .package import PROGRAMS, documented_files, documented_programs, installed, succeed


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the page, installed."""
    return installed(tmp_path_factory.mktemp("site"), documented_files())


@pytest.mark.parametrize("program", documented_programs())
def test_programs_of_the_page(package: Path, program: str) -> None:
    succeed("-c", program, packages=package)


@pytest.mark.parametrize("program", ["check_flip", "check_relu"])
def test_right_answers(package: Path, program: str) -> None:
    succeed(str(PROGRAMS / f"{program}.py"), packages=package)
