"""Reads affine maps and sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilewright.diagnostics import SourceRange
from tilewright.ir.affine import (
    AffineConstant,
    AffineConstraint,
    AffineExpression,
    AffineMap,
    AffineOperator,
    AffineSymbol,
    Dimension,
    IntegerSet,
    NotAffine,
    add,
    divide,
    multiply,
    negate,
)
from tilewright.ir.mlir.codes import ILLEGAL, LIMIT, VISIBILITY
from tilewright.ir.mlir.cursor import INTEGER, WORD
from tilewright.ir.mlir.type_text import TypeReader

_Names = dict[str, AffineExpression]
_MOST: Final = 250
"""Operators of one expression: it is a tree that is walked on Python's stack."""


class AffineReader(TypeReader):
    """Reads what stands between the brackets of `affine_map<..>` and `affine_set<..>`."""

    operators = 0

    def affine_map(self) -> AffineMap:
        """`affine_map<(d0, ..)[s0, ..] -> (e, ..)>`."""
        self.expect_word("affine_map")
        self.expect("<")
        names, dimensions, symbols = self._header()
        self.expect("->")
        self.expect("(")
        results = self.listed(lambda: self.affine_expression(names), ")")
        self.expect(">")
        return AffineMap(dimensions, symbols, tuple(results))

    def affine_set(self) -> IntegerSet:
        """`affine_set<(d0, ..)[s0, ..] : (e >= 0, ..)>`."""
        self.expect_word("affine_set")
        self.expect("<")
        names, dimensions, symbols = self._header()
        self.expect(":")
        self.expect("(")
        constraints = self.listed(lambda: self._constraint(names), ")")
        self.expect(">")
        return IntegerSet(dimensions, symbols, tuple(constraints))

    def _header(self) -> tuple[_Names, int, int]:
        names: _Names = {}
        self._declare(names, "(", ")", Dimension)
        dimensions = len(names)
        if self.at("["):
            self._declare(names, "[", "]", AffineSymbol)
        return names, dimensions, len(names) - dimensions

    def _declare(self, names: _Names, opening: str, closing: str, kind: Callable[[int], AffineExpression]) -> None:
        self.expect(opening)
        count = 0
        while not self.at(closing):
            start = self.position
            name = self.word("the name of a dimension or symbol")
            if name in names:
                self.fail(f"{name[:80]} is declared twice", VISIBILITY, self.range_from(start))
            names[name] = kind(count)
            count += 1
            if not self.accept(","):
                break
        self.expect(closing)

    def _constraint(self, names: _Names) -> AffineConstraint:
        lhs = self.affine_expression(names)
        for relation in (">=", "<=", "=="):
            if self.accept(relation):
                rhs = self.affine_expression(names)
                if relation == "<=":
                    lhs, rhs = rhs, lhs
                return AffineConstraint(add(lhs, negate(rhs)), relation == "==")
        return self.fail("expected '>=', '<=' or '=='")

    # Expressions

    def affine_expression(self, names: _Names) -> AffineExpression:
        """A sum."""
        self.operators = 0
        return self._sum(names)

    def _sum(self, names: _Names) -> AffineExpression:
        self.enter()
        try:
            found = self._product(names)
            while True:
                if self.accept("+"):
                    found = add(found, self._product(names))
                elif self.at("-") and not self.at("->"):
                    self.accept("-")
                    found = add(found, negate(self._product(names)))
                else:
                    return found
                self._count()
        finally:
            self.depth -= 1

    def _product(self, names: _Names) -> AffineExpression:
        start = self.position
        found = self._operand(names)
        while True:
            if self.accept("*"):
                operator = AffineOperator.MULTIPLY
            elif self.peek_word() in ("mod", "floordiv", "ceildiv"):
                operator = AffineOperator(self.word("an operator"))
            else:
                return found
            rhs = self._operand(names)
            found = self._combined(operator, found, rhs, self.range_from(start))
            self._count()

    def _combined(
        self, operator: AffineOperator, lhs: AffineExpression, rhs: AffineExpression, place: SourceRange
    ) -> AffineExpression:
        try:
            return multiply(lhs, rhs) if operator is AffineOperator.MULTIPLY else divide(operator, lhs, rhs)
        except NotAffine as error:
            return self.fail(str(error), ILLEGAL, place)

    def _operand(self, names: _Names) -> AffineExpression:
        if self.accept("("):
            found = self._sum(names)
            self.expect(")")
            return found
        if self.at("-") and not self.at("->"):
            self.accept("-")
            self.enter()
            found = negate(self._operand(names))
            self.depth -= 1
            return found
        start = self.position
        number = self.take(INTEGER)
        if number is not None:
            return AffineConstant(self.long_integer(number[1], start))
        return self.affine_name(names)

    def affine_name(self, names: dict[str, AffineExpression]) -> AffineExpression:
        """A dimension or symbol. Readers of other names override it."""
        start = self.position
        word = self.take(WORD)
        if word is None:
            self.fail("expected an affine expression")
        found = names.get(word[1])
        if found is None:
            self.fail(f"{word[1][:80]} is no dimension or symbol here", VISIBILITY, self.range_from(start))
        return found

    def _count(self) -> None:
        self.operators += 1
        if self.operators > _MOST:
            self.fail(f"affine expressions have at most {_MOST} operators", LIMIT)
