"""MLIR's affine: loops, branches and accesses whose bounds, conditions and indices are affine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import (
    INDEX_TYPE,
    MEMREF_TYPE,
    MlirOperation,
    element_type,
    fail,
    index_type,
    integer_of,
    integers_of,
    memref_of,
    shape_of,
)
from tilewright.dialects.mlir.scf import check_arguments, check_types, check_yield
from tilewright.ir.affine import AffineMap, IntegerSet
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.definition import (
    PURE,
    RECURSIVE_EFFECTS,
    TERMINATOR,
    OpResult,
    Region,
    Value,
    attribute,
    operand,
    operands,
    region,
    result,
    results,
)
from tilewright.ir.effects import Effect, reads, writes
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import INDEX, ScalarType, Type

REDUCTIONS: Final[Mapping[str, int]] = {
    "addf": 0,
    "addi": 1,
    "assign": 2,
    "maximumf": 3,
    "maxs": 4,
    "maxu": 5,
    "minimumf": 6,
    "mins": 7,
    "minu": 8,
    "mulf": 9,
    "muli": 10,
    "ori": 11,
    "andi": 12,
    "maxnumf": 13,
    "minnumf": 14,
}
"""The number of each way to combine results of a parallel loop (`arith.AtomicRMWKind`), as tools up to LLVM 21 print it
in generic form; LLVM 22 sorted them anew, and its texts do not say that they are of it."""


class Yield(MlirOperation, name="affine.yield", traits=(TERMINATOR,), assembly="<attributes> [? $values : @values ]?"):
    """Ends a region and hands values to the operation around it."""

    values: list[Value] = operands()


class For(MlirOperation, name="affine.for", traits=(RECURSIVE_EFFECTS,), assembly="<affine_loop>"):
    """Counts from the largest of the lower bounds while below the smallest of the upper ones, by a constant step."""

    lowerBoundOperands: list[Value] = operands(INDEX_TYPE)
    upperBoundOperands: list[Value] = operands(INDEX_TYPE)
    inits: list[Value] = operands()
    lowerBoundMap: AffineMap = attribute(AffineMap)
    upperBoundMap: AffineMap = attribute(AffineMap)
    step: Attribute = attribute(IntegerAttribute)
    body: Region = region()
    outs: list[OpResult] = results()

    @property
    def stride(self) -> int:
        """The step as a number."""
        return integer_of(self.step)

    def verify(self, report: Report) -> None:
        check_map(self, report, self.lowerBoundMap, self.lowerBoundOperands)
        check_map(self, report, self.upperBoundMap, self.upperBoundOperands)
        if not self.lowerBoundMap.results or not self.upperBoundMap.results:
            fail(self, report, "a loop has at least one bound at each end")
        if self.stride < 1:
            fail(self, report, f"the step is positive, not {self.stride}")
        types = [v.type for v in self.inits]
        check_types(self, report, "results", [r.type for r in self.outs], types)
        check_arguments(self, report, self.body, [INDEX, *types])
        check_yield(self, report, self.body, Yield, types)


class If(
    MlirOperation, name="affine.if", traits=(RECURSIVE_EFFECTS,), assembly="<affine_branch>", loose=("condition",)
):
    """Runs the first region if the operands are in the set, else the second."""

    values: list[Value] = operands(INDEX_TYPE)
    condition: IntegerSet = attribute(IntegerSet)
    thenRegion: Region = region()
    elseRegion: Region = region()
    outs: list[OpResult] = results()

    def verify(self, report: Report) -> None:
        wanted = self.condition.dimensions + self.condition.symbols
        if wanted != len(self.values):
            fail(self, report, f"{self.condition} takes {wanted} operands, not {len(self.values)}")
        types = [r.type for r in self.outs]
        check_yield(self, report, self.thenRegion, Yield, types)
        if self.elseRegion.blocks:
            check_yield(self, report, self.elseRegion, Yield, types)
        elif types:
            fail(self, report, "with results there are two regions")


class Parallel(MlirOperation, name="affine.parallel", traits=(RECURSIVE_EFFECTS,), assembly="<affine_parallel>"):
    """A nest of loops whose iterations run in any order.

    `lowerBoundsGroups` says how many results of the map are the bounds of each loop, of which the largest counts.
    """

    mapOperands: list[Value] = operands(INDEX_TYPE)
    reductions: tuple[Attribute, ...] = attribute(tuple)
    lowerBoundsMap: AffineMap = attribute(AffineMap)
    lowerBoundsGroups: Attribute = attribute(object)
    upperBoundsMap: AffineMap = attribute(AffineMap)
    upperBoundsGroups: Attribute = attribute(object)
    steps: tuple[Attribute, ...] = attribute(tuple)
    body: Region = region()
    outs: list[OpResult] = results()

    @property
    def lower_operands(self) -> list[Value]:
        """Those of the lower bounds, which stand first."""
        return self.mapOperands[: self.lowerBoundsMap.dimensions + self.lowerBoundsMap.symbols]

    @property
    def upper_operands(self) -> list[Value]:
        """Those of the upper bounds."""
        return self.mapOperands[self.lowerBoundsMap.dimensions + self.lowerBoundsMap.symbols :]

    def bounds(self) -> list[tuple[AffineMap, AffineMap, int]]:
        """Lower bounds, upper bounds and step of each loop."""
        lower = _grouped(self.lowerBoundsMap, integers_of(self.lowerBoundsGroups))
        upper = _grouped(self.upperBoundsMap, integers_of(self.upperBoundsGroups))
        return list(zip(lower, upper, integers_of(self.steps), strict=True))

    def verify(self, report: Report) -> None:
        count = len(self.steps)
        for groups, map_ in (
            (integers_of(self.lowerBoundsGroups), self.lowerBoundsMap),
            (integers_of(self.upperBoundsGroups), self.upperBoundsMap),
        ):
            if len(groups) != count or sum(groups) != len(map_.results) or min(groups, default=1) < 1:
                fail(self, report, f"{len(map_.results)} bounds in groups {list(groups)} for {count} loops")
                return
        inputs = sum(m.dimensions + m.symbols for m in (self.lowerBoundsMap, self.upperBoundsMap))
        if inputs != len(self.mapOperands):
            fail(self, report, f"the maps take {inputs} operands, not {len(self.mapOperands)}")
        if min(integers_of(self.steps), default=1) < 1:
            fail(self, report, "steps are positive")
        types = [r.type for r in self.outs]
        if len(self.reductions) != len(types):
            fail(self, report, f"{len(self.reductions)} reductions for {len(types)} results")
            return
        for number, type_ in zip(map(integer_of, self.reductions), types, strict=True):
            _check_reduction(self, report, number, type_)
        check_arguments(self, report, self.body, [INDEX] * count)
        check_yield(self, report, self.body, Yield, types)


def _check_reduction(op: MlirOperation, report: Report, number: int, type_: Type) -> None:
    name = next((name for name, its in REDUCTIONS.items() if its == number), None)
    if name is None:
        fail(op, report, f"there is no reduction {number}, only 0 to {max(REDUCTIONS.values())}")
    elif name != "assign" and isinstance(type_, ScalarType) and type_.is_float != name.endswith("f"):
        fail(op, report, f"reduction {number} is {name}, which does not combine {type_} (LLVM 22 prints other numbers)")


def _grouped(map_: AffineMap, groups: Sequence[int]) -> list[AffineMap]:
    found: list[AffineMap] = []
    start = 0
    for size in groups:
        found.append(AffineMap(map_.dimensions, map_.symbols, map_.results[start : start + size]))
        start += size
    return found


class Load(MlirOperation, name="affine.load", assembly="<affine_load>"):
    """Reads the element at what the map makes of the operands."""

    memref: Value = operand(MEMREF_TYPE)
    indices: list[Value] = operands(INDEX_TYPE)
    map: AffineMap = attribute(AffineMap)
    out: Value = result(infer=element_type)

    def effects(self) -> Sequence[Effect]:
        return reads(self.operands[0])

    def verify(self, report: Report) -> None:
        _check_access(self, report, self.memref, self.map, self.indices)
        if self.result.type != memref_of(self.memref).element:
            fail(self, report, f"{self.memref.type} holds no {self.result.type}", 0)


class Store(MlirOperation, name="affine.store", assembly="<affine_store>", element_of={"value": "memref"}):
    """Writes the element at what the map makes of the operands."""

    value: Value = operand()
    memref: Value = operand(MEMREF_TYPE)
    indices: list[Value] = operands(INDEX_TYPE)
    map: AffineMap = attribute(AffineMap)

    def effects(self) -> Sequence[Effect]:
        return writes(self.operands[1])

    def verify(self, report: Report) -> None:
        _check_access(self, report, self.memref, self.map, self.indices)
        if self.value.type != memref_of(self.memref).element:
            fail(self, report, f"{self.memref.type} holds no {self.value.type}", 0)


def _check_access(op: CoreOperation, report: Report, memref: Value, map_: AffineMap, indices: list[Value]) -> None:
    check_map(op, report, map_, indices)
    rank = len(shape_of(memref))
    if rank != len(map_.results):
        fail(op, report, f"{memref.type} takes {rank} indices, not {len(map_.results)}")


def check_map(op: CoreOperation, report: Report, map_: AffineMap, values: Sequence[Value]) -> None:
    """A map has as many dimensions and symbols as there are operands for it."""
    if map_.dimensions + map_.symbols != len(values):
        fail(op, report, f"{map_} takes {map_.dimensions + map_.symbols} operands, not {len(values)}")


class AffineValue(MlirOperation):
    """A number made by a map."""

    values: list[Value] = operands(INDEX_TYPE)
    map: AffineMap = attribute(AffineMap)
    out: Value = result(INDEX_TYPE, infer=index_type)

    def verify(self, report: Report) -> None:
        check_map(self, report, self.map, self.values)
        if not self.map.results:
            fail(self, report, "the map has a result")


class Apply(AffineValue, name="affine.apply", traits=(PURE,), assembly="<mapped> <attributes>"):
    """The result of the map."""

    def verify(self, report: Report) -> None:
        super().verify(report)
        if len(self.map.results) > 1:
            fail(self, report, f"{self.map} has {len(self.map.results)} results, not one")


class Min(AffineValue, name="affine.min", traits=(PURE,), assembly="<mapped> <attributes>"):
    """The smallest result of the map."""


class Max(AffineValue, name="affine.max", traits=(PURE,), assembly="<mapped> <attributes>"):
    """The largest result of the map."""
