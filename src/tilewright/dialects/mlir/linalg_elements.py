"""Operations of linalg on each element by itself: by their names, or by the kind that `linalg.elementwise` has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Final

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import fail
from tilewright.dialects.mlir.linalg import Named, shape_of_operand
from tilewright.ir.affine import AffineMap, Dimension
from tilewright.ir.attributes import Attribute
from tilewright.ir.definition import optional_attribute
from tilewright.ir.types import ScalarType

KINDS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("exp", "log", "abs", "ceil", "floor", "negf", "reciprocal", "round", "sqrt", "rsqrt"), 1),
    **dict.fromkeys(("square", "tanh", "erf"), 1),
    **dict.fromkeys(("add", "sub", "mul", "div", "div_unsigned", "max_signed", "min_signed"), 2),
    **dict.fromkeys(("max_unsigned", "min_unsigned", "powf"), 2),
    "select": 3,
}
"""What is computed with elements of one type, and of how many inputs."""
_KIND: Final = re.compile(r"#linalg\.elementwise_kind<(\w+)>")


def identity(rank: int) -> AffineMap:
    """Each dimension is a loop, in order."""
    return AffineMap(rank, 0, tuple(Dimension(k) for k in range(rank)))


class AllParallel(Named):
    """Element by element, of any rank."""

    @property
    def rank(self) -> int:
        """How many loops there are: the dimensions of the output."""
        return len(shape_of_operand(self.outputs[0].type) or ()) if self.outputs else 0

    @property
    def usual_maps(self) -> list[AffineMap]:
        whole, nothing = identity(self.rank), AffineMap(self.rank, 0, ())
        values = [*self.inputs, *self.outputs]
        return [nothing if isinstance(v.type, ScalarType) else whole for v in values]

    @property
    def iterators(self) -> list[str]:
        return ["parallel"] * self.rank


class Fill(AllParallel, name="linalg.fill", assembly="<structured>"):
    """Every element of the output is the number."""

    does: ClassVar[str] = "convert"


class Copy(AllParallel, name="linalg.copy", assembly="<structured>"):
    """The elements of the input."""

    does: ClassVar[str] = "convert"


class Elementwise(AllParallel, name="linalg.elementwise", assembly="<elementwise>"):
    """What the kind says, of inputs that are broadcast and transposed as the maps say."""

    kind: Attribute = optional_attribute(object, default=None)

    @classmethod
    def meaning(cls, attributes: Mapping[str, Attribute]) -> str:
        found = _KIND.fullmatch(str(attributes.get("kind")))
        return "" if found is None else found[1]

    def verify(self, report: Report) -> None:
        kind = self.meaning(self.attributes)
        if kind not in KINDS:
            fail(self, report, f"there is no kind {str(self.kind)[:80]}; there are {', '.join(KINDS)}")
        elif (len(self.inputs), len(self.outputs)) != (KINDS[kind], 1):
            said = f"{kind} takes {KINDS[kind]} inputs and an output"
            fail(self, report, f"{said}, not {len(self.inputs)} and {len(self.outputs)}")
        else:
            super().verify(report)


class Add(AllParallel, name="linalg.add", assembly="<structured>"):
    """Sums; of truths, whether one of them holds."""

    does: ClassVar[str] = "add"


class Sub(AllParallel, name="linalg.sub", assembly="<structured>"):
    """Differences."""

    does: ClassVar[str] = "sub"


class Mul(AllParallel, name="linalg.mul", assembly="<structured>"):
    """Products; of truths, whether both hold."""

    does: ClassVar[str] = "mul"


class Div(AllParallel, name="linalg.div", assembly="<structured>"):
    """Quotients, of integers with signs."""

    does: ClassVar[str] = "div"


class DivUnsigned(AllParallel, name="linalg.div_unsigned", assembly="<structured>"):
    """Quotients of integers without signs."""

    does: ClassVar[str] = "div_unsigned"


class Max(AllParallel, name="linalg.max", assembly="<structured>"):
    """Maxima, of integers with signs."""

    does: ClassVar[str] = "max_signed"


class Min(AllParallel, name="linalg.min", assembly="<structured>"):
    """Minima, of integers with signs."""

    does: ClassVar[str] = "min_signed"


class PowF(AllParallel, name="linalg.powf", assembly="<structured>"):
    """Powers."""

    does: ClassVar[str] = "powf"


class Select(AllParallel, name="linalg.select", assembly="<structured>"):
    """Elements of the second input where the first one holds, else of the third."""

    does: ClassVar[str] = "select"


class Exp(AllParallel, name="linalg.exp", assembly="<structured>"):
    """e to the power."""

    does: ClassVar[str] = "exp"


class Log(AllParallel, name="linalg.log", assembly="<structured>"):
    """Natural logarithms."""

    does: ClassVar[str] = "log"


class Abs(AllParallel, name="linalg.abs", assembly="<structured>"):
    """Magnitudes of floats."""

    does: ClassVar[str] = "abs"


class Ceil(AllParallel, name="linalg.ceil", assembly="<structured>"):
    """The nearest integers above."""

    does: ClassVar[str] = "ceil"


class Floor(AllParallel, name="linalg.floor", assembly="<structured>"):
    """The nearest integers below."""

    does: ClassVar[str] = "floor"


class NegF(AllParallel, name="linalg.negf", assembly="<structured>"):
    """The numbers with the other sign."""

    does: ClassVar[str] = "negf"


class Reciprocal(AllParallel, name="linalg.reciprocal", assembly="<structured>"):
    """One over the numbers."""

    does: ClassVar[str] = "reciprocal"


class Round(AllParallel, name="linalg.round", assembly="<structured>"):
    """The nearest integers, ties away from zero."""

    does: ClassVar[str] = "round"


class Sqrt(AllParallel, name="linalg.sqrt", assembly="<structured>"):
    """Square roots."""

    does: ClassVar[str] = "sqrt"


class Rsqrt(AllParallel, name="linalg.rsqrt", assembly="<structured>"):
    """One over the square roots."""

    does: ClassVar[str] = "rsqrt"


class Square(AllParallel, name="linalg.square", assembly="<structured>"):
    """The numbers times themselves."""

    does: ClassVar[str] = "square"


class Tanh(AllParallel, name="linalg.tanh", assembly="<structured>"):
    """Hyperbolic tangents."""

    does: ClassVar[str] = "tanh"


class Erf(AllParallel, name="linalg.erf", assembly="<structured>"):
    """The error function."""

    does: ClassVar[str] = "erf"
