"""One small kernel for every operation of Tile IR on every type and in every variant.

A case loads its operands `%a`, `%b`, .. from arrays, computes `%r`, `%s`, .. by its body, and stores these. Floats of
four bits and integers of four bits travel as bytes that are unpacked and packed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

INTEGERS: Final = ("i1", "i8", "i16", "i32", "i64")
FLOATS: Final = ("f16", "bf16", "f32", "f64")
SMALL: Final = ("tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f8E5M3FNU", "f4E2M1FN")
BITS: Final = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64,
               "tf32": 19, "f8E4M3FN": 8, "f8E5M2": 8, "f8E8M0FNU": 8, "f8E5M3FNU": 8, "f4E2M1FN": 4}  # fmt: skip
PACKED: Final = ("i4", "f4E2M1FN")
_DTYPES: Final[dict[str, Any]] = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16,
    "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "tf32": np.float32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f8E5M3FNU": np.int8,
}  # fmt: skip
_LETTERS: Final = "abcdefgh"
_RESULTS: Final = "rstuvw"
N: Final = 32
_TOGETHER: Final = 16


@dataclass(frozen=True, slots=True)
class Shaped:
    """The type of a tile."""

    element: str
    shape: tuple[int, ...] = (N,)

    def __str__(self) -> str:
        return f"tile<{''.join(f'{n}x' for n in self.shape)}{self.element}>"

    def __getitem__(self, element: str) -> Shaped:
        """The same shape of other elements."""
        return Shaped(element, self.shape)


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel. `domain` says what its operands may be: see `operand`."""

    name: str
    body: str
    inputs: tuple[Shaped, ...]
    outputs: tuple[Shaped, ...]
    domain: str = ""
    items: str = ""
    pointers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Cases with the same operands in one kernel, which loads them once."""

    cases: tuple[Case, ...]

    @property
    def inputs(self) -> tuple[Shaped, ...]:
        """The operands that all cases have."""
        return self.cases[0].inputs

    @property
    def outputs(self) -> list[tuple[str, Shaped]]:
        """Names and types of the results, case by case."""
        return [
            (f"{letter}_{number}", type_)
            for number, case in enumerate(self.cases)
            for letter, type_ in zip(_RESULTS, case.outputs, strict=False)
        ]

    def text(self, name: str) -> str:
        """The entry under a name."""
        first = self.cases[0]
        given = list(zip(_LETTERS, self.inputs, strict=False))
        memory = [
            (letter, type_.element if type_.element not in PACKED else "i8")
            for letter, type_ in [*given, *self.outputs]
        ]
        parameters = [f"%p{letter}: tile<ptr<{element}>>" for letter, element in memory]
        shared = dict(zip("xyz", first.pointers, strict=False))
        parameters += [f"%{letter}: tile<ptr<{element}>>" for letter, element in shared.items()]
        kept = {"zero", *(letter for letter, _ in given), *shared}
        lines = ["%zero = constant <i32: 0> : tile<i32>"]
        lines += [line for letter, type_ in given for line in _loaded(letter, type_)]
        for number, case in enumerate(self.cases):
            lines.append(re.sub(r"%(\w+)", lambda m, n=number: m[0] if m[1] in kept else f"{m[0]}_{n}", case.body))
        lines += [line for letter, type_ in self.outputs for line in _stored(letter, type_)]
        return f"entry @{name}({', '.join(parameters)}) {{\n" + "\n".join(lines) + "\n}\n"


def grouped(cases: Iterable[Case]) -> list[Group]:
    """Cases that can share a kernel, some at a time; those that touch memory of their own stay alone."""
    found: list[Group] = []
    sharing: dict[tuple[object, ...], list[Case]] = {}
    for case in cases:
        if case.pointers or case.items:
            found.append(Group((case,)))
        else:
            sharing.setdefault((case.inputs, case.domain), []).append(case)
    for alike in sharing.values():
        found += [Group(tuple(alike[k : k + _TOGETHER])) for k in range(0, len(alike), _TOGETHER)]
    return found


def _flat(type_: Shaped) -> Shaped:
    """How the elements lie in memory: in a row, four bits as halves of bytes."""
    count = prod(type_.shape)
    return Shaped("i8", (count // 2,)) if type_.element in PACKED else Shaped(type_.element, (count,))


def _view(letter: str, flat: Shaped) -> tuple[list[str], str]:
    tensor = f"tensor_view<{flat.shape[0]}x{flat.element}, strides=[1]>"
    view = f"partition_view<tile=({flat.shape[0]}), {tensor}>"
    return [
        f"%v{letter} = make_tensor_view %p{letter}, shape = [{flat.shape[0]}], strides = [1] : {tensor}",
        f"%w{letter} = make_partition_view %v{letter} : {view}",
    ], view


def _loaded(letter: str, type_: Shaped) -> Iterator[str]:
    flat = _flat(type_)
    lines, view = _view(letter, flat)
    yield from lines
    yield f"%l{letter}, %t{letter} = load_view_tko weak %w{letter}[%zero] : {view}, tile<i32> -> {flat}, token"
    row = Shaped(type_.element, (prod(type_.shape),))
    source = f"%l{letter}"
    if type_.element in PACKED:
        source = f"%{letter}" if row == type_ else f"%u{letter}"
        yield f"{source} = unpack %l{letter} : {flat} -> {row}"
    if source != f"%{letter}":
        yield f"%{letter} = reshape {source} : {row} -> {type_}"


def _stored(letter: str, type_: Shaped) -> Iterator[str]:
    flat = _flat(type_)
    row = Shaped(type_.element, (prod(type_.shape),))
    source = f"%{letter}"
    if row != type_:
        source = f"%f{letter}"
        yield f"{source} = reshape %{letter} : {type_} -> {row}"
    if type_.element in PACKED:
        yield f"%k{letter} = pack {source} : {row} -> {flat}"
        source = f"%k{letter}"
    lines, view = _view(letter, flat)
    yield from lines
    yield f"%t{letter} = store_view_tko weak {source}, %w{letter}[%zero] : {flat}, {view}, tile<i32> -> token"


def blank(type_: Shaped) -> Array:
    """Poisoned memory for a result."""
    flat = _flat(type_)
    dtype = np.dtype(_DTYPES[flat.element])
    poison = np.uint8(1 if flat.element == "i1" else 0xA5)
    return np.full(flat.shape[0] * dtype.itemsize, poison, np.uint8).view(dtype)


_SPECIAL: Final = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-3, 65504.0, -448.0)
_RANGES: Final = {
    "range": (-100, 100),
    "byte": (0, 100),
    "positive": (0.01, 50),
    "bit": (-0.9, 1.9),
    "sign": (-1.9, 0.9),
}
_ODD: Final = (np.inf, -np.inf, np.nan, 1e-40, -1e-45, 3.4e38)


def operand(type_: Shaped, domain: str, index: int, rng: np.random.Generator) -> Array:
    """Random elements, with those among them that are special.

    Domains: `shift` (the second operand is less than the width), `divisor` (the second one is neither 0 nor -1),
    `finite`, `positive`, `range` (floats between -100 and 100), `whole` (small whole numbers), `byte` (0 to 200).
    """
    flat = _flat(type_)
    count, element = flat.shape[0], flat.element
    if element == "i1" and index == 1 and domain in ("shift", "divisor"):
        return np.full(count, domain == "divisor")
    if element == "i1":
        return rng.integers(0, 2, count).astype(np.bool_)
    dtype = np.dtype(_DTYPES[element])
    if element in INTEGERS:
        return _integers(dtype, count, domain, index, BITS[type_.element], rng)
    with np.errstate(all="ignore"):
        if domain == "whole":
            return rng.integers(-4, 5, count).astype(np.float32).astype(dtype)
        if domain in _RANGES:
            low, high = _RANGES[domain]
            return rng.uniform(low, high, count).astype(dtype)
        if domain == "scaled" and element == "f8E8M0FNU":
            return rng.integers(115, 140, count).astype(np.uint8).view(dtype)
        if domain == "scaled":
            return rng.integers(0, 5, count).astype(np.float32).astype(dtype)
        if dtype.itemsize == 1:
            return rng.integers(0, 256, count).astype(np.uint8).view(dtype)
        values = rng.standard_normal(count) * 10.0 ** rng.integers(-4, 5, count)
        special = (_SPECIAL if domain == "finite" else (*_SPECIAL, *_ODD))[: count // 2]
        values[: len(special)] = special
        rng.shuffle(values)
        found = values.astype(dtype)
    if element == "tf32":
        return (found.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return found


def _integers(dtype: np.dtype[Any], count: int, domain: str, index: int, bits: int, rng: np.random.Generator) -> Array:
    if domain == "shift" and index == 1:
        return rng.integers(0, bits, count).astype(dtype)
    if domain in ("whole", "byte"):
        return rng.integers(0, 100, count).astype(dtype)
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    found = rng.integers(low, high, count, dtype, endpoint=True)
    small = rng.integers(-5, 6, count).astype(dtype)
    found = np.where(rng.random(count) < 0.3, small, found)
    special = (low, high, 0, -1)[: count // 2]
    found[: len(special)] = special
    rng.shuffle(found)
    if domain == "divisor" and index == 1:
        found = np.where((found == 0) | (found == -1), np.asarray(3, dtype), found)
    return found


def module(groups: Sequence[Group]) -> str:
    """A text with an entry `k0`, `k1`, .. for each group."""
    items = "\n".join(dict.fromkeys(case.items for group in groups for case in group.cases if case.items))
    entries = "\n".join(group.text(f"k{number}") for number, group in enumerate(groups))
    return f'cuda_tile.module @m attributes {{tilewright.version = "13.4"}} {{\n{items}\n{entries}\n}}\n'


# Integers


def _binary(name: str, form: str, element: str, domain: str = "") -> Case:
    t = Shaped(element)
    return Case(f"{name} {element}", form.format(t=t), (t, t), (t,), domain)


def integers() -> Iterator[Case]:
    """Arithmetic of integers."""
    for e in INTEGERS:
        for word in ("addi", "subi", "muli", "andi", "ori", "xori", "mulhii"):
            yield _binary(word, f"%r = {word} %a, %b : {{t}}", e)
        yield _binary("shli", "%r = shli %a, %b : {t}", e, "shift")
        for sign in ("signed", "unsigned"):
            yield _binary(f"shri {sign}", f"%r = shri %a, %b {sign} : {{t}}", e, "shift")
            yield _binary(f"remi {sign}", f"%r = remi %a, %b {sign} : {{t}}", e, "divisor")
            for word in ("maxi", "mini"):
                yield _binary(f"{word} {sign}", f"%r = {word} %a, %b {sign} : {{t}}", e)
            for mode in ("", "rounding<positive_inf>", *(["rounding<negative_inf>"] if sign == "signed" else [])):
                yield _binary(f"divi {sign} {mode}", f"%r = divi %a, %b {sign} {mode} : {{t}}", e, "divisor")
        t = Shaped(e)
        yield Case(f"absi {e}", f"%r = absi %a : {t}", (t,), (t,))
        yield Case(f"negi {e}", f"%r = negi %a : {t}", (t,), (t,))
        yield from _comparisons(t)


def _comparisons(t: Shaped) -> Iterator[Case]:
    for sign in ("signed", "unsigned"):
        for word in ("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"):
            yield Case(f"cmpi {word} {sign} {t.element}", f"%r = cmpi {word} %a, %b, {sign} : {t} -> {t['i1']}",
                       (t, t), (t["i1"],))  # fmt: skip


# Floats

_DIRECTIONS: Final = ("zero", "negative_inf", "positive_inf")


def _variants(e: str, *more: str) -> list[str]:
    modes = ["", *(f"rounding<{m}>" for m in (*_DIRECTIONS, *(more if e == "f32" else ())))]
    return modes if e != "f32" else [*modes, *(f"{m} flush_to_zero" for m in modes)]


def exact_floats() -> Iterator[Case]:
    """Arithmetic of floats that is correctly rounded."""
    for e in FLOATS:
        t = Shaped(e)
        for word in ("addf", "subf", "mulf"):
            for mode in _variants(e):
                yield _binary(f"{word} {mode}", f"%r = {word} %a, %b {mode} : {{t}}", e)
        for mode in _variants(e):
            yield Case(f"fma {mode} {e}", f"%r = fma %a, %b, %c {mode} : {t}", (t, t, t), (t,))
            yield _binary(f"divf {mode}", f"%r = divf %a, %b {mode} : {{t}}", e)
            yield Case(f"sqrt {mode} {e}", f"%r = sqrt %a {mode} : {t}", (t,), (t,))
        for word in ("absf", "negf", "ceil", "floor"):
            yield Case(f"{word} {e}", f"%r = {word} %a : {t}", (t,), (t,))
        yield _binary("remf", "%r = remf %a, %b : {t}", e)
        for word in ("maxf", "minf"):
            for flags in (
                "",
                "propagate_nan",
                *(("flush_to_zero", "flush_to_zero propagate_nan") if e == "f32" else ()),
            ):
                yield _binary(f"{word} {flags}", f"%r = {word} %a, %b {flags} : {{t}}", e)
        for order in ("ordered", "unordered"):
            for word in (
                "equal",
                "not_equal",
                "less_than",
                "less_than_or_equal",
                "greater_than",
                "greater_than_or_equal",
            ):
                yield Case(f"cmpf {word} {order} {e}", f"%r = cmpf {word} {order} %a, %b : {t} -> {t['i1']}",
                           (t, t), (t["i1"],))  # fmt: skip


def functions() -> Iterator[Case]:
    """Elementary functions."""
    for e in FLOATS:
        t = Shaped(e)
        for word in ("exp", "exp2", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "rsqrt"):
            domain = "positive" if word in ("log", "log2", "rsqrt", "exp", "sinh", "cosh", "exp2") else "range"
            domain = (
                "whole" if e == "f16" and domain == "positive" and word in ("exp", "sinh", "cosh", "exp2") else domain
            )
            modes = [""]
            if e == "f32":
                modes += {"exp": ["rounding<approx>"], "tanh": ["rounding<approx>"], "exp2": ["flush_to_zero"],
                          "rsqrt": ["flush_to_zero"]}.get(word, [])  # fmt: skip
            for mode in modes:
                yield Case(f"{word} {mode} {e}", f"%r = {word} %a {mode} : {t}", (t,), (t,), domain)
        for word, domain in (("atan2", "range"), ("pow", "positive")):
            yield _binary(word, f"%r = {word} %a, %b : {{t}}", e, "whole" if word == "pow" and e == "f16" else domain)
        for power in INTEGERS[:-1]:
            yield Case(f"fpowi {power} {e}", f"%r = fpowi %a, %b : {t}, {t[power]}", (t, t[power]), (t,), "whole")
    for mode in ("rounding<approx>", "rounding<full>"):
        for tail in ("", " flush_to_zero"):
            t = Shaped("f32")
            yield _binary(f"divf {mode}{tail}", f"%r = divf %a, %b {mode}{tail} : {{t}}", "f32", "positive")
    yield Case(
        "sqrt approx",
        f"%r = sqrt %a rounding<approx> : {Shaped('f32')}",
        (Shaped("f32"),),
        (Shaped("f32"),),
        "positive",
    )


# Conversions


def conversions() -> Iterator[Case]:
    """Conversions between all types."""
    wide = (*INTEGERS, "i4")
    for x in wide:
        for y in wide:
            s, d = Shaped(x), Shaped(y)
            if BITS[x] < BITS[y]:
                for sign in ("signed", "unsigned"):
                    yield Case(f"exti {sign} {x} {y}", f"%r = exti %a {sign} : {s} -> {d}", (s,), (d,))
            elif BITS[x] > BITS[y]:
                yield Case(f"trunci {x} {y}", f"%r = trunci %a : {s} -> {d}", (s,), (d,))
    for x in INTEGERS:
        for y in (*FLOATS, *SMALL):
            s, d = Shaped(x), Shaped(y)
            for sign in ("signed", "unsigned"):
                if y != "f8E8M0FNU":
                    yield Case(f"itof {sign} {x} {y}", f"%r = itof %a {sign} : {s} -> {d}", (s,), (d,))
                domain = ("bit" if x == "i1" else "byte") if sign == "unsigned" else "sign" if x == "i1" else "range"
                if BITS[y] > 8:  # the small ones cannot be drawn from a range, nor is it told what they give outside
                    yield Case(f"ftoi {sign} {y} {x}", f"%r = ftoi %a {sign} : {d} -> {s}", (d,), (s,), domain)
                yield Case(
                    f"ftoi {sign} saturating {y} {x}", f"%r = ftoi %a {sign} saturating : {d} -> {s}", (d,), (s,)
                )
    for x in (*FLOATS, *SMALL):
        for y in (*FLOATS, *SMALL):
            if x == y:
                continue
            s, d = Shaped(x), Shaped(y)
            for mode in ("rounding<zero>", "rounding<positive_inf>") if y == "f8E8M0FNU" else ("",):
                domain = "positive" if y == "f8E8M0FNU" else ""
                yield Case(f"ftof {x} {y} {mode}", f"%r = ftof %a {mode} : {s} -> {d}", (s,), (d,), domain)
    for x, y, mode in _directed():
        s, d = Shaped(x), Shaped(y)
        yield Case(f"ftof {x} {y} {mode}", f"%r = ftof %a rounding<{mode}> : {s} -> {d}", (s,), (d,))
    for x in (*INTEGERS, *FLOATS, *SMALL):
        for y in (*INTEGERS, *FLOATS, *SMALL):
            if BITS[x] == BITS[y]:
                s, d = Shaped(x), Shaped(y)
                yield Case(f"bitcast {x} {y}", f"%r = bitcast %a : {s} -> {d}", (s,), (d,))
    yield from _pointer_conversions()


def _directed() -> Iterator[tuple[str, str, str]]:
    """Conversions with other roundings than to nearest even: narrowing ones, and one exact one of each type."""
    yield "f32", "tf32", "nearest_away"
    narrowing = [("f64", "f16"), ("f32", "bf16"), ("f64", "bf16"), ("f16", "bf16"), ("f32", "tf32"), ("f64", "tf32")]
    yield from ((x, y, "zero") for x, y in narrowing)
    yield from (("f64", "f32", mode) for mode in ("zero", "negative_inf", "positive_inf"))
    for x in (*FLOATS[:3], *SMALL):
        for y, mode in (("f64", "zero"), ("f64", "nearest_away"), ("f32", "negative_inf"), ("f32", "nearest_away")):
            if x != y:
                yield x, y, mode


def _pointer_conversions() -> Iterator[Case]:
    t = Shaped("i64")
    body = (
        f"%p = int_to_ptr %a : {t} -> {t['ptr<f32>']}\n%q = ptr_to_ptr %p : {t['ptr<f32>']} -> {t['ptr<i16>']}\n"
        f"%o = offset %q, %b : {t['ptr<i16>']}, {t['i8']} -> {t['ptr<i16>']}\n"
        f"%r = ptr_to_int %o : {t['ptr<i16>']} -> {t}"
    )
    yield Case("pointers", body, (t, t["i8"]), (t,))


# Shapes and constants


def shapes() -> Iterator[Case]:
    """Rearrangements of all elements."""
    for e in (*INTEGERS, *FLOATS, *SMALL, "i4"):
        flat, t = Shaped(e), Shaped(e, (4, 8))
        small = Shaped(e, (4, 1))
        if e != "i4":
            yield Case(f"broadcast {e}", f"%r = broadcast %a : {small} -> {t}", (small,), (t,))
            yield Case(
                f"permute {e}", f"%r = permute %a [1, 0] : {t} -> {Shaped(e, (8, 4))}", (t,), (Shaped(e, (8, 4)),)
            )
            yield Case(
                f"cat {e}", f"%r = cat %a, %b dim = 0 : {t}, {t} -> {Shaped(e, (8, 8))}", (t, t), (Shaped(e, (8, 8)),)
            )
            part = Shaped(e, (2, 4))
            one = "%one = constant <i32: 1> : tile<i32>\n"
            yield Case(f"extract {e}", f"{one}%r = extract %a[%one, %zero] : {t} -> {part}", (t,), (part,))
            dynamic = f"%x, %y, %z = get_tile_block_id : tile<i32>\n{one}%i = addi %x, %one : tile<i32>\n"
            yield Case(f"extract at {e}", f"{dynamic}%r = extract %a[%i, %x] : {t} -> {part}", (t,), (part,))
            many, few = Shaped(e, (2, 32)), Shaped(e, (1, 2))
            ten = "%ten = constant <i32: 10> : tile<i32>\n"
            far = f"{dynamic}{ten}%j = addi %i, %ten : tile<i32>\n%r = extract %a[%i, %j] : {many} -> {few}"
            yield Case(f"extract of many {e}", far, (many,), (few,))
            yield Case(f"insert {e}", f"{one}%r = insert %b, %a[%one, %zero] : {part}, {t}", (t, part), (t,))
            yield Case(f"insert at {e}", f"{dynamic}%r = insert %b, %a[%i, %x] : {part}, {t}", (t, part), (t,))
        if e not in ("f4E2M1FN", "i4"):
            yield Case(f"select {e}", f"%r = select %c, %a, %b : {t['i1']}, {t}", (t, t, t["i1"]), (t,))
        if BITS[e] != 8 and e not in PACKED:
            size = N * (32 if e == "tf32" else BITS[e]) // 8
            as_bytes = Shaped("i8", (size,))
            yield Case(f"pack {e}", f"%r = pack %a : {flat} -> {as_bytes}", (flat,), (as_bytes,))
            yield Case(
                f"unpack {e}",
                f"%r = unpack %a : {as_bytes} -> {flat}",
                (as_bytes,),
                (flat,),
                "tf32" if e == "tf32" else "",
            )
        if e in INTEGERS:
            count = 2 if e == "i1" else N
            yield Case(f"iota {e}", f"%r = iota : {Shaped(e, (count,))}", (), (Shaped(e, (count,)),))


def constants() -> Iterator[Case]:
    """Constants: equal elements, a few, many."""
    for e in (*INTEGERS, *FLOATS, *SMALL):
        for count in (4, 256):
            one = "true" if e == "i1" else "1" if e in INTEGERS else "0.5"
            yield Case(
                f"constant {e} {count}",
                f"%r = constant <{e}: {one}> : {Shaped(e, (count,))}",
                (),
                (Shaped(e, (count,)),),
            )
            listed = ", ".join(_literals(e, count))
            t = Shaped(e, (count,))
            yield Case(f"constants {e} {count}", f"%r = constant <{e}: [{listed}]> : {t}", (), (t,))
    rows = ", ".join("[" + ", ".join(str(16 * i + j) for j in range(16)) + "]" for i in range(32))
    t = Shaped("i32", (32, 16))
    yield Case("constants 2-d", f"%r = constant <i32: [{rows}]> : {t}", (), (t,))


def _literals(element: str, count: int) -> Iterable[str]:
    for k in range(count):
        if element == "i1":
            yield "true" if k * k % 3 == 1 else "false"
        elif element in INTEGERS:
            yield str(k * 37 % 251 - 100)
        elif element in ("f8E8M0FNU", "f8E5M3FNU"):
            yield str(2.0 ** (k % 9 - 4))
        else:
            yield str((1.0, 1.5, -2.0, 0.5, 6.0, -0.0, 3.0)[k * k % 7])


# Reductions


def reductions() -> Iterator[Case]:
    """Reductions and scans along either dimension."""
    for e in (*INTEGERS, *FLOATS):
        t, s = Shaped(e, (4, 8)), f"tile<{e}>"
        integer = e in INTEGERS
        zero = "false" if e == "i1" else "0" if integer else "0.0"
        one = "true" if e == "i1" else "1" if integer else "1.0"
        add, mul = ("addi", "muli") if integer else ("addf", "mulf")
        body = f"(%x: {s}, %y: {s}) {{\n%o = WORD %x, %y : {s}\nyield %o : {s}\n}}"
        combinations = [(add, zero), (mul, one)]
        combinations += [("xori", zero)] if integer else []
        for word, identity in combinations:
            for dim, rest in ((0, (8,)), (1, (4,))):
                r = Shaped(e, rest)
                head = f"dim={dim} identities=[{identity} : {e}]"
                whole = body.replace("WORD", word)
                yield Case(f"reduce {word} {dim} {e}", f"%r = reduce %a {head} : {t} -> {r} {whole}",
                           (t,), (r,), "whole")  # fmt: skip
                for reverse in ("false", "true"):
                    yield Case(f"scan {word} {dim} {reverse} {e}",
                               f"%r = scan %a dim={dim} reverse={reverse} identities=[{identity} : {e}] : {t} -> {t} "
                               + whole, (t,), (t,), "whole")  # fmt: skip
    t, n = Shaped("f32", (4, 8)), Shaped("i32", (4, 8))
    yield Case(
        "reduce to the place of the maximum",
        f"%r, %s = reduce %a, %b dim=1 identities=[0.0 : f32, 0 : i32] : {t}, {n} -> tile<4xf32>, tile<4xi32> "
        "(%v: tile<f32>, %w: tile<f32>, %i: tile<i32>, %j: tile<i32>) {\n"
        "%g = cmpf greater_than ordered %v, %w : tile<f32> -> tile<i1>\n"
        "%m = select %g, %v, %w : tile<i1>, tile<f32>\n%k = select %g, %i, %j : tile<i1>, tile<i32>\n"
        "yield %m, %k : tile<f32>, tile<i32>\n}",
        (t, n), (Shaped("f32", (4,)), Shaped("i32", (4,))), "positive",
    )  # fmt: skip


# Products


_SCALED: Final = (
    ("f8E4M3FN", "f8E8M0FNU", 32),
    ("f8E5M2", "f8E8M0FNU", 32),
    ("f4E2M1FN", "f8E8M0FNU", 16),
    ("f4E2M1FN", "f8E8M0FNU", 32),
    ("f4E2M1FN", "f8E4M3FN", 16),
)


def products() -> Iterator[Case]:
    """Matrix products of all pairs of types."""
    pairs = [("f8E4M3FN", "f16"), ("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("f8E5M2", "f32"), ("f16", "f16"),
             ("f16", "f32"), ("bf16", "f32"), ("tf32", "f32"), ("f32", "f32"), ("f64", "f64")]  # fmt: skip
    for batch in ((), (2,)):
        for e, acc in pairs:
            a, b, c = Shaped(e, (*batch, 4, 8)), Shaped(e, (*batch, 8, 4)), Shaped(acc, (*batch, 4, 4))
            yield Case(f"mmaf {e} {acc} {batch}", f"%r = mmaf %a, %b, %c : {a}, {b}, {c}", (a, b, c), (c,), "whole")
        for signs in ("signed signed", "signed unsigned", "unsigned signed", "unsigned unsigned"):
            a, b, c = Shaped("i8", (*batch, 4, 8)), Shaped("i8", (*batch, 8, 4)), Shaped("i32", (*batch, 4, 4))
            yield Case(f"mmai {signs} {batch}", f"%r = mmai %a, %b, %c {signs} : {a}, {b}, {c}", (a, b, c), (c,))
        for e, scale, block in _SCALED:
            a, b, c = Shaped(e, (*batch, 4, 64)), Shaped(e, (*batch, 64, 4)), Shaped("f32", (*batch, 4, 4))
            sa, sb = Shaped(scale, (*batch, 4, 64 // block)), Shaped(scale, (*batch, 64 // block, 4))
            yield Case(f"mmaf_scaled {e} {scale} {block} {batch}",
                       f"%r = mmaf_scaled %a, %b, %c, %d, %e : {a}, {b}, {c}, {sa}, {sb}",
                       (a, b, c, sa, sb), (c,), "scaled")  # fmt: skip


# Memory


def memory() -> Iterator[Case]:
    """Loads and stores through pointers, allocations, globals."""
    for e in (*INTEGERS, *FLOATS, *SMALL[:-1]):
        t = Shaped(e)
        spread = _pointers("x", e)
        for order in ("weak", "relaxed device", "acquire sys"):
            load = f"%r, %k = load_ptr_tko {order} %xp : {t[f'ptr<{e}>']} -> {t}, token"
            yield Case(f"load {order} {e}", spread + load, (), (t,), pointers=(e,))
        for order in ("weak", "relaxed tl_blk", "release device"):
            store = f"%k = store_ptr_tko {order} %xp, %a, %b : {t[f'ptr<{e}>']}, {t}, {t['i1']} -> token\n"
            again = f"%r, %l = load_ptr_tko weak %xp token = %k : {t[f'ptr<{e}>']} -> {t}, token"
            yield Case(f"store {order} {e}", spread + store + again, (t, t["i1"]), (t,), pointers=(e,))
        masked = f"%r, %k = load_ptr_tko weak %xp, %a, %b : {t[f'ptr<{e}>']}, {t['i1']}, {t} -> {t}, token"
        yield Case(f"padded load {e}", spread + masked, (t["i1"], t), (t,), pointers=(e,))
        for where in ("", " global"):
            size = max(1, BITS[e] // 8) if e != "tf32" else 4
            body = f"%x = alloca num_elem = {N}, alignment = {max(16, size)}{where} : tile<ptr<{e}>>\n" + spread
            body += f"%k = store_ptr_tko weak %xp, %a : {t[f'ptr<{e}>']}, {t} -> token\n"
            body += f"%r, %l = load_ptr_tko weak %xp token = %k : {t[f'ptr<{e}>']} -> {t}, token"
            yield Case(f"alloca{where} {e}", body, (t,), (t,))
        listed = ", ".join(_literals(e, N))
        body = f"%x = get_global @g_{e} : tile<ptr<{e}>>\n{spread}"
        body += f"%r, %k = load_ptr_tko weak %xp : {t[f'ptr<{e}>']} -> {t}, token"
        yield Case(f"global {e}", body, (), (t,), items=f"global constant @g_{e} <{e}: [{listed}]> : {t}")
    yield _four_bits(Shaped("f4E2M1FN", (2,)))


def _four_bits(one: Shaped) -> Case:
    """Both elements of a tile through one pointer: the lower half of its byte."""
    pointers = one["ptr<f4E2M1FN>"]
    body = f"%x = alloca num_elem = 2, alignment = 1 : tile<ptr<f4E2M1FN>>\n{_pointer_row('x', 'f4E2M1FN', 2)}"
    body += f"%h = constant <f4E2M1FN: 1.5> : {one}\n%k = store_ptr_tko weak %xs, %h : {pointers}, {one} -> token\n"
    body += f"%r, %l = load_ptr_tko weak %xs token = %k : {pointers} -> {one}, token"
    return Case("f4 pointers", body, (), (one,))


def _pointer_row(name: str, element: str, count: int) -> str:
    pointer = f"ptr<{element}>"
    return (
        f"%{name}1 = reshape %{name} : tile<{pointer}> -> tile<1x{pointer}>\n"
        f"%{name}s = broadcast %{name}1 : tile<1x{pointer}> -> tile<{count}x{pointer}>\n"
    )


def _pointers(name: str, element: str) -> str:
    """Pointers to the elements of an array in another order."""
    row = f"tile<{N}xptr<{element}>>"
    return _pointer_row(name, element, N) + (
        f"%io = iota : tile<{N}xi32>\n%five = constant <i32: 5> : tile<{N}xi32>\n"
        f"%at = xori %io, %five : tile<{N}xi32>\n%{name}p = offset %{name}s, %at : {row}, tile<{N}xi32> -> {row}\n"
    )


def atomics() -> Iterator[Case]:
    """Atomic updates and exchanges; old values, then memory."""
    for e in ("i32", "i64", *FLOATS):
        t = Shaped(e)
        modes = ("addf",) if e in ("f16", "bf16") else ("addf", "xchg")
        modes = ("and", "or", "xor", "add", "max", "min", "umax", "umin", "xchg") if e in INTEGERS else modes
        spread, p = _pointers("x", e), t[f"ptr<{e}>"]
        for mode in modes:
            for order in ("relaxed", "acq_rel"):
                body = f"{spread}%r, %k = atomic_rmw_tko {order} device %xp, {mode}, %a : {p}, {t} -> {t}, token\n"
                body += f"%s, %l = load_ptr_tko weak %xp token = %k : {p} -> {t}, token"
                yield Case(f"{mode} {order} {e}", body, (t,), (t, t), "finite", pointers=(e,))
        if e not in ("f16", "bf16"):
            body = (
                f"{spread}%o, %j = load_ptr_tko weak %xp : {p} -> {t}, token\n%c = select %b, %o, %a : {t['i1']}, {t}\n"
            )
            body += (
                f"%r, %k = atomic_cas_tko acq_rel sys %xp, %c, %a, %b token = %j : {p}, {t}, {t['i1']} -> {t}, token\n"
            )
            body += f"%s, %l = load_ptr_tko weak %xp token = %k : {p} -> {t}, token"
            yield Case(f"cas {e}", body, (t, t["i1"]), (t, t), pointers=(e,))


# Views


def views() -> Iterator[Case]:
    """Tiles of tensors of all elements, hanging over edges, in every order of dimensions."""
    for e in (*INTEGERS, *FLOATS, *SMALL):
        tensor = f"tensor_view<5x6x{e}, strides=[6,1]>"
        make = f"%v = make_tensor_view %x, shape = [5, 6], strides = [6, 1] : {tensor}\n"
        words = ("zero",) if e in INTEGERS else ("zero", "neg_zero", "nan", "pos_inf", "neg_inf")
        one = "%one = constant <i32: 1> : tile<i32>\n%two = constant <i32: 2> : tile<i32>\n"
        t, turned = Shaped(e, (2, 4)), Shaped(e, (4, 2))
        for word in words:
            kind = f"partition_view<tile=(2x4), padding_value = {word}, {tensor}>"
            yield Case(f"partition {word} {e}", f"{one}{make}%w = make_partition_view %v : {kind}\n"
                       f"%r, %k = load_view_tko weak %w[%two, %one] : {kind}, tile<i32> -> {t}, token\n"
                       f"%s, %l = load_view_tko relaxed device %w[%one, %one] : {kind}, tile<i32> -> {t}, token",
                       (), (t, t), pointers=(e,))  # fmt: skip
        kind = f"partition_view<tile=(4x2), padding_value = zero, {tensor}, dim_map=[1, 0]>"
        yield Case(f"partition turned {e}", f"{one}{make}%w = make_partition_view %v : {kind}\n"
                   f"%r, %k = load_view_tko weak %w[%one, %two] : {kind}, tile<i32> -> {turned}, token",
                   (), (turned,), pointers=(e,))  # fmt: skip
        kind = f"strided_view<tile=(2x4), traversal_strides=[1,3], padding_value = zero, {tensor}>"
        yield Case(f"strided {e}", f"{one}{make}%w = make_strided_view %v : {kind}\n"
                   f"%r, %k = load_view_tko weak %w[%two, %one] : {kind}, tile<i32> -> {t}, token",
                   (), (t,), pointers=(e,))  # fmt: skip
        kind = f"gather_scatter_view<tile=(2x4), padding_value = zero, {tensor}, sparse_dim=0>"
        yield Case(f"gather {e}", f"{one}{make}%w = make_gather_scatter_view %v : {kind}\n"
                   "%i = constant <i32: [4, 1]> : tile<2xi32>\n"
                   f"%r, %k = load_view_tko weak %w[%i, %two] : {kind}, tile<2xi32>, tile<i32> -> {t}, token",
                   (), (t,), pointers=(e,))  # fmt: skip
        whole = Shaped(e, (8, 8))
        all_ = f"partition_view<tile=(8x8), padding_value = zero, {tensor}>"
        read = f"%q = make_partition_view %v : {all_}\n"
        read += f"%r, %z9 = load_view_tko weak %q[%zero, %zero] token = %k : {all_}, tile<i32> -> {whole}, token"
        for order in ("weak", "release device"):
            kind = f"partition_view<tile=(2x4), {tensor}>"
            yield Case(f"store {order} {e}", f"{one}{make}%w = make_partition_view %v : {kind}\n"
                       f"%k = store_view_tko {order} %a, %w[%two, %one] : {t}, {kind}, tile<i32> -> token\n{read}",
                       (t,), (whole,), pointers=(e,))  # fmt: skip
        kind = f"strided_view<tile=(2x4), traversal_strides=[2,3], {tensor}>"
        yield Case(f"store strided {e}", f"{one}{make}%w = make_strided_view %v : {kind}\n"
                   f"%k = store_view_tko weak %a, %w[%one, %one] : {t}, {kind}, tile<i32> -> token\n{read}",
                   (t,), (whole,), pointers=(e,))  # fmt: skip
        kind = f"gather_scatter_view<tile=(2x4), {tensor}, sparse_dim=0>"
        yield Case(f"scatter {e}", f"{one}{make}%w = make_gather_scatter_view %v : {kind}\n"
                   "%i = constant <i32: [4, 1]> : tile<2xi32>\n"
                   f"%k = store_view_tko weak %a, %w[%i, %two] : {t}, {kind}, tile<2xi32>, tile<i32> -> token\n{read}",
                   (t,), (whole,), pointers=(e,))  # fmt: skip
        if e in ("i32", "i64", *FLOATS):
            for mode in ("add", "umax", "xor") if e in INTEGERS else ("addf",):
                kind = f"partition_view<tile=(2x4), {tensor}>"
                yield Case(f"atomic {mode} {e}", f"{one}{make}%w = make_partition_view %v : {kind}\n"
                           f"%k = atomic_red_view_tko relaxed device %w[%two, %one], {mode}, %a : {t}, {kind}, "
                           f"tile<i32> -> token\n{read}", (t,), (whole,), "finite", pointers=(e,))  # fmt: skip


# Control flow


def control() -> Iterator[Case]:
    """Branches and loops that carry tiles of all elements, over counters of all types."""
    for e in (*INTEGERS, *FLOATS, *SMALL):
        t = Shaped(e)
        body = f"""%n = constant <i32: 5> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%r, %s = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%u = %a, %v = %b) -> ({t}, {t}) {{
%three = constant <i32: 3> : tile<i32>
%c = cmpi less_than %i, %three, signed : tile<i32> -> tile<i1>
%w = if %c -> ({t}) {{
yield %v : {t}
}} else {{
yield %u : {t}
}}
continue %w, %u : {t}, {t}
}}"""
        yield Case(f"for carries {e}", body, (t, t), (t, t))
        body = f"""%one = constant <i32: 1> : tile<i32>
%r, %n = loop iter_values(%u = %a, %v = %b, %i = %zero) : {t}, {t}, tile<i32> -> {t}, tile<i32> {{
%three = constant <i32: 3> : tile<i32>
%c = cmpi equal %i, %three, signed : tile<i32> -> tile<i1>
%w, %j = if %c -> ({t}, tile<i32>) {{
%d = cmpi equal %zero, %zero, signed : tile<i32> -> tile<i1>
if %d {{
break %u, %i : {t}, tile<i32>
}}
yield %u, %i : {t}, tile<i32>
}} else {{
%k = addi %i, %one : tile<i32>
yield %v, %k : {t}, tile<i32>
}}
continue %w, %u, %j : {t}, {t}, tile<i32>
}}"""
        yield Case(f"loop carries {e}", body, (t, t), (t,))
    for e in INTEGERS:
        for word, low, high, step in (("", -3, 3, 2), (" unsigned", 3, -3, 100)):
            if e == "i1" and not word:
                continue
            one = "true" if e == "i1" else "1"
            values = (
                ("false", "true", "true")
                if e == "i1"
                else (low, high, step if e == "i8" or not word else (1 << BITS[e] - 2) + 7)
            )
            body = "".join(f"%{n} = constant <{e}: {v}> : tile<{e}>\n" for n, v in zip("lhs", values, strict=True))
            body = body.replace("%l ", "%lo ").replace("%h ", "%hi ").replace("%s ", "%st ")
            body += f"""%c1 = constant <{e}: {one}> : tile<{e}>
%q = for{word} %i in (%lo to %hi, step %st) : tile<{e}> iter_values(%u = %c1) -> (tile<{e}>) {{
%d = muli %u, %c1 : tile<{e}>
%w = addi %d, %i : tile<{e}>
continue %w : tile<{e}>
}}
%r = reshape %q : tile<{e}> -> tile<1x{e}>"""
            body = body.replace(f"tile<1x{e}>", f"tile<1x1x{e}>")
            yield Case(f"for{word} over {e}", body, (), (Shaped(e, (1, 1)),))
