"""TLX texts for tests, written from the rules of the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from targets.nvidia.launching import program_of_text
from tilewright.compiler import read_source
from tilewright.diagnostics import CompileError, Report, Source
from tilewright.dialects.builtin import Module
from tilewright.frontends.tlx.llvm.limits import DEFAULT_LIMITS, Limits
from tilewright.frontends.tlx.options import DEFAULT_OPTIONS, TlxOptions
from tilewright.frontends.tlx.reading import read_tlx
from tilewright.languages import language_of


def ivec(numbers: Sequence[int], width: int = 32) -> str:
    """A constant vector."""
    return f"<{len(numbers)} x i{width}> <" + ", ".join(f"i{width} {n}" for n in numbers) + ">"


def typed(shape: Sequence[int], layout: Sequence[int] | None = None, padding: Sequence[int] | None = None) -> str:
    """Shape, layout and padding as a call has them."""
    rank = len(shape)
    return ", ".join((ivec(shape), ivec(layout or range(rank)), ivec(padding or [0] * rank)))


def load(
    pointer: str, element: str, shape: Sequence[int], strides: Sequence[int] | None = None, **rest: Sequence[int]
) -> str:
    """A call of `load`."""
    distances = ivec(strides or [0] * len(shape))
    return f"call token @llvm.tensor.load(ptr elementtype({element}) {pointer}, {typed(shape, **rest)}, {distances})"


def typeinfo(vector: str, shape: Sequence[int], **rest: Sequence[int]) -> str:
    """A call of `typeinfo`."""
    return f"call token @llvm.tensor.typeinfo({vector}, {typed(shape, **rest)})"


def store(pointer: str, token: str, strides: Sequence[int]) -> str:
    """A call of `store`."""
    return f"call void @llvm.tensor.store(ptr {pointer}, token {token}, {ivec(strides)})"


def function(*lines: str, parameters: str = "ptr %a, ptr %b, ptr %c") -> str:
    """A function around some lines."""
    return "\n".join([f"define void @k({parameters}) {{", *(f"  {line}" for line in lines), "  ret void", "}\n"])


def renamed(text: str) -> str:
    """A text whose values and blocks are numbered in the order in which they are met."""
    numbers: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return f"%{numbers.setdefault(found[0].lstrip('%'), len(numbers))}"

    return re.sub(r"%[\w.]+|^[\w.]+(?=:$)", number, text, flags=re.MULTILINE)


def module_of(text: str, options: TlxOptions = DEFAULT_OPTIONS, limits: Limits = DEFAULT_LIMITS) -> Module:
    """A text as a module."""
    return read_tlx(Source("k.ll", text), Report(), options, limits)


def findings(text: str, options: TlxOptions = DEFAULT_OPTIONS, limits: Limits = DEFAULT_LIMITS) -> list[str]:
    """Code, line and message of each error, and of each warning but that a declaration is missing."""
    report = Report()
    try:
        read_tlx(Source("k.ll", text), report, options, limits)
    except CompileError as error:
        found = error.diagnostics
    else:
        found = report.in_order
    places = [(d, d.location.primary) for d in found if d.code != "TLX103"]
    return [f"{d.code} {p.source.position(p.start)[0] if p else 0}: {d.message}" for d, p in places]


def run(text: str, *arrays: NDArray[np.generic] | int) -> None:
    """Run the first function of a text, compiled for the CPU; interpreter and emulated GPU have the same results."""
    source, report = Source("k.ll", text), Report()
    language = language_of(source)
    assert language.name == "TLX"
    program = language.interpret(read_source(source, report), text, True, report)
    meant, on_device = ([a.copy() if isinstance(a, np.ndarray) else a for a in arrays] for _ in range(2))
    next(iter(program))(*meant)
    next(iter(program_of_text(text)))(*on_device)
    next(iter(tw.compile(text, cache=False)))(*arrays)
    for found, device, expected in zip(arrays, on_device, meant, strict=True):
        is_float = isinstance(found, np.ndarray) and found.dtype.kind == "f"
        assert np.array_equal(found, expected, equal_nan=is_float)
        assert np.array_equal(device, expected, equal_nan=is_float), "on the emulated device"
