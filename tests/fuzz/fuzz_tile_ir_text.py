"""Coverage-guided fuzzing of the Tile IR text reader: any bytes end in a module or in diagnostics.

    python tests/fuzz/fuzz_tile_ir_text.py -max_total_time=600 [CORPUS_FOLDER]

Needs the extra `fuzz` (atheris). A crash leaves its input in the current folder. The texts in `examples/` are a corpus
to begin with.
"""

from __future__ import annotations

# pyright: reportUnknownMemberType=false, reportAttributeAccessIssue=false
import sys

import atheris

with atheris.instrument_imports(include=["tilewright"]):
    from tilewright.diagnostics import CompileError, Report, Source
    from tilewright.diagnostics.render import render_text
    from tilewright.frontends.tile_ir import format_source, print_module, read_tile_ir


def check_bytes(data: bytes) -> None:
    """Read and verify; what is valid prints as a text that reads back."""
    source = Source("fuzz.tileir", data.decode("utf-8", errors="replace"))
    try:
        module = read_tile_ir(source, Report())
    except CompileError as error:
        render_text(error.diagnostics)
        return
    printed = print_module(module)
    if print_module(read_tile_ir(Source("again.tileir", printed), Report())) != printed:
        raise AssertionError("printing is no fixpoint")
    format_source(source, Report())


def main() -> None:
    """Hand over to libFuzzer."""
    atheris.Setup(sys.argv, check_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
