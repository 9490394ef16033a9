"""Coverage-guided fuzzing of the bytecode reader: any bytes end in a module or in diagnostics.

    python tests/fuzz/fuzz_tile_ir_bytecode.py -max_total_time=600 [CORPUS_FOLDER]

Needs the extra `fuzz` (atheris). A crash leaves its input in the current folder. A corpus to begin with is what
`tilewright translate` makes of Tile IR texts.
"""

from __future__ import annotations

# pyright: reportUnknownMemberType=false, reportAttributeAccessIssue=false
import sys

import atheris

with atheris.instrument_imports(include=["tilewright"]):
    from tilewright.diagnostics import CompileError, Report
    from tilewright.diagnostics.binary import Binary
    from tilewright.diagnostics.render import render_text
    from tilewright.frontends.recognise import BYTECODE_MAGIC
    from tilewright.frontends.tile_ir import read_tile_ir
    from tilewright.frontends.tile_ir.bytecode import lowest_version, write


def check_bytes(data: bytes) -> None:
    """Read and verify; what is valid can be written and read again."""
    if not data.startswith(BYTECODE_MAGIC):
        # Without the magic nothing behind the header is reached; the fuzzer need not find it.
        data = BYTECODE_MAGIC + b"\x0d" + data[:1] + b"\0\0" + data[1:]
    try:
        module = read_tile_ir(Binary("fuzz.tilebc", data), Report())
    except CompileError as error:
        render_text(error.diagnostics)
        return
    again = write(module, lowest_version(module))
    read_tile_ir(Binary("again.tilebc", again), Report())


def main() -> None:
    """Hand over to libFuzzer."""
    atheris.Setup(sys.argv, check_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
