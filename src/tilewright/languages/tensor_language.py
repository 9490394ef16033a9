"""The tensor language, before and after its redesign."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tilewright.diagnostics import CompileError, Diagnostic, Report, Severity, Source
from tilewright.diagnostics.binary import Binary
from tilewright.languages.language import Language, ReadOptions, Std

if TYPE_CHECKING:
    from tilewright.dialects.builtin import Module
    from tilewright.ir.passes import Pass
    from tilewright.program import Program


class TensorLanguage(Language):
    """Every text that no other language recognises; which edition it is in, `frontends.standard` finds out."""

    name: ClassVar[str] = "the tensor language"

    def recognises(self, source: Source | Binary, std: Std) -> bool:
        return isinstance(source, Source)

    def read(self, source: Source | Binary, report: Report, options: ReadOptions) -> Module:
        from tilewright.frontends.standard import Standard, read_language
        from tilewright.ir.verifier import verify

        assert isinstance(source, Source)
        standard = None if options.std == "auto" else Standard(options.std)
        module = read_language(source, report, options.definitions, standard)
        report.raise_if_errors()
        verify(module, report)
        report.raise_if_errors()
        return module

    def passes(self) -> list[Pass]:
        return []

    def interpret(self, module: Module, text: str | None, checked: bool, report: Report) -> Program:
        from tilewright.interpreter.program import interpreted_module

        assert text is not None
        return interpreted_module(module, text, checked, report)

    def format(self, source: Source, report: Report, std: Std) -> str:
        from tilewright.frontends.standard import refuse_foreign, refuse_old
        from tilewright.frontends.tensor_language import format_source

        if std != "new" and refuse_old(source, report, std == "old"):
            return source.text
        findings = Report(report.limit)
        text = format_source(source, findings)
        if not findings.has_errors or not refuse_foreign(source, report):
            report.take(findings)
        return text

    def upgrade(self, source: Source, report: Report, std: Std) -> str:
        """A text in the new edition stays as it is."""
        from tilewright.frontends.old_tensor_language import upgrade
        from tilewright.frontends.standard import Standard, detect, refuse_mixed

        if std == "new":
            return source.text
        if std == "auto" and detect(source) is Standard.NEW:
            refuse_mixed(source, report)
            report.raise_if_errors()
            return source.text
        if "\ufffd" in source.text:
            message = f"{source.name}: the text is not UTF-8; convert it first, lest comments are lost"
            raise CompileError([Diagnostic(Severity.ERROR, "V1", message)])
        return upgrade(source, report)
