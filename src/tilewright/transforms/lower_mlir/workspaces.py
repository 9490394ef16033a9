"""Memory whose extents only a launch knows: a parameter of the kernel that the launch makes memory for.

What a function allocates in a loop is the same memory each time, so such loops are none whose iterations run at once.
Where an extent is not determined by a launch but no greater than something that is (a minimum, the index of a loop),
the memory has room for that, and the function uses a part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from msgspec.structs import replace

from tilewright.artifacts.constraint_codec import polynomial_to_json
from tilewright.artifacts.constraints import Polynomial
from tilewright.artifacts.parameters import MADE_ALIGNMENT
from tilewright.dialects import arith, scf
from tilewright.dialects import memref as shared
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Attribute, BlockArgument, Operation, Value
from tilewright.ir.types import MemrefType, packed_strides
from tilewright.transforms.launch_quantities import LaunchQuantities
from tilewright.transforms.lower_mlir.context import Agreement, Lowering, Number, Unsupported, Workspace

_NESTS = (scf.For, scf.If, scf.While, Kernel)


def workspace(low: Lowering, op: Operation, type_: MemrefType, sizes: Sequence[Number], alignment: int | None) -> Value:
    """A view of memory that the launch makes, as long as `sizes` say."""
    if low.threads is not None or low.outlined:
        said = "memory of a thread or of one of several blocks has extents that are known, or a minimum with a constant"
        raise Unsupported(op, f"{op.name}: {op.results[0].type}: {said}")
    if MADE_ALIGNMENT % (alignment or 1):
        raise Unsupported(op, f"{op.name}: memory whose extents a launch says lies at multiples of {MADE_ALIGNMENT}")
    open_ = MemrefType(type_.element, (None,) * type_.order, packed_strides((None,) * type_.order), type_.space)
    entry = low.buffers.entry
    taken = {argument.name for argument in entry.arguments}
    name = op.results[0].name or "memory"
    names = (name, *(f"{name}_{k}" for k in range(len(taken))))
    memory = entry.add_argument(open_, next(one for one in names if one not in taken), op.location)
    view = shared.Subview(
        memory,
        [],
        [low.index(size) for size in sizes],
        (0,) * type_.order,
        (None,) * type_.order,
        result_types=[open_],
    )
    low.workspaces.append(Workspace(memory, view, op))
    return low.b(view).out


def sized(kernel: Kernel, made: Sequence[Workspace]) -> list[dict[str, Attribute]]:
    """Says of each workspace how long it is, in terms of what a launch gives; their attributes as parameters."""
    known = LaunchQuantities(kernel)
    for op in kernel.walk():
        if op is not kernel:
            known.see(op)
    found: list[dict[str, Attribute]] = []
    for one in made:
        _run_in_order(one)
        extents = [_bound(known, size) for size in one.view.sizes]
        exact = [known.integer(size) for size in one.view.sizes]
        if any(extent is None or not extent.is_small for extent in extents):
            said = f"{one.op.name}: {one.op.results[0].type} has extents that neither the text nor a launch determines"
            raise Unsupported(one.op, f"{said}; memory has extents of arguments, integers, or a minimum with them")
        written = tuple(polynomial_to_json(extent) for extent in extents if extent is not None)
        found.append({"noalias": True, "made": cast("Attribute", written), "alignment": MADE_ALIGNMENT})
        if extents == exact:
            one.view.out.replace_all_uses_with(one.memory)
            one.view.erase()
    return found


def renamed(agreements: Sequence[Agreement], made: Sequence[Workspace]) -> list[Agreement]:
    """Agreements on views that are whole workspaces as such on these."""
    whole = {one.view.out: one.memory for one in made if one.view.block is None}

    def of(agreement: Agreement) -> Agreement:
        (first, mode), (second, other) = agreement.first, agreement.second
        return replace(agreement, first=(whole.get(first, first), mode), second=(whole.get(second, second), other))

    return list(map(of, agreements))


def _run_in_order(one: Workspace) -> None:
    """The loops around an allocation run one iteration after the other."""
    parent = one.view.parent_op
    while parent is not None:
        if not isinstance(parent, _NESTS):
            said = "memory whose extents a launch says is allocated in functions, loops and branches"
            raise Unsupported(one.op, f"{one.op.name}: {said}, not in {parent.name}")
        if isinstance(parent, scf.For):
            parent.attributes.pop("parallel", None)
        parent = None if isinstance(parent, Kernel) else parent.parent_op


def _bound(known: LaunchQuantities, size: Value) -> Polynomial | None:
    """What an extent is, or is never greater than."""
    exact = known.integer(size)
    if exact is not None:
        return exact
    if isinstance(size, BlockArgument):
        loop = size.block.parent_op
        upper = _bound(known, loop.upper) if isinstance(loop, scf.For) and size.index == 0 else None
        return None if upper is None else upper - Polynomial.constant(1)
    match size.defining_op:
        case arith.Min() as op:
            bounds = [bound for one in (op.lhs, op.rhs) if (bound := _bound(known, one)) is not None]
            return min(bounds, key=lambda bound: bound.number is None, default=None)
        case arith.Add() as op:
            left, right = _bound(known, op.lhs), _bound(known, op.rhs)
            return None if left is None or right is None else left + right
        case arith.Sub() as op:
            left, less = _bound(known, op.lhs), known.integer(op.rhs)
            return None if left is None or less is None else left - less
        case shared.Size() as op if isinstance(op.source.defining_op, shared.Subview):
            whole = op.source.defining_op.given_extent(op.mode)
            return _bound(known, whole) if isinstance(whole, Value) else None
        case _:
            return None
