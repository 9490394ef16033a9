"""Reads the operations with regions."""

from __future__ import annotations

from tilewright.diagnostics import SourceRange
from tilewright.dialects.cuda_tile import control
from tilewright.dialects.cuda_tile.attributes import Number
from tilewright.frontends.tile_ir.block_text import BlockReader
from tilewright.frontends.tile_ir.codes import WORDS
from tilewright.frontends.tile_ir.draft import Argument, Draft
from tilewright.ir.core import Block
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.types import Type


class RegionReader(BlockReader):
    """Reads if, for, loop, reduce and scan."""

    def nested(self, draft: Draft, block: Block) -> Steps[None]:
        match draft.cls.spec.assembly[1:]:
            case "if":
                header = yield self._if(draft)
            case "for":
                header = yield self._for(draft)
            case "loop":
                header = yield self._loop(draft)
            case _:
                header = yield self._reduction(draft)
        self.dictionary_of(draft)
        self.finish(draft, block, header)

    def _if(self, draft: Draft) -> Steps[int]:
        self.operand(draft, "condition")
        start = self.position
        draft.results = self.arrow_types()
        draft.places["type"] = self.range_from(start)
        header = self.end
        draft.regions.append((yield self.region([], control.Yield)))
        if self.accept_word("else"):
            draft.regions.append((yield self.region([], control.Yield)))
        return header

    def _iteration(self, draft: Draft) -> list[tuple[str, SourceRange]]:
        """`iter_values(%a = %x, ..)`: the names of the arguments."""
        names: list[tuple[str, SourceRange]] = []
        self.expect("(")
        while not self.at(")"):
            start = self.position
            name = self.new_name()
            names.append((name, self.range_from(start)))
            self.expect("=")
            self.operand(draft, "inits")
            if not self.accept(","):
                break
        self.expect(")")
        return names

    def _carried(
        self, draft: Draft, names: list[tuple[str, SourceRange]], types: list[tuple[Type, SourceRange]]
    ) -> list[Argument]:
        if len(names) != len(types):
            place = types[0][1].to(types[-1][1]) if types else self.here()
            self.fail(f"{len(types)} types for {len(names)} carried values", "C7", place)
        for index, (type_, place) in enumerate(types):
            self.expect_type(draft, "inits", index, type_, place)
        return [Argument(name, type_, place) for (name, place), (type_, _) in zip(names, types, strict=True)]

    def _for(self, draft: Draft) -> Steps[int]:
        start = self.position
        if self.accept_word("unsigned"):
            draft.attributes["unsigned_cmp"] = True
            draft.places["unsigned_cmp"] = self.range_from(start)
        start = self.position
        index, index_place = self.new_name(), self.range_from(start)
        self.expect_word("in")
        self.expect("(")
        self.operand(draft, "lower")
        self.expect_word("to")
        self.operand(draft, "upper")
        self.expect(",")
        self.expect_word("step")
        self.operand(draft, "step")
        self.expect(")")
        self.expect(":")
        start = self.position
        type_ = self.value_type()
        place = self.range_from(start)
        for key in ("lower", "upper", "step"):
            self.expect_type(draft, key, 0, type_, place)
        arguments: list[Argument] = [Argument(index, type_, index_place)]
        draft.results = []
        if self.accept_word("iter_values"):
            names = self._iteration(draft)
            self.expect("->")
            wrapped = self.accept("(")
            types = [] if wrapped and self.at(")") else self.type_list()
            if wrapped:
                self.expect(")")
            arguments += self._carried(draft, names, types)
            draft.results = [t for t, _ in types]
        header = self.end
        draft.regions.append((yield self.region(arguments, control.Continue)))
        return header

    def _loop(self, draft: Draft) -> Steps[int]:
        arguments: list[Argument] = []
        draft.results = []
        if self.accept_word("iter_values"):
            names = self._iteration(draft)
            self.expect(":")
            arguments = self._carried(draft, names, self.type_list())
            draft.results = self.arrow_types()
        elif self.accept(":"):
            draft.results = [t for t, _ in self.type_list()]
        header = self.end
        draft.regions.append((yield self.region(arguments, control.Continue)))
        return header

    def _reduction(self, draft: Draft) -> Steps[int]:
        self.operand_list(draft, "inputs")
        self._field(draft, "dim")
        if self.peek_word() == "reverse":
            self._field(draft, "reverse")
        elif "reverse" in draft.cls.definition.attributes:
            self.fail("expected 'reverse'")
        self._field(draft, "identities")
        self.dictionary_of(draft)
        self.expect(":")
        start = self.position
        self.counted_types(draft, "inputs", False)
        self.expect("->")
        start = self.position
        draft.results = [t for t, _ in self.type_list()]
        draft.places["type"] = self.range_from(start)
        header = self.end
        arguments = self.argument_list()
        draft.regions.append((yield self.region(arguments, None)))
        return header

    def _field(self, draft: Draft, name: str) -> None:
        """`name=value` of a reduction."""
        self.expect_word(name)
        self.expect("=")
        start = self.position
        if name == "dim":
            draft.attributes[name] = self.integer()
        elif name == "reverse":
            word = self.word("true or false")
            if word not in ("true", "false"):
                self.fail(f"{word[:80]!r} is not one of true, false", WORDS, self.range_from(start))
            draft.attributes[name] = word == "true"
        else:
            draft.attributes[name] = self._identities()
        draft.places[name] = self.range_from(start)

    def _identities(self) -> tuple[Number, ...]:
        self.expect("[")
        return tuple(self.listed(self.typed_number, "]"))
