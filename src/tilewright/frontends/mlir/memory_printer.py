"""Prints custom forms without regions that are all code: numbers, boxes of memory, globals, accesses of affine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from tilewright.dialects.mlir import affine, linalg, linalg_elements, memref, regroupings
from tilewright.dialects.mlir.base import MlirOperation, integers_of
from tilewright.frontends.mlir.form_printer import FormPrinter, values_of
from tilewright.ir.affine import AffineMap, IntegerSet
from tilewright.ir.core import Value
from tilewright.ir.mlir.spelling import UNIT, spell, spell_key
from tilewright.ir.types import BOOL

_REMEMBERED: Final = "linalg.memoized_indexing_maps"
"""Maps that follow from the name of an operation, which the generic form has beside it."""


class MemoryPrinter(FormPrinter):
    """Prints forms that are all code and have no regions."""

    def part(self, op: MlirOperation, name: str) -> str:
        match name:
            case "constant":
                return (
                    f"{self.dictionary(op, ('value',)).strip()} {spell(op.attributes['value'], self.aliases)}".strip()
                )
            case "select":
                return self._select(op)
            case "subview":
                return f"{self.names.of(op.operands[0])}{self._box(op)}{self._from_to(op)}"
            case "insertion":
                return self._insertion(op)
            case "reinterpret":
                return self._reinterpret(op)
            case "regrouped":
                return self._regrouped(op)
            case "global":
                return self._global(op)
            case "affine_load" | "affine_store":
                return self._access(op)
            case "mapped":
                assert isinstance(op, affine.AffineValue)
                return self.applied(op.map, op.values)
            case "structured" | "elementwise":
                return self._structured(op)
            case _:
                return super().part(op, name)

    def said(self, words: Sequence[str]) -> set[str]:
        return super().said(words) | ({"map"} if "<mapped>" in words else set())

    def _select(self, op: MlirOperation) -> str:
        condition = "" if op.operands[0].type is BOOL else f"{self.type(op.operands[0].type)}, "
        return f"{self.values(op.operands)}{self.dictionary(op, ())} : {condition}{self.type(op.results[0].type)}"

    # Boxes

    def _mixed(self, op: MlirOperation, key: str) -> str:
        """`[%x, 4, ..]`."""
        values = iter(values_of(op, key))
        numbers = integers_of(op.attributes[f"static_{key}"])
        return f"[{', '.join(self.names.of(next(values)) if n == memref.DYNAMIC else str(n) for n in numbers)}]"

    def _box(self, op: MlirOperation) -> str:
        offsets, sizes, strides = (self._mixed(op, key) for key in ("offsets", "sizes", "strides"))
        return f"{offsets} {sizes} {strides}"

    def _attributes(self, op: MlirOperation) -> str:
        return self.dictionary(op, ("static_offsets", "static_sizes", "static_strides"))

    def _from_to(self, op: MlirOperation) -> str:
        source, result = op.operands[0], op.results[0]
        return f"{self._attributes(op)} : {self.type(source.type)} to {self.type(result.type)}"

    def _insertion(self, op: MlirOperation) -> str:
        source, dest = op.operands[:2]
        names = f"{self.names.of(source)} into {self.names.of(dest)}{self._box(op)}{self._attributes(op)}"
        return f"{names} : {self.type(source.type)} into {self.type(dest.type)}"

    def _reinterpret(self, op: MlirOperation) -> str:
        offset, sizes, strides = (self._mixed(op, key) for key in ("offsets", "sizes", "strides"))
        box = f"offset: {offset}, sizes: {sizes}, strides: {strides}"
        return f"{self.names.of(op.operands[0])} to {box}{self._from_to(op)}"

    def _regrouped(self, op: MlirOperation) -> str:
        assert isinstance(op, regroupings.Regrouping)
        said = op.attributes.get("static_output_shape") is not None
        shape = f" output_shape {self._mixed(op, 'output_shape')}" if said else ""
        others = self.dictionary(op, ("reassociation", "static_output_shape"))
        types = f"{self.type(op.src.type)} into {self.type(op.out.type)}"
        return f"{self.names.of(op.src)} {spell(op.reassociation)}{shape}{others} : {types}"

    def _global(self, op: MlirOperation) -> str:
        attributes = op.attributes
        words: list[str] = []
        if attributes.get("sym_visibility") is not None:
            words.append(spell(attributes["sym_visibility"]))
        if attributes.get("constant") is not None:
            words.append("constant")
        words.append(f"@{spell_key(cast('str', attributes['sym_name']))} : {spell(attributes['type'], self.aliases)}")
        value = attributes.get("initial_value")
        if value is not None:
            text = spell(value, self.aliases)
            words.append("= uninitialized" if value == UNIT else f"= {text.rpartition(' : ')[0] or text}")
        said = ("sym_visibility", "constant", "sym_name", "type", "initial_value")
        return " ".join(words) + self.dictionary(op, said)

    # Maps of values

    def dimensions(self, dimensions: int, values: list[Value]) -> str:
        """`(%d, ..)[%s, ..]`."""
        symbols = values[dimensions:]
        return f"({self.values(values[:dimensions])})" + (f"[{self.values(symbols)}]" if symbols else "")

    def applied(self, map_: AffineMap | IntegerSet, values: list[Value]) -> str:
        """`#map(%d)[%s]`."""
        return f"{spell(map_, self.aliases)}{self.dimensions(map_.dimensions, values)}"

    def results_of_map(self, map_: AffineMap, values: list[Value]) -> list[str]:
        """The results of a map as expressions of values."""
        dimensions, symbols = values[: map_.dimensions], values[map_.dimensions :]
        return [self.expression(result, dimensions, symbols) for result in map_.results]

    def _access(self, op: MlirOperation) -> str:
        assert isinstance(op, affine.Load | affine.Store)
        stored = f"{self.names.of(op.value)}, " if isinstance(op, affine.Store) else ""
        place = ", ".join(self.results_of_map(op.map, op.indices))
        attributes = self.dictionary(op, ("map",))
        return f"{stored}{self.names.of(op.memref)}[{place}]{attributes} : {self.type(op.memref.type)}"

    # Operations of linalg by their names

    def _structured(self, op: MlirOperation) -> str:
        assert isinstance(op, linalg.Named)
        kind = f"kind={spell(op.kind)}" if isinstance(op, linalg_elements.Elementwise) else ""
        maps = ""
        if op.given_maps and op.given_maps != op.usual_maps:
            maps = f" indexing_maps = {spell(op.indexing_maps, self.aliases)}"
        others = self.dictionary(op, (_REMEMBERED, "indexing_maps", "kind"))
        return (kind + maps + others + self.groups(op) + self.arrow(op.results)).strip()

    def groups(self, op: linalg.Structured) -> str:
        """` ins(..) outs(..)`."""
        inputs = f" ins({self.typed(op.inputs)})" if op.inputs else ""
        return inputs + (f" outs({self.typed(op.outputs)})" if op.outputs else "")
