"""How long the stages of a product of matrices take: 8192 x 8192 x 8192 in f16, each stage verified and checked.

Prints the median and the fastest of several runs from the text on to each stage, in milliseconds of the processor.
"""

from __future__ import annotations

from time import process_time

import figures
from tilewright.diagnostics import Report, Source
from tilewright.frontends.mlir import read_mlir_file
from tilewright.transforms.matmul_stages import NAMES, Schedule, run_stages
from timing import repeated

SIZE = 8192
MATRICES = [f"memref<{SIZE}x{SIZE}x{element}>" for element in ("f16", "f16", "f32")]
PROGRAM = """\
func.func @matmul(%A: {0}, %B: {1}, %C: {2}) {{
  linalg.matmul ins(%A, %B : {0}, {1}) outs(%C : {2})
  return
}}
""".format(*MATRICES)


def run(until: str) -> None:
    """All stages up to one, from the text on."""
    report = Report()
    file = read_mlir_file(Source("<bench>", PROGRAM), report)
    report.raise_if_errors()
    assert file is not None
    found = list(run_stages(file.module, Schedule(), until, report))
    report.raise_if_errors()
    assert found[-1].name == until


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "matmul_stages", rounds=9))
    rows: list[dict[str, object]] = []
    print(f"{'up to stage':<26} {'ms':>16}")
    for name in NAMES[-1:] if options.quick else NAMES:
        spread = repeated(lambda name=name: run(name), options.rounds, process_time).scaled(1e3)
        rows.append({"stage": NAMES.index(name) + 1, "name": name, "ms": spread})
        print(f"{NAMES.index(name) + 1:>2} {name:<23} {spread.median:>7.1f} ({spread.lowest:.1f})")
    figures.save(options.json, rows)


if __name__ == "__main__":
    main()
