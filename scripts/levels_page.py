"""The page of the guide that shows one kernel on its way to a GPU, with all that stands in between.

    python scripts/levels_page.py [--write]

Prints the page; with `--write` it replaces `docs/guide/text-to-ptx.md`.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Final

import tilewright as tw
from tilewright.machine.host import llvm_version

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "guide" / "text-to-ptx.md"
TARGET: Final = "nvidia:sm_90a"
SCHEDULE: Final = "lanes threads=32"
KERNEL: Final = """\
func @scaled_transpose(%alpha: f32, %x: memref<f32x16x16> {alignment=16}, %y: memref<f32x16x16> {alignment=16}) {
    %zero = constant 0.0 : f32
    axpby.t %alpha, %x, %zero, %y
}
"""
_RESOURCES: Final = re.compile(r"\n  resources\n.*", re.DOTALL)

_HEAD: Final = f"""\
# One kernel from text to PTX

Written by `python scripts/levels_page.py --write` from what the compiler does; a test checks that it is up to date.

A matrix of 16 by 16 is transposed and scaled by one warp:

```text
{KERNEL}```

Every level below is what

```sh
tilewright compile FILE --target {TARGET} --schedule "{SCHEDULE}" --emit=LEVEL
```

writes, and `kernel.ir(LEVEL)` gives. What is IR (`tile`, `gpu`, `lanes`) is read again by `tilewright opt`, which can
take it further (`opt --target {TARGET} --passes lower-to-lanes`), and runs in the interpreter.

The schedule is a line that `kernel.schedule` prints and `--schedule` takes ([schedules](gpu.md#schedules)):

```text
SCHEDULE
```
"""

_LEVELS: Final = {
    "tile": """\
## Tiles

The instruction has become operations on whole tiles, which belong to all threads together. The transpose is a view
of `%x` with its modes exchanged; nothing says yet who holds what.""",
    "gpu": """\
## Tiles with layouts

`assign-layouts` says which register of which lane holds which element, in digits: `reg (4, 1, 1)` are four registers
for neighbours along mode 1, `lane (4, 1, 4)` four lanes for every fourth element of it. What is loaded lies along the
columns of `%x` in memory, what is stored along those of `%y`, so that both move 16 bytes at a time. Between the two the
tile is converted.""",
    "lanes": """\
## Lanes

`lower-to-lanes` leaves what one thread does. A tile has become a fragment, the registers of a thread. The lane's number
has become its part of the coordinates. The conversion goes through a shared buffer, whose swizzle is the one with the
fewest passes over the banks, and a barrier.""",
    "llvm": """\
## LLVM

Printing this decides nothing: a fragment is as many LLVM values as it has registers, an access of several registers as
many loads or stores with the alignment of all of them, which LLVM puts together.""",
    "ptx": """\
## PTX

LLVM's NVPTX back end has made vector accesses of them (`ld.global.v4`, `st.shared.v2`). The driver of the user's
machine assembles this; `--emit=cubin` does it here, where ptxas is installed. (LLVM VERSION.)""",
}

_EXPLAINED: Final = """\
## What it costs

`kernel.explain()`, or `compile --explain`, tells it from the lanes: what each access of the source costs a warp, what
lies in shared memory, what each barrier waits for. Where ptxas is installed, registers, spills and blocks a
multiprocessor follow. The transpose touches no sector in vain; the banks are passed over more often than they would
have to be, since no swizzle and no pitch that was tried suits both accesses of the buffer.

```text
TOLD
```
"""


def page() -> str:
    """The page as it should be."""
    program = tw.compile(KERNEL, target=TARGET, schedule=SCHEDULE, cache=False)
    (kernel,) = program
    parts = [_HEAD.replace("SCHEDULE", kernel.schedule)]
    for level, words in _LEVELS.items():
        said = words.replace("VERSION", llvm_version())
        text = program.text(level).rstrip("\n")
        parts.append(f"{said}\n\n```text\n{text}\n```\n")
    parts.append(_EXPLAINED.replace("TOLD", _RESOURCES.sub("", str(kernel.explain()))))
    return "\n".join(parts)


def without_ptx(text: str) -> str:
    """The page without the part that another version of LLVM may print in other words."""
    return re.sub(r"\n## PTX\n.*?\n## What", "\n## What", text, flags=re.DOTALL)


def main() -> None:
    """Print or replace the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="replace the page")
    if parser.parse_args().write:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")


if __name__ == "__main__":
    main()
