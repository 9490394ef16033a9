"""What instructions, casts and intrinsics compute of the numbers of the threads, as steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final

import numpy as np

from . import directed, numbers
from .frame import Lanes, Operand, Step
from .matrices import rounded_to_tf32
from .memory import SHARED
from .numbers import Array, dtype_of, unsigned
from .text import EmulatorError

BINARY: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": numbers.shl,
    "lshr": numbers.lshr,
    "ashr": numbers.ashr,
    "sdiv": numbers.sdiv,
    "udiv": numbers.udiv,
    "srem": numbers.srem,
    "urem": numbers.urem,
    "fadd": np.add,
    "fsub": np.subtract,
    "fmul": np.multiply,
    "fdiv": np.divide,
}
UNARY: Final[Mapping[str, Callable[[Array], Array]]] = {
    "fneg": np.negative,
    "freeze": np.positive,
}
_INTRINSICS: Final[Mapping[str, Callable[..., Array]]] = {
    "fma": numbers.fma,
    "fabs": np.abs,
    "sqrt": np.sqrt,
    "copysign": np.copysign,
    "minimumnum": numbers.extremum(np.fmin, largest=False),
    "maximumnum": numbers.extremum(np.fmax, largest=True),
    "minimum": numbers.extremum(np.minimum, largest=False),
    "maximum": numbers.extremum(np.maximum, largest=True),
    "smin": np.minimum,
    "smax": np.maximum,
    "umin": numbers.umin,
    "umax": numbers.umax,
    "abs": numbers.absolute,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "roundeven": np.rint,
}
UPDATES: Final[Mapping[str, Callable[[Array, Array], Array]]] = {
    "xchg": lambda _old, new: new,
    "add": np.add,
    "sub": np.subtract,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": np.maximum,
    "min": np.minimum,
    "umax": numbers.umax,
    "umin": numbers.umin,
    "fadd": np.add,
}
_APPROXIMATE: Final[Mapping[str, Callable[[Array], Array]]] = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "rcp": numbers.almost_reciprocal,
}
"""What the hardware computes to some digits is right to all of them here, but for reciprocals."""


def applied(result: str, function: Callable[..., Array], operands: Sequence[Operand]) -> Step:
    """A step that defines a name by a function of operands: for most, one or two, in as few calls as can be."""
    # Not closures: most steps run a few times, and those are several objects more to make and to keep each.
    match operands:
        case [x]:
            return partial(_unary, result, function, x)
        case [x, y]:
            return partial(_binary, result, function, x, y)
        case _:
            return partial(_any, result, function, operands)


def _unary(result: str, function: Callable[[Array], Array], x: Operand, lanes: Lanes) -> None:
    lanes[result] = function(lanes[x])


def _binary(result: str, function: Callable[[Array, Array], Array], x: Operand, y: Operand, lanes: Lanes) -> None:
    lanes[result] = function(lanes[x], lanes[y])


def _any(result: str, function: Callable[..., Array], operands: Sequence[Operand], lanes: Lanes) -> None:
    lanes[result] = function(*[lanes[x] for x in operands])


@cache
def conversion(word: str, source: str, target: str) -> Callable[[Array], Array]:
    """What a cast from a type to another makes of numbers."""
    dtype: np.dtype[Any] = dtype_of(target)
    match word:
        case "trunc" if target == "i1":
            return lambda x: x & 1 != 0
        case "trunc" if target == "i4":
            return lambda x: (x.astype(np.int8) << 4) >> 4
        case "zext" if source == "i4":
            return lambda x: (x & 15).astype(dtype)
        case "trunc" if source == "i128":
            return lambda x: (x & 0xFFFFFFFFFFFFFFFF).astype(np.uint64).view(np.int64).astype(dtype)
        case "trunc" | "fpext" | "sitofp":
            return lambda x: x.astype(dtype)
        case "sext":
            return lambda x: -x.astype(dtype) if x.dtype.kind == "b" else x.astype(dtype)
        case "zext" | "uitofp":
            return lambda x: unsigned(x).astype(dtype)
        case "fptrunc":
            return lambda x: numbers.narrowed(x, dtype)
        case "fptosi" | "fptoui":
            return lambda x: numbers.saturated(x, dtype, word == "fptosi")
        case "bitcast":
            return lambda x: np.ascontiguousarray(x).view(dtype)
        case "inttoptr" if target == "ptr addrspace(7)":
            # the window of a cluster holds the memory of the block itself at the block's own addresses
            return lambda x: unsigned(x).astype(dtype) + SHARED
        case "ptrtoint" | "inttoptr":
            return lambda x: unsigned(x).astype(dtype)
        case "addrspacecast":
            return _addrspacecast(source, target)
        case _:
            raise EmulatorError(f"unknown cast: {word} from {source} to {target}")


def is_shared(pointer_type: str) -> bool:
    """Whether pointers of a type are addresses in shared memory."""
    return pointer_type == "ptr addrspace(3)"


def _addrspacecast(source: str, target: str) -> Callable[[Array], Array]:
    from_shared, to_shared = is_shared(source), is_shared(target)
    if from_shared == to_shared:
        return lambda x: x
    if to_shared:
        raise EmulatorError("a generic address becomes a shared one")
    return lambda x: x + SHARED


def _words(low: Array, high: Array) -> Array:
    """Words of two numbers each."""
    return np.stack(np.broadcast_arrays(low, high), axis=-1).view(np.int32)[..., 0]


def _tf32_word(numbers_: Array) -> Array:
    return rounded_to_tf32(numbers_).view(np.int32)


@cache
def intrinsic(name: str, head: str) -> Callable[..., Array]:
    """What an intrinsic computes. Raises EmulatorError for one that the target does not print."""
    words = name.split(".")
    if words[1] in ("fptosi", "fptoui"):
        return conversion(words[1], words[4], words[3])
    if words[2:] in (["ff2f16x2", "rn"], ["ff2bf16x2", "rn"]):
        narrowed = conversion("fptrunc", "float", "half" if words[2] == "ff2f16x2" else "bfloat")

        def narrow(high: Array, low: Array) -> Array:
            return _words(narrowed(low), narrowed(high))

        return narrow
    if words[1:] == ["nvvm", "prmt"]:
        return numbers.permuted_bytes
    if words[1] == "nvvm" and words[3] in directed.MODES:
        return directed.operation(words[2], words[3])
    if words[1:] == ["nvvm", "f2tf32", "rn"]:
        return _tf32_word
    if words[1] == "nvvm" and words[3:] == ["to", "f16x2", "rn"]:
        return numbers.widened_pair(words[2])
    if words[1] == "nvvm" and words[3] == "approx":
        return _APPROXIMATE[words[2]]
    if words[1:3] == ["nvvm", "saturate"]:
        return numbers.saturated_fraction
    if words[1] not in _INTRINSICS:
        raise EmulatorError(f"unknown intrinsic: {head} @{name}")
    return _INTRINSICS[words[1]]
