"""The package `cuda-tile`, as far as it is used here: the only file that knows its names."""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from tilewright.interop.cutile.annotations import PLAIN, Annotation, ArrayNote, EachItem, Items, KernelParameter, Leaf
from tilewright.interop.cutile.specialisation import (
    ArrayFacts,
    ConstantFacts,
    Facts,
    ListFacts,
    ScalarFacts,
    TupleFacts,
)

SERIES: Final = "1.7"
"""The versions of the package whose interface this file speaks."""

BYTECODE_VERSION: Final = "13.3"
"""The newest that is public as a whole, and needs no GPU to be chosen for."""

NEWER_BYTECODE_VERSION: Final = "13.4"
"""For kernels with operations that 13.3 does not have."""


class FrontEndMissing(ImportError):
    """The package `cuda-tile` is not installed, or in a version with another interface."""


class FrontEnd:
    """NVIDIA's front end: what its kernels look like, and their bytecode."""

    def __init__(self) -> None:
        try:
            self._tile: Any = importlib.import_module("cuda.tile")
            self._compilation: Any = importlib.import_module("cuda.tile.compilation")
        except ImportError as error:
            raise FrontEndMissing(
                f"kernels of NVIDIA's front end need the package cuda-tile: pip install 'tilewright[cutile]' ({error})"
            ) from error
        version = str(self._tile.__version__)
        if not version.startswith(f"{SERIES}."):
            raise FrontEndMissing(
                f"cuda-tile {version} is installed, this version of tilewright works with {SERIES}: "
                f"pip install 'tilewright[cutile]'"
            )
        self._unsupported: type[Exception] = self._tile.TileUnsupportedFeatureError

    def is_kernel(self, value: object) -> bool:
        """Whether something is a function decorated with `cuda.tile.kernel`."""
        return isinstance(value, self._tile.kernel)

    def name(self, kernel: object) -> str:
        """The Python function's name."""
        return str(_annotated(kernel).pyfunc.__name__)

    def parameters(self, kernel: object) -> tuple[KernelParameter, ...]:
        """Names and annotations of a kernel's parameters."""
        function = _annotated(kernel)
        names = function.pysig.parameters
        notes = function.parameter_annotations
        return tuple(KernelParameter(n, self._annotation(a)) for n, a in zip(names, notes, strict=True))

    def _annotation(self, node: Any) -> Annotation:
        if node.KIND == "homogeneous_tuple":
            return EachItem(self._annotation(node.each))
        if node.KIND == "heterogeneous_tuple":
            return Items(tuple(self._annotation(item) for item in node.items))
        node.validate()
        wide = node.scalar is not None and node.scalar.dtype == self._tile.int64
        elements = None if node.list is None else node.list.element
        return Leaf(bool(node.constant), wide, self._note(node.array), self._note(elements))

    def _note(self, note: Any) -> ArrayNote:
        if note is None:
            return PLAIN
        wide = note.index_dtype == self._tile.int64
        return ArrayNote(wide, tuple(note.static_shape_dims), tuple(note.static_stride_dims))

    def bytecode(self, kernel: object, facts: tuple[Facts, ...]) -> bytes:
        """The kernel for arguments of which these facts hold, as a module with one entry.

        What the front end finds wrong in the kernel it raises as its own exceptions, which name the line.
        """
        convention = self._compilation.CallingConvention.cutile_python_v2()
        signature = self._compilation.KernelSignature([self._constraint(f) for f in facts], convention)
        try:
            return self._export(kernel, signature, BYTECODE_VERSION)
        except self._unsupported:
            return self._export(kernel, signature, NEWER_BYTECODE_VERSION)

    def _export(self, kernel: object, signature: object, version: str) -> bytes:
        buffer = io.BytesIO()
        self._compilation.export_kernel(
            kernel, [signature], buffer, output_format="tileir_bytecode", bytecode_version=version
        )
        return buffer.getvalue()

    def _constraint(self, facts: Facts) -> object:
        match facts:
            case ArrayFacts():
                return self._array(facts)
            case ScalarFacts():
                return self._compilation.ScalarConstraint(self._dtype(facts.dtype))
            case ConstantFacts():
                return self._compilation.ConstantConstraint(facts.value)
            case ListFacts():
                element = self._array(facts.element)
                return self._compilation.ListConstraint(element, alias_groups=(), elements_may_alias=True)
            case TupleFacts():
                return self._compilation.TupleConstraint([self._constraint(item) for item in facts.items])

    def _array(self, facts: ArrayFacts) -> object:
        return self._compilation.ArrayConstraint(
            self._dtype(facts.dtype),
            facts.rank,
            index_dtype=self._tile.int64 if facts.wide else self._tile.int32,
            stride_lower_bound_incl=[0 if c is None else None for c in facts.stride_constant],
            alias_groups=(),
            may_alias_internally=facts.overlaps,
            stride_constant=facts.stride_constant,
            shape_constant=facts.shape_constant,
            stride_divisible_by=facts.stride_divisible,
            shape_divisible_by=facts.shape_divisible,
            base_addr_divisible_by=facts.base_divisible,
        )

    def _dtype(self, name: str) -> object:
        return getattr(self._tile, name)


def _annotated(kernel: object) -> Any:
    attributes: Mapping[str, object] = vars(kernel)
    return attributes["_annotated_function"]


@cache
def front_end() -> FrontEnd:
    """The front end, loaded once. Raises `FrontEndMissing`."""
    return FrontEnd()
