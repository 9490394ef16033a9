"""What is known about integers: powers of two that divide them, and signed bounds; from `assume` and from operations.

A fact belongs to a value of Tile IR, not to what it became: the value in front of an `assume` stays as it is.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from msgspec import Struct, field

from tilewright.dialects.cuda_tile import arith, control, conversions, core, misc
from tilewright.dialects.cuda_tile import types as cuda
from tilewright.dialects.cuda_tile.attributes import Bounded, DivBy, Overflow, Signedness
from tilewright.ir.core import Attribute, Block, BlockArgument, Operation, Value

_DEPTH = 64
_LARGEST_DIVISOR = 1 << 62
_MOST_SHIFTED = 63

Binary = (
    arith.AddI
    | arith.SubI
    | arith.MulI
    | arith.ShlI
    | arith.ShrI
    | arith.DivI
    | arith.RemI
    | arith.MaxI
    | arith.MinI
    | arith.AndI
    | arith.OrI
    | arith.XorI
)


class Range(Struct, frozen=True):
    """Inclusive bounds; None is no bound."""

    low: int | None = None
    high: int | None = None

    def within(self, other: Range) -> Range:
        """Both hold."""
        lows = [b for b in (self.low, other.low) if b is not None]
        highs = [b for b in (self.high, other.high) if b is not None]
        return Range(max(lows, default=None), min(highs, default=None))

    def plus(self, other: Range) -> Range:
        """Of the sum, if it does not wrap."""
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Range(low, high)

    def times(self, other: Range) -> Range:
        """Of the product, if it does not wrap; only for numbers that are not negative."""
        if self.low is None or other.low is None or self.low < 0 or other.low < 0:
            return Range()
        high = None if self.high is None or other.high is None else self.high * other.high
        return Range(self.low * other.low, high)

    def minus(self, other: Range) -> Range:
        """Of the difference, if it does not wrap."""
        return self.plus(Range(_negated(other.high), _negated(other.low)))

    def or_else(self, other: Range) -> Range:
        """One of the two holds."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Range(low, high)

    @property
    def not_negative(self) -> bool:
        """Whether that is known."""
        return self.low is not None and self.low >= 0


class Facts(Struct):
    """Facts about the values of one entry, found when they are asked for."""

    _divisors: dict[Value, int] = field(default_factory=dict[Value, int])
    _ranges: dict[Value, Range] = field(default_factory=dict[Value, Range])

    def divisor(self, value: Value, depth: int = 0) -> int:
        """A power of two that divides every element."""
        if value not in self._divisors:
            if depth > _DEPTH:
                return 1
            self._divisors[value] = min(self._divisor(value, depth + 1), _LARGEST_DIVISOR)
        return self._divisors[value]

    def _divisor(self, value: Value, depth: int) -> int:
        if isinstance(value, BlockArgument):
            loop = value.owner.parent_op
            if isinstance(loop, control.For) and value.index == 0:
                return min(self.divisor(loop.lower, depth), self.divisor(loop.step, depth))
            return 1
        op = value.defining_op
        assert op is not None
        match op:
            case misc.Assume(predicate=DivBy(divisor, None, _)) if not _is_view(value):
                return max(divisor, self.divisor(op.value, depth))
            case misc.Assume() if not _is_view(value):
                return self.divisor(op.value, depth)
            case core.Constant() if op.value.splat and not op.value.element.is_float:
                number = op.value.bits(0)
                return number & -number if number else _LARGEST_DIVISOR
            case arith.MulI():
                return self.divisor(op.lhs, depth) * self.divisor(op.rhs, depth)
            case arith.ShlI():
                return self.divisor(op.lhs, depth) << min(max(_constant(op.rhs), 0), _MOST_SHIFTED)
            case arith.DivI():
                return _quotient(self.divisor(op.lhs, depth), _constant(op.rhs))
            case arith.AndI():
                return max(self.divisor(op.lhs, depth), self.divisor(op.rhs, depth))
            case arith.AddI() | arith.SubI() | arith.MaxI() | arith.MinI() | arith.RemI() | arith.OrI() | arith.XorI():
                return min(self.divisor(op.lhs, depth), self.divisor(op.rhs, depth))
            case core.Select():
                return min(self.divisor(op.true_value, depth), self.divisor(op.false_value, depth))
            case conversions.ExtI() | conversions.TruncI() | arith.NegI() | arith.AbsI():
                return self.divisor(op.source, depth)
            case core.Reshape() | core.Broadcast() | core.Permute() | core.Extract():
                return self.divisor(op.source, depth)
            case _:
                return 1

    def range(self, value: Value, depth: int = 0) -> Range:
        """Signed bounds of every element."""
        if value not in self._ranges:
            if depth > _DEPTH:
                return Range()
            self._ranges[value] = _fitting(value, self._range(value, depth + 1))
        return self._ranges[value]

    def _range(self, value: Value, depth: int) -> Range:
        if isinstance(value, BlockArgument):
            loop = value.owner.parent_op
            if isinstance(loop, control.For) and value.index == 0 and not loop.unsigned_cmp:
                high = self.range(loop.upper, depth).high
                return Range(self.range(loop.lower, depth).low, None if high is None else high - 1)
            return Range()
        op = value.defining_op
        assert op is not None
        match op:
            case misc.Assume(predicate=Bounded(low, high)):
                return Range(low, high).within(self.range(op.value, depth))
            case misc.Assume() if not _is_view(value):
                return self.range(op.value, depth)
            case core.Constant() if op.value.splat and not op.value.element.is_float:
                number = op.value.number().value
                return Range(int(number), int(number))
            case core.Iota():
                assert isinstance(value.type, cuda.Tile)
                return Range(0, value.type.shape[0] - 1)
            case core.GetTileBlockId():
                return Range(0, cuda.MAX_TILE_BLOCKS - 1)
            case core.GetNumTileBlocks():
                return Range(1, cuda.MAX_TILE_BLOCKS)
            case conversions.ExtI():
                return self._extended(op, depth)
            case conversions.TruncI() | core.Reshape() | core.Broadcast() | core.Permute() | core.Extract():
                return self.range(op.source, depth)
            case core.Select():
                return self.range(op.true_value, depth).or_else(self.range(op.false_value, depth))
            case _ if isinstance(op, Binary):
                return _combined(op, self.range(op.lhs, depth), self.range(op.rhs, depth))
            case _:
                return Range()

    def _extended(self, op: conversions.ExtI, depth: int) -> Range:
        found = self.range(op.source, depth)
        if op.signedness is Signedness.SIGNED or found.not_negative:
            return found
        assert isinstance(op.source.type, cuda.Tile)
        assert isinstance(op.source.type.element, cuda.ElementType)
        return Range(0, (1 << op.source.type.element.bits) - 1)

    def least(self, value: Value) -> int:
        """What every element, read as unsigned, reaches."""
        found = self.range(value)
        return found.low if found.low is not None and found.low >= 0 else 0

    def highest(self, value: Value) -> int | None:
        """What no element, read as unsigned, exceeds."""
        found = self.range(value)
        return found.high if found.not_negative else None

    def not_negative(self, value: Value) -> bool:
        """Whether no element is negative."""
        return self.range(value).not_negative


def promised(argument: BlockArgument, reached: Container[Operation]) -> dict[str, Attribute]:
    """What the body of an entry assumes of one of its parameters as such where all tile blocks come (`reached`), as
    attributes of a kernel's.

    Of a pointer its alignment in bytes; of an integer what divides it, and how small it is at least.
    """
    type_ = argument.type
    if not isinstance(type_, cuda.Tile) or type_.shape:
        return {}
    divisors, least = list[int](), list[int]()
    for assumed in _assumed(argument, reached):
        match assumed.predicate:
            case DivBy(divisor, None, _):
                divisors.append(divisor)
            case Bounded(low, _) if low is not None:
                least.append(low)
            case _:
                pass
    found: dict[str, Attribute] = {}
    if divisors and max(divisors) > 0:
        found["alignment" if isinstance(type_.element, cuda.Pointer) else "divisor"] = max(divisors)
    if least:
        found["least"] = max(least)
    return found


def _assumed(value: Value, reached: Container[Operation]) -> Iterator[misc.Assume]:
    """All that is assumed of a value, of what an assumption gives too."""
    for user in value.uses:
        if isinstance(user, misc.Assume) and user in reached:
            yield user
            yield from _assumed(user.out, reached)


def reached_by_all(block: Block) -> Iterator[Operation]:
    """The operations of an entry's block in front of the first one in which a tile block may end."""
    for op in block:
        if op.regions and any(isinstance(inner, control.Return) for inner in op.walk()):
            return
        yield op


def _negated(bound: int | None) -> int | None:
    return None if bound is None else -bound


def _constant(value: Value) -> int:
    """The number that every element is; 0 if that is not known."""
    op = value.defining_op
    if isinstance(op, core.Constant) and op.value.splat and not op.value.element.is_float:
        return int(op.value.number().value)
    return 0


def _quotient(dividend: int, divisor: int) -> int:
    """A power of two divided by a number; 1 if that leaves a rest."""
    return dividend // divisor if divisor > 0 and dividend % divisor == 0 else 1


def _combined(op: Binary, x: Range, y: Range) -> Range:
    """Bounds of a result from those of its operands; of sums, products and shifts only if they do not wrap."""
    match op:
        case arith.AddI():
            return x.plus(y)
        case arith.SubI():
            return x.minus(y)
        case arith.MulI():
            return x.times(y)
        case arith.AndI():
            masks = [Range(0, r.high) for r in (x, y) if r.not_negative]
            return masks[0].within(masks[-1]) if masks else Range()
        case arith.MaxI() | arith.MinI() if op.signedness is Signedness.SIGNED:
            return _extremum(op, x, y)
        case _:
            return _of_positive(op, x, y) if x.not_negative and y.not_negative else Range()


def _extremum(op: arith.MaxI | arith.MinI, x: Range, y: Range) -> Range:
    """One of the two, and on one side of both."""
    both, either = x.within(y), x.or_else(y)
    return Range(both.low, either.high) if isinstance(op, arith.MaxI) else Range(either.low, both.high)


def _of_positive(op: Binary, x: Range, y: Range) -> Range:
    """Bounds of a result where no operand is negative, so that signedness makes no difference."""
    match op:
        case arith.MaxI() | arith.MinI():
            return _extremum(op, x, y)
        case arith.ShlI():
            return x.times(Range(_power(y.low), _power(y.high)))
        case arith.ShrI() | arith.DivI():
            return Range(0, x.high)
        case arith.RemI():
            return Range(0, x.high).within(Range(0, None if y.high is None else max(y.high - 1, 0)))
        case _:
            high = x.or_else(y).high
            return Range(0, None if high is None else (1 << high.bit_length()) - 1)


def _power(exponent: int | None) -> int | None:
    return None if exponent is None else 1 << min(exponent, _MOST_SHIFTED)


def _is_view(value: Value) -> bool:
    return not isinstance(value.type, cuda.Tile)


def _fitting(value: Value, found: Range) -> Range:
    """Nothing if the bounds leave the type, in which case numbers may have wrapped; a missing bound may hide that."""
    element = value.type.element if isinstance(value.type, cuda.Tile) else None
    if not isinstance(element, cuda.ElementType) or element.is_float or element is cuda.I1:
        return Range()
    limit = 1 << (element.bits - 1)
    if (found.low is not None and found.low < -limit) or (found.high is not None and found.high >= limit):
        return Range()
    open_ended = found.low is None or found.high is None
    return Range() if open_ended and _may_wrap(value.defining_op) else found


def _may_wrap(op: Operation | None) -> bool:
    if isinstance(op, arith.AddI | arith.SubI | arith.MulI | arith.ShlI | conversions.TruncI):
        return op.overflow not in (Overflow.NO_SIGNED_WRAP, Overflow.NO_WRAP)
    return False
