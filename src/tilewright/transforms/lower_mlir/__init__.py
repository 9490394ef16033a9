"""lower-mlir: from MLIR's dialects to those that all targets know.

before:  func.func @f { linalg.matmul ins(%A, %B ..) outs(%C ..) }
after:   builtin.kernel @f { tl.gemm %one, %B, %A, %one, %C }

Each function with a body that is not private becomes a kernel of one work-group. A memref has its modes in reverse
here, so that row-major becomes column-major: element [i, j] is element [j, i], and a product that of the factors in the
other order. Contractions become collectives, other operations of linalg loops (`tl.foreach` over the parallel ones);
affine and scf loops become `scf`, parallel ones say so. Calls are inlined. Ends in scf, memref, arith, math, tl.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, cast

from msgspec import structs

from tilewright.artifacts.constraint_codec import constraint_to_json
from tilewright.diagnostics import Report
from tilewright.dialects import memref as shared
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.mlir import func, memref
from tilewright.dialects.mlir.base import UNSUPPORTED
from tilewright.dialects.mlir.file import FileEntries
from tilewright.ir.core import Attribute, Operation, Value
from tilewright.ir.mlir.operations import MODULE
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.swizzles import Swizzle
from tilewright.ir.types import MemrefType
from tilewright.transforms.derive_launch_constraints import launch_constraints
from tilewright.transforms.lift_control_flow import lift_body
from tilewright.transforms.lower_mlir.blocks import lower_blocks
from tilewright.transforms.lower_mlir.context import Agreement, Buffers, Launched, Lowering, Unsupported
from tilewright.transforms.lower_mlir.extents import same_extents
from tilewright.transforms.lower_mlir.grids import Extent, Promises, SameLength, TilesOf, TimesOf, constraints_of_grid
from tilewright.transforms.lower_mlir.launches import WARP
from tilewright.transforms.lower_mlir.operations import lower_block
from tilewright.transforms.lower_mlir.statics import Globals
from tilewright.transforms.lower_mlir.tensors import return_tensors
from tilewright.transforms.lower_mlir.types import parameter_type, result_type
from tilewright.transforms.lower_mlir.workspaces import renamed, sized
from tilewright.transforms.signature import accessed

__all__ = ["LowerMlir", "Promises", "SameLength", "TilesOf", "TimesOf", "outlined"]

_NO_PROMISE: Final = Promises()


class LowerMlir(Pass, frozen=True):
    """Replaces the modules of MLIR in a program, which is verified, by kernels and globals."""

    name: ClassVar[str] = "lower-mlir"

    def run(self, module: Module, context: PassContext) -> bool:
        units = [op for op in module.body.entry if op.name == MODULE]
        for unit in units:
            _lower_unit(module, unit, context)
            if not context.report.has_errors:
                unit.erase()
        for entries in [op for op in module.body.entry if isinstance(op, FileEntries)]:
            entries.erase()
        return bool(units)


def _lower_unit(module: Module, unit: Operation, context: PassContext) -> None:
    report = context.report
    scopes = [op for op in unit.walk() if op.name == MODULE]
    kernels = 0
    taken: dict[str, func.Func] = {}
    for scope in scopes:
        items = list(scope.regions[0].entry)
        functions = {op.sym_name: op for op in items if isinstance(op, func.Func)}
        statics = Globals(
            Builder(module.body.entry, location=unit.location),
            {op.sym_name: op for op in items if isinstance(op, memref.Global)},
        )
        for op in items:
            if isinstance(op, func.Func):
                if op.is_declaration or op.is_private:
                    continue
                kernels += 1
                try:
                    _check_name(op, taken)
                    Builder(module.body.entry)(_kernel(_lowering(op, functions, statics), report))
                except Unsupported as problem:
                    report.error(UNSUPPORTED, problem.place, str(problem))
            elif op.name != MODULE and not isinstance(op, memref.Global):
                report.error(UNSUPPORTED, op.location, f"{op.name} is not supported in a module")
    if not kernels and not report.has_errors:
        finding = report.error(UNSUPPORTED, unit.location, "the module has no function to launch")
        finding.hint("a kernel is a `func.func` with a body that is not private and returns nothing")


def _check_name(function: func.Func, taken: dict[str, func.Func]) -> None:
    first = taken.setdefault(function.sym_name, function)
    if first is not function:
        raise Unsupported(function, f"there are two functions @{function.sym_name} to launch")


def outlined(
    unit: Operation,
    function: func.Func,
    grid: tuple[Extent, Extent, Extent],
    promises: Promises,
    swizzles: Mapping[Value, Swizzle],
) -> Module:
    """A module with the kernel that a function launches, which is all that it does: its grid is that of the launch.

    Launches that do not keep the promises are refused. Memory of the work-group is swizzled as `swizzles` says. Raises
    `Unsupported` for operations without a lowering.
    """
    region, block = new_region()
    module = Module(region, location=unit.location)
    statics = Globals(Builder(block, location=unit.location), {})
    report = Report()
    low = _lowering(function, {}, statics, is_outlined=True)
    kernel = _kernel(low, report, promises)
    report.raise_if_errors()
    for memory, swizzle in swizzles.items():
        value, type_ = low.memref(memory)
        value.type = structs.replace(type_, swizzle=swizzle)
        for view in value.uses:
            if isinstance(view, shared.Permute):
                view.out.type = shared.permuted_type(view)
    known = [extent for extent in grid if isinstance(extent, int)]
    if len(known) == len(grid):
        kernel.max_groups = max(known)
    else:
        del kernel.attributes["max_groups"]
    lowered = [
        extent if isinstance(extent, int) else structs.replace(extent, length=low.value(extent.length))
        for extent in grid
    ]
    wanted = constraints_of_grid(function, kernel, lowered)
    kernel.launch_constraints += cast("tuple[Attribute, ...]", tuple(map(constraint_to_json, wanted)))
    Builder(block)(kernel)
    return module


def _lowering(
    function: func.Func, functions: dict[str, func.Func], statics: Globals, *, is_outlined: bool = False
) -> Lowering:
    _, block = new_region()
    build = Builder(block, location=function.location)
    return Lowering(build, functions, statics, Buffers(function, block), outlined=is_outlined)


def _kernel(low: Lowering, report: Report, promises: Promises = _NO_PROMISE) -> Kernel:
    buffers, block = low.buffers, low.b.block
    function, body = buffers.function, block.region
    assert body is not None
    orders: list[tuple[int, ...]] = []
    for argument in function.body.entry.arguments:
        type_, order, view = parameter_type(function, argument)
        parameter: Value = block.add_argument(type_, argument.name, argument.location)
        orders.append(order)
        low.bind_parameter(argument, parameter, view)
    for name, result in zip(_result_names(function), function.function_type.results, strict=True):
        found, order = result_type(function, result)
        buffers.results = (*buffers.results, block.add_argument(found, name, function.location))
        orders.append(order)
    branches = len(function.body.blocks) > 1
    if branches:
        lower_blocks(low, function, body)
    else:
        return_tensors(low, lower_block(low, function.body))
    kernel = Kernel(function.sym_name, body, max_groups=1, location=function.location)
    if branches:
        lift_body(kernel, report)
    _set_team(kernel, low.launches)
    made = sized(kernel, low.workspaces)
    _, written = accessed(kernel)
    promised = [*map(promises.aligned.get, function.body.entry.arguments), *(None for _ in buffers.results)]
    given = [
        _attributes(parameter in written, order, bytes_) if isinstance(parameter.type, MemrefType) else {}
        for parameter, order, bytes_ in zip(kernel.parameters[: len(orders)], orders, promised, strict=True)
    ]
    kernel.parameter_attributes = (*given, *made)
    low.agreements += [_agreement(low, one) for one in promises.alike]
    agreements = renamed(low.agreements, low.workspaces)
    found = [*same_extents(kernel, agreements), *launch_constraints(kernel)]
    kernel.launch_constraints = cast("tuple[Attribute, ...]", tuple(map(constraint_to_json, found)))
    return kernel


def _agreement(low: Lowering, one: SameLength) -> Agreement:
    memory, type_ = low.memref(one.memory)
    return Agreement((memory, type_.order - 1 - one.dimension), (low.value(one.length), None), low.b.location)


def _set_team(kernel: Kernel, launches: Sequence[Launched]) -> None:
    """A kernel that launches blocks of threads has a work-group of as many."""
    if not launches:
        return
    other = next((one for one in launches if one.threads != launches[0].threads), None)
    if other is not None:
        said = f"gpu.launch: {other.threads} threads a block, where another launch of the function has"
        raise Unsupported(other.op, f"{said} {launches[0].threads}; blocks of one size are supported")
    kernel.subgroup_size, kernel.work_group_size = WARP, (launches[0].threads, 1)


def _result_names(function: func.Func) -> list[str]:
    """`out`, or `out0` and so on, which no argument is called."""
    count = len(function.function_type.results)
    taken = {argument.name for argument in function.body.entry.arguments}
    prefix = "out"
    while any(name in taken for name in (prefix, *(f"{prefix}{k}" for k in range(count)))):
        prefix += "_"
    return [prefix] if count == 1 else [f"{prefix}{k}" for k in range(count)]


def _attributes(written: bool, order: tuple[int, ...], aligned: int | None) -> dict[str, Attribute]:
    """What is written overlaps no other argument; `order` says which dimensions of an array the modes are."""
    found: dict[str, Attribute] = {"noalias": True} if written else {}
    if aligned is not None:
        found["alignment"] = aligned
    if order != tuple(range(len(order))):
        found["dimensions"] = order
    return found
