"""Coverage-guided fuzzing of everything in front of code generation: any bytes end in a program or in diagnostics.

    python tests/fuzz/fuzz_tensor_language.py -max_total_time=600 [CORPUS_FOLDER]

Needs the extra `fuzz` (atheris). A crash leaves its input in the current folder.
"""

from __future__ import annotations

# pyright: reportUnknownMemberType=false, reportAttributeAccessIssue=false
import sys

import atheris

with atheris.instrument_imports(include=["tilewright"]):
    from tilewright.compiler import read_module
    from tilewright.diagnostics import CompileError, Report, Source
    from tilewright.diagnostics.render import render_text
    from tilewright.frontends.tensor_language import format_source


def check_bytes(data: bytes) -> None:
    """Read, verify and format; only diagnostics may come out."""
    source = Source("fuzz.tl", data.decode("utf-8", errors="replace"))
    report = Report()
    try:
        read_module(source, report)
    except CompileError as error:
        render_text(error.diagnostics)
        return
    format_source(source, report)


def main() -> None:
    """Hand over to libFuzzer."""
    atheris.Setup(sys.argv, check_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
