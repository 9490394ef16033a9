"""Text of LLVM -> `syntax.Module`. All errors of a text are reported; what is broken is left out."""

from __future__ import annotations

from typing import Final

from tilewright.diagnostics import Report, Source
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.attribute_text import ITEMS
from tilewright.frontends.tlx.llvm.codes import Codes
from tilewright.frontends.tlx.llvm.function_text import FunctionReader
from tilewright.frontends.tlx.llvm.limits import DEFAULT_LIMITS, Limits
from tilewright.frontends.tlx.llvm.tokens import spelled
from tilewright.ir.mlir.cursor import Abort, GiveUp

_BEGINNINGS: Final = ITEMS | {"uselistorder", "uselistorder_bb"}


class Reader(FunctionReader):
    """Reads a whole text into `module`."""

    def __init__(self, source: Source, report: Report, codes: Codes, limits: Limits) -> None:
        super().__init__(source, report, codes, limits)
        self.module = syntax.Module()
        self.groups = {}
        self._defined: dict[str, syntax.Node] = {}

    def leave_out(self, what: str) -> None:
        self.module.left_out[what] = self.module.left_out.get(what, 0) + 1

    def file(self) -> syntax.Module:
        """All items of the text."""
        try:
            self.read_tokens()
            while self.token:
                self._item()
        except GiveUp:
            pass
        self._resolve_groups()
        return self.module

    def _item(self) -> None:
        start = self.index
        try:
            self._one_item()
        except Abort:
            self.depth = 0
            self._skip_item(start)

    def _one_item(self) -> None:
        token = self.token
        match token:
            case "define":
                self.take()
                self._definition()
            case "declare":
                self.take()
                self._declaration()
            case "attributes":
                self._group()
            case "target" | "source_filename" | "uselistorder" | "uselistorder_bb":
                self._pass_line()
            case "module":
                self.fail("assembly of a module is not supported", self.codes.unsupported, self.here())
            case _ if self.is_name("%"):
                self._type()
            case _ if self.is_name("@"):
                self._variable()
            case _ if token[0] in "!$^":
                self._pass_line()
                self.leave_out("metadata")
            case _:
                finding = "expected a function, a declaration, a global or metadata"
                self.fail(finding)

    def _skip_item(self, start: int) -> None:
        """Go on at the next line that begins an item."""
        self.index = max(self.index, start + 1)
        while self.token and not self._begins_item():
            self.take()

    def _begins_item(self) -> bool:
        if not self.begins_line(self.index):
            return False
        token = self.token
        # only these are sure to be none in a body that is being skipped
        return token in _BEGINNINGS or token[0] in "@!^" or self.texts[self.index + 1 : self.index + 3] == ["=", "type"]

    def _pass_line(self) -> None:
        """Pass an item that is not kept, with its brackets."""
        self.take()
        while self.token and not self.begins_line(self.index):
            if self.token in {"(", "{", "["}:
                self.skip_balanced()
            else:
                self.take()

    # Items

    def _define(self, sigil: str, name: str, at: syntax.Node) -> bool:
        """Whether a name is new; if it is not, that is reported."""
        key = spelled(sigil, name)
        first = self._defined.setdefault(key, at)
        if first is at:
            return True
        finding = self.error(self.codes.redefined, self.range_of(at.start, at.end), f"{key} is defined twice")
        finding.label(self.range_of(first.start, first.end), "first definition here")
        return False

    def _definition(self) -> None:
        function = self.head()
        if len(self.module.functions) >= self.limits.functions:
            place = self.range_of(function.start, function.end)
            self.over("a text", len(self.module.functions) + 1, self.limits.functions, "functions", place)
        self.expect("{")
        new = self._define("@", function.name, function)
        self.body(function)
        if new:
            self.module.functions.append(function)

    def _declaration(self) -> None:
        while self.token[:1] == "!":
            self.attached_metadata()
        function = self.head()
        # LLVM's names without suffixes are declared once for each signature
        if function.name.startswith("llvm.") or self._define("@", function.name, function):
            self.module.declarations.setdefault(function.name, function)

    def _group(self) -> None:
        self.take()
        name = self.take()
        if name[:1] != "#":
            self.fail("expected the number of an attribute group, such as #0")
        self.expect("=")
        self.expect("{")
        self.groups[name] = self.attributes()
        self.expect("}")

    def _type(self) -> None:
        start = self.start
        name = self.name("%", "the name of a type")
        self.expect("=")
        self.expect("type")
        new = self._define("%", name, syntax.Node(start, self.end))
        found = None if self.accept("opaque") else self.value_type()
        if new:
            self.module.types[name] = found

    def _variable(self) -> None:
        start = self.start
        name = self.name("@", "the name of a global")
        at = syntax.Node(start, self.end)
        self.expect("=")
        external = False
        while self.token not in {"global", "constant"}:
            if self.token in {"alias", "ifunc"} or not self.token or self.begins_line(self.index):
                self.fail("expected a global or a constant")
            external |= self.token in {"external", "extern_weak"}
            self.take()
        constant = self.take() == "constant"
        type_ = self.value_type("the type of a global")
        value = None if external else self.value(type_)
        while self.accept(","):
            self.take()
            while self.token and self.token != "," and not self.begins_line(self.index):
                self.take()
        if self._define("@", name, at):
            self.module.variables[name] = syntax.Variable(at.start, at.end, name, type_, constant, value)

    def _resolve_groups(self) -> None:
        """Put what attribute groups say where they are named."""
        for function in (*self.module.functions, *self.module.declarations.values()):
            function.attributes = self.resolved(function.attributes)
            for block in function.blocks:
                for instruction in block.instructions:
                    if isinstance(instruction, syntax.Call):
                        instruction.attributes = self.resolved(instruction.attributes)


def read_module(source: Source, report: Report, codes: Codes, limits: Limits = DEFAULT_LIMITS) -> syntax.Module:
    """Read a text. What could not be read is in `report` and left out."""
    return Reader(source, report, codes, limits).file()
