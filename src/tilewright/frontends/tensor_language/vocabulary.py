"""The words of the language: modifiers with their values, attribute names, and what older texts write instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilewright.dialects.arith import Predicate
from tilewright.dialects.memref import AtomicKind, Scope, Semantics
from tilewright.dialects.tl import Checked
from tilewright.ir.types import SCALARS, AddressSpace, MatrixUse

Modifier = bool | int | Scope | Semantics | Checked
Slot = Mapping[str, Modifier]
"""Spellings of one optional modifier with their values."""

ATOMIC: Final[Slot] = {".atomic": True}
TRANSPOSE: Final[Slot] = {".n": False, ".t": True}
CHECKED: Final[Slot] = {f".{c.value}": c for c in Checked if c is not Checked.NONE}
SCOPE: Final[Slot] = {f".{s.value}": s for s in Scope}
SEMANTICS: Final[Slot] = {f".{s.value}": s for s in Semantics}
DIMENSION: Final[Slot] = {".x": 0, ".y": 1, ".z": 2}
REDUCE: Final[Slot] = {".row": True, ".column": False}
FENCE_GLOBAL: Final[Slot] = {".global": True}
FENCE_LOCAL: Final[Slot] = {".local": True}

_SLOTS: Final[Sequence[Slot]] = (
    ATOMIC,
    TRANSPOSE,
    CHECKED,
    SCOPE,
    SEMANTICS,
    DIMENSION,
    REDUCE,
    FENCE_GLOBAL,
    FENCE_LOCAL,
)
ALL_MODIFIERS: Final = frozenset(word for slot in _SLOTS for word in slot)

COMPARISONS: Final[Mapping[str, Predicate]] = {
    "equal": Predicate.EQ,
    "not_equal": Predicate.NE,
    "greater_than": Predicate.GT,
    "greater_than_equal": Predicate.GE,
    "less_than": Predicate.LT,
    "less_than_equal": Predicate.LE,
}
COMPARISON_NAMES: Final[Mapping[Predicate, str]] = {p: name for name, p in COMPARISONS.items()}
OLD_COMPARISONS: Final[Mapping[str, str]] = {f".{p.value}": name for name, p in COMPARISONS.items()}
ATOMIC_KINDS: Final[Mapping[str, AtomicKind]] = {k.value: k for k in AtomicKind}
FOREIGN_SPACES: Final = {"shared": "local", "workgroup": "local", "__shared__": "local", "constant": "global"}
"""Memories as other languages call them."""
ADDRESS_SPACES: Final[Mapping[str, AddressSpace]] = {s.value: s for s in AddressSpace}
MATRIX_USES: Final[Mapping[str, MatrixUse]] = {u.value: u for u in MatrixUse}

ATTRIBUTE_NAMES: Final = frozenset(
    {"alignment", "shape_gcd", "stride_gcd", "subgroup_size", "unroll", "work_group_size"}
)
FUNCTION_ATTRIBUTES: Final = frozenset({"subgroup_size", "work_group_size"})
PARAMETER_ATTRIBUTES: Final = frozenset({"alignment", "shape_gcd", "stride_gcd"})
PARAMETER_PROMISES: Final = frozenset({"noalias"})
"""Quoted names that mean something behind a parameter."""
LANGUAGE_ATTRIBUTES: Final = "language_attributes"
"""Entry that keeps quoted names the language gives no meaning, apart from those that passes know."""

TYPE_WORDS: Final = frozenset({*SCALARS, "memref", "group", "coopmatrix"})
FOREIGN_TYPES: Final = {
    "char": "i8",
    "short": "i16",
    "int": "i32",
    "long": "i64",
    "half": "f16",
    "float": "f32",
    "double": "f64",
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
    "bfloat16": "bf16",
    "complex64": "c32",
    "complex128": "c64",
    "tensor": "memref",
}
"""Types as C and NumPy name them. NumPy counts the bits of both parts of complex numbers."""
