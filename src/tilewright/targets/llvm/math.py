"""exp, exp2, log, log2, sin, cos for f32 and f64: at most 4 ulp, IEEE special values, any number of lanes.

Exponentials of vectors, and in f32 on NVIDIA devices, are computed in place, so are logarithms of vectors where tables
are picked from, and every other (function, type) by one internal function of the module, without library calls and
without LLVM's math intrinsics, which some targets cannot select. Native forms may flush subnormals, lose accuracy with
the size of the argument, and use the approximations that a target has in hardware.
Derivations: `exp_log`, `trig`; coefficients: scripts/derive_math_coefficients.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tilewright.targets.llvm.emitter import Builder
from tilewright.targets.llvm.exp_log import emit_exp, emit_exp2, emit_log, emit_log2
from tilewright.targets.llvm.floatkit import FloatKit
from tilewright.targets.llvm.log_pieces import picks_pieces
from tilewright.targets.llvm.trig import emit_cos, emit_sin
from tilewright.targets.llvm.types import lanes_of, mangle
from tilewright.targets.llvm.values import Complex, Value, constant

if TYPE_CHECKING:
    from collections.abc import Callable

    from tilewright.targets.llvm.features import Features
    from tilewright.targets.llvm.module import Callee, Module

FUNCTIONS: dict[str, Callable[[FloatKit, Value, bool], Value]] = {
    "exp": emit_exp,
    "exp2": emit_exp2,
    "log": emit_log,
    "log2": emit_log2,
    "sin": emit_sin,
    "cos": emit_cos,
}

NATIVE = "native_"
_EXPONENTIALS = frozenset({"exp", "exp2"})
_LOGARITHMS = frozenset({"log", "log2"})
MATH = frozenset(FUNCTIONS) | frozenset(NATIVE + name for name in FUNCTIONS)


def math_value(b: Builder, features: Features, op: str, x: Value) -> Value:
    """The function's value for f32 or f64 lanes: short ones are computed in place, where they share constants.

    A call would also spill what the caller holds: no vector register survives one. On NVIDIA devices nothing else is
    computed as long as one lasts.
    """
    in_place = lanes_of(x.type) > 1 or (features.nvptx and x.type == "float")
    short = features.fma if op in _EXPONENTIALS else op in _LOGARITHMS and picks_pieces(features)
    if short and in_place:
        return FUNCTIONS[op](FloatKit(b, features, x.type), x, False)
    return b.call(emit_math(b.module, features, op, x.type), [x], hint=op)


def emit_math(module: Module, features: Features, op: str, ltype: str) -> Callee:
    """The function `T tilewright.<op>.T(T)` for T of f32 or f64 lanes, defined on first use."""
    name = f"tilewright.{op}.{mangle(ltype)}"
    known = module.defined(name)
    if known:
        return known
    function = module.function(name, ltype, [(ltype, "x")], linkage="internal", attributes="nounwind memory(none)")
    b = Builder(function)
    x = function.arguments[0]
    plain = op.removeprefix(NATIVE)
    native = plain != op
    if native and features.nvptx and ltype == "float":
        b.ret(_hardware(b, plain, x))
    else:
        b.ret(FUNCTIONS[plain](FloatKit(b, features, ltype), x, native))
    return function.callee


def _hardware(b: Builder, op: str, x: Value) -> Value:
    """NVIDIA's special function unit: ex2, lg2, sin, cos with an absolute or relative error around 2^-22."""
    match op:
        case "exp2":
            return b.intrinsic("llvm.nvvm.ex2.approx.f", "float", [x], overload=())
        case "exp":
            scaled = b.fmul(x, constant("float", math.log2(math.e)))
            return b.intrinsic("llvm.nvvm.ex2.approx.f", "float", [scaled], overload=())
        case "log":
            logarithm = b.intrinsic("llvm.nvvm.lg2.approx.f", "float", [x], overload=())
            return b.fmul(logarithm, constant("float", math.log(2.0)))
        case "log2":
            return b.intrinsic("llvm.nvvm.lg2.approx.f", "float", [x], overload=())
        case _:
            return b.intrinsic(f"llvm.nvvm.{op}.approx.f", "float", [x], overload=())


def emit_complex_exp(b: Builder, features: Features, op: str, x: Complex) -> Complex:
    """`e^re (cos im + i sin im)`, or the same with base 2; half of the exponent is applied on each side of the circle.

    So e^re may overflow although the result does not. A real argument gives a real result, also an infinite one.
    """
    plain = op.removeprefix(NATIVE)
    if plain not in ("exp", "exp2"):
        raise ValueError(f"{op} is not defined for complex numbers")
    prefix = op[: len(op) - len(plain)]
    ltype = x.re.type
    angle = x.im if plain == "exp" else b.fmul(x.im, constant(ltype, math.log(2.0)))
    half = b.fmul(x.re, constant(ltype, 0.5))
    radius = b.call(emit_math(b.module, features, op, ltype), [half])
    cosine = b.call(emit_math(b.module, features, f"{prefix}cos", ltype), [angle])
    sine = b.call(emit_math(b.module, features, f"{prefix}sin", ltype), [angle])
    re = b.fmul(b.fmul(radius, cosine), radius)
    im = b.fmul(b.fmul(radius, sine), radius)
    return Complex(re, b.select(b.fcmp("oeq", x.im, constant(ltype, 0.0)), x.im, im))
