"""IR of the `cuda_tile` dialect -> its text. What reading finds anyway is left out; reading gives the module back."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects.cuda_tile import control
from tilewright.dialects.cuda_tile.attributes import Visibility
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.control import For, If, Loop
from tilewright.dialects.cuda_tile.core import Constant, Entry, Global, TileModule
from tilewright.dialects.cuda_tile.debug import debug_of
from tilewright.dialects.cuda_tile.misc import Print
from tilewright.dialects.cuda_tile.reductions import Reduce, Scan
from tilewright.dialects.cuda_tile.types import Tile, Version
from tilewright.dialects.cuda_tile.views import MakeTensorView
from tilewright.frontends.tile_ir.attribute_spelling import spell_dictionary, spell_hints, spell_symbol, spell_typed
from tilewright.frontends.tile_ir.debug_spelling import DebugSpeller
from tilewright.frontends.tile_ir.form_printer import extra_dictionary, spell_form
from tilewright.frontends.tile_ir.generic_printer import spell_generic_operation
from tilewright.frontends.tile_ir.literal_text import spell_dense
from tilewright.frontends.tile_ir.names import Names
from tilewright.frontends.tile_ir.versions import VERSION
from tilewright.ir.core import Attribute, Block, Operation, Region, Value
from tilewright.ir.mlir.cursor import escape
from tilewright.ir.mlir.trampoline import Steps, run
from tilewright.ir.types import Type


def print_module(
    module: TileModule,
    *,
    debug: bool = True,
    generic: bool = False,
    comments: Mapping[Operation, list[str]] | None = None,
) -> str:
    """The text of a module.

    `debug`: with locations, if it has any; `generic`: operations without regions in the generic form; `comments` stand
    in front of operations.
    """
    return _Printer(module, debug, generic, comments or {}).text(module)


class _Printer:
    """Writes lines. Regions nest on a list of generators, not on Python's stack."""

    def __init__(self, module: TileModule, debug: bool, generic: bool, comments: Mapping[Operation, list[str]]) -> None:
        self.comments = comments
        self.later = module.version > Version.V13_3.value
        self.names = Names()
        self.debug = DebugSpeller() if debug else None
        self.generic = generic
        self.lines: list[str] = []
        self.indent = ""

    def text(self, module: TileModule) -> str:
        """The whole text."""
        attributes = {k: v for k, v in module.attributes.items() if k not in ("sym_name", "version")}
        if self.later:
            attributes[VERSION] = str(Version(module.version))
        said = f" attributes {spell_dictionary(attributes)}" if attributes else ""
        self.lines += self.comments.get(module, ())
        self.lines.append(f"cuda_tile.module {spell_symbol(module.sym_name)}{said} {{")
        run(self._block(module.body.entry, None))
        self.lines.append("}" + self._location(module))
        aliases = [] if self.debug is None else self.debug.definitions()
        return "\n".join([*aliases, *self.lines, ""])

    def _location(self, op: Operation) -> str:
        if self.debug is None:
            return ""
        info = debug_of(op.location)
        return "" if info is None else f" loc({self.debug.spell(info)})"

    # Blocks

    def _block(self, block: Block, implied: type[Operation] | None) -> Steps[None]:
        outer = self.indent
        self.indent = outer + "  "
        mark = self.names.enter()
        for op in block:
            comments = self.comments.get(op)
            if comments:
                self.lines += [self.indent + text for text in comments]
            elif implied is not None and op is block.last and isinstance(op, implied) and not _said(op, self.debug):
                continue
            if op.regions:
                yield self._nested(op)
            else:
                self.lines.append(self.indent + self._simple(op) + self._location(op))
        self.names.leave(mark)
        self.indent = outer

    def _simple(self, op: Operation) -> str:
        assert isinstance(op, TileOperation)
        if self.generic and not isinstance(op, Global):
            return spell_generic_operation(op, self.names)
        if isinstance(op, Global):
            return _global(op)
        text = self._own(op)
        return self._results(op) + text

    def _own(self, op: TileOperation) -> str:
        name = op.name.removeprefix("cuda_tile.")
        match op:
            case Constant():
                return f"constant {_literal(op)}{extra_dictionary(op)} : {op.out.type}"
            case MakeTensorView():
                return self._tensor_view(op)
            case Print():
                return self._print(op)
            case _:
                if name == "pow" and self.later:
                    name = "fpowf"
                rest = spell_form(op, self.names)
                return f"{name} {rest}" if rest else name

    def _results(self, op: Operation) -> str:
        if not op.results:
            return ""
        return ", ".join(self.names.define(r) for r in op.results) + " = "

    def _list(self, values: list[Value]) -> str:
        return ", ".join(self.names.of(v) for v in values)

    def _tensor_view(self, op: MakeTensorView) -> str:
        shape, strides = (
            ", ".join(str(number) if isinstance(number, int) else self.names.of(number) for number in numbers)
            for numbers in op.mixed_layout
        )
        dynamic = [*op.dynamic_shape, *op.dynamic_strides]
        arrow = f"{dynamic[0].type} -> " if dynamic else ""
        base = self.names.of(op.base)
        return (
            f"make_tensor_view {base}, shape = [{shape}], strides = [{strides}]{extra_dictionary(op)}"
            f" : {arrow}{op.type}"
        )

    def _print(self, op: Print) -> str:
        text = "print_tko " if op.result_token else "print "
        text += ", ".join([escape(op.format), *(self.names.of(v) for v in op.arguments)])
        if op.token is not None:
            text += f" token = {self.names.of(op.token)}"
        text += extra_dictionary(op)
        if op.arguments:
            text += " : " + ", ".join(str(v.type) for v in op.arguments)
        return text + (f" -> {op.result_token[0].type}" if op.result_token else "")

    # Regions

    def _nested(self, op: Operation) -> Steps[None]:
        tail = extra_dictionary(op) if not isinstance(op, Reduce | Scan) else ""
        match op:
            case Entry():
                yield self._entry(op)
            case If():
                head = f"{self._results(op)}if {self.names.of(op.condition)}{_arrow(op)} {{"
                self.lines.append(self.indent + head)
                yield self._block(op.then_body.entry, control.Yield)
                if op.else_body is not None:
                    self.lines.append(self.indent + "} else {")
                    yield self._block(op.else_body.entry, control.Yield)
            case For() | Loop():
                yield self._loop(op)
            case Reduce() | Scan():
                yield self._reduction(op)
            case _:
                raise AssertionError(f"{op.name} has regions")
        self.lines.append(self.indent + "}" + tail + self._location(op))

    def _arguments(self, region: Region, said: tuple[Attribute, ...] = ()) -> str:
        found = [f"{self.names.define(a)}: {a.type}" for a in region.entry.arguments]
        for index, attributes in enumerate(said):
            if isinstance(attributes, dict) and attributes:
                found[index] += " " + spell_dictionary(attributes)
        return ", ".join(found)

    def _entry(self, op: Entry) -> Steps[None]:
        hints = op.optimization_hints
        said = f" optimization_hints={spell_hints(hints)}" if hints is not None and hints.entries else ""
        self.names.clear()
        head = f"entry {spell_symbol(op.sym_name)}({self._arguments(op.body, op.arg_attrs)}){said} {{"
        self.lines.append(self.indent + head)
        yield self._block(op.body.entry, None)

    def _loop(self, op: For | Loop) -> Steps[None]:
        results = self._results(op)
        mark = self.names.enter()
        arguments = [self.names.define(a) for a in op.body.entry.arguments]
        head = results
        if isinstance(op, For):
            head += "for unsigned " if op.unsigned_cmp else "for "
            bounds = f"({self.names.of(op.lower)} to {self.names.of(op.upper)}, step {self.names.of(op.step)})"
            head += f"{arguments.pop(0)} in {bounds} : {op.lower.type}"
        else:
            head += "loop"
        if op.inits:
            pairs = ", ".join(f"{a} = {self.names.of(v)}" for a, v in zip(arguments, op.inits, strict=True))
            head += f" iter_values({pairs})"
        head += _for_types(op) if isinstance(op, For) else _loop_types(op)
        self.lines.append(f"{self.indent}{head} {{")
        yield self._block(op.body.entry, control.Continue)
        self.names.leave(mark)

    def _reduction(self, op: Reduce | Scan) -> Steps[None]:
        results = self._results(op)
        head = f"{results}{op.name.removeprefix('cuda_tile.')} {self._list(op.inputs)} dim={op.dim}"
        if isinstance(op, Scan):
            head += f" reverse={'true' if op.reverse else 'false'}"
        head += f" identities=[{', '.join(spell_typed(i) for i in op.identities)}]{extra_dictionary(op)} : "
        head += ", ".join(str(v.type) for v in op.inputs) + " -> " + ", ".join(str(r.type) for r in op.results)
        mark = self.names.enter()
        self.lines.append(f"{self.indent}{head} ({self._arguments(op.body)}) {{")
        yield self._block(op.body.entry, None)
        self.names.leave(mark)


def _said(op: Operation, debug: DebugSpeller | None) -> bool:
    """Whether a terminator says anything that leaving it out would lose."""
    return bool(op.operands) or bool(op.attributes) or (debug is not None and debug_of(op.location) is not None)


def _arrow(op: Operation) -> str:
    return f" -> {_tuple([r.type for r in op.results])}" if op.results else ""


def _tuple(types: list[Type]) -> str:
    return "(" + ", ".join(map(str, types)) + ")"


def _for_types(op: For) -> str:
    return f" -> {_tuple([v.type for v in op.inits])}" if op.inits else ""


def _loop_types(op: Loop) -> str:
    results = ", ".join(str(r.type) for r in op.results)
    if not op.inits:
        return f" : {results}" if results else ""
    return " : " + ", ".join(str(v.type) for v in op.inits) + (f" -> {results}" if results else "")


def _literal(op: Constant | Global) -> str:
    type_ = op.type if isinstance(op, Global) else op.out.type
    assert isinstance(type_, Tile)
    return f"<{op.value.element}: {spell_dense(op.value, type_.shape)}>"


def _global(op: Global) -> str:
    words = ["global"]
    if op.symbol_visibility is not Visibility.PUBLIC:
        words.append(op.symbol_visibility.value)
    if op.is_constant:
        words.append("constant")
    words.append(spell_symbol(op.sym_name))
    if op.alignment:
        words.append(f"alignment = {op.alignment}")
    return f"{' '.join(words)}{extra_dictionary(op)} {_literal(op)} : {op.type}"
