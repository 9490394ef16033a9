"""Products of two arrays by the modes of their operands, as loops around a product of matrices.

A mode that both factors and the result have is one of a batch; one of the first factor and the result belongs to the
rows of a product of matrices (`m`), of the second one and the result to its columns (`n`), of both factors to what is
summed (`k`). Modes that lie one behind the other in all operands that have them are one. What is left beside one of
each are loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.operators.errors import OperatorError

ROWS: Final = "m"
COLUMNS: Final = "n"
TERMS: Final = "k"
PARTS: Final = "s"
"""The mode of a product that is computed in parts, each of some of the terms."""
PARTIAL: Final = "partial"
"""The operand with the sums of the parts."""

Extents = tuple[int, ...]


class Operand(Struct, frozen=True):
    """An array of a contraction: the strides of the modes along which it differs, in elements, and whether it begins at
    a multiple of 16 bytes."""

    name: str
    dtype: str
    strides: Mapping[str, int]
    aligned: bool = True


class Contraction(Struct, frozen=True):
    """`out` is the sum of products of `a` and `b` over the modes that it does not have; `extras` are read beside it."""

    extents: Mapping[str, int]
    a: Operand
    b: Operand
    out: Operand
    extras: tuple[Operand, ...] = ()

    @property
    def operands(self) -> tuple[Operand, ...]:
        """All, the result last."""
        return (self.a, self.b, *self.extras, self.out)

    def role(self, mode: str) -> tuple[bool, bool, bool]:
        """Which of the factors and the result have a mode."""
        return mode in self.a.strides, mode in self.b.strides, mode in self.out.strides

    def modes(self, role: tuple[bool, bool, bool]) -> list[str]:
        """The modes of a role."""
        return [mode for mode in self.extents if self.role(mode) == role]


_ROLES: Final = {(True, False, True): ROWS, (False, True, True): COLUMNS, (True, True, False): TERMS}
_BATCH: Final = (True, True, True)


class Arranged(Struct, frozen=True):
    """An operand as a kernel takes it: its modes from the one with the largest stride on, with extents and strides."""

    name: str
    dtype: str
    modes: tuple[str, ...]
    shape: Extents
    strides: Extents
    aligned: bool = True

    @property
    def unit(self) -> bool:
        """Whether elements are neighbours along the last mode."""
        return bool(self.strides) and self.strides[-1] == 1


class Arrangement(Struct, frozen=True):
    """A contraction as `loops` around a product of matrices with modes `m`, `n` and `k`; all operands, the result last,
    the first two factors exchanged where that leaves the columns of the result neighbours (`turned`)."""

    loops: tuple[str, ...]
    extents: Mapping[str, int]
    operands: tuple[Arranged, ...]
    turned: bool


class Misplaced(Struct, frozen=True):
    """An operand of a contraction that no kernel takes as it lies: why, and its modes in the order that a copy of it
    should have them in."""

    contraction: Contraction
    operand: Operand
    reason: str
    modes: tuple[str, ...]

    def with_strides(self, strides: Mapping[str, int]) -> Contraction:
        """The contraction with a copy in the place of the operand."""
        return with_operand(self.contraction, replace(self.operand, strides=strides, aligned=True))


def arranged(contraction: Contraction, *, vectors: bool = False) -> Arrangement | Misplaced:
    """How a contraction is computed, or the first operand that has to be copied before.

    With `vectors` products of a vector have no rows; without, they have one.

    Raises `OperatorError` for a result that cannot be written as it lies.
    """
    found = _without_repeats(contraction)
    for operand in found.operands:
        reason = _problem(operand, found.extents)
        if reason is not None:
            return Misplaced(found, operand, reason, _by_stride(operand, found.extents))
    found = _with_roles(_fused(found), vectors=vectors)
    apart = _terms_apart(found)
    if apart is not None:
        return apart
    rows, columns = found.modes((True, False, True)), found.modes((False, True, True))
    turned = not columns or _unit_mode(found.out) in rows
    if turned:
        found = replace(found, a=found.b, b=found.a)
    return _named(found, turned)


def with_operand(contraction: Contraction, operand: Operand) -> Contraction:
    """A contraction with another operand of a name."""
    a, b, *extras, out = (operand if one.name == operand.name else one for one in contraction.operands)
    return replace(contraction, a=a, b=b, extras=tuple(extras), out=out)


def packed_strides(modes: Sequence[str], extents: Mapping[str, int]) -> dict[str, int]:
    """The strides of an array without gaps, elements neighbours along the last mode."""
    strides: dict[str, int] = {}
    step = 1
    for mode in reversed(modes):
        strides[mode] = step
        step *= max(extents[mode], 1)
    return strides


def _without_repeats(contraction: Contraction) -> Contraction:
    """Without modes of extent 1, and with inputs free of modes along which they are the same."""
    extents = {mode: extent for mode, extent in contraction.extents.items() if extent != 1}

    def kept(operand: Operand, *, repeats: bool) -> Operand:
        strides = {mode: s for mode, s in operand.strides.items() if mode in extents and (s or repeats)}
        return replace(operand, strides=strides)

    slim = replace(
        contraction,
        extents=extents,
        a=kept(contraction.a, repeats=True),
        b=kept(contraction.b, repeats=True),
        out=kept(contraction.out, repeats=True),
        extras=tuple(kept(extra, repeats=False) for extra in contraction.extras),
    )
    # a factor that repeats along a mode of the batch is the same for all of it
    a = {mode: s for mode, s in slim.a.strides.items() if s or slim.role(mode) != _BATCH}
    b = {mode: s for mode, s in slim.b.strides.items() if s or slim.role(mode) != _BATCH or mode not in a}
    return replace(slim, a=replace(slim.a, strides=a), b=replace(slim.b, strides=b))


def _by_stride(operand: Operand, extents: Mapping[str, int]) -> tuple[str, ...]:
    """Modes from the largest stride on; of equal ones the longest last."""
    return tuple(sorted(operand.strides, key=lambda mode: (-abs(operand.strides[mode]), extents[mode])))


def _problem(operand: Operand, extents: Mapping[str, int]) -> str | None:
    """What keeps kernels from an operand as it lies."""
    if 0 in (extents[mode] for mode in operand.strides):
        return None
    least = 1
    for mode in reversed(_by_stride(operand, extents)):
        stride = operand.strides[mode]
        if stride < 0:
            return "it runs backwards"
        if stride == 0:
            return "it repeats elements"
        if stride < least:
            return "its rows overlap"
        least = stride * extents[mode]
    return None


def _fused(contraction: Contraction) -> Contraction:
    """With modes put together that lie one behind the other wherever they are."""
    for outer, inner in permutations(contraction.extents, 2):
        if _lie_together(contraction, outer, inner):
            return _fused(_put_together(contraction, outer, inner))
    return contraction


def _lie_together(contraction: Contraction, outer: str, inner: str) -> bool:
    if contraction.role(outer) != contraction.role(inner):
        return False
    extent = contraction.extents[inner]
    return all(
        (outer in one.strides) == (inner in one.strides)
        and (outer not in one.strides or one.strides[outer] == one.strides[inner] * extent)
        for one in contraction.operands
    )


def _put_together(contraction: Contraction, outer: str, inner: str) -> Contraction:
    """Without the outer mode; the inner one is as long as both."""
    extents = {mode: extent for mode, extent in contraction.extents.items() if mode != outer}
    extents[inner] *= contraction.extents[outer]
    a, b, *extras, out = (
        replace(operand, strides={mode: stride for mode, stride in operand.strides.items() if mode != outer})
        for operand in contraction.operands
    )
    return Contraction(extents, a, b, out, tuple(extras))


def _with_roles(contraction: Contraction, *, vectors: bool) -> Contraction:
    """With rows, columns and terms, of extent 1 where there are none; with `vectors` not both rows and columns."""
    found = contraction
    for role, name in _ROLES.items():
        if found.modes(role):
            continue
        if name == ROWS and vectors:
            continue
        if name == COLUMNS and vectors and found.modes((True, False, True)):
            continue
        mode = f"one {name}"
        extents = {**found.extents, mode: 1}

        def added(operand: Operand, there: bool, mode: str = mode, found: Contraction = found) -> Operand:
            if not there:
                return operand
            return replace(operand, strides={**operand.strides, mode: _stride_of_one(operand, found.extents)})

        in_a, in_b, in_out = role
        found = replace(
            found, extents=extents, a=added(found.a, in_a), b=added(found.b, in_b), out=added(found.out, in_out)
        )
    return found


def _stride_of_one(operand: Operand, extents: Mapping[str, int]) -> int:
    """The stride of a mode of extent 1: that of a row in front of all others, or of neighbours where there are none."""
    strides = operand.strides
    if strides and 1 not in strides.values():
        return 1
    return max((stride * max(extents[mode], 1) for mode, stride in strides.items()), default=1)


def _terms_apart(contraction: Contraction) -> Misplaced | None:
    """A factor whose terms lie in another order than those of the other one, or apart."""
    terms = contraction.modes((True, True, False))
    if len(terms) == 1:
        return None
    wanted = [mode for mode in _by_stride(contraction.a, contraction.extents) if mode in terms]
    for operand in (contraction.a, contraction.b):
        strides = [operand.strides[mode] for mode in wanted]
        steps = [inner * contraction.extents[mode] for mode, inner in zip(wanted[1:], strides[1:], strict=True)]
        if strides[:-1] != steps:
            others = [mode for mode in _by_stride(operand, contraction.extents) if mode not in terms]
            reason = "its terms do not lie one behind the other"
            return Misplaced(contraction, operand, reason, (*others, *wanted))
    raise AssertionError("terms that lie together in both factors are one mode")


def _unit_mode(operand: Operand) -> str | None:
    return next((mode for mode, stride in operand.strides.items() if stride == 1), None)


def _named(contraction: Contraction, turned: bool) -> Arrangement:
    """With the names that modes have in programs."""
    names: dict[str, str] = {}
    loops = contraction.modes(_BATCH)
    unit = _unit_mode(contraction.out)
    for role, name in _ROLES.items():
        modes = contraction.modes(role)
        if not modes:
            continue
        main = unit if unit in modes else max(modes, key=lambda mode: contraction.extents[mode])
        assert main is not None
        names[main] = name
        loops += [mode for mode in modes if mode != main]
    # neighbours are computed one after the other
    loops.sort(key=lambda mode: -contraction.out.strides[mode])
    names |= {mode: f"p{k}" for k, mode in enumerate(loops)}
    extents = {name: contraction.extents[mode] for mode, name in names.items()}
    operands = tuple(_arranged(operand, names, contraction.extents) for operand in contraction.operands)
    return Arrangement(tuple(names[mode] for mode in loops), extents, operands, turned)


def _arranged(operand: Operand, names: Mapping[str, str], extents: Mapping[str, int]) -> Arranged:
    modes = _by_stride(operand, extents)
    return Arranged(
        operand.name,
        operand.dtype,
        tuple(names[mode] for mode in modes),
        tuple(extents[mode] for mode in modes),
        tuple(operand.strides[mode] for mode in modes),
        operand.aligned,
    )


def strides_of(modes: Sequence[str], strides: Sequence[int]) -> dict[str, int]:
    """Strides by mode; along one that comes twice (a diagonal) both steps are made at a time."""
    found: dict[str, int] = {}
    for mode, stride in zip(modes, strides, strict=True):
        found[mode] = found.get(mode, 0) + stride
    return found


def check_result(contraction: Contraction) -> None:
    """Raises `OperatorError` for a result that a product cannot be written to as it lies."""
    slim = {mode: s for mode, s in contraction.out.strides.items() if contraction.extents[mode] != 1}
    reason = _problem(replace(contraction.out, strides=slim), contraction.extents)
    if reason is not None:
        raise OperatorError(f"out: a result cannot be written there: {reason} (strides {tuple(slim.values())})")


def empty_modes(contraction: Contraction) -> Iterator[str]:
    """Modes of the result without elements."""
    return (mode for mode in contraction.out.strides if not contraction.extents[mode])
