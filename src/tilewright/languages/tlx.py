"""TLX: LLVM IR with tensor intrinsics."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.frontends.recognise import is_llvm_text
from tilewright.frontends.tlx.options import LayoutConvention, Quirks, TlxOptions
from tilewright.languages.language import Form, Language, LanguageOption, ReadOptions, Std

if TYPE_CHECKING:
    from tilewright.dialects.builtin import Module
    from tilewright.ir.passes import Pass
    from tilewright.program import Program


class Tlx(Language):
    """LLVM texts: functions that call `llvm.tensor.*`. Not the extensions of that name that Meta made for Triton."""

    name: ClassVar[str] = "TLX"
    forms: ClassVar[tuple[str, ...]] = ("text", "target-types")
    translates: ClassVar[bool] = True
    options: ClassVar[tuple[LanguageOption, ...]] = (
        LanguageOption("quirks", tuple(q.value for q in Quirks), "Whose mistakes in TLX texts are mended."),
        LanguageOption(
            "layout_convention",
            tuple(c.value for c in LayoutConvention),
            "What shapes and layouts of TLX texts mean.",
        ),
    )

    def recognises(self, source: Source | Binary, std: Std) -> bool:
        return isinstance(source, Source) and std == "auto" and is_llvm_text(source.text)

    def read(self, source: Source | Binary, report: Report, options: ReadOptions) -> Module:
        from tilewright.frontends.tlx.reading import read_tlx

        assert isinstance(source, Source)
        quirks, convention = (options.chosen.get(option.name, option.choices[0]) for option in self.options)
        return read_tlx(source, report, TlxOptions(Quirks(quirks), LayoutConvention(convention)))

    def passes(self) -> list[Pass]:
        from tilewright.transforms.lift_control_flow import LiftControlFlow
        from tilewright.transforms.lower_tlx import LowerTlx

        return [LiftControlFlow(), LowerTlx()]

    def interpret(self, module: Module, text: str | None, checked: bool, report: Report) -> Program:
        from tilewright.interpreter.program import interpreted_module
        from tilewright.ir.passes import PassContext, PassManager
        from tilewright.transforms.lift_control_flow import LiftControlFlow

        assert text is not None
        PassManager([LiftControlFlow()]).run(module, PassContext(report))
        report.raise_if_errors()
        return interpreted_module(module, text, checked, report)

    def format(self, source: Source, report: Report, std: Std) -> str:
        from tilewright.frontends.tlx.formatter import format_source

        return format_source(source, report)

    def form_for(self, source: Source | Binary) -> str:
        return self.forms[0]

    def translate(self, module: Module, form: Form) -> bytes:
        from tilewright.frontends.tlx.printer import print_module
        from tilewright.frontends.tlx.printing import TensorForm

        return print_module(module, TensorForm(form.name)).encode()
