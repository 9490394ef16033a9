"""What a launch determines: integers and extents of a kernel as polynomials of the quantities that a launch knows.

Sums, differences and products of 64-bit integers are followed, arithmetic on constants of any kind, and extents
through all views. Unknown stays what is loaded, carried by loops or chosen by branches, divisions and minima, the
extents of the elements of groups, arithmetic of less than 64 bits, and what grows beyond `Polynomial.is_small`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tilewright.artifacts.constraints import Origin, Polynomial, Quantity
from tilewright.dialects import arith, memref, team
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.types import GroupType, MemrefType, ScalarType
from tilewright.transforms.fold import compute
from tilewright.transforms.signature import made_extents

_GRID_BITS: Final = 32
"""Bits that hold the grid's extents, which are below 2^31."""

_WORD_BITS: Final = 64

Known = Polynomial | None

_RING: Final[dict[type[Operation], Callable[[Polynomial, Polynomial], Polynomial]]] = {
    arith.Add: Polynomial.__add__,
    arith.Sub: Polynomial.__sub__,
    arith.Mul: Polynomial.__mul__,
}


def parameter_name(parameter: BlockArgument) -> str:
    """The name that signatures give a parameter."""
    return parameter.name or f"arg{parameter.index}"


class LaunchQuantities:
    """Answers for the operations that were seen, which must be those that come before, in order."""

    def __init__(self, kernel: Kernel) -> None:
        self._integers: dict[Value, Polynomial] = {}
        self._extents: dict[Value, tuple[Known, ...]] = {}
        for parameter in kernel.parameters:
            self._parameter(parameter, made_extents(kernel.attributes_of(parameter)))

    def integer(self, value: Value | int) -> Known:
        """An integer, or None if a launch does not determine it."""
        return Polynomial.constant(value) if isinstance(value, int) else self._integers.get(value)

    def extents(self, view: Value) -> tuple[Known, ...]:
        """The extents of a memref; None for those that a launch does not determine."""
        found = self._extents.get(view)
        assert isinstance(view.type, MemrefType)
        return tuple(map(_static, view.type.shape)) if found is None else found

    def see(self, op: Operation) -> None:
        """Take note of what an operation computes."""
        match op:
            case ViewLike():
                self._view(op)
            case memref.Size():
                self._note(op.out, self._size(op))
            case team.GroupId():
                self._note(op.out, Polynomial.quantity(Quantity(Origin.GROUP_ID, mode=op.dim)))
            case team.NumGroups():
                self._note(op.out, Polynomial.quantity(Quantity(Origin.NUM_GROUPS, mode=op.dim)))
            case arith.Constant() if isinstance(op.value, int) and _bits(op.out):
                self._note(op.out, Polynomial.constant(op.value))
            case _ if len(op.results) == 1 and op.operands and _bits(op.results[0]):
                self._note(op.results[0], self._computed(op))
            case _:
                pass

    def _note(self, value: Value, found: Known) -> None:
        if found is not None and found.is_small:
            self._integers[value] = found

    def _parameter(self, parameter: BlockArgument, made: Sequence[Polynomial]) -> None:
        name, type_ = parameter_name(parameter), parameter.type
        if isinstance(type_, MemrefType):
            given = made or [Polynomial.quantity(Quantity(Origin.EXTENT, name, k)) for k in range(type_.order)]
            self._extents[parameter] = _typed(type_, list(given))
        elif _bits(parameter):
            self._note(parameter, Polynomial.quantity(Quantity(Origin.VALUE, name)))

    def _size(self, op: memref.Size) -> Known:
        type_ = op.source.type
        if not isinstance(type_, GroupType):
            return self.extents(op.source)[op.mode]
        if type_.size is not None:
            return Polynomial.constant(type_.size)
        # groups come from nowhere but parameters
        assert isinstance(op.source, BlockArgument)
        return Polynomial.quantity(Quantity(Origin.SIZE, parameter_name(op.source)))

    def _view(self, op: ViewLike) -> None:
        old, view = self.extents(op.memref), op.results[0]
        found = [
            _product([old[source] for source in modes]) if given is None else self.integer(given)
            for mode, modes in enumerate(op.source_modes())
            for given in [op.given_extent(mode)]
        ]
        assert isinstance(view.type, MemrefType)
        self._extents[view] = _typed(view.type, found)

    def _computed(self, op: Operation) -> Known:
        operands = [self.integer(operand) for operand in op.operands]
        known = [found for found in operands if found is not None]
        if len(known) < len(operands):
            return None
        numbers = [found.number for found in known if found.number is not None]
        if len(numbers) == len(known):
            value = compute(op, numbers)
            return Polynomial.constant(value) if isinstance(value, int) else None
        if isinstance(op, arith.Cast):
            return known[0] if _holds(op.out, op.value, known[0]) else None
        if _bits(op.results[0]) != _WORD_BITS:
            return None
        if isinstance(op, arith.Neg):
            return known[0].scaled(-1)
        combine = _RING.get(type(op))
        return None if combine is None else combine(*known)


def _bits(value: Value) -> int:
    """Bits of an integer, 0 for anything else."""
    type_ = value.type
    return type_.bits if isinstance(type_, ScalarType) and type_.is_integer else 0


def _holds(result: Value, source: Value, number: Polynomial) -> bool:
    """Whether a conversion between integers changes no value."""
    single = number.single
    in_grid = single is not None and single.origin in (Origin.NUM_GROUPS, Origin.GROUP_ID)
    # narrow integers have come from the launch as they are, or are none that is known
    return _bits(result) >= (_GRID_BITS if in_grid else _bits(source)) > 0


def _static(extent: int | None) -> Known:
    return None if extent is None else Polynomial.constant(extent)


def _typed(type_: MemrefType, found: Sequence[Known]) -> tuple[Known, ...]:
    """What the type says, else what was found."""
    known = (other if extent is None else _static(extent) for extent, other in zip(type_.shape, found, strict=True))
    return tuple(number if number is not None and number.is_small else None for number in known)


def _product(factors: Sequence[Known]) -> Known:
    product: Known = Polynomial.constant(1)
    for factor in factors:
        product = None if product is None or factor is None else product * factor
        if product is not None and not product.is_small:
            return None
    return product
