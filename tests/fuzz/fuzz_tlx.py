"""Coverage-guided fuzzing of TLX: any bytes end in what code is generated from, or in diagnostics.

    python tests/fuzz/fuzz_tlx.py -max_total_time=600 -max_len=4096 [CORPUS_FOLDER]

Needs the extra `fuzz` (atheris). A crash leaves its input in the current folder. `examples/matmul.ll` and the texts of
`tests/frontends/tlx/test_mutations.py` are a corpus to begin with.
"""

from __future__ import annotations

# pyright: reportUnknownMemberType=false, reportAttributeAccessIssue=false
import sys

import atheris

with atheris.instrument_imports(include=["tilewright"]):
    from tilewright.compile_options import CompileOptions
    from tilewright.compiler import lower_module, stack_suffices
    from tilewright.diagnostics import CompileError, Report, Source
    from tilewright.diagnostics.render import render_text
    from tilewright.dialects.builtin import Module
    from tilewright.frontends.tlx.formatter import format_source
    from tilewright.frontends.tlx.printer import print_module
    from tilewright.frontends.tlx.printing import TensorForm
    from tilewright.frontends.tlx.reading import read_tlx
    from tilewright.ir.passes import PassContext, PassManager
    from tilewright.languages.tlx import Tlx
    from tilewright.targets.cpu.target import CpuTarget

_CPU = CpuTarget()
_CHECKED = CompileOptions(verify_each=True)


def check_bytes(data: bytes) -> None:
    """Read and verify; what is valid prints as a text that reads back, and lowers."""
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
    lower(module)


def lower(module: Module) -> None:
    """All passes, the IR verified after each; what cannot be lowered is told as an error."""
    report = Report()
    try:
        with stack_suffices(module, report):
            PassManager(Tlx().passes(), verify_each=True).run(module, PassContext(report))
        lower_module(module, _CPU, _CHECKED, report)
    except CompileError:
        if not report.errors:
            raise
    render_text(report.in_order)


def main() -> None:
    """Hand over to libFuzzer."""
    atheris.Setup(sys.argv, check_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
