"""Text of the old language -> text of the new one.

Every instruction is replaced where it stands by what the printer of the new language says for its operation; what lies
between instructions stays, and what a rule computes in front of an instruction is written there. The result is
formatted, read again, and must be the same program.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct, field

from tilewright.diagnostics import CompileError, Report, Source, SourceRange
from tilewright.dialects import arith, memref, scf, team
from tilewright.dialects.builtin import Kernel, Module
from tilewright.frontends.old_tensor_language.layout import carry, comments
from tilewright.frontends.old_tensor_language.names import is_generated
from tilewright.frontends.old_tensor_language.parser import parse
from tilewright.frontends.old_tensor_language.verify import verify_language
from tilewright.frontends.tensor_language import parse as parse_new
from tilewright.frontends.tensor_language import print_module
from tilewright.frontends.tensor_language.formatter import laid_out
from tilewright.frontends.tensor_language.lexer import is_integer, is_number
from tilewright.frontends.tensor_language.printer import print_heads
from tilewright.frontends.tensor_language.rules import verify_language as verify_new_language
from tilewright.ir.collection import uncollected
from tilewright.ir.core import Operation
from tilewright.ir.types import GroupType, ScalarType

_BRACE: Final = re.compile(r"(?:\s|;[^\n]*\n)*\{")
_REMARK: Final = re.compile(r"[ \t]*(;[^\n]*)")


class UpgradeError(Exception):
    """The upgraded text is not the same program: a mistake of tilewright, never of the text."""


class Upgraded(Struct, frozen=True):
    """The text in the new language, and the programs that the old and the new text were found to be.

    Both programs are the same but for lifetimes and empty yields, which the new text does not say.
    """

    text: str
    old: Module
    new: Module


def upgrade(source: Source, report: Report) -> str:
    """The text in the new language, formatted.

    Raises `CompileError` if the text is wrong or cannot be upgraded; `report` then says why, and gets warnings and
    notes on hand-written launches otherwise.
    """
    return upgraded_programs(source, report).text


def upgraded_programs(source: Source, report: Report) -> Upgraded:
    """What `upgrade` gives, and what it has compared."""
    with uncollected():
        module = parse(source, report)
        verify_language(module, report)
        report.raise_if_errors()
        _note_launches(module, report)
        text = laid_out(_Rewriter(source, print_heads(module)).run(module))
        new = _read_again(Source(source.name, text))
        _drop_hints(module)
        if print_module(new) != print_module(module):
            raise UpgradeError(f"the upgraded text is another program:\n{text}")
        if comments(text) != comments(source.text):
            raise UpgradeError(f"a comment was lost or moved past another one:\n{text}")
        return Upgraded(text, module, new)


def _read_again(upgraded: Source) -> Module:
    """The program of the upgraded text, which must be valid."""
    findings = Report()
    module = parse_new(upgraded, findings)
    verify_new_language(module, findings)
    if findings.has_errors:
        raise UpgradeError(f"the upgraded text is not valid:\n{CompileError(findings.diagnostics)}\n{upgraded.text}")
    return module


def _is_hint(op: Operation) -> bool:
    """Whether the new text says nothing for an operation: lifetimes are computed, and an empty yield is none."""
    return isinstance(op, memref.LifetimeStop) or (isinstance(op, scf.Yield) and not op.operands)


def _drop_hints(module: Module) -> None:
    for op in list(module.walk()):
        if _is_hint(op):
            op.erase()


def _note_launches(module: Module, report: Report) -> None:
    """What launches that were written by hand, below the Python interface, have to change."""
    parameters = (p for kernel in module.kernels for p in kernel.parameters)
    group = next((p for p in parameters if isinstance(p.type, GroupType)), None)
    if group is not None:
        finding = report.warning("U11", group.location, "a group takes one more argument slot: its size")
        finding.hint("the size comes in front of the offset; launches from Python need no change")
    batch = next((op for op in module.walk() if isinstance(op, team.GroupId)), None)
    if batch is not None:
        finding = report.warning("U11", batch.location, "the batch is the first dimension of the grid now")
        finding.hint("it was the third; launches from Python need no change")


class _Rewriter(Struct):
    """Replacements of ranges of the old text, in its order."""

    source: Source
    heads: dict[Operation, str]
    edits: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])

    def run(self, module: Module) -> str:
        """The text with every instruction replaced."""
        for kernel in module.kernels:
            self._kernel(kernel)
        text = self.source.text
        parts: list[str] = []
        position = 0
        for start, end, replacement in self.edits:
            # Instructions need no blank between them where a type ends one; the formatter takes surplus ones out.
            parts += [text[position:start], f" {replacement} "]
            position = end
        return "".join(parts) + text[position:]

    def _kernel(self, kernel: Kernel) -> None:
        where = self._range(kernel)
        self.edits.append((where.start, where.end, carry(self._text(where), self.heads[kernel])))
        body = list(kernel.walk())[1:]
        self._constants(where.end, [op for op in body if isinstance(op, arith.Constant)])
        before: list[str] = []
        for op in body:
            if isinstance(op, arith.Constant):
                continue
            if is_generated(op):
                if not isinstance(op, scf.Yield):
                    before.append(self.heads[op])
                continue
            self._instruction(op, before)
            before = []

    def _constants(self, position: int, constants: list[arith.Constant]) -> None:
        """Constants go to the top of the body, behind a comment on the line of its brace."""
        if not constants:
            return
        text = self.source.text
        brace = _BRACE.match(text, position)
        assert brace is not None, "a function without brace"
        position = brace.end()
        end = text.find("\n", position)
        rest = text[position : end if end >= 0 else len(text)]
        if rest.lstrip().startswith(";"):
            position += len(rest)
        lines = "".join(f"\n{self._constant(op)}" for op in constants)
        follows = "" if text.startswith(("\n", "\r\n"), position) else "\n"
        self.edits.append((position, position, lines + follows))

    def _constant(self, op: arith.Constant) -> str:
        """A constant; floats are spelt as they were."""
        head = self.heads[op]
        where = op.location.primary
        literal = "" if where is None else self._text(where)
        type_ = op.out.type
        is_float = isinstance(type_, ScalarType) and type_.is_float
        if not is_float or not literal or not is_number(literal) or is_integer(literal):
            return head
        return f"{head.split(' constant ')[0]} constant {literal} : {type_}"

    def _instruction(self, op: Operation, before: list[str]) -> None:
        where = self._range(op)
        old = self._text(where)
        if _is_hint(op):
            self._drop(where, comments(old))
            return
        new, end = carry(old, self.heads[op]), where.end
        if isinstance(op, scf.If) and self._mnemonic(op) == "cast":
            remark = _REMARK.match(self.source.text, end)
            new = self._branches(op, new, remark[1] if remark else "")
            end = remark.end() if remark else end
        self.edits.append((where.start, end, "".join(line + "\n" for line in before) + new))

    def _branches(self, op: scf.If, head: str, remark: str) -> str:
        """An if that stands for a conversion of i1, in full; the remark on the conversion goes to its first line."""
        then, orelse = (self.heads[block.last] for r in op.regions for block in r.blocks if block.last is not None)
        return f"{head} {{ {remark}\n{then}\n}} else {{\n{orelse}\n}}"

    def _drop(self, where: SourceRange, remarks: list[str]) -> None:
        """Leave an instruction out, but not the comments in it."""
        if remarks:
            self.edits.append((where.start, where.end, "\n".join([*remarks, ""])))
        else:
            self.edits.append((*self._line(where), ""))

    def _line(self, where: SourceRange) -> tuple[int, int]:
        """The range, or the whole line if nothing else stands on it."""
        text = self.source.text
        begin = text.rfind("\n", 0, where.start) + 1
        end = text.find("\n", where.end)
        alone = end >= 0 and not text[begin : where.start].strip() and not text[where.end : end].strip()
        return (begin, end + 1) if alone else (where.start, where.end)

    def _mnemonic(self, op: Operation) -> str:
        where = op.place("mnemonic").primary
        return "" if where is None else self._text(where)

    def _range(self, op: Operation) -> SourceRange:
        where = op.location.primary
        assert where is not None
        return where

    def _text(self, where: SourceRange) -> str:
        return where.source.text[where.start : where.end]
