"""Memory: allocation, access, atomics (V6, V25, V30 to V33)."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects import memref, team
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.memref import AtomicKind, Semantics
from tilewright.frontends.tensor_language.rules.facts import counted, element, integer_of, name_of
from tilewright.frontends.tensor_language.rules.kernels import check_alignment
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import SPMD_REGION
from tilewright.ir.interfaces import ViewLike, root_of
from tilewright.ir.types import AddressSpace, GroupType, MemrefType

_MAX_ALIGNMENT = 128


def alloca(op: memref.Alloca, report: Report) -> None:
    """Static shape, local memory, an alignment that the stack can give."""
    type_ = op.out.type
    if not isinstance(type_, MemrefType):
        return
    where = op.place("type")
    if not type_.is_static:
        report.error("V25", where, "the size of an allocation must be known").hint(
            "give a number for every `?`; a larger one and a subview serve sizes known at run time"
        )
    if type_.space is not AddressSpace.LOCAL:
        report.error("V25", where, "alloca gives local memory").hint(f"write {str(type_)[:-1]},local>")
    alignment = op.attributes.get("alignment")
    if alignment is None:
        return
    place = op.place("alignment")
    if not check_alignment(alignment, type_, place, report) or not isinstance(alignment, int):
        return
    if alignment > _MAX_ALIGNMENT or alignment & (alignment - 1):
        report.error("V25", place, f"alignment {alignment} cannot be had in local memory").hint(
            f"it is a power of two up to {_MAX_ALIGNMENT}"
        )


def _certain(op: Operation) -> bool:
    """Whether an operation runs whenever the kernel does."""
    return all(isinstance(outer, Module | Kernel | team.Spmd) for outer in op.ancestors())


def _access(op: Operation, source: Value, first: int, report: Report, code: str = "V30") -> None:
    """One index for each mode, in the extents where they are known; indices are the operands from `first` on."""
    type_ = source.type
    if not isinstance(type_, MemrefType):
        return
    indices = op.operands[first:]
    if len(indices) != type_.order:
        report.error(
            code, op.location, f"{counted(len(indices), 'index')} for {name_of(source)} of order {type_.order}"
        ).label(source.location, "defined here").hint("give one index for each mode")
        return
    for mode, (index, extent) in enumerate(zip(indices, type_.shape, strict=True)):
        known = integer_of(index)
        if known is None or (known >= 0 and (extent is None or known < extent)):
            continue
        add = report.error if _certain(op) else report.warning
        bound = "" if extent is None else f", which has {counted(extent, 'element')}"
        add("V32", op.place(("operand", first + mode)), f"index {known} is outside mode {mode}{bound}").label(
            source.location, f"{name_of(source)} is defined here"
        ).hint("indices count from 0" + (f" to {extent - 1}" if extent else ""))


def _result_fits(op: Operation, source: Value, report: Report, code: str) -> None:
    wanted = element(source)
    if wanted is not None and op.results[0].type is not wanted:
        report.error(
            code, op.place("type"), f"the elements of {name_of(source)} are {wanted}, not {op.results[0].type}"
        ).label(source.location, "defined here").hint(f"write {wanted}, and cast afterwards")


def _value_fits(op: Operation, value: Value, target: Value, report: Report, code: str) -> None:
    wanted = element(target)
    if wanted is not None and value.type is not wanted:
        report.error(
            code, op.place(("operand", 0)), f"{name_of(value)} is {value.type}, {name_of(target)} holds {wanted}"
        ).label(value.location, "defined here").hint(f"write `cast {name_of(value)} : {wanted}` first")


def load(op: memref.Load, report: Report) -> None:
    """Indices, and the element's type."""
    _access(op, op.memref, 1, report)
    _result_fits(op, op.memref, report, "V30")


def store(op: memref.Store, report: Report) -> None:
    """Indices, and the value's type."""
    _access(op, op.memref, 2, report)
    _value_fits(op, op.value, op.memref, report, "V30")


def group_load(op: memref.GroupLoad, report: Report) -> None:
    """The group's memref, inside the group."""
    type_ = op.group.type
    if not isinstance(type_, GroupType):
        return
    if op.out.type != type_.memref:
        report.error("V31", op.place("type"), f"the elements of {name_of(op.group)} are not {op.out.type}").label(
            op.group.location, "defined here"
        ).hint(f"write {type_.memref}")
    known = integer_of(op.index)
    if known is not None and (known < 0 or (type_.size is not None and known >= type_.size)):
        bound = "" if type_.size is None else f" of {counted(type_.size, 'memref')}"
        report.error("V31", op.place(("operand", 1)), f"index {known} is outside the group{bound}").label(
            op.group.location, "defined here"
        ).hint("indices count from 0" + (f" to {type_.size - 1}" if type_.size else ""))


def _elected(op: Operation, report: Report) -> None:
    """In a collective region one work-item performs the atomic."""
    if not any(SPMD_REGION in outer.definition.traits for outer in op.ancestors()):
        report.warning(
            "V33", op.place("mnemonic"), "in a collective region this runs once for the whole work-group"
        ).hint("put it into parallel or foreach if every work-item is meant")


def check_load_semantics(op: Operation, semantics: Semantics, report: Report) -> None:
    """Warn of a release part, which a load does not have."""
    if semantics in (Semantics.RELEASE, Semantics.ACQUIRE_RELEASE):
        report.warning("V33", op.location, f"a load has no release part; {semantics.value} loses it").hint(
            "write .acquire or .relaxed"
        )


def check_store_semantics(op: Operation, semantics: Semantics, report: Report) -> None:
    """Warn of an acquire part, which a store does not have."""
    if semantics in (Semantics.ACQUIRE, Semantics.ACQUIRE_RELEASE):
        report.warning("V33", op.location, f"a store has no acquire part; {semantics.value} loses it").hint(
            "write .release or .relaxed"
        )


def atomic_load(op: memref.AtomicLoad, report: Report) -> None:
    """Indices, the element's type, semantics that a load can have."""
    _access(op, op.memref, 1, report, "V33")
    _result_fits(op, op.memref, report, "V33")
    check_load_semantics(op, op.semantics, report)


def atomic_store(op: memref.AtomicStore, report: Report) -> None:
    """Indices, the value's type, semantics that a store can have."""
    _access(op, op.memref, 2, report, "V33")
    _value_fits(op, op.value, op.memref, report, "V33")
    check_store_semantics(op, op.semantics, report)


def atomic_rmw(op: memref.AtomicRmw, report: Report) -> None:
    """Types; an order for max and min."""
    _access(op, op.memref, 2, report, "V33")
    _value_fits(op, op.value, op.memref, report, "V33")
    _result_fits(op, op.memref, report, "V33")
    _elected(op, report)
    held = element(op.memref)
    if held is not None and held.is_complex and op.kind is not AtomicKind.ADD:
        report.error("V33", op.place("mnemonic"), f"{op.kind.value} needs an order, which {held} does not have").label(
            op.memref.location, "defined here"
        ).hint("only atomic_add works on complex numbers")


def lifetime_stop(op: memref.LifetimeStop, report: Report) -> None:
    """An allocation that nothing uses afterwards."""
    root = root_of(op.memref)
    allocation = root.defining_op
    if not isinstance(allocation, memref.Alloca) or root is not op.memref:
        report.error("V6", op.place(("operand", 0)), f"{name_of(op.memref)} is no allocation").label(
            root.location, "defined here"
        ).hint("lifetime_stop takes the result of an alloca")
        return
    later = _following(op)
    views = [root]
    for view in views:
        for user in view.uses:
            if isinstance(user, ViewLike):
                views += user.results
            outer = user if user.block is op.block else next((o for o in user.ancestors() if o.block is op.block), None)
            if outer in later:
                report.error(
                    "V6",
                    user.place(("operand", user.operands.index(view))),
                    f"{name_of(view)} is used after its lifetime",
                ).label(op.location, "its lifetime ends here").hint("move lifetime_stop behind the last use")


def _following(op: Operation) -> set[Operation | None]:
    """Operations behind `op` in its block."""
    found: set[Operation | None] = set()
    after = op.next
    while after is not None:
        found.add(after)
        after = after.next
    return found


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {
        memref.Alloca: alloca,
        memref.LifetimeStop: lifetime_stop,
        memref.Load: load,
        memref.Store: store,
        memref.GroupLoad: group_load,
        memref.AtomicLoad: atomic_load,
        memref.AtomicStore: atomic_store,
        memref.AtomicRmw: atomic_rmw,
    }
