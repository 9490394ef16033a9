"""Tensors as values of a target type of LLVM: `target("tlx.tensor", T, rank, extents.., layout.., padding..)`.

The three are in memory order, as in calls of `typeinfo`. Such values need no tokens: what computes one says its type.
"""

from __future__ import annotations

from typing import Final, TypeGuard

from tilewright.dialects.tlx.types import TensorType
from tilewright.frontends.tlx.ir_types import SCALARS, element_in_memory
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.frontends.tlx.spelling import scalar_text

NAME: Final = "tlx.tensor"
_NUMBERS: Final = (llvm.IntegerType, llvm.FloatType)


def is_tensor_type(type_: llvm.Type) -> TypeGuard[llvm.TargetType]:
    """Whether values of a type are tensors."""
    return isinstance(type_, llvm.TargetType) and type_.name == NAME


def tensor_of_type(type_: llvm.TargetType) -> TensorType | None:
    """The tensor that a type says; None if it has not one type and three numbers a dimension."""
    if len(type_.types) != 1 or not type_.integers or not isinstance(type_.types[0], _NUMBERS):
        return None
    element, (rank, *numbers) = element_in_memory(type_.types[0]), type_.integers
    if element is None or len(numbers) != 3 * rank:
        return None
    extents, layout, padding = (tuple(numbers[k * rank : (k + 1) * rank]) for k in range(3))
    return TensorType(element, extents, layout, padding)


def target_text(type_: TensorType) -> str:
    """How a tensor's type is written."""
    numbers = (type_.rank, *type_.extents, *type_.layout, *type_.padding)
    return f'target("{NAME}", {scalar_text(type_.element)}, {", ".join(map(str, numbers))})'


def mangled(type_: llvm.TargetType) -> str:
    """A target type in the suffix of a name, as LLVM mangles it."""
    words = [_word(inner) for inner in type_.types]
    return f"t{'_'.join([type_.name, *words, *map(str, type_.integers)])}t"


def _word(type_: llvm.Type) -> str:
    element = element_in_memory(type_)
    return str(type_) if element is None else next(name for name, t in SCALARS.items() if t is element)
