"""The programs that the stages make of the paper's example, as they are kept.

python -m transforms.matmul_stages.golden        # in tests/, writes them anew
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from transforms.matmul_stages.products import Case, outcomes

KEPT: Final = Path(__file__).parent / "golden"
PAPER: Final = Case(8192, 8192, 8192)


def golden() -> dict[str, str]:
    """What `tilewright opt --stages` prints for each stage, by the names of files."""
    return {
        f"{one.number:02}_{one.name}.mlir": f"// ----- {one.number} {one.name}: {one.changed} -----\n{one.text}\n"
        for one in outcomes(PAPER.text, "")
    }


def main() -> None:
    """Write all of them."""
    KEPT.mkdir(exist_ok=True)
    for name, text in golden().items():
        (KEPT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
