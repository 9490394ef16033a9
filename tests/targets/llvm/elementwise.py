"""Elementwise operations compiled for this machine and run on arrays; edge values; rounding by another method."""

from __future__ import annotations

import ctypes
import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from code_generation import code_of
from tilewright.machine.native import LoadedObject, load_object
from tilewright.machine.processor import FeatureSet, machine
from tilewright.targets.llvm.arith import BINARY, COMPARE, MATH, UNARY, Arithmetic, Operand
from tilewright.targets.llvm.emitter import Builder, Complex, Module, Value, i64, lanes_of, vector
from tilewright.targets.llvm.features import NVPTX, Features
from tilewright.targets.llvm.types import ELEMENTS, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    # NumPy cannot tell the element type of an array chosen at run time.
    Array = NDArray[Any]

STORAGE: dict[str, np.dtype[Any]] = {
    name: np.dtype(storage)
    for name, storage in {
        "bool": "u1",
        "i8": "i1",
        "i16": "i2",
        "i32": "i4",
        "i64": "i8",
        "index": "i8",
        "bf16": "u2",
        "f16": "f2",
        "f32": "f4",
        "f64": "f8",
        "c32": "c8",
        "c64": "c16",
    }.items()
}
INTEGERS = ("i8", "i16", "i32", "i64", "index")
FLOATS = ("bf16", "f16", "f32", "f64")
COMPLEXES = ("c32", "c64")
NUMBERS = INTEGERS + FLOATS + COMPLEXES
FUNCTIONS = ("tanh", "log10", "log1p", "expm1", "tan", "sinh", "cosh", "atan2")
"""Those of the functions beyond the tensor language's that are tried here."""


@dataclass(frozen=True)
class Operation:
    """One operation on operands of one element type; casts name their target."""

    op: str
    dtype: str
    target: str = ""

    @property
    def operand_types(self) -> tuple[str, ...]:
        """The element types of the operands."""
        if self.op == "select":
            return ("bool", self.dtype, self.dtype)
        if self.op == "fma":
            return (self.dtype,) * 3
        unary = {*UNARY, *MATH, *FUNCTIONS, "cast"} - {"atan2"}
        return (self.dtype,) if self.op in unary else (self.dtype,) * 2

    @property
    def result_type(self) -> str:
        """The element type of the result."""
        if self.op == "cast":
            return self.target
        if self.op in COMPARE:
            return "bool"
        return ELEMENTS[self.dtype].component if self.op in ("abs", "re", "im") else self.dtype

    @property
    def symbol(self) -> str:
        """A function name."""
        return f"{self.op}_{self.dtype}_{self.target}"

    def emit(self, arith: Arithmetic, operands: Sequence[Operand]) -> Operand:
        """Lower it."""
        if self.op == "cast":
            return arith.cast(operands[0], self.dtype, self.target)
        if self.op in FUNCTIONS:
            return arith.function(self.op, self.dtype, *operands)
        return arith.lower(self.op, self.dtype, *operands)


def operations(dtype: str) -> list[Operation]:
    """All operations that the element type has, except casts."""
    match ELEMENTS[dtype].kind:
        case Kind.BOOL:
            names = {"and", "or", "xor", "not", "select"}
        case Kind.INTEGER:
            names = set(BINARY | COMPARE) | {"abs", "neg", "not", "select", "fma"}
        case Kind.FLOAT:
            names = set(COMPARE | MATH) | {"add", "sub", "mul", "div", "rem", "max", "min"}
            names |= {"abs", "neg", "sqrt", "select", "fma"}
        case Kind.COMPLEX:
            names = {"add", "sub", "mul", "div", "abs", "neg", "conj", "re", "im", "eq", "ne", "select", "fma"}
            names |= {"exp", "exp2"}
    return [Operation(name, dtype) for name in sorted(names)]


def casts(source: str) -> list[Operation]:
    """All casts from a type; complex numbers only go to complex numbers."""
    targets = COMPLEXES if source in COMPLEXES else NUMBERS
    return [Operation("cast", source, target) for target in targets]


def load(b: Builder, dtype: str, base: Value, index: Value, lanes: int) -> Operand:
    """Elements from an array, as values."""
    element = ELEMENTS[dtype]
    if element.kind is Kind.COMPLEX:
        address = b.gep(f"[2 x {element.llvm}]", base, index)
        pairs = b.load(vector(element.llvm, 2 * lanes), address, element.bytes // 2)
        return Complex(b.shuffle(pairs, None, range(0, 2 * lanes, 2)), b.shuffle(pairs, None, range(1, 2 * lanes, 2)))
    memory = "i8" if dtype == "bool" else element.llvm
    value = b.load(vector(memory, lanes), b.gep(memory, base, index), element.bytes)
    return b.trunc(value, vector("i1", lanes)) if dtype == "bool" else value


def store(b: Builder, dtype: str, value: Operand, base: Value, index: Value) -> None:
    """Values into an array."""
    element = ELEMENTS[dtype]
    if isinstance(value, Complex):
        address = b.gep(f"[2 x {element.llvm}]", base, index)
        lanes = lanes_of(value.re.type)
        if lanes == 1:
            b.store(value.re, address, element.bytes // 2)
            b.store(value.im, b.offset(address, element.bytes // 2), element.bytes // 2)
            return
        order = itertools.chain.from_iterable(zip(range(lanes), range(lanes, 2 * lanes), strict=True))
        b.store(b.shuffle(value.re, value.im, list(order)), address, element.bytes // 2)
        return
    memory = "i8" if dtype == "bool" else element.llvm
    if dtype == "bool":
        value = b.zext(value, vector("i8", lanes_of(value.type)))
    b.store(value, b.gep(memory, base, index), element.bytes)


def module_of(jobs: Sequence[Operation], lanes: int, features: Features, triple: str = "") -> str:
    """A module with one function for each operation: `void(ptr out, ptr x, ptr y, ptr z, i64 count)`."""
    module = Module(triple)
    for job in jobs:
        parameters = [("ptr", "out"), ("ptr", "x"), ("ptr", "y"), ("ptr", "z"), ("i64", "count")]
        function = module.function(job.symbol, "void", parameters)
        b = Builder(function)
        out, *inputs, count = function.arguments
        arith = Arithmetic(b, features)
        with b.loop(i64(0), count, lanes) as loop:
            operands = [
                load(b, dtype, base, loop.index, lanes) for dtype, base in zip(job.operand_types, inputs, strict=False)
            ]
            store(b, job.result_type, job.emit(arith, operands), out, loop.index)
        b.ret()
    return str(module)


class Jit:
    """Compiles for this machine, with its instructions, those up to AVX2, or only those that all of its kind have."""

    def __init__(self) -> None:
        avx2 = FeatureSet.GENERIC if machine().lacks(FeatureSet.AVX2) else FeatureSet.AVX2
        self.machines = {"host": machine(), "avx2": machine(avx2), "generic": machine(FeatureSet.GENERIC)}
        self.features = {name: Features.of_x86(found.flags) for name, found in self.machines.items()}
        # What NVIDIA devices are given, but for their own instructions, runs here too.
        self.machines["device"] = machine()
        self.features["device"] = msgspec.structs.replace(NVPTX, table_address_space=0)

    def compile(self, text: str, symbols: Sequence[str], machine: str = "host") -> LoadedObject:
        """From LLVM text to loaded code."""
        code = code_of(text, self.machines[machine], most=1)
        return load_object(code, symbols, process_symbols=True)

    def elementwise(self, jobs: Sequence[Operation], lanes: int, machine: str) -> Callable[..., Array]:
        """A runner `run(job, x, y, z)`; arrays are padded to whole vectors with their last element."""
        text = module_of(jobs, lanes, self.features[machine])
        library = self.compile(text, [job.symbol for job in jobs], machine)

        def run(job: Operation, *operands: Array) -> Array:
            count = operands[0].size
            padded_count = -(-count // lanes) * lanes
            padded = [np.ascontiguousarray(np.pad(x, (0, padded_count - count), mode="edge")) for x in operands]
            out = np.full(padded_count * STORAGE[job.result_type].itemsize, 0xA5, dtype=np.uint8)
            addresses = [array.ctypes.data for array in padded]
            addresses += [0] * (3 - len(addresses))
            signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)
            signature(library.address(job.symbol))(out.ctypes.data, *addresses, padded_count)
            return out.view(STORAGE[job.result_type])[:count]

        return run


def edges(dtype: str) -> Array:
    """Values at which something changes."""
    storage = STORAGE[dtype]
    match ELEMENTS[dtype].kind:
        case Kind.BOOL:
            return np.array([0, 1], dtype=storage)
        case Kind.INTEGER:
            info = np.iinfo(storage.name)
            width = info.bits
            return np.array(
                [0, 1, -1, 2, -2, 3, 7, width, width - 1, -width, info.min, info.min + 1, info.max, info.max - 1],
                dtype=storage,
            )
        case Kind.FLOAT:
            return from_float64(float_edges(dtype), dtype)
        case Kind.COMPLEX:
            parts = float_edges(ELEMENTS[dtype].component)
            return np.array([complex(a, b) for a, b in itertools.product(parts, parts)]).astype(storage)


def float_edges(dtype: str) -> NDArray[np.float64]:
    """Zeros, ones, infinities, NaN, ends of the normal and subnormal ranges, neighbours of 1, halves."""
    mantissa, largest, smallest = {
        "bf16": (8, 2.0**127 * (2 - 2.0**-7), 2.0**-126),
        "f16": (11, 65504.0, 2.0**-14),
        "f32": (24, float(np.finfo(np.float32).max), 2.0**-126),
        "f64": (53, float(np.finfo(np.float64).max), 2.0**-1022),
    }[dtype]
    step = 2.0 ** (1 - mantissa)
    plain = [0.0, 1.0, 1.0 + step, 1.0 - step / 2, 0.5, 1.5, 2.5, 3.0, 127.5, 128.0, 1e4, largest, smallest]
    tiny = [smallest * step, smallest * (1 - step), smallest * 3 * step, np.inf, np.nan]
    positive = np.array(plain + tiny)
    return np.concatenate([positive, -positive])


def random_bits(rng: np.random.Generator, dtype: str, count: int) -> Array:
    """Any bit pattern, mixed with moderate numbers."""
    storage = STORAGE[dtype]
    if dtype == "bool":
        return rng.integers(0, 2, count).astype(storage)
    raw = rng.integers(0, 256, count * storage.itemsize, dtype=np.uint8).view(storage)
    if ELEMENTS[dtype].kind is Kind.INTEGER:
        return raw
    if ELEMENTS[dtype].kind is Kind.COMPLEX:
        moderate: Array = (rng.normal(size=count) + 1j * rng.normal(size=count)).astype(storage)
    else:
        moderate = from_float64(rng.normal(size=count) * 50, dtype)
    return np.where(rng.random(count) < 0.5, raw, moderate)


def from_float64(numbers: NDArray[np.float64], dtype: str) -> Array:
    """Stored values of a float type, rounded once."""
    if dtype != "bf16":
        with np.errstate(over="ignore"):
            return numbers.astype(STORAGE[dtype])
    exact = round_to(numbers.astype(np.longdouble), 8, -126, 127)
    return (exact.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def to_float(stored: Array, dtype: str) -> Array:
    """bf16 and f16 as f32, exactly; others as they are."""
    if dtype == "bf16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float32) if dtype == "f16" else stored


def round_fraction(number: Fraction, mantissa: int, lowest: int, highest: int) -> float:
    """An exact number rounded once to nearest even, in integer arithmetic."""
    magnitude = abs(number)
    if magnitude == 0:
        return 0.0
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, lowest) - mantissa + 1)
    rounded = round(magnitude / unit) * unit
    value = math.inf if rounded >= Fraction(2) ** (highest + 1) else float(rounded)
    return value if number > 0 else -value


def round_to(numbers: NDArray[np.longdouble], mantissa: int, lowest: int, highest: int) -> NDArray[np.longdouble]:
    """Round to nearest even by scaling the last place to 1: exponents of normal numbers are lowest .. highest."""
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(numbers)[1] - 1, lowest)
        rounded = np.ldexp(np.rint(np.ldexp(numbers, mantissa - 1 - exponent)), exponent - mantissa + 1)
        limit = np.ldexp(np.longdouble(1), highest + 1)
        rounded = np.where(np.abs(rounded) >= limit, np.copysign(np.longdouble(np.inf), numbers), rounded)
        return np.where(np.isfinite(numbers), rounded, numbers)


def pairs(rng: np.random.Generator, dtype: str, count: int) -> tuple[Array, Array]:
    """All pairs of edge values, then random ones, among them some equal in both places."""
    special = edges(dtype)
    if special.size > 50:
        special = special[rng.permutation(special.size)[:50]]
    left, right = np.repeat(special, special.size), np.tile(special, special.size)
    x, y = random_bits(rng, dtype, count), random_bits(rng, dtype, count)
    return np.concatenate([left, x, x[: count // 8]]), np.concatenate([right, y, x[: count // 8]])
