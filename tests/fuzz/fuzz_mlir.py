"""Coverage-guided fuzzing of the MLIR reader and of its lowering: any bytes end in a program or in diagnostics.

    python tests/fuzz/fuzz_mlir.py -max_total_time=600 -max_len=4096 [CORPUS_FOLDER]

Needs the extra `fuzz` (atheris). A crash leaves its input in the current folder. The texts in
`tests/frontends/mlir/programs` are a corpus to begin with.
"""

from __future__ import annotations

# pyright: reportUnknownMemberType=false, reportAttributeAccessIssue=false
import sys

import atheris

with atheris.instrument_imports(include=["tilewright"]):
    from tilewright.diagnostics import CompileError, Report, Source
    from tilewright.diagnostics.render import render_text
    from tilewright.frontends.mlir import program_of, read_mlir_file
    from tilewright.frontends.mlir.region_printer import print_custom
    from tilewright.ir.mlir.operations import MlirFile
    from tilewright.ir.mlir.printer import print_generic
    from tilewright.ir.passes import PassContext, PassManager
    from tilewright.transforms.lower_mlir import LowerMlir


def read(text: str, report: Report) -> MlirFile | None:
    """What a text holds, if it is valid."""
    file = read_mlir_file(Source("fuzz.mlir", text), report)
    return None if report.errors else file


def check_bytes(data: bytes) -> None:
    """Read, verify and lower; what is valid prints in both forms as a text that reads back."""
    report = Report()
    file = read(data.decode("utf-8", errors="replace"), report)
    if file is not None:
        for printed in (print_generic, print_custom):
            text = printed(file)
            again = read(text, Report())
            if again is None or printed(again) != text:
                raise AssertionError(f"{printed.__name__} is no fixpoint")
        try:
            PassManager([LowerMlir()], verify_each=True).run(program_of(file), PassContext(report))
        except CompileError:
            if not report.errors:
                raise
    elif not report.errors:
        raise AssertionError("neither a file nor errors")
    render_text(report.in_order)


def main() -> None:
    """Hand over to libFuzzer."""
    atheris.Setup(sys.argv, check_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
