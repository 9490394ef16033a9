"""Operations of linalg that say what becomes of dimensions: `transpose`, `broadcast`, `map` and `reduce`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import fail, integers_of
from tilewright.dialects.mlir.linalg import Structured, Yield, shape_of_operand
from tilewright.dialects.mlir.linalg_elements import identity
from tilewright.ir.affine import AffineMap, Dimension
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import attribute
from tilewright.ir.mlir.attributes import DenseArray
from tilewright.ir.types import Type


class OfDimensions(Structured):
    """Of memrefs and tensors; `says` is the attribute that has the dimensions.

    How many operands are inputs follows from their number.
    """

    says: ClassVar[str] = "dimensions"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The dimensions that the operation says."""
        return integers_of(self.attributes.get(self.says))

    def rank_of(self, values: Sequence[Value]) -> int:
        """The rank of the first one."""
        return len(shape_of_operand(values[0].type) or ()) if values else 0

    def check_shaped(self, report: Report, inputs: int | None = None) -> bool:
        """Whether there are that many inputs and one output, if that is asked, none of them a number."""
        if inputs is not None and (len(self.inputs), len(self.outputs)) != (inputs, 1):
            said = f"{len(self.inputs)} inputs and {len(self.outputs)} outputs"
            fail(self, report, f"takes one input and one output, not {said}")
            return False
        for index, value in enumerate([*self.inputs, *self.outputs]):
            if shape_of_operand(value.type) is None:
                fail(self, report, f"takes memrefs and tensors, not {value.type}", index)
                return False
        return True

    def check_dimensions(self, report: Report, rank: int, of: Type) -> bool:
        """Whether the dimensions are different ones of a rank."""
        wrong = next((k for k in self.numbers if not 0 <= k < rank), None)
        if wrong is not None:
            fail(self, report, f"{of} has no dimension {wrong}")
        elif len(set(self.numbers)) != len(self.numbers):
            fail(self, report, f"{self.says} = {list(self.numbers)} has a dimension twice")
        else:
            return True
        return False


class Moved(OfDimensions):
    """The elements of the output are those of the input, at other places: the body hands them on."""


class Transpose(Moved, name="linalg.transpose", assembly="<moved>"):
    """Dimension k of the output is dimension `permutation[k]` of the input."""

    says: ClassVar[str] = "permutation"
    permutation: DenseArray = attribute(DenseArray)

    @classmethod
    def implied_segments(cls, count: int) -> tuple[int, ...] | None:
        return 1, count - 1

    @property
    def maps(self) -> list[AffineMap]:
        rank = len(self.numbers)
        places = {dimension: Dimension(k) for k, dimension in enumerate(self.numbers)}
        return [AffineMap(rank, 0, tuple(places[k] for k in sorted(places))), identity(rank)]

    @property
    def iterators(self) -> list[str]:
        return ["parallel"] * len(self.numbers)

    def verify(self, report: Report) -> None:
        if not self.check_shaped(report, 1):
            return
        rank = self.rank_of(self.inputs)
        if not self.check_dimensions(report, rank, self.inputs[0].type):
            return
        if len(self.numbers) != rank:
            said = f"permutation = {list(self.numbers)} has {len(self.numbers)} dimensions"
            fail(self, report, f"{said}; {self.inputs[0].type} has {rank}")
            return
        super().verify(report)


class Broadcast(Moved, name="linalg.broadcast", assembly="<moved>"):
    """The output has the dimensions of the input, and `dimensions`, along which its elements are the same."""

    dimensions: DenseArray = attribute(DenseArray)

    @classmethod
    def implied_segments(cls, count: int) -> tuple[int, ...] | None:
        return 1, count - 1

    @property
    def maps(self) -> list[AffineMap]:
        rank = self.rank_of(self.outputs)
        kept = tuple(Dimension(k) for k in range(rank) if k not in self.numbers)
        return [AffineMap(rank, 0, kept), identity(rank)]

    @property
    def iterators(self) -> list[str]:
        return ["parallel"] * self.rank_of(self.outputs)

    def verify(self, report: Report) -> None:
        if not self.check_shaped(report, 1):
            return
        before, after = self.rank_of(self.inputs), self.rank_of(self.outputs)
        if not self.check_dimensions(report, after, self.outputs[0].type):
            return
        if before + len(self.numbers) != after:
            said = f"{self.inputs[0].type} with {len(self.numbers)} dimensions more"
            fail(self, report, f"{said} is no {self.outputs[0].type}")
            return
        super().verify(report)


class Mapper(OfDimensions):
    """The body may be one operation of all that it takes, which then is written in front."""

    def in_order(self, values: Sequence[Value]) -> list[Value]:
        """What the body takes in the order in which the one operation does."""
        raise NotImplementedError

    @property
    def payload(self) -> Operation | None:
        """The operation that the body consists of, if it is only that."""
        found = list(self.body.entry)
        if len(found) != 2 or not isinstance(found[1], Yield):
            return None
        op, end = found
        taken = self.in_order(self.body.entry.arguments)
        is_all = bool(taken) and list(op.operands) == taken and list(end.operands) == list(op.results)
        return op if is_all and len(op.results) == 1 and not op.regions else None


class Map(Mapper, name="linalg.map", assembly="<mapper>"):
    """Each element of the output from those of the inputs at its place; from MLIR 22 on the body takes its own, too."""

    says: ClassVar[str] = ""

    @classmethod
    def implied_segments(cls, count: int) -> tuple[int, ...] | None:
        return count - 1, 1

    @property
    def maps(self) -> list[AffineMap]:
        return [identity(self.rank_of(self.outputs))] * (len(self.inputs) + len(self.outputs))

    @property
    def iterators(self) -> list[str]:
        return ["parallel"] * self.rank_of(self.outputs)

    def in_order(self, values: Sequence[Value]) -> list[Value]:
        return list(values[: len(self.inputs)])

    def fewer_elements(self, elements: Sequence[Type]) -> list[Type] | None:
        return list(elements[: len(self.inputs)])

    def verify(self, report: Report) -> None:
        if len(self.outputs) != 1:
            fail(self, report, f"takes one output, not {len(self.outputs)}")
        elif self.check_shaped(report):
            super().verify(report)


class Reduce(Mapper, name="linalg.reduce", assembly="<mapper>"):
    """The inputs without `dimensions`, along which the body combines their elements with those of the outputs."""

    dimensions: DenseArray = attribute(DenseArray)

    @classmethod
    def implied_segments(cls, count: int) -> tuple[int, ...] | None:
        return count - count // 2, count // 2

    @property
    def maps(self) -> list[AffineMap]:
        rank = self.rank_of(self.inputs)
        kept = AffineMap(rank, 0, tuple(Dimension(k) for k in range(rank) if k not in self.numbers))
        return [*([identity(rank)] * len(self.inputs)), *([kept] * len(self.outputs))]

    @property
    def iterators(self) -> list[str]:
        return ["reduction" if k in self.numbers else "parallel" for k in range(self.rank_of(self.inputs))]

    def in_order(self, values: Sequence[Value]) -> list[Value]:
        return [*values[-1:], *values[:-1]]

    def verify(self, report: Report) -> None:
        if not self.inputs or len(self.inputs) != len(self.outputs):
            said = f"{len(self.inputs)} inputs and {len(self.outputs)} outputs"
            fail(self, report, f"takes as many inputs as outputs, and one at least, not {said}")
            return
        rank = self.rank_of(self.inputs)
        if not self.check_shaped(report) or not self.check_dimensions(report, rank, self.inputs[0].type):
            return
        if list(self.numbers) != sorted(self.numbers):
            fail(self, report, f"dimensions = {list(self.numbers)} are not in order")
            return
        super().verify(report)
