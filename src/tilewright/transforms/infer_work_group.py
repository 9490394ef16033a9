"""infer-work-group: every kernel gets `subgroup_size` and `work_group_size`.

before:  builtin.kernel {sym_name = "f"} { %s = team.subgroup_size -> i32 .. }
after:   builtin.kernel {sym_name = "f", subgroup_size = 16, work_group_size = [16, 1]} { %s = arith.constant 16 .. }

The kernel's own attributes win; then the target's preferences among the sizes that the program's constraints admit.
`team.subgroup_size` and `team.num_subgroups` are constants afterwards.

A target's preference depends on what a work-group shares. Loops over single elements may become an instruction that it
does, so kernels of nothing but loops can wait for a second run behind the pass that finds these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Final

from msgspec import Struct, field

from tilewright.diagnostics import Diagnostic, Location, Report
from tilewright.dialects import memref, scf, team, tl
from tilewright.dialects.arith import Constant
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Operation
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import I32, CoopMatrixType, Type
from tilewright.transforms.generic_policies import GenericTeamPolicy
from tilewright.transforms.policy import TeamPolicy


class InferWorkGroup(Pass, frozen=True):
    """Choose subgroup and work-group sizes."""

    name: ClassVar[str] = "infer-work-group"
    policy: TeamPolicy = field(default_factory=GenericTeamPolicy)
    waits: bool = False
    """Whether there is a second run, for kernels of loops."""

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            if self.waits and _is_of_loops(kernel):
                continue
            size = _subgroup_size(kernel, self.policy, context.report)
            if size is None:
                continue
            is_said = kernel.work_group_size is not None
            shape = kernel.work_group_size or self.policy.work_group_size(kernel, size)
            if _valid_work_group(kernel, size, shape, self.policy, context.report):
                kernel.subgroup_size, kernel.work_group_size = size, shape
                if context.offers is not None and not is_said:
                    context.offers.add(kernel.sym_name, self.policy.moves_from(kernel, size, shape))
                _fold(kernel, size, shape)


def _is_of_loops(kernel: Kernel) -> bool:
    """Whether a kernel of no size of its own shares nothing yet, nor asks who it is, and stores in loops."""
    if kernel.work_group_size is not None or kernel.subgroup_size is not None:
        return False
    operations = [op for op in kernel.walk() if op is not kernel]
    if any(op.name.partition(".")[0] in (_TEAM, _INSTRUCTIONS) for op in operations):
        return False
    return any(isinstance(op, memref.Store) and isinstance(op.parent_op, scf.For) for op in operations)


_TEAM: Final = "team"
_INSTRUCTIONS: Final = "tl"
"""Dialects of who works, and of what a work-group does together."""


class _Constraint(Struct, frozen=True):
    """A demand of the program on the subgroup size."""

    text: str
    location: Location
    admits: Callable[[int], bool]


def _divides(extent: int, what: str, location: Location) -> _Constraint:
    return _Constraint(f"must divide {extent}, {what}", location, lambda s: extent % s == 0)


def _rows(type_: Type, what: str, location: Location) -> Iterator[_Constraint]:
    if isinstance(type_, CoopMatrixType):
        yield _divides(type_.rows, f"the rows of {what}", location)


def _constraints(kernel: Kernel) -> list[_Constraint]:
    """Demands, the first of each wording."""
    found: dict[str, _Constraint] = {}
    for op in kernel.walk():
        for constraint in _constraints_of(op):
            found.setdefault(constraint.text, constraint)
    if kernel.work_group_size is not None:
        constraint = _divides(
            kernel.work_group_size[0], "the first entry of work_group_size", kernel.place("work_group_size")
        )
        found.setdefault(constraint.text, constraint)
    return list(found.values())


def _constraints_of(op: Operation) -> Iterator[_Constraint]:
    for value in op.results:
        if isinstance(type_ := value.type, CoopMatrixType) and type_.rows & (type_.rows - 1):
            yield _divides(type_.rows, f"the rows of {type_}, which are no power of two", value.location)
    match op:
        case tl.ForeachTile():
            yield _divides(op.tile_shape[0], "the first tile size of foreach_tile", op.location)
        case tl.CoopMulAdd():
            yield from _rows(op.a.type, "a matrix in mul_add", op.location)
            yield from _rows(op.out.type, "a matrix in mul_add", op.location)
        case tl.CoopReduce():
            yield from _rows(op.matrix.type, "a matrix in reduce", op.location)
        case _:
            return


def _subgroup_size(kernel: Kernel, policy: TeamPolicy, report: Report) -> int | None:
    constraints = _constraints(kernel)
    given = kernel.subgroup_size
    if given is not None and given not in policy.subgroup_sizes:
        report.error("V17", kernel.place("subgroup_size"), f"the target has no subgroup size {given}").hint(
            f"it supports {_listed(policy)}"
        )
        return None
    for size in policy.subgroup_sizes if given is None else (given,):
        if all(c.admits(size) for c in constraints):
            return size
    if given is not None:
        failed = [c for c in constraints if not c.admits(given)]
        _explain(report.error("V17", kernel.location, f"subgroup size {given} does not suit the kernel"), failed)
    else:
        error = report.error("V17", kernel.location, "no subgroup size of the target suits the kernel")
        _explain(error, constraints).hint(f"the target supports {_listed(policy)}")
    return None


def _explain(error: Diagnostic, constraints: list[_Constraint]) -> Diagnostic:
    for constraint in constraints:
        error.label(constraint.location, f"it {constraint.text}")
    return error


def _listed(policy: TeamPolicy) -> str:
    return ", ".join(str(s) for s in sorted(policy.subgroup_sizes))


def _valid_work_group(kernel: Kernel, size: int, shape: tuple[int, int], policy: TeamPolicy, report: Report) -> bool:
    m, n = shape
    place = kernel.place("work_group_size")
    if m < 1 or n < 1:
        report.error("V17", place, f"work_group_size [{m}, {n}] must be positive")
    elif m % size:
        report.error("V17", place, f"work_group_size [{m}, {n}]: {m} is no multiple of the subgroup size {size}")
    elif m * n > policy.max_work_group_size:
        report.error(
            "V17", place, f"a work-group of {m} x {n} work-items exceeds the target's {policy.max_work_group_size}"
        )
    else:
        return True
    return False


def _fold(kernel: Kernel, size: int, shape: tuple[int, int]) -> None:
    extents = (shape[0] // size, shape[1], 1)
    for op in list(kernel.walk()):
        match op:
            case team.SubgroupSize():
                value = size
            case team.NumSubgroups():
                value = extents[op.dim]
            case _:
                continue
        constant = Constant(value, result_types=[I32], location=op.location)
        assert op.block is not None
        op.block.insert(constant, op)
        op.result.replace_all_uses_with(constant.out)
        op.erase()
