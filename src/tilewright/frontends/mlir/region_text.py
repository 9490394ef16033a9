"""Reads operations with regions: modules, functions, and those of scf."""

from __future__ import annotations

from collections.abc import Generator

from tilewright.dialects.mlir import scf
from tilewright.dialects.mlir.base import MlirOperation
from tilewright.frontends.mlir.draft import Draft
from tilewright.frontends.mlir.memory_forms import MemoryFormReader
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Block, Region
from tilewright.ir.mlir.codes import COUNTS
from tilewright.ir.mlir.operation_text import OperationText
from tilewright.ir.mlir.region_text import NewArgument
from tilewright.ir.mlir.spelling import UNIT
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.mlir.types import FunctionType
from tilewright.ir.types import INDEX, Type

_Part = Generator[object, object, None]


class RegionFormReader(MemoryFormReader):
    """Reads forms that have regions."""

    def part(self, draft: Draft, name: str) -> _Part | None:
        match name:
            case "function":
                return self._function_form(draft)
            case "loop":
                return self._loop(draft)
            case "branch":
                return self._branch(draft)
            case "while":
                return self._while(draft)
            case "parallel":
                return self._parallel(draft)
            case "reduce":
                return self._reduce(draft)
            case "dest" | "trueDest" | "falseDest":
                return self._destination(draft, f"{name}Operands")
            case "weights":
                return self._weights(draft)
            case _:
                return super().part(draft, name)

    # Branches between blocks

    def _destination(self, draft: Draft, key: str) -> None:
        """`^bb1(%a, .. : T, ..)`."""
        draft.successors.append(self.successor())
        draft.add(key, [])
        draft.types.setdefault(key, [])
        if self.accept("("):
            start = self.position
            uses = self.uses()
            draft.add(key, uses)
            self.expect(":")
            draft.types[key] = self.types_with_commas()
            if len(draft.types[key]) != len(uses):
                self.fail(f"{len(draft.types[key])} types for {len(uses)} values", COUNTS, self.range_from(start))
            self.expect(")")

    def _weights(self, draft: Draft) -> None:
        """`weights([1, 2])`, how often each way is taken: taken note of."""
        if self.accept_word("weights"):
            self.expect("(")
            draft.attributes["branch_weights"] = self.attribute()
            self.expect(")")

    # Modules and functions

    def module(self, draft: OperationText, block: Block) -> Steps[None]:
        """`module @name attributes {..} { .. }`."""
        properties: dict[str, Attribute] = {}
        if self.at("@"):
            properties["sym_name"] = self.symbol()
        if self.accept_word("attributes"):
            draft.attributes = self.dictionary()
        draft.properties = properties or None
        draft.header = self.end
        draft.regions.append((yield self.region()))
        self.blame_anew()
        if not draft.regions[0].blocks:
            draft.regions[0].add_block(Block())
        location = self.trailing_location(self.range_of(draft.start, draft.header))
        self.finish(draft, [], [], location, block)

    def _function_form(self, draft: Draft) -> Steps[None]:
        if self.peek_word() in ("private", "public", "nested"):
            draft.attributes["sym_visibility"] = self.word("a visibility")
        draft.attributes["sym_name"] = self.symbol()
        arguments, inputs, of_arguments = self.parameters()
        results, of_results = self._function_results()
        draft.attributes["function_type"] = FunctionType(tuple(inputs), tuple(results))
        for key, found in (("arg_attrs", of_arguments), ("res_attrs", of_results)):
            if any(found):
                draft.attributes[key] = tuple(found)
        if self.accept_word("attributes"):
            draft.attributes.update(self.dictionary())
        draft.header, draft.results = self.end, []
        if not self.at("{"):
            draft.regions.append(Region())
            return
        outer = self.isolate_scope()
        try:
            draft.regions.append((yield self.region(arguments)))
        finally:
            self.restore_scope(outer)
        self.blame_anew()
        if not draft.regions[0].blocks:
            self.fail("the body of a function ends in a return", place=self.range_of(self.end - 1, self.end))

    def parameters(self) -> tuple[list[NewArgument], list[Type], list[dict[str, Attribute]]]:
        """`(%a: T {..}, ..)`: names, types and attributes."""
        self.expect("(")
        arguments: list[NewArgument] = []
        types: list[Type] = []
        attributes: list[dict[str, Attribute]] = []
        while not self.at(")"):
            start = self.position
            name = ""
            if self.at("%"):
                name = self.new_name()
                place = self.range_from(start)
                self.expect(":")
            else:
                place = self.here()
            types.append(self.type())
            attributes.append(self.dictionary() if self.at("{") else {})
            location = self.trailing_location(place)
            if name:
                arguments.append(NewArgument(name, types[-1], place, location))
            if not self.accept(","):
                break
        self.expect(")")
        return arguments, types, attributes

    def _function_results(self) -> tuple[list[Type], list[dict[str, Attribute]]]:
        if not self.accept("->"):
            return [], []
        if not self.at("("):
            return [self.type()], [{}]
        types: list[Type] = []
        attributes: list[dict[str, Attribute]] = []
        self.expect("(")
        while not self.at(")"):
            types.append(self.type())
            attributes.append(self.dictionary() if self.at("{") else {})
            if not self.accept(","):
                break
        self.expect(")")
        return types, attributes

    # Regions of loops and branches

    def body(self, draft: Draft, terminator: type[MlirOperation], arguments: list[NewArgument]) -> Steps[None]:
        """A region of one block; where nothing is handed on its terminator may be left out."""
        draft.header = draft.header or self.end
        found: Region = yield self.region(arguments)
        self.blame_anew()
        if not found.blocks:
            found.add_block(Block())
        block = found.entry
        if len(found.blocks) == 1 and (block.last is None or not block.last.definition.terminator):
            location = self.range_of(self.end - 1, self.end)
            end = terminator.of_parts()
            end.location = location
            block.append(end)
        draft.regions.append(found)

    def new_argument(self, type_: Type) -> NewArgument:
        """A name in the header of a loop."""
        start = self.position
        name = self.new_name()
        place = self.range_from(start)
        return NewArgument(name, type_, place, self.trailing_location(place))

    def carried(self, draft: Draft, key: str) -> list[NewArgument]:
        """`(%a = %x, ..)`: the names of carried values, whose types follow."""
        found: list[NewArgument] = []
        self.expect("(")
        while not self.at(")"):
            found.append(self.new_argument(INDEX))
            self.expect("=")
            draft.add(key, [self.use()])
            if not self.accept(","):
                break
        self.expect(")")
        return found

    def typed(self, draft: Draft, key: str, names: list[NewArgument], types: list[Type]) -> list[NewArgument]:
        """Carried values with their types."""
        if len(names) != len(types):
            self.fail(
                f"{len(types)} types for {len(names)} carried values", COUNTS, self.range_of(self.end - 1, self.end)
            )
        draft.types[key] = types
        return [NewArgument(n.name, t, n.place, n.location) for n, t in zip(names, types, strict=True)]

    def iterated(self, draft: Draft, key: str) -> list[NewArgument]:
        """`iter_args(%a = %x, ..) -> (T, ..)`, if it is there."""
        draft.results = []
        if not self.accept_word("iter_args"):
            return []
        names = self.carried(draft, key)
        self.expect("->")
        draft.results = self.result_types()
        return self.typed(draft, key, names, draft.results)

    def arrow(self, draft: Draft) -> None:
        """`-> T` or `-> (T, ..)`, if it is there."""
        draft.results = self.result_types() if self.accept("->") else []

    # Operations of scf

    def _loop(self, draft: Draft) -> Steps[None]:
        if self.accept_word("unsigned"):
            draft.attributes["unsignedCmp"] = UNIT
        index = self.new_argument(INDEX)
        self.expect("=")
        draft.add("lowerBound", [self.use()])
        self.expect_word("to")
        draft.add("upperBound", [self.use()])
        self.expect_word("step")
        draft.add("step", [self.use()])
        carried = self.iterated(draft, "initArgs")
        type_ = self.type() if self.accept(":") else INDEX
        for key in ("lowerBound", "upperBound", "step"):
            draft.types[key] = [type_]
        index = NewArgument(index.name, type_, index.place, index.location)
        yield self.body(draft, scf.Yield, [index, *carried])
        self.attributes(draft)

    def _branch(self, draft: Draft) -> Steps[None]:
        draft.add("condition", [self.use()])
        self.arrow(draft)
        yield self.body(draft, scf.Yield, [])
        if self.accept_word("else"):
            yield self.body(draft, scf.Yield, [])
        else:
            draft.regions.append(Region())
        self.attributes(draft)

    def _while(self, draft: Draft) -> Steps[None]:
        names = self.carried(draft, "inits") if self.at("(") else []
        self.expect(":")
        inputs = self.type_list()
        self.expect("->")
        draft.results = self.result_types()
        yield self.body(draft, scf.Condition, self.typed(draft, "inits", names, inputs))
        self.expect_word("do")
        yield self.body(draft, scf.Yield, [])
        self.attributes(draft)

    def _parallel(self, draft: Draft) -> Steps[None]:
        indices = self.loop_indices()
        self.expect("=")
        for word, key in (("", "lowerBound"), ("to", "upperBound"), ("step", "step")):
            if word:
                self.expect_word(word)
            self.expect("(")
            draft.add(key, self.uses(), INDEX)
            draft.types.setdefault(key, [])
            self.expect(")")
        draft.add("initVals", [])
        if self.accept_word("init"):
            self.expect("(")
            draft.add("initVals", self.uses())
            self.expect(")")
        self.arrow(draft)
        draft.types["initVals"] = list(draft.results or [])
        yield self.body(draft, scf.Reduce, indices)
        self.attributes(draft)

    def loop_indices(self) -> list[NewArgument]:
        """`(%i, ..)`."""
        self.expect("(")
        found: list[NewArgument] = []
        while not self.at(")"):
            found.append(self.new_argument(INDEX))
            if not self.accept(","):
                break
        self.expect(")")
        return found

    def _reduce(self, draft: Draft) -> Steps[None]:
        draft.add("values", [])
        draft.results = []
        if self.accept("("):
            draft.add("values", self.uses())
            former = self.accept(")")  # before version 18
            self.expect(":")
            draft.types["values"] = self.types_with_commas()
            if not former:
                self.expect(")")
        while self.at("{"):
            yield self.body(draft, scf.ReduceReturn, [])
            if not self.accept(","):
                break
        self.attributes(draft)
