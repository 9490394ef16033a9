"""MLIR: functions over memrefs and tensors in func, arith, math, memref, tensor, scf, cf, affine and linalg."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.frontends.recognise import is_mlir
from tilewright.languages.language import Form, Language, LanguageOption, NotOffered, ReadOptions, Std

if TYPE_CHECKING:
    from tilewright.dialects.builtin import Module
    from tilewright.ir.mlir.operations import MlirFile
    from tilewright.ir.passes import Pass
    from tilewright.program import Program


STAGES = LanguageOption(
    "stages",
    (),
    'MLIR: compile what all stages make of a product of matrices; tiles such as "block=128x128x64 warp=64x32x32", '
    "or default.",
    "SCHEDULE",
)


class Mlir(Language):
    """Texts that hold functions of MLIR."""

    name: ClassVar[str] = "MLIR"
    translates: ClassVar[bool] = True
    options: ClassVar[tuple[LanguageOption, ...]] = (STAGES,)

    def recognises(self, source: Source | Binary, std: Std) -> bool:
        return isinstance(source, Source) and std == "auto" and is_mlir(source.text)

    def read(self, source: Source | Binary, report: Report, options: ReadOptions) -> Module:
        from tilewright.frontends.mlir import program_of, read_mlir_file

        assert isinstance(source, Source)
        file = read_mlir_file(source, report)
        report.raise_if_errors()
        assert file is not None, "what cannot be read is reported"
        schedule = options.chosen.get(STAGES.name)
        return program_of(file) if schedule is None else _behind_the_stages(file, schedule, report)

    def passes(self) -> list[Pass]:
        from tilewright.transforms.lower_mlir import LowerMlir

        return [LowerMlir()]

    def interpret(self, module: Module, text: str | None, checked: bool, report: Report) -> Program:
        from tilewright.interpreter.program import interpreted_module
        from tilewright.ir.passes import PassContext, PassManager

        assert text is not None
        PassManager(self.passes()).run(module, PassContext(report))
        return interpreted_module(module, text, checked, report)

    def format(self, source: Source, report: Report, std: Std) -> str:
        from tilewright.frontends.mlir import format_source

        return format_source(source, report)

    def translate(self, module: Module, form: Form) -> bytes:
        if form.version is not None:
            raise NotOffered("MLIR's text has no versions")
        from tilewright.frontends.mlir import file_of
        from tilewright.ir.mlir.printer import print_generic

        file = file_of(module)
        return print_generic(file, form.locations and file.locations).encode()


def _behind_the_stages(file: MlirFile, schedule: str, report: Report) -> Module:
    """The kernel that a product ends in, in the dialects that all targets know."""
    from tilewright.transforms.matmul_stages import NAMES, parse_schedule, run_stages

    parameters = parse_schedule(Source(STAGES.name, "" if schedule == "default" else schedule), report)
    report.raise_if_errors()
    module: Module | None = None
    for outcome in run_stages(file.module, parameters, NAMES[-1], report):
        module = outcome.module
    report.raise_if_errors()
    assert module is not None, "what a stage cannot do is reported"
    return module
