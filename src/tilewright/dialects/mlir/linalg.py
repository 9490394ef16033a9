"""MLIR's linalg on memrefs: computations over an iteration domain, each operand accessed by a map.

A named operation is a generic one whose maps and body follow from its name (`structure_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from msgspec import Struct

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import INDEX_TYPE, MlirOperation, fail, index_type, integer_of
from tilewright.dialects.mlir.scf import check_yield
from tilewright.ir.affine import AffineMap, Dimension
from tilewright.ir.attributes import Attribute
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

OPERAND = Constraint("a memref, tensor or number", lambda t: isinstance(t, ScalarType) or _shape(t) is not None)


def _shape(type_: Type) -> tuple[int | None, ...] | None:
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
            rank = len(_shape(value.type) or ())
            if map_.dimensions != loops or map_.symbols:
                fail(self, report, f"{map_} is not of the {loops} loops", index)
                return
            if len(map_.results) != rank:
                fail(self, report, f"{map_} has {len(map_.results)} results for {value.type}", index)
                return
        self._check_extents(report, values, maps)
        self._check_body(report, values)

    def _check_extents(self, report: Report, values: Sequence[Value], maps: Sequence[AffineMap]) -> None:
        known: dict[int, tuple[int, int]] = {}
        for index, (value, map_) in enumerate(zip(values, maps, strict=True)):
            for extent, expression in zip(_shape(value.type) or (), map_.results, strict=True):
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
        if len(self.body.blocks) != 1 or [a.type for a in self.body.entry.arguments] != elements:
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


class Structure(Struct, frozen=True):
    """What a name says: the indices of each operand as letters, which of them are summed, and what the body does.

    `body` is `product` (the sum of products), `fill`, or the name of the one operation of arith or math that it is.
    """

    letters: tuple[str, ...]
    summed: str = ""
    body: str = "product"


class Named(Structured):
    """An operation whose maps and body follow from its name."""

    structure: ClassVar[Structure]
    indexing_maps: tuple[Attribute, ...] = optional_attribute(tuple, default=())
    cast: Attribute = optional_attribute(object, default=None)

    @property
    def given_maps(self) -> list[AffineMap]:
        """Maps that are written, as MLIR 20 allows for transposed and broadcast operands."""
        return [m for m in self.indexing_maps if isinstance(m, AffineMap)]

    @property
    def loops(self) -> str:
        """The letters of the loops, in order."""
        *_, out = self.structure.letters
        return "".join(dict.fromkeys(out + self.structure.summed))

    @property
    def maps(self) -> list[AffineMap]:
        if self.given_maps:
            return self.given_maps
        order = self.loops
        return [
            AffineMap(len(order), 0, tuple(Dimension(order.index(c)) for c in letters))
            for letters in self.structure.letters
        ]

    @property
    def iterators(self) -> list[str]:
        return ["reduction" if c in self.structure.summed else "parallel" for c in self.loops]


class Matmul(Named, name="linalg.matmul", assembly="<structured>"):
    """`C += A B`."""

    structure = Structure(("mk", "kn", "mn"), "k")


class MatmulTransposeA(Named, name="linalg.matmul_transpose_a", assembly="<structured>"):
    """`C += A^T B`."""

    structure = Structure(("km", "kn", "mn"), "k")


class MatmulTransposeB(Named, name="linalg.matmul_transpose_b", assembly="<structured>"):
    """`C += A B^T`."""

    structure = Structure(("mk", "nk", "mn"), "k")


class BatchMatmul(Named, name="linalg.batch_matmul", assembly="<structured>"):
    """`C[b] += A[b] B[b]`."""

    structure = Structure(("bmk", "bkn", "bmn"), "k")


class BatchMatmulTransposeA(Named, name="linalg.batch_matmul_transpose_a", assembly="<structured>"):
    """`C[b] += A[b]^T B[b]`."""

    structure = Structure(("bkm", "bkn", "bmn"), "k")


class BatchMatmulTransposeB(Named, name="linalg.batch_matmul_transpose_b", assembly="<structured>"):
    """`C[b] += A[b] B[b]^T`."""

    structure = Structure(("bmk", "bnk", "bmn"), "k")


class BatchReduceMatmul(Named, name="linalg.batch_reduce_matmul", assembly="<structured>"):
    """`C += sum over b of A[b] B[b]`."""

    structure = Structure(("bmk", "bkn", "mn"), "bk")


class Matvec(Named, name="linalg.matvec", assembly="<structured>"):
    """`y += A x`."""

    structure = Structure(("mk", "k", "m"), "k")


class Vecmat(Named, name="linalg.vecmat", assembly="<structured>"):
    """`y += x A`."""

    structure = Structure(("k", "kn", "n"), "k")


class BatchMatvec(Named, name="linalg.batch_matvec", assembly="<structured>"):
    """`y[b] += A[b] x[b]`."""

    structure = Structure(("bmk", "bk", "bm"), "k")


class BatchVecmat(Named, name="linalg.batch_vecmat", assembly="<structured>"):
    """`y[b] += x[b] A[b]`."""

    structure = Structure(("bk", "bkn", "bn"), "k")


class Dot(Named, name="linalg.dot", assembly="<structured>"):
    """`s += x . y`."""

    structure = Structure(("k", "k", ""), "k")


class AllParallel(Named):
    """Element by element, of any rank."""

    @property
    def loops(self) -> str:
        shape = _shape(self.outputs[0].type) if self.outputs else None
        return "abcdefghijklmnopqrstuvwxyz"[: len(shape or ())]

    @property
    def maps(self) -> list[AffineMap]:
        rank = len(self.loops)
        identity = AffineMap(rank, 0, tuple(Dimension(k) for k in range(rank)))
        nothing = AffineMap(rank, 0, ())
        values = [*self.inputs, *self.outputs]
        return self.given_maps or [nothing if isinstance(v.type, ScalarType) else identity for v in values]


class Fill(AllParallel, name="linalg.fill", assembly="<structured>"):
    """Every element of the output is the number."""

    structure = Structure((), "", "fill")


class Copy(AllParallel, name="linalg.copy", assembly="<structured>"):
    """The elements of the input."""

    structure = Structure((), "", "fill")


class Add(AllParallel, name="linalg.add", assembly="<structured>"):
    """Sums."""

    structure = Structure((), "", "add")


class Sub(AllParallel, name="linalg.sub", assembly="<structured>"):
    """Differences."""

    structure = Structure((), "", "sub")


class Mul(AllParallel, name="linalg.mul", assembly="<structured>"):
    """Products."""

    structure = Structure((), "", "mul")


class Div(AllParallel, name="linalg.div", assembly="<structured>"):
    """Quotients."""

    structure = Structure((), "", "div")


class Max(AllParallel, name="linalg.max", assembly="<structured>"):
    """Maxima."""

    structure = Structure((), "", "max")


class Exp(AllParallel, name="linalg.exp", assembly="<structured>"):
    """e to the power."""

    structure = Structure((), "", "exp")
