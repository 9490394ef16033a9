"""Declaring operations of TLX: the declaration of `ir.definition` with what the text needs beside it.

    class Transpose(TensorOperation, name="tlx.transpose", traits=(PURE,), assembly="$input layout"):

`assembly` lists the operands of the intrinsic word by word: `$x` an operand, `x` an attribute, a constant vector of
integers or an integer; `@extents`, `@layout`, `@padding` parts of the result's type; what ends in `?` may be missing.
The intrinsic is `llvm.tensor.` with the operation's name behind its dialect, unless `intrinsic` says another;
`aliases` are other ones that are read as this operation.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from tilewright.diagnostics import Report
from tilewright.dialects.tlx.layouts import logical, stored
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.core import Value
from tilewright.ir.definition import Operation, Trait
from tilewright.ir.types import Type
from tilewright.numerics.later import Array


class Spec(Struct, frozen=True):
    """What TLX adds to the definition of an operation: the intrinsic, the order of its operands, other names."""

    intrinsic: str
    assembly: tuple[str, ...]
    aliases: tuple[str, ...]


class TlxOperation(Operation):
    """Base of the operations of TLX."""

    __slots__ = ()

    spec: ClassVar[Spec]

    def __init_subclass__(
        cls,
        name: str = "",
        traits: tuple[Trait, ...] = (),
        code: str = "TLX203",
        *,
        assembly: str = "",
        intrinsic: str = "",
        aliases: tuple[str, ...] = (),
    ) -> None:
        super().__init_subclass__(name, traits, code)
        if name:
            own = intrinsic or f"llvm.tensor.{name.removeprefix('tlx.')}"
            cls.spec = Spec(own, tuple(assembly.split()), aliases)

    @property
    def spoken(self) -> str:
        """The operation as the text calls it."""
        return self.spec.intrinsic.removeprefix("llvm.tensor.").removeprefix("llvm.")


class TensorOperation(TlxOperation):
    """Computes a tensor, whose type follows from operands and attributes by the rules of the operation.

    `evaluate` takes and returns stored elements, `formed` logical tensors.
    """

    __slots__ = ()

    has_open_layout: ClassVar[bool] = False
    """Whether the result's layout is free, settled by who uses it (decision 9)."""

    def required(self, report: Report) -> TensorType | None:
        """The type of the result, row-major where the layout is free; None if a rule is broken, which is reported."""
        raise NotImplementedError

    def formed(self, *operands: Array) -> Array:
        """The logical result of logical tensors and of scalars, in the result's format."""
        raise NotImplementedError

    def evaluate(self, *operands: Any) -> Any:
        tensors = [_logical(value, found) for value, found in zip(self.operands, operands, strict=True)]
        return stored(tensor_of(self.results[0]), self.formed(*tensors))

    def verify(self, report: Report) -> None:
        wanted = self.inferred(report)
        found = tensor_of(self.results[0])
        if wanted is None or wanted == found:
            return
        if self.has_open_layout and found.is_sound and found.rank == wanted.rank:
            wanted = wanted.relaid(found.layout)
        if found != wanted:
            code = "TLX305" if found.size != wanted.size else "TLX319"
            report.error(code, self.place("type"), f"{self.spoken}: the result is {wanted}, not {found}")

    def inferred(self, report: Report) -> TensorType | None:
        """As `required`, of sound operands: unsound ones are reported where their type was given.

        Most operations of a program take what others took before: the type of the first operand remembers results.
        """
        types = tuple(value.type for value in self.operands)
        first = types[0] if types else None
        if not isinstance(first, TensorType):
            return self.required(report) if self.has_sound_operands else None
        # of which elements a result is, operations say themselves
        said = tuple(tensor_of(result).element for result in self.results)
        key = type(self), said, *map(id, types), *self.attributes.values()
        known = first.results.get(key)
        if known is not None:
            return known[0]
        found = self.required(report) if self.has_sound_operands else None
        if found is not None:
            # with what the key names by its place in memory, so that nothing else comes to lie there
            first.results[key] = found, types
        return found

    @property
    def has_sound_operands(self) -> bool:
        """Whether rules can be asked of the operands: all are what is declared, and tensors are sound."""
        specs = self.definition.operands
        if len(self.operands) != len(specs):
            return False
        for spec, value in zip(specs.values(), self.operands, strict=True):
            type_ = value.type
            if not spec.constraint.accepts(type_) or (isinstance(type_, TensorType) and type_.faults):
                return False
        return True


def _logical(value: Value, found: Any) -> Any:
    return logical(value.type, found) if isinstance(value.type, TensorType) else found


def required_type(op: CoreOperation) -> Type:
    """Infers the result of a `TensorOperation`; where a rule is broken some tensor, for the verifier to report."""
    assert isinstance(op, TensorOperation)
    found = op.inferred(Report())
    return found if found is not None else op.operands[0].type


def tensor_of(value: Value) -> TensorType:
    """The type of a value that is known to be a tensor."""
    assert isinstance(value.type, TensorType)
    return value.type
