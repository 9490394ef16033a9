"""What works element by element behind a product: loops over all of its elements, and elementwise collectives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from msgspec import Struct

from tilewright.dialects import arith, memref, scf, tl
from tilewright.dialects.builder import new_region
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import INDEX
from tilewright.transforms.emit import constant_of, integer_of, memref_type
from tilewright.transforms.extents import Extents
from tilewright.transforms.fuse_epilogues.places import Access, Variables, access_of
from tilewright.transforms.index_ranges import home_of

_MOST_OPERATIONS = 2048


class Loops(Struct, frozen=True):
    """Loops around loads, stores and arithmetic, in the order of the text."""

    op: Operation
    body: tuple[Operation, ...]
    accesses: dict[Operation, Access]
    variables: Variables

    def all_accesses(self) -> list[Access]:
        """Loads and stores."""
        return list(self.accesses.values())


class Instruction(Struct, frozen=True):
    """An elementwise collective: the inputs that it reads, and the target, which it reads unless beta is 0."""

    op: tl.ElementwiseCollective
    inputs: tuple[Access, ...]
    target: Access

    @property
    def reads_target(self) -> bool:
        """Whether beta is not the constant 0."""
        return constant_of(self.op.operands[-2]) != 0

    def all_accesses(self) -> list[Access]:
        """Inputs and the target."""
        return [*self.inputs, self.target]


Neighbour = Loops | Instruction


def written_by(product: tl.Gemm | tl.Gemv) -> Access:
    """The elements that a product writes."""
    return _whole(product.c, turned=False)


def _whole(view: Value, *, turned: bool) -> Access:
    """All elements of a view, its modes those of the product or the other way round."""
    order = memref_type(view).order
    _, block = new_region([INDEX] * order)
    modes = range(order)[::-1] if turned else range(order)
    variables: Variables = dict(zip(block.arguments, modes, strict=True))
    access = access_of(view, block.arguments, variables, writes=True)
    assert access is not None, "every index is a variable of its own"
    return access


def neighbour_of(op: Operation, product: Value, extents: Extents) -> Iterator[Neighbour]:
    """What an operation does at each point of a product, in every way in which its loops may run through these."""
    if isinstance(op, tl.ElementwiseCollective):
        found = _instruction(op) if extents.same_shape(op.operands[-1], product) else None
        if found is not None:
            yield found
        return
    nest = _nest(op)
    if nest is None or len(nest.variables) != memref_type(product).order:
        return
    for modes in permutations(range(len(nest.variables))):
        if all(extents.is_extent(upper, product, mode) for upper, mode in zip(nest.uppers, modes, strict=True)):
            loops = _loops(op, nest, dict(zip(nest.variables, modes, strict=True)))
            if loops is not None:
                yield loops


def _instruction(op: tl.ElementwiseCollective) -> Instruction | None:
    """None where factors say that it does something else."""
    alpha, target = op.operands[0], op.operands[-1]
    if op.attributes.get("atomic") or constant_of(alpha) == 0:
        return None
    order = memref_type(target).order
    _, *inputs = op.tensor_modes()
    sources = [_whole(op.operands[k.operand], turned=k.transposed and order == 2) for k in inputs]
    reads = tuple(Access(s.view, s.positions, s.elements, writes=False) for s in sources)
    return Instruction(op, reads, _whole(target, turned=False))


class _Nest(Struct, frozen=True):
    variables: tuple[Value, ...]
    uppers: tuple[Value, ...]
    body: tuple[Operation, ...]


def _nest(op: Operation) -> _Nest | None:
    """Loops from 0 on, one directly in the other but for what stands in front, with the operations inside."""
    match op:
        case tl.Foreach():
            if any(integer_of(lower) != 0 for lower in op.lowers):
                return None
            return _Nest(tuple(op.body.entry.arguments), tuple(op.uppers), tuple(_inside(op)))
        case scf.For():
            if op.results or integer_of(op.lower) != 0 or (op.step is not None and integer_of(op.step) != 1):
                return None
            body = list(_inside(op))
            inner = _nest(body.pop()) if body and isinstance(body[-1], scf.For) else _Nest((), (), ())
            if inner is None:
                return None
            return _Nest((op.index, *inner.variables), (op.upper, *inner.uppers), (*body, *inner.body))
        case _:
            return None


def _inside(op: tl.Foreach | scf.For) -> Iterator[Operation]:
    return (inner for inner in op.body.entry if not isinstance(inner, scf.Yield))


def _loops(op: Operation, nest: _Nest, variables: Variables) -> Loops | None:
    """None if anything inside is not done at each point by itself, or depends on where the point is."""
    if len(nest.body) > _MOST_OPERATIONS:
        return None
    accesses: dict[Operation, Access] = {}
    indices: set[Value] = set(variables)
    for inner in nest.body:
        if isinstance(inner, arith.Cast) and inner.value in variables and inner.out.type is INDEX:
            indices.add(inner.out)
    for inner in nest.body:
        match inner:
            case memref.Load() | memref.Store():
                access = _access(op, inner, variables)
                if access is None:
                    return None
                accesses[inner] = access
                used: Sequence[Value] = [inner.value] if isinstance(inner, memref.Store) else []
            case arith.Cast() if inner.out in indices:
                continue
            case Elementwise() | arith.Constant():
                used = inner.operands
            case _:
                return None
        if any(value in indices for value in used):
            return None
    return Loops(op, nest.body, accesses, variables)


def _access(loops: Operation, op: memref.Load | memref.Store, variables: Variables) -> Access | None:
    """An access whose fixed indices and memref are known in front of the loops."""
    box = op.box()
    found = access_of(box.memref, box.indices, variables, writes=box.writes)
    if found is None or not all(isinstance(p, int) or _is_outside(p, loops) for p in (*found.positions, found.view)):
        return None
    return None if found.writes and not found.has_each_point(len(variables)) else found


def _is_outside(value: Value, loops: Operation) -> bool:
    home = home_of(value)
    return home is None or not loops.is_ancestor_of(home)
