"""Calls of products: launches prepared once for arrays that lie alike, results made in the library of the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from msgspec import Struct

from tilewright.operators.asked import (
    CHOICES,
    Asked,
    Options,
    Result,
    Subscripts,
    beta_of,
    check_options,
    contraction_of,
    extras_of,
    packed,
    result_of,
    wish_of,
)
from tilewright.operators.errors import OperatorError, OperatorTypeError
from tilewright.operators.frameworks import Framework, framework_of
from tilewright.operators.layouts import Layout, Sight
from tilewright.operators.products import Launch, Plan, launch_of, plan_of

_KEPT_LAUNCHES: Final = 1024

Rule = Callable[[Layout, Layout], Subscripts]
"""From two factors to the modes that they and their product have."""


class _Prepared(Struct, frozen=True):
    """The result of a product, the type of its epilogue, and its launch; None where the result has no elements."""

    result: Result
    compute: str
    launch: Launch | None


_Call: TypeAlias = tuple[Rule, Framework, tuple[str, ...], tuple[Sight, ...], bool, bool, tuple[str | None, ...]]
"""A product but for the elements of its arrays, which have names and are seen as their library shows them; whether it
has an alpha and a beta; choices. This is what launches are remembered by."""


def computed(rule: Rule, a: object, b: object, out: object | None, options: Options) -> object:
    """The product of two arrays. Raises `OperatorError`."""
    framework = framework_of(a)
    arrays = framework.plain(_arrays(a, b, out, options))
    prepared = _prepared(_call(rule, framework, arrays, options))
    is_new = out is None
    if is_new:
        out = arrays["out"] = framework.empty(prepared.result.shape, prepared.result.dtype, a)
    if prepared.launch is not None:
        prepared.launch.run(framework, _numbers(options, prepared.compute) if options else (), arrays)
        if not is_new:
            framework.changed(out)
    return framework.given(out)


def planned(rule: Rule, a: object, b: object, out: object | None, options: Options) -> Plan:
    """How that product is computed. Raises `OperatorError`."""
    wanted = _asked(_call(rule, framework_of(a), _arrays(a, b, out, options), options))
    result = result_of(wanted)
    return plan_of(contraction_of(wanted, result), wish_of(wanted, result))


def _arrays(a: object, b: object, out: object | None, options: Options) -> dict[str, object]:
    """All arrays by name."""
    arrays = {"a": a, "b": b}
    if options:
        check_options(options)
        arrays |= extras_of(options)
    if out is not None:
        arrays["out"] = out
    elif options.get("beta") and "c" not in arrays:
        raise OperatorError("beta: there is neither c nor out that it could be multiplied with")
    return arrays


def _call(rule: Rule, framework: Framework, arrays: Mapping[str, object], options: Options) -> _Call:
    names = tuple(arrays)
    sights = tuple([framework.sight(array, name) for name, array in arrays.items()])
    if not options:
        return rule, framework, names, sights, False, False, ()
    choices = tuple([options.get(choice) for choice in CHOICES])
    return rule, framework, names, sights, options.get("alpha", 1.0) != 1, beta_of(options) != 0, choices


def _numbers(options: Options, compute: str) -> list[float]:
    """Alpha and beta, unless they are 1 and 0."""
    numbers = (("alpha", options.get("alpha", 1.0), 1.0), ("beta", beta_of(options), 0.0))
    return [_number(name, value, compute) for name, value, usual in numbers if value != usual]


def _number(name: str, value: float, compute: str) -> float:
    """A factor in the type of the epilogue. Raises `OperatorTypeError` for a fraction among integers."""
    if not compute.startswith("i"):
        return float(value)
    if not float(value).is_integer():
        raise OperatorTypeError(f"{name} is {value}, and the result is of integers; ask for an out_dtype of floats")
    return int(value)


def _asked(call: _Call) -> Asked:
    rule, framework, names, sights, scaled, added, choices = call
    layouts = {name: framework.layout(sight, name) for name, sight in zip(names, sights, strict=True)}
    device = layouts["a"].device
    allocates = framework.makes(device)
    if "out" not in layouts and not allocates:
        raise OperatorError(f"a lies on {device}, and its library is not known to make arrays there: give out")
    return Asked(rule(layouts["a"], layouts["b"]), layouts, allocates, scaled, added, *choices)


@lru_cache(_KEPT_LAUNCHES)
def _prepared(call: _Call) -> _Prepared:
    wanted = _asked(call)
    result = result_of(wanted)
    wish = wish_of(wanted, result)
    contraction = contraction_of(wanted, result)
    plan = plan_of(contraction, wish)
    layouts = {name: (layout.shape, layout.strides) for name, layout in wanted.layouts.items()}
    made = layouts.setdefault("out", (result.shape, packed(result.shape)))
    return _Prepared(result, wish.compute, None if 0 in made[0] else launch_of(plan, layouts))
