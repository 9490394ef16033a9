"""What a product is asked to be: arrays and their modes, options, and whether they fit each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict, cast

from msgspec import Struct

from tilewright.operators import epilogues
from tilewright.operators.contractions import Contraction, Operand, strides_of
from tilewright.operators.errors import OperatorError, OperatorTypeError
from tilewright.operators.layouts import Extents, Layout
from tilewright.operators.products import Wish

_ACCUMULATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "f16": ("f32", "f16"),
    "bf16": ("f32",),
    "f32": ("f32", "f64"),
    "f64": ("f64",),
    "f8E4M3FN": ("f32",),
    "f8E5M2": ("f32",),
    "i8": ("i32",),
}
"""The types that accumulators have, by the type of the factors; the first one unless another is asked for."""
_KEPT: Final = {"f16": "f32"}
"""What accumulators have that may be of fewer bits: no unit multiplies faster with those."""

_FLOATS: Final = ("f16", "bf16", "f32", "f64")
_PRECISIONS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("f32", "f32"): ("exact", "tf32", "3xtf32"),
    ("f8E4M3FN", "f32"): ("exact", "fast"),
    ("f8E5M2", "f32"): ("exact", "fast"),
}
"""How products multiply and sum, by the types of the factors and of the accumulators; those of others are exact."""
_STORED: Final = {"i8": "i32", "f8E4M3FN": "f32", "f8E5M2": "f32"}
"""The type of results unless another is asked for, where it is not that of the factors."""
_EXTRAS: Final = ("c", *epilogues.OPERAND_STEPS)
_IMPLIED: Final = ("scale", "bias", "residual")
"""The order of arrays without an epilogue that names them."""


class Options(TypedDict, total=False):
    """Options of a product, as `tilewright.matmul` explains them."""

    alpha: float
    beta: float
    c: object
    bias: object
    scale: object
    residual: object
    epilogue: str
    precision: str
    accumulate: str
    out_dtype: str
    target: str


CHOICES: Final = ("epilogue", "precision", "accumulate", "out_dtype", "target")
_KNOWN: Final = frozenset(Options.__optional_keys__)


class Subscripts(Struct, frozen=True):
    """The modes of two factors and of their product."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    out: tuple[str, ...]


class Asked(Struct, frozen=True):
    """A product but for the elements of its arrays: `scaled` and `added` say whether there are an alpha and a beta,
    `allocates` whether the library of the arrays makes new ones where they are."""

    subscripts: Subscripts
    layouts: Mapping[str, Layout]
    allocates: bool
    scaled: bool
    added: bool
    epilogue: str | None = None
    precision: str | None = None
    accumulate: str | None = None
    out_dtype: str | None = None
    target: str | None = None


class Result(Struct, frozen=True):
    """The array that a product makes."""

    shape: Extents
    dtype: str


def broadcast_modes(count: int) -> tuple[str, ...]:
    """Names of leading modes."""
    return tuple(f"batch {k}" for k in range(max(count, 0)))


def check_options(options: Options) -> None:
    """Raises TypeError for an option that there is not, `OperatorTypeError` for what is no number or no name."""
    unknown = [name for name in options if name not in _KNOWN]
    if unknown:
        raise TypeError(f"there is no option {unknown[0]!r}; there are {', '.join(sorted(_KNOWN))}")
    for name in ("alpha", "beta"):
        if name in options:
            as_number(name, options.get(name))
    for name in CHOICES:
        check_name(name, options.get(name))


def as_number(name: str, value: object) -> float:
    """An argument as a number. Raises `OperatorTypeError`."""
    try:
        if hasattr(value, "__float__"):
            return float(cast("float", value))
    except (TypeError, ValueError, OverflowError):
        pass
    raise OperatorTypeError(f"{name} is {value!r}; it is a number")


def check_name(name: str, value: object) -> None:
    """Raises `OperatorTypeError` for an argument that is no text."""
    if value is not None and not isinstance(value, str):
        raise OperatorTypeError(f"{name} is {value!r}; it is text")


def beta_of(options: Options) -> float:
    """What `c` is multiplied with."""
    return options.get("beta", 0.0 if options.get("c") is None else 1.0)


def extras_of(options: Options) -> dict[str, object]:
    """The arrays among the options, by name."""
    given = {name: options.get(name) for name in _EXTRAS}
    return {name: array for name, array in given.items() if array is not None}


def result_of(wanted: Asked) -> Result:
    """The result that is asked for, of factors that fit. Raises `OperatorError`."""
    layouts = wanted.layouts
    a, b = layouts["a"], layouts["b"]
    if a.dtype != b.dtype:
        raise OperatorTypeError(f"a is of {a.dtype}, b of {b.dtype}; factors are of one type: convert one of them")
    extents = _extents(wanted.subscripts, a.shape, b.shape)
    shape = tuple(extents[mode] for mode in wanted.subscripts.out)
    usual = _STORED.get(a.dtype, a.dtype)
    if "out" not in layouts:
        return Result(shape, usual if wanted.out_dtype is None else wanted.out_dtype)
    out = layouts["out"]
    if out.shape != shape:
        raise OperatorError(f"out has extents {out.shape}, the product {shape}")
    if wanted.out_dtype not in (None, out.dtype):
        raise OperatorTypeError(f"out is of {out.dtype}, out_dtype says {wanted.out_dtype}")
    return Result(shape, out.dtype)


def contraction_of(wanted: Asked, result: Result) -> Contraction:
    """The contraction of arrays that fit each other. Raises `OperatorError`."""
    layouts = wanted.layouts
    subscripts = wanted.subscripts
    a, b, out = layouts["a"], layouts["b"], layouts.get("out")
    extents = _extents(subscripts, a.shape, b.shape)
    strides = packed(result.shape) if out is None else out.strides
    steps = _steps(wanted, layouts)
    names = (*(("c",) if wanted.added and "c" in layouts else ()), *(s for s in steps if s in epilogues.OPERAND_STEPS))
    return Contraction(
        extents,
        _factor("a", a, subscripts.a, extents),
        _factor("b", b, subscripts.b, extents),
        Operand("out", result.dtype, dict(zip(subscripts.out, strides, strict=True))),
        tuple(_extra(name, layouts[name], subscripts.out, result.shape) for name in names),
    )


def wish_of(wanted: Asked, result: Result) -> Wish:
    """The types and steps of a product. Raises `OperatorError`, `OperatorTypeError`."""
    layouts = wanted.layouts
    element = layouts["a"].dtype
    known = _ACCUMULATORS.get(element)
    if known is None:
        raise OperatorTypeError(f"a and b are of {element}; products are there of {', '.join(_ACCUMULATORS)}")
    accumulate = wanted.accumulate or known[0]
    if accumulate not in known:
        raise OperatorTypeError(f"products of {element} are summed in {' or '.join(known)}, not in {accumulate}")
    accumulate = _KEPT.get(accumulate, accumulate)
    results = _FLOATS if accumulate in _FLOATS else ("i32", *_FLOATS)
    if result.dtype not in results:
        raise OperatorTypeError(f"results of products of {element} are of {', '.join(results)}, not {result.dtype}")
    precisions = _PRECISIONS.get((element, accumulate), ("exact",))
    precision = wanted.precision or precisions[0]
    if precision not in precisions:
        raise OperatorTypeError(
            f"precision: products of {element} with accumulators in {accumulate} are {', '.join(precisions)}, "
            f"not {precision}"
        )
    compute = accumulate
    if accumulate == "i32" and result.dtype != "i32":
        compute = "f64" if result.dtype == "f64" else "f32"
    steps = _steps(wanted, layouts)
    epilogues.check_type(steps, compute)
    _check_extra_types(layouts, compute)
    rounded = accumulate != result.dtype and not (accumulate == "f32" and result.dtype == element)
    target = _target(wanted, layouts)
    return Wish(accumulate, compute, steps, wanted.scaled, wanted.added, rounded, target, wanted.allocates, precision)


def _extents(subscripts: Subscripts, a: Extents, b: Extents) -> dict[str, int]:
    """The extents of all modes. Raises `OperatorError` where the factors have different ones."""
    extents: dict[str, int] = {}
    for modes, shape in ((subscripts.a, a), (subscripts.b, b)):
        for mode, extent in zip(modes, shape, strict=True):
            known = extents.setdefault(mode, extent)
            if known == extent or (extent == 1 and mode in subscripts.out):
                continue
            if known != 1 or mode not in subscripts.out:
                raise OperatorError(f"a has extents {a}, b {b}: {known} and {extent} have to be equal")
            extents[mode] = extent
    return extents


def packed(shape: Extents) -> Extents:
    """The strides of an array without gaps, row by row."""
    steps = [1]
    for extent in reversed(shape[1:]):
        steps.append(steps[-1] * max(extent, 1))
    return tuple(reversed(steps[: len(shape)]))


def _factor(name: str, layout: Layout, modes: Sequence[str], extents: Mapping[str, int]) -> Operand:
    """A factor, without the modes along which it is broadcast."""
    kept = [k for k, mode in enumerate(modes) if layout.shape[k] == extents[mode]]
    strides = strides_of([modes[k] for k in kept], [layout.strides[k] for k in kept])
    return Operand(name, layout.dtype, strides, layout.aligned)


def _extra(name: str, layout: Layout, modes: Sequence[str], shape: Extents) -> Operand:
    """An array beside the factors, broadcast to the result as NumPy does."""
    surplus = len(shape) - len(layout.shape)
    own = shape[surplus:] if surplus >= 0 else ()
    if surplus < 0 or any(extent not in (1, full) for extent, full in zip(layout.shape, own, strict=True)):
        raise OperatorError(
            f"{name} has extents {layout.shape}, which are not broadcast to those of the result, {shape}"
        )
    kept = [k for k, extent in enumerate(layout.shape) if extent == own[k]]
    return Operand(name, layout.dtype, {modes[surplus + k]: layout.strides[k] for k in kept})


def _steps(wanted: Asked, layouts: Mapping[str, Layout]) -> tuple[str, ...]:
    """The steps of the epilogue. Raises `OperatorError` for arrays without a step, and steps without an array."""
    if wanted.epilogue is None:
        return tuple(name for name in _IMPLIED if name in layouts)
    steps = epilogues.steps_of(wanted.epilogue)
    for name in epilogues.OPERAND_STEPS:
        if (name in steps) != (name in layouts):
            missing = f"the epilogue {wanted.epilogue!r} has no step" if name in layouts else "there is no array"
            raise OperatorError(f"{name}: {missing} of that name; give both or none")
    return steps


def _check_extra_types(layouts: Mapping[str, Layout], compute: str) -> None:
    for name in _EXTRAS:
        if name in layouts and layouts[name].dtype.startswith("i") != compute.startswith("i"):
            raise OperatorTypeError(
                f"{name} is of {layouts[name].dtype}, what follows the accumulators is computed in {compute}"
            )


def _target(wanted: Asked, layouts: Mapping[str, Layout]) -> str:
    """Where a product runs. Raises `OperatorError` for arrays on several devices."""
    devices = {name: layout.device for name, layout in layouts.items()}
    first = devices["a"]
    for name, device in devices.items():
        if device != first:
            raise OperatorError(f"a lies on {first}, {name} on {device}; a product has all its arrays on one device")
    if wanted.target is not None:
        return wanted.target
    kind = first.partition(":")[0]
    if kind not in ("cpu", "cuda"):
        raise OperatorError(f"a lies on {first}; products run on the CPU and on NVIDIA devices")
    return "cpu" if kind == "cpu" else "nvidia"
