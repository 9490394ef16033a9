"""Stage 10, cse_hoist_c: each matrix of A and B is read once in a step; C stays in registers over the whole of k.

before:  for %k { for %kk { c0 = load C; .. store C; c1 = load C; .. } }
after:   c = load C; c' = for %k carrying c { for %kk carrying c { .. } }; store c'

Products that are scaled are summed from zero, and the sum is scaled and added to C behind the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, arith, mma
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.types import BuiltinType
from tilewright.transforms.matmul_stages.carrying import carrying, hand_on
from tilewright.transforms.matmul_stages.dependences import accesses
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    Key,
    applied,
    inside,
    key_of,
    name_of,
    variable,
)
from tilewright.transforms.matmul_stages.s06_wmma_generate import check_matrices, operations_of, scaled, zeros
from tilewright.transforms.matmul_stages.s09_unroll_inner import check_unrolled
from tilewright.transforms.matmul_stages.visits import check_visits, known_subscripts

NAME = "cse_hoist_c"
_Place = tuple[Key, ...]


class _Sum:
    """A matrix of C in a step: as it is read first, and what it is in the end."""

    def __init__(self, load: mma.LoadMatrix) -> None:
        self.load = load
        self.value: Value = load.out
        self.store: mma.StoreMatrix | None = None


def apply(matmul: Matmul) -> str:
    """Read matrices once, forward what was stored, and carry C through kk and k."""
    k, kk = matmul.loop("k", NAME), matmul.loop("kk", NAME)
    _check_c(matmul, k, kk)
    before = _loads(kk)
    if matmul.alpha is not None:
        _leave_scaling(kk, matmul.alpha)
    _read_once(matmul, kk)
    sums = _forwarded(matmul, kk)
    _hoist(matmul, k, kk, sums)
    return (
        f"{before} -> {_loads(matmul.loop('kk', NAME))} reads of matrices in a step along kk, {len(sums)} sums carried"
    )


def _leave_scaling(kk: affine.For, alpha: Value) -> None:
    """Let products be added to C as they are: their sum is scaled behind the loops."""
    for store in [op for op in inside(kk) if isinstance(op, mma.StoreMatrix)]:
        added = store.src.defining_op
        assert isinstance(added, mma.Elementwise), "stage 6 scales each product"
        summand, multiplied = added.args[0], added.args[1].defining_op
        assert isinstance(multiplied, mma.Elementwise)
        compute = multiplied.args[0].defining_op
        assert isinstance(compute, mma.Compute)
        idle = [compute.opC.defining_op, multiplied.args[1].defining_op]
        compute.set_operand(2, summand)
        store.set_operand(0, compute.out)
        for op in (added, multiplied, *idle):
            if op is not None:
                _erase_with_operands(op, alpha)


def _loads(loop: affine.For) -> int:
    return sum(isinstance(op, mma.LoadMatrix) for op in inside(loop))


def _check_c(matmul: Matmul, k: affine.For, kk: affine.For) -> None:
    """C is touched in the body of kk only, at places that do not move with k or kk."""
    own = {variable(k), variable(kk)}
    places: dict[_Place, mma.LoadMatrix | mma.StoreMatrix] = {}
    for op in accesses(k):
        if op.memref is not matmul.sums:
            continue
        if not isinstance(op, mma.LoadMatrix | mma.StoreMatrix) or op.block is not kk.body.entry:
            raise NotApplicable(
                op, f"%{op.memref.name} is accessed beside the products, so it cannot stay in registers"
            )
        if any(value in own for form in known_subscripts(op) for value in form.values):
            raise NotApplicable(op, f"the matrix of %{op.memref.name} moves with k, so it cannot stay in registers")
        places[_place(op)] = op
    for first, second in combinations(places.values(), 2):
        if _overlap(first, second):
            raise NotApplicable(second, f"matrices of %{matmul.sums.name} overlap each other in part")


def _place(op: mma.LoadMatrix | mma.StoreMatrix) -> _Place:
    return tuple(map(key_of, known_subscripts(op)))


def _overlap(
    first: mma.LoadMatrix | mma.StoreMatrix,
    second: mma.LoadMatrix | mma.StoreMatrix,
) -> bool:
    """Whether two matrices may share elements."""
    for here, there, size, other in zip(
        known_subscripts(first), known_subscripts(second), first.box, second.box, strict=True
    ):
        apart = there.plus(here, -1)
        if not apart.terms and not -other < apart.constant < size:
            return False
    return True


def _read_once(matmul: Matmul, kk: affine.For) -> None:
    """Use the first of several reads of one matrix of A or B, which nothing in the step writes."""
    written = {op.memref for op in accesses(kk) if isinstance(op, mma.StoreMatrix | affine.Store)}
    known: dict[tuple[Value, _Place, BuiltinType], Value] = {}
    for op in inside(kk):
        if isinstance(op, mma.LoadMatrix) and op.memref not in written:
            first = known.setdefault((op.memref, _place(op), op.matrix), op.out)
            if first is not op.out:
                op.out.replace_all_uses_with(first)
                _erase_with_operands(op)


def _forwarded(matmul: Matmul, kk: affine.For) -> list[_Sum]:
    """The matrices of C: read where they were stored before, and stored only where they are stored last."""
    sums: dict[_Place, _Sum] = {}
    for op in inside(kk):
        if isinstance(op, mma.LoadMatrix) and op.memref is matmul.sums:
            known = sums.get(_place(op))
            if known is None:
                sums[_place(op)] = _Sum(op)
            else:
                op.out.replace_all_uses_with(known.value)
                _erase_with_operands(op)
        elif isinstance(op, mma.StoreMatrix) and op.memref is matmul.sums:
            known = sums.get(_place(op))
            if known is None:
                raise NotApplicable(op, f"a matrix of %{op.memref.name} is written that was not read before")
            if known.store is not None:
                _erase_with_operands(known.store)
            known.store, known.value = op, op.src
    return list(sums.values())


def _erase_with_operands(op: Operation, kept: Value | None = None) -> None:
    """Erase an operation, and the subscripts and constants that only it uses, but for one."""
    operands = {value.defining_op for value in op.operands}
    op.erase()
    for definition in operands:
        if not isinstance(definition, affine.Apply | arith.Constant) or definition.out is kept:
            continue
        if not definition.out.uses:
            definition.erase()


def _hoist(matmul: Matmul, k: affine.For, kk: affine.For, sums: Sequence[_Sum]) -> None:
    places = [known_subscripts(one.load) for one in sums]
    build = Builder.before_op(k)
    first: list[Value] = []
    indices: list[list[Value]] = []
    for number, (one, forms) in enumerate(zip(sums, places, strict=True)):
        indices.append([applied(build, form) for form in forms])
        sum_ = (
            zeros(matmul, build, one.load.matrix)
            if matmul.alpha is not None
            else _read(matmul, build, one, indices[-1])
        )
        first.append(sum_)
        first[-1].name = f"c_reg_{number}"
    outer = carrying(k, first)
    inner = carrying(kk, list(outer.body.entry.arguments[1:]))
    matmul.mark("k", outer)
    matmul.mark("kk", inner)
    for one, argument in zip(sums, inner.body.entry.arguments[1:], strict=True):
        one.load.out.replace_all_uses_with(argument)
    hand_on(inner, [argument if one.store is None else one.value for one, argument in _with(sums, inner)])
    hand_on(outer, list(inner.outs))
    build = Builder(outer.block, outer.next, outer.location) if outer.block is not None else build
    for one, value, place in zip(sums, outer.outs, indices, strict=True):
        total = value if matmul.alpha is None else scaled(matmul, build, value, _read(matmul, build, one, place))
        build(operations_of(matmul).store(total, matmul.sums, place, one.load.leadDimension))
        if one.store is not None:
            _erase_with_operands(one.store)
        _erase_with_operands(one.load)


def _read(matmul: Matmul, build: Builder, one: _Sum, place: Sequence[Value]) -> Value:
    """The matrix of C that a sum is added to."""
    load = one.load
    read = operations_of(matmul).load
    return build(read(load.memref, list(place), load.leadDimension, result_types=[load.matrix])).out


def _with(sums: Sequence[_Sum], loop: affine.For) -> Iterator[tuple[_Sum, Value]]:
    return zip(sums, loop.body.entry.arguments[1:], strict=True)


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """Reads of A and B in a step are a sum, not a product; C is read before and stored behind k, which carries it."""
    check_unrolled(matmul)
    check_carried(matmul)
    check_matrices(matmul)
    check_visits(matmul, matmul.loop("i", NAME))


def check_carried(matmul: Matmul) -> None:
    """The numbers of reads, of values carried, and where C is read and stored."""
    k, kk = matmul.loop("k", NAME), matmul.loop("kk", NAME)
    m, n, steps = matmul.schedule.fragments
    wanted = (m + n) * steps
    if _loads(kk) != wanted:
        raise Broken("fragment loads", kk, f"{_loads(kk)} reads of matrices in a step, not ({m} + {n}) * {steps}")
    for loop in (k, kk):
        if len(loop.inits) != m * n:
            said = f"%{name_of(loop)} carries {len(loop.inits)} sums, not {m} * {n}"
            raise Broken("carried count", loop, said)
    for op in accesses(matmul.nest(NAME)):
        if op.memref is matmul.sums and k.is_ancestor_of(op):
            raise Broken("C in registers", op, f"%{op.memref.name} is accessed in the loop over k")
