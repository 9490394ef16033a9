"""Every pure operation on numbers says what it computes, and folding computes it as the interpreters do."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from effort import count
from tilewright.diagnostics import Report
from tilewright.dialects import arith, arith_floats, operation_classes
from tilewright.dialects.cuda_tile import OPERATIONS, conversions
from tilewright.dialects.cuda_tile import arith as tile_arith
from tilewright.dialects.cuda_tile.core import Offset
from tilewright.dialects.cuda_tile.types import ELEMENTS, Pointer, Tile
from tilewright.interpreter.engine import all_handlers
from tilewright.interpreter.tile_ir.engine import all_handlers as all_tile_handlers
from tilewright.ir.core import Block, Operation
from tilewright.ir.evaluation import Number, evaluated, evaluated_number, fault_of
from tilewright.ir.specs import PURE
from tilewright.ir.types import ALL_SCALARS, BOOL, C32, F32, INDEX, ScalarType, Type
from tilewright.ir.verifier import verify_alone
from tilewright.numerics.arrays import array_of, dtype_of, number_of
from tilewright.numerics.formats import ComplexFormat, FloatFormat, IntegerFormat
from tilewright.transforms.fold import is_foldable

SHARED = tuple(operation_classes().values())
NO_ARITHMETIC = {
    *("arith.constant", "cuda_tile.constant", "cuda_tile.iota", "tile.iota", "cf.undefined"),
    # what the launch, the team or memory is
    *("team.part", "team.num_parts", "gpu.cluster_id", "gpu.cluster_rank", "memref.group_memory"),
    "gpu.has_maps",
    *("team.group_id", "team.num_groups", "team.num_subgroups", "team.subgroup_size", "team.subgroup_id"),
    *("team.subgroup_linear_id", "team.subgroup_local_id", "lane.side", "cuda_tile.get_tile_block_id"),
    *("cuda_tile.get_num_tile_blocks", "cuda_tile.get_global", "memref.global_address"),
    *("memref.address", "memref.reach", "memref.from_address", "memref.group_load", "memref.size", "memref.stride"),
    *("memref.associated", "memref.expand", "memref.fuse", "memref.subview", "memref.strided", "memref.permute"),
    *("cuda_tile.make_token", "cuda_tile.join_tokens", "cuda_tile.make_tensor_view", "cuda_tile.make_partition_view"),
    *("cuda_tile.make_strided_view", "cuda_tile.make_gather_scatter_view", "cuda_tile.get_tensor_shape"),
    *("cuda_tile.get_index_space_shape", "cuda_tile.assume"),
    # whole matrices
    *("gpu.await_mma", "gpu.mma_parts", "lane.mma", "gpu.sum_own", "gpu.sum_lanes"),
    # elements that move
    *("tile.splat", "tile.item", "tile.broadcast", "tile.reshape", "tile.reinterpret", "tile.permute", "tile.extract"),
    *("tile.cat", "tile.share_extract", "tile.share_insert", "team.broadcast", "tl.cooperative_matrix_construct"),
    *("tl.cooperative_matrix_extract", "tl.cooperative_matrix_insert", "cuda_tile.broadcast", "cuda_tile.reshape"),
    *("cuda_tile.permute", "cuda_tile.cat", "cuda_tile.extract", "cuda_tile.insert", "cuda_tile.pack"),
    *(
        "cuda_tile.unpack",
        "gpu.convert_layout",
        "gpu.spill",
        "lane.aligned",
        "lane.row",
        "lane.fill",
        "lane.numbers",
        "lane.pick",
        "lane.item",
        "lane.flip",
    ),
    # of several elements together
    *("tile.mma", "tile.reduce", "tile.scan", "team.reduce", "team.scan", "tl.cooperative_matrix_scale"),
    *("tl.cooperative_matrix_mul_add", "tl.cooperative_matrix_reduce"),
    *("cuda_tile.mmaf", "cuda_tile.mmai", "cuda_tile.mmaf_scaled"),
}
"""Pure operations that are no arithmetic on elements."""

ROWS = count("RANDOM_FOLDED_ROWS", 15, 1000)
"""Of all combinations of edges so many of each instance of an operation."""

COMPUTED = [cls for cls in (*SHARED, *OPERATIONS) if cls.evaluate is not None]


def values_of(type_: Type) -> list[Number]:
    """Edges of an element type."""
    match type_.format:
        case IntegerFormat(bits=1):
            return [False, True]
        case IntegerFormat(bits=bits):
            return [0, 1, -1, 3, -(1 << bits - 1), (1 << bits - 1) - 1]
        case FloatFormat() as layout:
            found: list[Number] = [layout.largest, layout.number(1), 1.0, math.nan]
            found += [0.0, math.inf] if layout.infinite else []
            return [*found, *([-v for v in found] if layout.signed else [])]
        case ComplexFormat():
            return [0j, 1 - 2j, complex(math.inf, 1.0), complex(-0.0, math.nan)]
        case _:
            return []


def legal(cls: type[Operation]) -> Iterator[Operation]:
    """Instances on scalars: every combination of element types and attributes that the rules allow."""
    definition, make = cls.definition, cls
    types: list[Type] = list(ALL_SCALARS.values())
    if cls in OPERATIONS:
        types = [Tile((), element) for element in ELEMENTS.values()]
    names = sorted({spec.var or name for name, spec in definition.operands.items()})
    choices = [_choices(spec.kind) for spec in definition.attributes.values()]
    inferred = all(spec.var or spec.infer for spec in definition.results.values())
    for given in itertools.product(types, repeat=len(names)):
        chosen = dict(zip(names, given, strict=True))
        operands = {name: chosen[spec.var or name] for name, spec in definition.operands.items()}
        if not all(spec.constraint.accepts(operands[name]) for name, spec in definition.operands.items()):
            continue
        values = dict(zip(operands, Block(list(operands.values())).arguments, strict=True))
        for result, *attributes in itertools.product([None] if inferred else types, *choices):
            options = dict(zip(definition.attributes, attributes, strict=True))
            op = _made(make, **values, **options, **({} if result is None else {"result_types": [result]}))
            report = Report()
            verify_alone(op, report)
            if not (report.has_errors or _loses_imaginary_parts(op)):
                yield op


def _loses_imaginary_parts(op: Operation) -> bool:
    """Whether this is a conversion that only the rules of the tensor language refuse."""
    if not isinstance(op, arith.Cast):
        return False
    return isinstance(op.value.type.format, ComplexFormat) and not isinstance(op.out.type.format, ComplexFormat)


def _made(make: Any, **options: Any) -> Operation:
    return make(**options)


def _choices(kind: type) -> Sequence[Any]:
    if kind is bool:
        return (False, True)
    assert issubclass(kind, Enum), kind
    return list(kind)


def same(found: Number, wanted: Number) -> bool:
    """Equal, also in the signs of zeros; of NaN all are the same."""
    if isinstance(found, complex) and isinstance(wanted, complex):
        return same(found.real, wanted.real) and same(found.imag, wanted.imag)
    assert not isinstance(found, complex)
    assert not isinstance(wanted, complex)
    if math.isnan(found) or math.isnan(wanted):
        return math.isnan(found) and math.isnan(wanted)
    return found == wanted and math.copysign(1.0, found) == math.copysign(1.0, wanted)


@pytest.mark.parametrize("cls", [*SHARED, *OPERATIONS], ids=lambda c: c.name)
def test_pure_operations_say_what_they_compute(cls: type[Operation]) -> None:
    assert (cls.evaluate is None) or cls.name not in NO_ARITHMETIC
    if PURE in cls.definition.traits and cls.definition.results:
        assert cls.evaluate is not None or cls.name in NO_ARITHMETIC


@pytest.mark.parametrize("cls", COMPUTED, ids=lambda c: c.name)
def test_folding_computes_as_the_interpreters(cls: type[Operation], rng: np.random.Generator) -> None:
    """Of constants, one at a time, with Python's integers where all are integers; of arrays, all at once."""
    ran = 0
    for op in legal(cls):
        formats, target = [v.type.format for v in op.operands], op.results[0].type.format
        options = [values_of(v.type) for v in op.operands]
        every: list[tuple[Number, ...]] = list(itertools.product(*options))
        rows = [every[int(k)] for k in rng.permutation(len(every))[:ROWS]]
        if not rows:
            continue
        columns = [array_of(layout, [row[k] for row in rows]) for k, layout in enumerate(formats)]
        found = evaluated(op, *columns)
        assert found.dtype == dtype_of(target), op
        assert found.shape == (len(rows),)
        for index, row in enumerate(rows):
            fault = fault_of(op, *(column[index : index + 1] for column in columns))
            number = evaluated_number(op, row)
            assert (number is None) == (fault is not None), (op, row)
            if number is not None:
                assert same(number, number_of(target, found[index])), (op, row)
        ran += 1
    assert ran or cls in (conversions.IntToPtr, conversions.PtrToInt, conversions.PtrToPtr, Offset)


def test_both_interpreters_and_folding_ask_the_definitions() -> None:
    shared, tiles = all_handlers(), all_tile_handlers()
    for cls in COMPUTED:
        if cls in OPERATIONS:
            assert tiles[cls] is tiles[tile_arith.AddI]
        elif cls is not arith.Select:
            assert shared[cls] is shared[arith.Add]
    folded = {cls for cls in operation_classes().values() if is_foldable(cls)}
    assert folded == {cls for cls in COMPUTED if cls in SHARED and not cls.name.startswith("math.")}


def test_addresses_of_elements() -> None:
    pointer = Tile((3,), Pointer(ELEMENTS["f32"]))
    op = Offset(*Block([pointer, Tile((3,), ELEMENTS["i8"])]).arguments)
    addresses, steps = np.array([64, 64, 0], np.uint64), np.array([3, -2, -1], np.int8)
    assert evaluated(op, addresses, steps).tolist() == [76, 56, 2**64 - 4]
    assert fault_of(op, addresses, steps) == "the address at [2] leaves the address space"
    assert fault_of(op, addresses[:2], steps[:2]) is None


@pytest.mark.parametrize(
    "element", [t for t in ALL_SCALARS.values() if not t.is_complex and t.format.name != "f8E8M0FNU"], ids=str
)
def test_what_becomes_a_bool_says_whether_it_is_not_zero(element: ScalarType) -> None:
    op = arith.Cast(Block([element]).arguments[0], result_types=[BOOL])
    numbers = [0, 1] if element in (BOOL, INDEX) else [0, 1, 2, -1]
    for number in numbers:
        assert evaluated_number(op, [number]) is (number != 0)


def test_elementary_functions_are_not_folded() -> None:
    """A target's own may differ from NumPy's in the last bits."""
    elementary = [cls for cls in SHARED if cls.name.startswith("math.")]
    assert elementary
    assert not any(is_foldable(cls) for cls in elementary)
    assert is_foldable(arith.Fma)


DIRECTED: dict[Any, Callable[[Fraction, Fraction, Fraction], Fraction]] = {
    arith_floats.RoundedAdd: lambda x, y, _: x + y,
    arith_floats.RoundedSub: lambda x, y, _: x - y,
    arith_floats.RoundedMul: lambda x, y, _: x * y,
    arith_floats.RoundedDiv: lambda x, y, _: x / y,
    arith_floats.RoundedFma: lambda x, y, z: x * y + z,
}


@pytest.mark.parametrize("cls", [*DIRECTED, arith_floats.RoundedSqrt])
def test_directions_enclose_what_is_exact(cls: Any, rng: np.random.Generator) -> None:
    """Down and up are neighbours, or the same where nothing is rounded; towards zero is the one nearer to it."""
    count_of = len(cls.definition.operands)
    for _ in range(50):
        numbers = [np.float32(rng.standard_normal()) for _ in range(count_of)]
        numbers = [abs(numbers[0])] if cls is arith_floats.RoundedSqrt else numbers
        ways = {way: Fraction(float(_directed(cls, way, numbers))) for way in arith_floats.Rounding}
        down, up, zero = (ways[arith_floats.Rounding[way]] for way in ("DOWN", "UP", "ZERO"))
        exact = [Fraction(float(number)) for number in numbers]
        if cls is arith_floats.RoundedSqrt:
            assert down**2 <= exact[0] <= up**2
        else:
            assert down <= DIRECTED[cls](*exact, *[Fraction(0)] * (3 - count_of)) <= up
        assert np.float32(float(up)) in (
            np.float32(float(down)),
            np.nextafter(np.float32(float(down)), np.float32(np.inf)),
        )
        assert zero == min(down, up, key=abs)


def _directed(cls: Any, way: arith_floats.Rounding, numbers: Sequence[np.float32]) -> np.float32:
    block = Block([F32] * len(numbers))
    return cls(*block.arguments, way).evaluate(*numbers)


def test_parts_of_complex_numbers() -> None:
    block = Block([C32])
    value = np.complex64(1.5 - 2j)
    for cls, part in ((arith.Re, 1.5), (arith.Im, -2.0)):
        op = cls(block.arguments[0])
        assert op.out.type is F32
        assert evaluated_number(op, [complex(value)]) == part
