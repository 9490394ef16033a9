"""Reads the custom forms of memref and tensor that are all code: boxes with lists of numbers and values, globals."""

from __future__ import annotations

from collections.abc import Generator

from tilewright.dialects.mlir import memref, tensor
from tilewright.frontends.mlir.draft import Draft
from tilewright.frontends.mlir.form_text import FormReader
from tilewright.ir.attributes import Attribute
from tilewright.ir.mlir.attributes import DenseArray, IntegerAttribute
from tilewright.ir.mlir.codes import WORDS
from tilewright.ir.mlir.spelling import UNIT
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.mlir.types import MemrefType, TensorType
from tilewright.ir.mlir.value_text import Use
from tilewright.ir.types import I64, INDEX, Type


class MemoryFormReader(FormReader):
    """Reads what stands in operations of memref."""

    def part(self, draft: Draft, name: str) -> Generator[object, object, None] | None:
        match name:
            case "symbols":
                self.symbols(draft)
            case "name":
                self.symbol_name(draft)
            case "subview":
                self.subview(draft)
            case "insertion":
                self.insertion(draft)
            case "reinterpret":
                self.reinterpret(draft)
            case "regrouped":
                self.regrouped(draft)
            case "global":
                self.global_memory(draft)
            case _:
                return super().part(draft, name)
        return None

    def form(self, draft: Draft) -> Steps[None]:
        if draft.cls is tensor.Empty and self.at("["):
            self._former_empty(draft)
        else:
            yield super().form(draft)

    def _former_empty(self, draft: Draft) -> None:
        """`[%m, 4, ..] : T`, as of `linalg.init_tensor` before version 16."""
        uses, static = self._numbers_and_uses()
        draft.add("dynamicSizes", uses, INDEX)
        draft.attributes["static_sizes"] = tuple(
            IntegerAttribute(-1 if size == memref.DYNAMIC else size, I64) for size in static
        )
        self.attributes(draft)
        self.expect(":")
        draft.results = [self.type()]

    def symbols(self, draft: Draft) -> None:
        """`[%s, ..]`: symbols of a layout."""
        draft.add("dynamicSizes", [], None)
        found: list[Use] = []
        if self.accept("["):
            found = self.uses()
            self.expect("]")
        draft.add("symbolOperands", found, INDEX)

    def symbol_name(self, draft: Draft) -> None:
        """`@name`, of a global."""
        draft.attributes["name"] = self.symbol_reference()

    def _mixed_list(self, draft: Draft, key: str) -> None:
        """`[%x, 4, ..]`: numbers and operands."""
        uses, static = self._numbers_and_uses()
        draft.add(key, uses, INDEX)
        draft.types.setdefault(key, [])
        draft.attributes[f"static_{key}"] = DenseArray(I64, tuple(static))

    def _numbers_and_uses(self) -> tuple[list[Use], list[int]]:
        self.expect("[")
        static: list[int] = []
        uses: list[Use] = []
        while not self.at("]"):
            if self.at("%"):
                uses.append(self.use())
                static.append(memref.DYNAMIC)
            else:
                static.append(self.integer("a number or a value"))
            if not self.accept(","):
                break
        self.expect("]")
        return uses, static

    def subview(self, draft: Draft) -> None:
        """`%source [offsets] [sizes] [strides] : T to T`."""
        draft.add("source", [self.use()])
        self._box(draft)
        self._from_to(draft)

    def insertion(self, draft: Draft) -> None:
        """`%source into %dest [offsets] [sizes] [strides] : T into T`."""
        draft.add("source", [self.use()])
        self.expect_word("into")
        draft.add("dest", [self.use()])
        self._box(draft)
        self.attributes(draft)
        self.expect(":")
        draft.types["source"] = [self.type()]
        self.expect_word("into")
        draft.types["dest"] = [self.type()]
        draft.results = list(draft.types["dest"])

    def _box(self, draft: Draft) -> None:
        for key in ("offsets", "sizes", "strides"):
            self._mixed_list(draft, key)

    def reinterpret(self, draft: Draft) -> None:
        """`%source to offset: [o], sizes: [..], strides: [..] : T to T`."""
        draft.add("source", [self.use()])
        self.expect_word("to")
        for word, key in (("offset", "offsets"), ("sizes", "sizes"), ("strides", "strides")):
            if key != "offsets":
                self.expect(",")
            self.expect_word(word)
            self.expect(":")
            self._mixed_list(draft, key)
        self._from_to(draft)

    def _from_to(self, draft: Draft) -> None:
        self.attributes(draft)
        self.expect(":")
        draft.types["source"] = [self.type()]
        self.expect_word("to")
        draft.results = [self.type()]

    def regrouped(self, draft: Draft) -> None:
        """`%src [[0, 1], [2]] output_shape [%n, 4, 8] : T into T`; the shape is there from version 19 on."""
        draft.add("src", [self.use()])
        draft.attributes["reassociation"] = self.attribute()
        if self.accept_word("output_shape"):
            self._mixed_list(draft, "output_shape")
        self.attributes(draft)
        self.expect(":")
        draft.types["src"] = [self.type()]
        self.expect_word("into")
        draft.results = [self.type()]

    def global_memory(self, draft: Draft) -> None:
        """`"private" constant @name : T = dense<..>`."""
        if self.at('"'):
            draft.attributes["sym_visibility"] = self.string()
        if self.accept_word("constant"):
            draft.attributes["constant"] = UNIT
        draft.attributes["sym_name"] = self.symbol()
        self.expect(":")
        start = self.position
        type_ = self.type()
        draft.attributes["type"] = type_
        if self.accept("="):
            if self.accept_word("uninitialized"):
                draft.attributes["initial_value"] = UNIT
            else:
                draft.attributes["initial_value"] = self._initial(type_, start)
        self.attributes(draft)
        draft.results = []

    def _initial(self, type_: Type, start: int) -> Attribute:
        if not isinstance(type_, MemrefType) or type_.shape is None or None in type_.shape:
            self.fail("a global has a memref of known shape as its type", WORDS, self.range_from(start))
        shape = tuple(e for e in type_.shape if e is not None)
        if self.peek_word() == "dense":
            return self.dense_of(TensorType(shape, type_.element), type_.element, shape)
        return self.attribute()
