"""Checks that a nest computes the product: what it combines, and that it does so once for each (i, j, k).

The subscripts of a scalar or fragment are sums of loop variables; a read of a buffer stands for the read of the matrix
that it is a copy of. The values of each sum are counted over all iterations.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from tilewright.dialects.mlir import affine, arith, mma
from tilewright.ir.core import BlockArgument, Operation, OpResult, Value
from tilewright.ir.mlir.attributes import FloatAttribute, IntegerAttribute
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.lower_mlir.contractions import multiplicands
from tilewright.transforms.matmul_stages.copies import sources
from tilewright.transforms.matmul_stages.index_values import origins, taken
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, Matrix
from tilewright.transforms.matmul_stages.nests import (
    Access,
    Axis,
    axes_around,
    box,
    key_of,
    subscripts,
)

WHAT = "visits"
_EXTENSIONS = (arith.ExtF, arith.ExtSI)


class Product(Struct, frozen=True):
    """One product and sum: what is read, by what it is multiplied, and where the result goes."""

    op: Operation
    a: Access
    b: Access
    c: Access
    stored: Access
    alpha: Value | None = None


def products(matmul: Matmul, nest: Operation) -> list[Product]:
    """All of a nest that end in a store to C. Raises `Broken` for stores of anything else."""
    found: list[Product] = []
    moved = {op for staged in matmul.made.staged for op in staged.walk()}
    for op in nest.walk():
        if isinstance(op, affine.Store) and op.memref is matmul.c.memref and op not in moved:
            found.append(product_of(op))
        elif isinstance(op, mma.StoreMatrix) and op.memref is matmul.sums:
            found += accumulated(op)
    return found


def product_of(store: affine.Store) -> Product:
    """What is stored. Raises `Broken` if it is no sum with a product."""
    value = store.value.defining_op
    if not isinstance(value, arith.AddF | arith.AddI):
        raise Broken(WHAT, store, "what is stored to C is no sum with a product")
    terms = [value.lhs, value.rhs]
    product = next((v for v in terms if isinstance(v.defining_op, arith.MulF | arith.MulI)), None)
    if product is None:
        raise Broken(WHAT, store, "what is added to C is no product")
    summand = value.lhs if value.rhs is product else value.rhs
    multiplied = multiplicands(product)
    read = [op for v in multiplied if isinstance(op := _unextended(v).defining_op, affine.Load)]
    scales = [v for v in multiplied if not isinstance(_unextended(v).defining_op, affine.Load)]
    c = summand.defining_op
    if len(read) != 2 or not isinstance(c, affine.Load):
        raise Broken(WHAT, store, "a factor or summand is not read from memory")
    if len(scales) > 1:
        raise Broken(WHAT, store, "a product is scaled several times")
    return Product(value, read[0], read[1], c, store, scales[0] if scales else None)


def accumulated(store: mma.StoreMatrix) -> list[Product]:
    """The products whose sum is stored, last first, through the loops that carry it.

    Raises `Broken` if a loop hands on anything but the sum so far, or if what is scaled is not summed from zero.
    """
    found: list[mma.Compute] = []
    carried: list[tuple[Operation, int]] = []
    scaled = _scaled(store)
    value = store.src if scaled is None else scaled.total
    while not isinstance(value.defining_op, mma.LoadMatrix | mma.ConstantMatrix):
        op = value.defining_op
        if isinstance(op, mma.Compute):
            found.append(op)
            value = op.opC
        elif isinstance(op, affine.For) and isinstance(value, OpResult):
            carried.append((op, value.index))
            end = op.body.entry.last
            assert end is not None, "verified: a body has a terminator"
            value = end.operands[value.index]
        elif isinstance(value, BlockArgument) and carried:
            loop, number = carried.pop()
            if value.block.parent_op is not loop or value.index != number + 1:
                raise Broken("carried sums", loop, f"result {number} is not the sum that it carries")
            assert isinstance(loop, affine.For)
            value = loop.inits[number]
        else:
            raise Broken(WHAT, store, "what is stored to C is no sum of products with a matrix of C")
    if carried:
        raise Broken("carried sums", carried[-1][0], f"result {carried[-1][1]} does not depend on what it carries")
    first = value.defining_op
    if scaled is not None:
        if not isinstance(first, mma.ConstantMatrix) or not is_zero(first.value):
            raise Broken("scale", store, "what is scaled is not summed from zero")
        return [_fragments(op, scaled.summand, store, scaled.alpha) for op in found]
    if not isinstance(first, mma.LoadMatrix):
        raise Broken(WHAT, store, "what is stored to C is no sum of products with a matrix of C")
    return [_fragments(op, first, store, None) for op in found]


class _Scaled(Struct, frozen=True):
    """A sum of products that is scaled and added to a matrix of C."""

    total: Value
    alpha: Value
    summand: mma.LoadMatrix


def _scaled(store: mma.StoreMatrix) -> _Scaled | None:
    """`C + alpha total`; None if what is stored is no such thing."""
    added = _elementwise(store.src, "add")
    if added is None:
        return None
    summand, multiplied = added[0].defining_op, _elementwise(added[1], "mul")
    alpha = None if multiplied is None else multiplied[1].defining_op
    if multiplied is None or not isinstance(summand, mma.LoadMatrix) or not isinstance(alpha, mma.ConstantMatrix):
        raise Broken("scale", store, "what is stored is no matrix of C with a scaled sum of products")
    return _Scaled(multiplied[0], alpha.value, summand)


def _elementwise(value: Value, name: str) -> list[Value] | None:
    """What is added, or multiplied, element by element."""
    op = value.defining_op
    return list(op.args) if isinstance(op, mma.Elementwise) and op.does[:-1] == name else None


def is_zero(value: Value) -> bool:
    """Whether a number is a constant zero."""
    op = value.defining_op
    known = op.value if isinstance(op, arith.Constant) else None
    return isinstance(known, IntegerAttribute | FloatAttribute) and known.value == 0


def _fragments(op: mma.Compute, c: mma.LoadMatrix, store: mma.StoreMatrix, alpha: Value | None) -> Product:
    a, b = op.opA.defining_op, op.opB.defining_op
    if not (isinstance(a, mma.LoadMatrix) and isinstance(b, mma.LoadMatrix)):
        raise Broken(WHAT, op, "a factor is not read from memory")
    return Product(op, a, b, c, store, alpha)


def _unextended(value: Value) -> Value:
    op = value.defining_op
    return op.operands[0] if isinstance(op, _EXTENSIONS) else value


def known_subscripts(op: Access, what: str = WHAT) -> tuple[Linear, ...]:
    """Where an access begins. Raises `Broken` if the subscripts are no sums."""
    found = subscripts(op)
    if found is None:
        raise Broken(what, op, "the subscripts are no sums of loop variables")
    return found


Source = Callable[[Access, Matrix, Sequence[Linear]], tuple[Linear, ...]]
"""The subscripts of a matrix that an access with some subscripts reads, itself or through a buffer."""


def check_visits(
    matmul: Matmul, nest: Operation, source: Source | None = None, extents: Mapping[str, int] | None = None
) -> None:
    """Each (i, j, k) is computed exactly once in a nest, with the elements that belong to it.

    Products that depend on different loops share k among them; each kind computes all (i, j). `extents` are those of
    the nest; where nothing is said, what lies in whole tiles.
    """
    source = source or sources(matmul)
    found = products(matmul, nest)
    computed = [op for op in nest.walk() if isinstance(op, mma.Compute)]
    if found and any(one.alpha is not matmul.alpha for one in found):
        raise Broken("scale", found[0].op, "products are not multiplied by what they are scaled by")
    lost = next((op for op in computed if op not in {p.op for p in found}), None)
    if lost is not None:
        raise Broken(WHAT, lost, "a product is not stored to C")
    if not found:
        raise Broken(WHAT, nest, "the nest computes no product")
    extents = matmul.tiled if extents is None else extents
    kinds: dict[object, list[tuple[Product, _Position]]] = {}
    for one in found:
        position = _position(matmul, one, source)
        kinds.setdefault(tuple(frozenset(form.terms) for form in position), []).append((one, position))
    summed: Counter[int] = Counter()
    for kind in kinds.values():
        summed += _visits_of(matmul, extents, [one for one, _ in kind], [position for _, position in kind])
    if extents["i"] and extents["j"]:
        _once("k", extents["k"], summed, found[0].op)


def _visits_of(
    matmul: Matmul, extents: Mapping[str, int], found: Sequence[Product], forms: Sequence[_Position]
) -> Counter[int]:
    """How often products of one kind visit each k; they visit all i and j."""
    one, axes = found[0], axes_around(found[0].op)
    starts = [{form[k].constant for form in forms} for k in range(3)]
    together = {tuple(part.constant for part in form) for form in forms}
    if len(together) != len(forms) or len(forms) != math.prod(map(len, starts)):
        raise Broken(WHAT, one.op, f"{len(forms)} products at {len(together)} places are no grid of them")
    units = _units(matmul, one)
    used: dict[Value, str] = {}
    visits: Counter[int] = Counter()
    for letter, form, first in zip("ijk", forms[0], starts, strict=True):
        if letter == "k" and not (extents["i"] and extents["j"]):
            return Counter()
        for value in form.values:
            if used.setdefault(value, letter) != letter:
                raise Broken(WHAT, one.op, f"%{value.name} moves {used[value]} and {letter} at once")
        visits = _visited(letter, extents[letter], form, sorted(first), axes, units[letter], one.op)
        if letter != "k":
            _once(letter, extents[letter], visits, one.op)
    moving = {value for form in used for value in origins(form)}
    moving |= {value for form in matmul.batch_variables for value in origins(form)}
    idle = next((axis for axis in axes if axis.variable not in moving and len(axis.numbers or (0, 0)) > 1), None)
    if idle is not None:
        raise Broken(WHAT, idle.op, f"each iteration over %{idle.name} computes the same once more")
    return visits


_Position = tuple[Linear, Linear, Linear]


def _position(matmul: Matmul, one: Product, source: Source) -> _Position:
    """Row, column and summed subscript of a product."""
    row, column = _of_c(matmul, one)
    return row, column, _agreeing(matmul, one, row, column, source)


def _of_c(matmul: Matmul, one: Product) -> tuple[Linear, Linear]:
    read, written = known_subscripts(one.c), known_subscripts(one.stored)
    is_staged = isinstance(one.stored, mma.StoreMatrix) and matmul.sums is not matmul.c.memref
    if (
        one.c.memref is not one.stored.memref
        or list(map(key_of, read)) != list(map(key_of, written))
        or box(one.c) != box(one.stored)
    ):
        raise Broken(WHAT, one.stored, "the sum is not stored where its summand comes from")
    by_letter = dict(zip(matmul.c.letters, written, strict=True))
    if is_staged:
        by_letter = {letter: form.plus(matmul.start(letter)) for letter, form in by_letter.items()}
    return by_letter["i"], by_letter["j"]


def _agreeing(matmul: Matmul, one: Product, row: Linear, column: Linear, source: Source) -> Linear:
    """The summed subscript; the others have to be those of C."""
    a = _by_letter(one.a, matmul.a, source)
    b = _by_letter(one.b, matmul.b, source)
    for name, found, wanted in (("row of A", a["i"], row), ("column of B", b["j"], column), ("k of B", b["k"], a["k"])):
        if key_of(found) != key_of(wanted):
            raise Broken(WHAT, one.op, f"the {name} is not that of what it is combined with")
    return a["k"]


def _by_letter(op: Access, matrix: Matrix, source: Source) -> dict[str, Linear]:
    forms = source(op, matrix, known_subscripts(op))
    return dict(zip(matrix.letters, forms, strict=True))


def _units(matmul: Matmul, one: Product) -> dict[str, int]:
    """How many rows, columns and summed elements one product has."""
    sizes = dict(zip(matmul.c.letters, box(one.stored), strict=True))
    for matrix, op in ((matmul.a, one.a), (matmul.b, one.b)):
        for letter, size in zip(matrix.letters, box(op), strict=True):
            if sizes.setdefault(letter, size) != size:
                raise Broken(WHAT, op, f"reads {size} elements along {letter}, where {sizes[letter]} are combined")
    return sizes


def _visited(
    letter: str,
    extent: int,
    form: Linear,
    starts: Sequence[int],
    axes: Sequence[Axis],
    unit: int,
    op: Operation,
) -> Counter[int]:
    """How often each number comes; `starts` are the constants of the sum."""
    values = list(starts)
    found = [(value, factor, taken(value, axes)) for value, factor in form.terms]
    if any(trips is not None and not trips for _, _, trips in found):
        return Counter()
    for value, factor, trips in found:
        if trips is None:
            raise Broken(WHAT, op, f"{letter} depends on %{value.name}, which is no loop of known bounds")
        if len(values) * len(trips) > 2 * extent:
            raise Broken(WHAT, op, f"there are more iterations than the {extent} of {letter}")
        values = [base + factor * trip for base in values for trip in trips]
    return Counter(base + k for base in values for k in range(unit))


def _once(letter: str, extent: int, visits: Counter[int], op: Operation) -> None:
    """Each number from 0 to the extent comes once, and no other."""
    wrong = next((n for n in range(extent) if visits[n] != 1), None)
    if wrong is not None:
        raise Broken(WHAT, op, f"{letter} = {wrong} is visited {visits[wrong]} times, not once")
    if len(visits) != extent:
        outside = next(n for n in visits if not 0 <= n < extent)
        raise Broken(WHAT, op, f"{letter} = {outside} is visited, which is outside of the {extent} there are")
