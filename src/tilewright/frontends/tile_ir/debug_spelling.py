"""Spells debug information as aliases, each attribute once: graphs with much sharing stay small."""

from __future__ import annotations

from tilewright.dialects.cuda_tile.debug import (
    CallSite,
    CompileUnit,
    DebugFile,
    DebugInfo,
    FileLocation,
    FusedDebug,
    LexicalBlock,
    NamedLocation,
    ScopedLocation,
    Subprogram,
    bottom_up,
)
from tilewright.ir.mlir.cursor import escape


class DebugSpeller:
    """Collects aliases while operations are spelled; `definitions` gives them in the end."""

    def __init__(self) -> None:
        self._aliases: dict[DebugInfo, str] = {}
        self._lines: list[str] = []

    def definitions(self) -> list[str]:
        """The lines that define the aliases."""
        return list(self._lines)

    def spell(self, info: DebugInfo | None) -> str:
        """The alias of an attribute, or `unknown`."""
        if info is None:
            return "unknown"
        for part in bottom_up(info, self._aliases):
            alias = f"#d{len(self._aliases)}"
            self._lines.append(f"{alias} = {self._text(part)}")
            self._aliases[part] = alias
        return self._aliases[info]

    def _of(self, info: DebugInfo | None) -> str:
        return "loc(unknown)" if info is None else self._aliases[info]

    def _text(self, info: DebugInfo) -> str:
        match info:
            case DebugFile(name, directory):
                return f"#cuda_tile.di_file<{escape(name)} in {escape(directory)}>"
            case CompileUnit(file):
                return f"#cuda_tile.di_compile_unit<file = {self._of(file)}>"
            case LexicalBlock(scope, file, line, column):
                fields = f"scope = {self._of(scope)}, file = {self._of(file)}, line = {line}, column = {column}"
                return f"#cuda_tile.di_lexical_block<{fields}>"
            case Subprogram(file, line, name, linkage, unit, scope_line):
                fields = (
                    f"file = {self._of(file)}, line = {line}, name = {escape(name)}, linkageName = {escape(linkage)}"
                )
                fields += f", compileUnit = {self._of(unit)}, scopeLine = {scope_line}"
                return f"#cuda_tile.di_subprogram<{fields}>"
            case FileLocation(file, line, column, end):
                to = f" to {':'.join(map(str, end if len(end) > 1 else ('', *end)))}" if end else ""
                return f"loc({escape(file)}:{line}:{column}{to})"
            case ScopedLocation(scope, file, line, column):
                return f"#cuda_tile.di_loc<loc({escape(file)}:{line}:{column}) in {self._of(scope)}>"
            case CallSite(callee, caller):
                return f"loc(callsite({self._of(callee)} at {self._of(caller)}))"
            case NamedLocation(name, child):
                return f"loc({escape(name)}({self._of(child)}))"
            case FusedDebug(parts, metadata):
                said = f"<{metadata}>" if metadata else ""
                return f"loc(fused{said}[{', '.join(self._of(p) for p in parts)}])"
            case _:
                raise AssertionError(f"not debug information: {info!r}")
