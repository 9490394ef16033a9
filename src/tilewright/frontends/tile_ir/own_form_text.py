"""Reads operations without regions whose form is all their own: constants, globals, tensor views, printing."""

from __future__ import annotations

from tilewright.diagnostics import SourceRange
from tilewright.dialects.cuda_tile.attributes import Visibility
from tilewright.dialects.cuda_tile.types import TOKEN_TYPE, ElementType, TensorView, Tile
from tilewright.frontends.tile_ir.draft import Draft
from tilewright.frontends.tile_ir.form_text import FormReader
from tilewright.ir.types import Type

_CONSTANT = "C20"
_VIEW = "C16"
_Item = tuple[int | None, SourceRange]
"""An entry of `shape` or `strides`: a number, or None for a value."""


class OwnFormReader(FormReader):
    """Reads forms that declarations cannot spell."""

    def own_form(self, draft: Draft, name: str) -> bool:
        """Read the form with this name; False if it has regions."""
        match name:
            case "constant":
                draft.results = [self._literal(draft)]
            case "global":
                self._global(draft)
            case "print":
                self._print(draft)
            case "make_tensor_view":
                self._make_tensor_view(draft)
            case _:
                return False
        return True

    def symbol_of(self, draft: Draft) -> None:
        """`@name` of what is declared."""
        start = self.position
        draft.attributes["sym_name"] = self.symbol()
        draft.places["sym_name"] = self.range_from(start)

    def _literal(self, draft: Draft) -> Tile:
        """`<E: literal> : tile<..>`, which goes to `value`."""
        self.expect("<")
        element = self.element_type()
        self.expect(":")
        start = self.position
        literal = self.dense_literal(element)
        value = self.range_from(start)
        draft.places["value"] = value
        self.expect(">")
        self.dictionary_of(draft)
        self.expect(":")
        start = self.position
        type_ = self.type()
        place = self.range_from(start)
        draft.places["type"] = place
        if not isinstance(type_, Tile) or not isinstance(type_.element, ElementType):
            self.fail(f"a constant has a tile of numbers as its type, not {type_}", _CONSTANT, place)
        if type_.element is not element:
            self.fail(f"elements of type {element} for a constant of type {type_}", _CONSTANT, value)
        draft.attributes["value"] = self.dense_of(literal, type_)
        return type_

    def _global(self, draft: Draft) -> None:
        start = self.position
        if self.peek_word() in ("public", "private"):
            draft.attributes["symbol_visibility"] = self.member(Visibility)
            draft.places["symbol_visibility"] = self.range_from(start)
        start = self.position
        if self.accept_word("constant"):
            draft.attributes["is_constant"] = True
            draft.places["is_constant"] = self.range_from(start)
        self.symbol_of(draft)
        if self.accept_word("alignment"):
            self.expect("=")
            start = self.position
            draft.attributes["alignment"] = self.integer()
            draft.places["alignment"] = self.range_from(start)
        self.dictionary_of(draft)
        draft.attributes["type"] = self._literal(draft)

    def _print(self, draft: Draft) -> None:
        start = self.position
        draft.attributes["format"] = self.string("a format")
        draft.places["format"] = self.range_from(start)
        while self.accept(","):
            self.operand(draft, "arguments")
        if self.accept_word("token"):
            self.expect("=")
            self.operand(draft, "token")
        self.dictionary_of(draft)
        if self.accept(":"):
            self.counted_types(draft, "arguments", False)
        elif "arguments" in draft.operands:
            self.fail("expected ':' and the types of what is printed")
        draft.results = []
        if self.accept("->"):
            start = self.position
            type_ = self.value_type()
            place = self.range_from(start)
            draft.places["type"] = place
            draft.results = [type_]
            if type_ is not TOKEN_TYPE:
                self.fail(f"the result is a token, not {type_}", "C7", place)

    # Tensor views

    def _make_tensor_view(self, draft: Draft) -> None:
        self.operand(draft, "base")
        self.expect(",")
        shape = self._extents_of(draft, "shape")
        self.expect(",")
        strides = self._extents_of(draft, "strides")
        self.dictionary_of(draft)
        self.expect(":")
        start = self.position
        type_ = self.value_type()
        place = self.range_from(start)
        dynamic = draft.operands.keys() & {"dynamic_shape", "dynamic_strides"}
        if self.accept("->"):
            if not dynamic:
                self.fail("no size or stride is a value, so no type stands in front of '->'", "C7", place)
            self._dynamic_type(draft, type_, place)
            start = self.position
            type_ = self.value_type()
        elif dynamic:
            self.fail("expected '->' behind the type of the sizes and strides that are values")
        place = self.range_from(start)
        draft.places["type"] = place
        draft.results = [type_]
        if not isinstance(type_, TensorView):
            self.fail(f"the result is a tensor_view, not {type_}", "C7", place)
        self._check_extents("shape", shape, type_.shape, place)
        self._check_extents("strides", strides, type_.strides, place)

    def _extents_of(self, draft: Draft, name: str) -> list[_Item]:
        """`name = [%n, 16, ..]`."""
        self.expect_word(name)
        self.expect("=")
        self.expect("[")
        found: list[_Item] = []
        while not self.at("]"):
            start = self.position
            if self.at_value():
                self.operand(draft, f"dynamic_{name}")
                found.append((None, self.range_from(start)))
            else:
                number = self.integer("an integer or a value")
                found.append((number, self.range_from(start)))
            if not self.accept(","):
                break
        self.expect("]")
        return found

    def _dynamic_type(self, draft: Draft, type_: Type, place: SourceRange) -> None:
        for name in ("dynamic_shape", "dynamic_strides"):
            for index in range(len(draft.operands.get(name, ()))):
                self.expect_type(draft, name, index, type_, place)

    def _check_extents(self, name: str, found: list[_Item], wanted: tuple[int | None, ...], place: SourceRange) -> None:
        """Numbers are those of the type, values stand for `?`."""
        if len(found) != len(wanted):
            self.fail(f"{len(found)} entries of {name} for a type with {len(wanted)}", _VIEW, place)
        for (number, where), extent in zip(found, wanted, strict=True):
            if number != extent:
                written = "a value" if number is None else str(number)
                in_type = "?" if extent is None else str(extent)
                self.fail(f"{written} in {name}, but {in_type} in the type", _VIEW, where)
