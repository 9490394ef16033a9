"""Coverage-guided fuzzing of the TLX reader: any bytes end in a module or in diagnostics.

    python tests/fuzz/fuzz_tlx.py -max_total_time=600 [CORPUS_FOLDER]

Needs the extra `fuzz` (atheris). A crash leaves its input in the current folder.
"""

from __future__ import annotations

# pyright: reportUnknownMemberType=false, reportAttributeAccessIssue=false
import sys

import atheris

with atheris.instrument_imports(include=["tilewright"]):
    from tilewright.diagnostics import CompileError, Report, Source
    from tilewright.diagnostics.render import render_text
    from tilewright.frontends.tlx.formatter import format_source
    from tilewright.frontends.tlx.printer import print_module
    from tilewright.frontends.tlx.printing import TensorForm
    from tilewright.frontends.tlx.reading import read_tlx


def check_bytes(data: bytes) -> None:
    """Read and verify; what is valid prints as a text that reads back."""
    source = Source("fuzz.ll", data.decode("utf-8", errors="replace"))
    format_source(source, Report())
    try:
        module = read_tlx(source, Report())
    except CompileError as error:
        render_text(error.diagnostics)
        return
    for form in TensorForm:
        printed = print_module(module, form)
        if print_module(read_tlx(Source("again.ll", printed), Report()), form) != printed:
            raise AssertionError("printing is no fixpoint")


def main() -> None:
    """Hand over to libFuzzer."""
    atheris.Setup(sys.argv, check_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
