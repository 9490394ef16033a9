"""MLIR's linalg: computations over an iteration domain, each operand accessed by a map.

Here is what its operations have in common, and the one that says everything; those whose maps or body follow from a
name are in `linalg_products`, `linalg_elements` and `linalg_dimensions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import INDEX_TYPE, MlirOperation, fail, index_type, integer_of
from tilewright.dialects.mlir.scf import check_types, check_yield
from tilewright.ir.affine import AffineMap, Dimension
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import BlockArgument
from tilewright.ir.definition import (
    PURE,
    TERMINATOR,
    OpResult,
    Region,
    Value,
    attribute,
    operands,
    optional_attribute,
    region,
    result,
    results,
)
from tilewright.ir.effects import Effect, reads, writes
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.types import MemrefType, TensorType
from tilewright.ir.types import Constraint, ScalarType, Type

OPERAND = Constraint(
    "a memref, tensor or number", lambda t: isinstance(t, ScalarType) or shape_of_operand(t) is not None
)


def shape_of_operand(type_: Type) -> tuple[int | None, ...] | None:
    """The extents of a memref or tensor; None for a number."""
    return type_.shape if isinstance(type_, MemrefType | TensorType) else None


class Yield(MlirOperation, name="linalg.yield", traits=(TERMINATOR,), assembly="<attributes> [? $values : @values ]?"):
    """Ends a body with the new elements of the outputs."""

    values: list[Value] = operands()


class Index(MlirOperation, name="linalg.index", traits=(PURE,), assembly="<dim> <attributes> : @out"):
    """Where along a loop the body is."""

    dim: Attribute = attribute(IntegerAttribute)
    out: Value = result(INDEX_TYPE, infer=index_type)

    def verify(self, report: Report) -> None:
        around = self.parent_op
        if not isinstance(around, Structured):
            fail(self, report, "stands in the body of a linalg operation")
        elif not around.knows_its_loops:
            return  # what is wrong with the operation is reported there
        elif not 0 <= integer_of(self.dim) < len(around.iterators):
            fail(self, report, f"there is no loop {integer_of(self.dim)}")


class Structured(MlirOperation):
    """Each element of the outputs is updated by the body with the elements of the inputs that the maps say."""

    inputs: list[Value] = operands(OPERAND)
    outputs: list[Value] = operands(OPERAND)
    body: Region = region()
    outs: list[OpResult] = results()

    @property
    def maps(self) -> list[AffineMap]:
        """From the loops to the elements of each operand."""
        raise NotImplementedError

    @property
    def iterators(self) -> list[str]:
        """`parallel` or `reduction` for each loop."""
        raise NotImplementedError

    @property
    def knows_its_loops(self) -> bool:
        """Whether `iterators` can be asked, also of an operation that breaks its rules."""
        return True

    def element(self, operand: int) -> BlockArgument | None:
        """What the body calls the element of an operand, inputs first; None if it has no name for it."""
        arguments = self.body.entry.arguments
        return arguments[operand] if operand < len(arguments) else None

    def effects(self) -> Sequence[Effect]:
        found = [v for v in self.inputs if isinstance(v.type, MemrefType)]
        written = [v for v in self.outputs if isinstance(v.type, MemrefType)]
        return [*reads(*found), *reads(*written), *writes(*written)]

    def verify(self, report: Report) -> None:
        values, maps, loops = [*self.inputs, *self.outputs], self.maps, len(self.iterators)
        if len(maps) != len(values):
            fail(self, report, f"{len(maps)} maps for {len(values)} operands")
            return
        for index, (value, map_) in enumerate(zip(values, maps, strict=True)):
            rank = len(shape_of_operand(value.type) or ())
            if map_.dimensions != loops or map_.symbols:
                fail(self, report, f"{map_} is not of the {loops} loops", index)
                return
            if len(map_.results) != rank:
                fail(self, report, f"{map_} has {len(map_.results)} results for {value.type}", index)
                return
        self._check_extents(report, values, maps)
        self._check_results(report)
        self._check_body(report, values)

    def fewer_elements(self, elements: Sequence[Type]) -> list[Type] | None:
        """What a body may take instead of the elements of all operands."""
        return None

    def _check_results(self, report: Report) -> None:
        wanted = [v.type for v in self.outputs if isinstance(v.type, TensorType)]
        check_types(self, report, "results", [r.type for r in self.outs], wanted)

    def _check_extents(self, report: Report, values: Sequence[Value], maps: Sequence[AffineMap]) -> None:
        known: dict[int, tuple[int, int]] = {}
        for index, (value, map_) in enumerate(zip(values, maps, strict=True)):
            for extent, expression in zip(shape_of_operand(value.type) or (), map_.results, strict=True):
                if extent is None or not isinstance(expression, Dimension):
                    continue
                before = known.setdefault(expression.position, (extent, index))
                if before[0] != extent:
                    said = f"loop {expression.position} has {extent} iterations by {value.type}"
                    fail(self, report, f"{said}, but {before[0]} by {values[before[1]].type}", index)
                    return
        if len(known) == 0 and not self.iterators:
            return
        covered = {e.position for m in maps for e in m.results if isinstance(e, Dimension)}
        missing = [k for k in range(len(self.iterators)) if k not in covered]
        if missing:
            fail(self, report, f"no operand says how many iterations loop {missing[0]} has")

    def _check_body(self, report: Report, values: Sequence[Value]) -> None:
        elements = [element_of(v.type) for v in values]
        taken = [a.type for a in self.body.entry.arguments] if len(self.body.blocks) == 1 else None
        if taken != elements and (taken is None or taken != self.fewer_elements(elements)):
            fail(self, report, f"the body takes the elements ({', '.join(map(str, elements))})")
            return
        check_yield(self, report, self.body, Yield, elements[len(self.inputs) :])


def element_of(type_: Type) -> Type:
    """The element of a memref or tensor; a number is its own."""
    return type_.element if isinstance(type_, MemrefType | TensorType) else type_


ITERATORS: Final = ("parallel", "reduction", "window")
"""What loops are."""


class Generic(Structured, name="linalg.generic", assembly="<generic>"):
    """Maps, kinds of loops and body are given."""

    indexing_maps: tuple[Attribute, ...] = attribute(tuple)
    iterator_types: tuple[Attribute, ...] = attribute(tuple)
    doc: str | None = optional_attribute(str, default=None)
    library_call: str | None = optional_attribute(str, default=None)

    @property
    def maps(self) -> list[AffineMap]:
        return [m for m in self.indexing_maps if isinstance(m, AffineMap)]

    @property
    def iterators(self) -> list[str]:
        return [iterator_name(t) for t in self.iterator_types]

    @property
    def knows_its_loops(self) -> bool:
        return isinstance(self.attributes.get("iterator_types"), tuple)

    def verify(self, report: Report) -> None:
        wrong = next((kind for kind in self.iterators if kind not in ITERATORS), None)
        if wrong is not None:
            fail(self, report, f"there are no loops that are {wrong[:80]!r}; there are {', '.join(ITERATORS)}")
            return
        super().verify(report)


def iterator_name(value: Attribute) -> str:
    """`parallel` of `#linalg.iterator_type<parallel>`, or of the string that MLIR before 16 has."""
    return str(value).removeprefix("#linalg.iterator_type<").removesuffix(">").strip('"')


class Named(Structured):
    """An operation whose body follows from its name, and whose maps do unless they are written.

    `does` is `product` (the sum of products), `convert`, or what is computed with elements of one type
    (`linalg_elements.KINDS`).
    """

    does: ClassVar[str] = "product"
    indexing_maps: tuple[Attribute, ...] = optional_attribute(tuple, default=())
    cast: Attribute = optional_attribute(object, default=None)

    @classmethod
    def meaning(cls, attributes: Mapping[str, Attribute]) -> str:
        """What the body does."""
        return cls.does

    @property
    def given_maps(self) -> list[AffineMap]:
        """Maps that are written, as MLIR 20 allows for transposed and broadcast operands."""
        return [m for m in self.indexing_maps if isinstance(m, AffineMap)]

    @property
    def usual_maps(self) -> list[AffineMap]:
        """Those that follow from the name."""
        raise NotImplementedError

    @property
    def maps(self) -> list[AffineMap]:
        return self.given_maps or self.usual_maps
