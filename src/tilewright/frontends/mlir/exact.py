"""Operations of MLIR's dialects from their parts, with attributes as they are written, and back.

Versions of the tool differ: what earlier ones call otherwise or leave out is put as the latest has it.
"""

from __future__ import annotations

import re
from typing import Final

from tilewright.diagnostics import Location
from tilewright.dialects.mlir import affine, func, linalg_elements, memref, scf, tensor
from tilewright.dialects.mlir.base import MlirOperation, integers_of
from tilewright.ir.affine import AffineMap
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.mlir.attributes import DenseArray
from tilewright.ir.mlir.types import MemrefType, TensorType
from tilewright.ir.types import I64, Type

_SEGMENTS: Final = "operand_segments"
_WRITTEN: Final = ("operandSegmentSizes", "operand_segment_sizes")
_FORMER: Final[dict[type[MlirOperation], dict[str, str]]] = {
    affine.For: {"lower_bound": "lowerBoundMap", "upper_bound": "upperBoundMap"},
    func.Func: {"type": "function_type"},
}
_FLAGS: Final = {
    "fastmath": (
        re.compile(r"#arith\.fastmath<([a-z_, ]*)>"),
        frozenset(("none", "reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "fast")),
    ),
    "overflowFlags": (re.compile(r"#arith\.overflow<([a-z_, ]*)>"), frozenset(("none", "nsw", "nuw"))),
}
"""How flags of operations are spelled, by the attribute, and which there are."""
_STATICS: Final = ("static_offsets", "static_sizes", "static_strides")


def exact_operation(
    cls: type[MlirOperation],
    operands: list[Value],
    results: list[Type],
    attributes: dict[str, Attribute],
    regions: list[Region],
    successors: list[Block],
    location: Location,
) -> tuple[MlirOperation, str]:
    """The operation of a class, and what keeps the parts from being one; nothing if they are."""
    found = {_field(cls, name): value for name, value in attributes.items() if name not in _WRITTEN}
    problem = ""
    if cls.definition.segmented:
        written = next((attributes[name] for name in _WRITTEN if name in attributes), None)
        implied = cls.implied_segments(len(operands)) or _former_segments(cls, found, len(operands))
        sizes = implied if written is None else integers_of(written)
        problem = _segment_problem(cls, sizes, len(operands))
        found[_SEGMENTS] = sizes
    for name, (form, known) in _FLAGS.items():
        words = form.fullmatch(str(found[name])) if name in found else None
        if name in found and (words is None or not known.issuperset(re.split(r",\s*", words[1]))):
            problem = f"{str(found[name])[:80]} are no flags of {name}; there are {', '.join(sorted(known))}"
    if cls is tensor.Empty and not _are_sizes_of(found.pop("static_sizes", None), results):
        problem = "the static sizes are not those of the type"
    if "static_output_shape" in cls.definition.attributes and "static_output_shape" not in found:
        found.update(_output_shape(results))
    for name in _STATICS:
        static = found.get(name)
        if isinstance(static, tuple):
            found[name] = _former_statics(name, static)
    declared, listed = cls.definition.regions.values(), any(s.variadic for s in cls.definition.regions.values())
    if not listed and len(regions) != len(declared):
        problem = f"{cls.name} takes {len(declared)} regions, not {len(regions)}"
    op = object.__new__(cls)
    Operation.__init__(op, operands, results, found, regions, successors, location)
    if isinstance(op, scf.Parallel):
        _end_as_now(op)
    return op, problem


def _field(cls: type[MlirOperation], name: str) -> str:
    """The declaration's name of an attribute: Python has some for itself, and earlier versions had others."""
    name = _FORMER.get(cls, {}).get(name, name)
    return f"{name}_" if f"{name}_" in cls.definition.attributes else name


def _segment_problem(cls: type[MlirOperation], sizes: tuple[int, ...], count: int) -> str:
    specs = list(cls.definition.operands.values())
    pairs = zip(sizes, specs, strict=False)
    fits = len(sizes) == len(specs) and sum(sizes) == count
    if not fits or any(n < 0 or (n != 1 and not (s.variadic or (s.optional and n == 0))) for n, s in pairs):
        return f"operandSegmentSizes do not fit the {count} operands of {cls.name}"
    return ""


def _former_segments(cls: type[MlirOperation], found: dict[str, Attribute], count: int) -> tuple[int, ...]:
    """Sizes that earlier versions do not write: they follow from the maps of a loop, and a filling has one input."""
    if cls is affine.For:
        bounds = [found.get("lowerBoundMap"), found.get("upperBoundMap")]
        taken = [m.dimensions + m.symbols if isinstance(m, AffineMap) else 0 for m in bounds]
        return (*taken, count - sum(taken))
    return (1, count - 1) if cls is linalg_elements.Fill else ()


def _are_sizes_of(static: Attribute | None, results: list[Type]) -> bool:
    """Whether `linalg.init_tensor`, as `tensor.empty` was called, says of extents what its type does."""
    type_ = results[0] if results else None
    if not isinstance(static, tuple) or not isinstance(type_, TensorType) or type_.shape is None:
        return True
    return integers_of(static) == tuple(-1 if extent is None else extent for extent in type_.shape)


def _output_shape(results: list[Type]) -> dict[str, Attribute]:
    """What `expand_shape` says from version 19 on, where all extents are known."""
    shape = results[0].shape if results and isinstance(results[0], MemrefType | TensorType) else None
    known = tuple(extent for extent in shape or () if extent is not None)
    return {"static_output_shape": DenseArray(I64, known)} if shape == known else {}


def _former_statics(name: str, static: tuple[Attribute, ...]) -> DenseArray:
    """A list of integers, as before 16, where -1 stands for a size that is an operand."""
    numbers = integers_of(static)
    if name == "static_sizes":
        numbers = tuple(memref.DYNAMIC if n == -1 else n for n in numbers)
    return DenseArray(I64, numbers)


def _end_as_now(op: scf.Parallel) -> None:
    """Before 18 each value has an `scf.reduce` of its own in the body, which ends in `scf.yield`."""
    if len(op.regions) != 1 or len(op.body.blocks) != 1:
        return
    block = op.body.entry
    last, own = block.last, [one for one in block if isinstance(one, scf.Reduce)]
    ends = isinstance(last, scf.Yield) and not last.operands
    if last is None or own == [last] or not (ends or isinstance(last, scf.Reduce)):
        return
    values = [value for one in own for value in one.values]
    combiners = [region for one in own for region in one.regions]
    for one in own:
        one.regions = ()
    location = (own[0] if own else last).location
    for one in dict.fromkeys([*own, last]):
        one.erase()
    block.append(scf.Reduce(values, combiners, location=location))
