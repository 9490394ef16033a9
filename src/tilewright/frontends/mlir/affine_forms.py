"""Reads the custom forms of affine: bounds, conditions and indices in terms of values."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Final

from tilewright.dialects.mlir import affine
from tilewright.frontends.mlir.draft import Draft
from tilewright.frontends.mlir.region_text import RegionFormReader
from tilewright.ir.affine import AffineConstant, AffineExpression, AffineMap, AffineSymbol, Dimension, IntegerSet
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Region
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.codes import COUNTS, WORDS
from tilewright.ir.mlir.dense import dense_of_numbers
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.mlir.types import TensorType
from tilewright.ir.mlir.value_text import Use
from tilewright.ir.types import I32, I64, INDEX


class _Inline:
    """Values in affine expressions: those that stand as they are, and those in `symbol(..)`."""

    def __init__(self) -> None:
        self.dimensions: dict[str, Use] = {}
        self.symbols: dict[str, Use] = {}

    @property
    def uses(self) -> list[Use]:
        """The operands of the map."""
        return [*self.dimensions.values(), *self.symbols.values()]

    def map(self, results: list[AffineExpression]) -> AffineMap:
        """The map to the expressions."""
        return AffineMap(len(self.dimensions), len(self.symbols), tuple(results))


_FORMER_REDUCTIONS: Final[Mapping[str, str]] = {"maxf": "maximumf", "minf": "minimumf"}
"""What versions before 17 call them."""


class AffineFormReader(RegionFormReader):
    """Reads what stands in affine operations."""

    _inline: _Inline | None = None

    def part(self, draft: Draft, name: str) -> Generator[object, object, None] | None:
        match name:
            case "affine_loop":
                return self._affine_loop(draft)
            case "affine_branch":
                return self._affine_branch(draft)
            case "affine_parallel":
                return self._affine_parallel(draft)
            case "affine_load":
                self._access(draft, stores=False)
            case "affine_store":
                self._access(draft, stores=True)
            case "mapped":
                self._mapped(draft)
            case _:
                return super().part(draft, name)
        return None

    # Expressions of values

    def affine_name(self, names: dict[str, AffineExpression]) -> AffineExpression:
        inline = self._inline
        if inline is None:
            return super().affine_name(names)
        if self.accept_word("symbol"):
            self.expect("(")
            use = self.use()
            self.expect(")")
            inline.symbols.setdefault(use.key, use)
            return AffineSymbol(list(inline.symbols).index(use.key))
        use = self.use()
        inline.dimensions.setdefault(use.key, use)
        return Dimension(list(inline.dimensions).index(use.key))

    def _expressions(self, inline: _Inline, closing: str) -> list[AffineExpression]:
        found: list[AffineExpression] = []
        self._inline = inline
        try:
            while not self.at(closing):
                found.append(self.affine_expression({}))
                if not self.accept(","):
                    break
        finally:
            self._inline = None
        self.expect(closing)
        return found

    def _operands(self) -> tuple[list[Use], int]:
        """`(%d, ..)[%s, ..]`, and how many of them are dimensions."""
        self.expect("(")
        found = self.uses()
        self.expect(")")
        dimensions = len(found)
        if self.accept("["):
            found += self.uses()
            self.expect("]")
        return found, dimensions

    def _map(self) -> AffineMap:
        start = self.position
        found = self.attribute()
        if not isinstance(found, AffineMap):
            self.fail("expected an affine map", WORDS, self.range_from(start))
        return found

    def _applied(self) -> tuple[AffineMap, list[Use]]:
        """`#map(%d)[%s]`."""
        start = self.position
        map_ = self._map()
        uses, dimensions = self._operands()
        if (dimensions, len(uses) - dimensions) != (map_.dimensions, map_.symbols):
            said = f"{map_} takes {map_.dimensions} dimensions and {map_.symbols} symbols"
            self.fail(f"{said}, not {dimensions} and {len(uses) - dimensions}", COUNTS, self.range_from(start))
        return map_, uses

    # Operations

    def _mapped(self, draft: Draft) -> None:
        map_, uses = self._applied()
        draft.attributes["map"] = map_
        draft.add("values", uses, INDEX)

    def _access(self, draft: Draft, *, stores: bool) -> None:
        if stores:
            draft.add("value", [self.use()])
            self.expect(",")
        draft.add("memref", [self.use()])
        self.expect("[")
        inline = _Inline()
        results = self._expressions(inline, "]")
        draft.attributes["map"] = inline.map(results)
        draft.add("indices", inline.uses, INDEX)
        self.attributes(draft)
        self.expect(":")
        draft.types["memref"] = [self.type()]

    def _bound(self, draft: Draft, lower: bool) -> None:
        word, side = ("max", "lower") if lower else ("min", "upper")
        start = self.position
        several = self.accept_word(word)
        key = f"{side}BoundOperands"
        if not several and self.at("%"):
            draft.add(key, [self.use()], INDEX)
            draft.attributes[f"{side}BoundMap"] = AffineMap(0, 1, (AffineSymbol(0),))
            return
        if not several and not self.at("#") and self.peek_word() != "affine_map":
            number = self.integer("a bound: a number, a value, or a map of values")
            draft.attributes[f"{side}BoundMap"] = AffineMap(0, 0, (AffineConstant(number),))
            draft.add(key, [])
            return
        map_, uses = self._applied()
        if len(map_.results) > 1 and not several:
            self.fail(f"a bound of several results says {word}", WORDS, self.range_from(start))
        draft.attributes[f"{side}BoundMap"] = map_
        draft.add(key, uses, INDEX)

    def _affine_loop(self, draft: Draft) -> Steps[None]:
        index = self.new_argument(INDEX)
        self.expect("=")
        self._bound(draft, True)
        self.expect_word("to")
        self._bound(draft, False)
        step = self.integer("a step") if self.accept_word("step") else 1
        draft.attributes["step"] = IntegerAttribute(step, INDEX)
        carried = self.iterated(draft, "inits")
        yield self.body(draft, affine.Yield, [index, *carried])
        self.attributes(draft)

    def _affine_branch(self, draft: Draft) -> Steps[None]:
        start = self.position
        condition = self.attribute()
        if not isinstance(condition, IntegerSet):
            self.fail("expected an affine set", WORDS, self.range_from(start))
        draft.attributes["condition"] = condition
        uses, dimensions = self._operands()
        if (dimensions, len(uses) - dimensions) != (condition.dimensions, condition.symbols):
            self.fail(f"{condition} takes other numbers of operands", COUNTS, self.range_from(start))
        draft.add("values", uses, INDEX)
        self.arrow(draft)
        yield self.body(draft, affine.Yield, [])
        if self.accept_word("else"):
            yield self.body(draft, affine.Yield, [])
        else:
            draft.regions.append(Region())
        self.attributes(draft)

    def _affine_parallel(self, draft: Draft) -> Steps[None]:
        indices = self.loop_indices()
        self.expect("=")
        self._parallel_bounds(draft, "lower", "max")
        self.expect_word("to")
        self._parallel_bounds(draft, "upper", "min")
        steps = [1] * len(indices)
        if self.accept_word("step"):
            self.expect("(")
            steps = [self.integer("a step")]
            while self.accept(","):
                steps.append(self.integer("a step"))
            self.expect(")")
        draft.attributes["steps"] = tuple(IntegerAttribute(s, I64) for s in steps)
        reductions: list[Attribute] = []
        if self.accept_word("reduce"):
            self.expect("(")
            start = self.position
            words = [self._reduction()]
            while self.accept(","):
                words.append(self._reduction())
            unknown = next((w for w in words if w not in affine.REDUCTIONS), None)
            if unknown is not None:
                self.fail(f"there is no reduction {unknown[:80]!r}", WORDS, self.range_from(start))
            reductions += [IntegerAttribute(affine.REDUCTIONS[w], I64) for w in words]
            self.expect(")")
        draft.attributes["reductions"] = tuple(reductions)
        self.arrow(draft)
        yield self.body(draft, affine.Yield, indices)
        self.attributes(draft)

    def _reduction(self) -> str:
        """`"addf"`, with the name that it has now."""
        name = self.string("the name of a reduction")
        return _FORMER_REDUCTIONS.get(name, name)

    def _parallel_bounds(self, draft: Draft, side: str, word: str) -> None:
        """`(e, max(e, e), ..)`."""
        self.expect("(")
        inline, groups, results = _Inline(), list[int](), list[AffineExpression]()
        while not self.at(")"):
            if self.accept_word(word):
                self.expect("(")
                found = self._expressions(inline, ")")
            else:
                self._inline = inline
                try:
                    found = [self.affine_expression({})]
                finally:
                    self._inline = None
            groups.append(len(found))
            results += found
            if not self.accept(","):
                break
        self.expect(")")
        draft.attributes[f"{side}BoundsMap"] = inline.map(results)
        shape = (len(groups),)
        draft.attributes[f"{side}BoundsGroups"] = dense_of_numbers(TensorType(shape, I32), I32, shape, groups)
        draft.add("mapOperands", inline.uses, INDEX)
