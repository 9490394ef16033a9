"""Kernels of Tile IR written in small pieces, and running them on every level.

A kernel has a parameter `%n`, pointers `%x`, `%y`, .. and `%out`. `POSITIONS` defines the 64 positions of a tile block
and which of them come before `%n`; `pointers`, `load` and `store` access arrays there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.interpreter.engine import Argument, interpret

Array = NDArray[Any]

POINTERS = "%x: tile<ptr<f32>>, %out: tile<ptr<f32>>"


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel with its arguments; the last one is the output."""

    body: str
    parameters: str
    grid: tuple[int, ...]
    arguments: tuple[Argument, ...]

    @property
    def output(self) -> Array:
        """The array for the results."""
        found = self.arguments[-1]
        assert isinstance(found, np.ndarray)
        return found


def text_of(body: str, parameters: str) -> str:
    """A module with the kernel `k`."""
    return _module(_entry("k", body, parameters))


def _module(entries: str) -> str:
    return f"cuda_tile.module @m {{\n{entries}}}\n"


def _entry(name: str, body: str, parameters: str) -> str:
    return f"entry @{name}({parameters}) {{\n{body}\n}}\n"


def program(body: str, parameters: str, level: int = 2) -> tw.Program:
    """The kernel `k` for the CPU."""
    return tw.compile(text_of(body, parameters), level=level, cache=False)


def interpreted(body: str, parameters: str, grid: int, *arguments: Argument) -> None:
    """One kernel on the tile level, in the interpreter."""
    _interpret(text_of(body, parameters), 0, (grid,), arguments)


def _interpret(text: str, number: int, grid: tuple[int, ...], arguments: Sequence[Argument]) -> None:
    kernel = list(read_module(Source("test", text), Report()).kernels)[number]
    x, y, z = (*grid, 1, 1)[:3]
    interpret(kernel, arguments, (x, y, z))


def run(body: str, parameters: str, grid: int | tuple[int, ...], *arguments: Argument) -> None:
    """One kernel, on every level."""
    run_all([Launch(body, parameters, (grid,) if isinstance(grid, int) else grid, arguments)])


def run_all(launches: Sequence[Launch]) -> None:
    """Kernels in one module: without optimisation, with all of it, and interpreted."""
    text = _module("".join(_entry(f"k{n}", one.body, one.parameters) for n, one in enumerate(launches)))
    plain, optimised = (tw.compile(text, level=level, cache=False) for level in (0, 2))
    for number, one in enumerate(launches):
        inputs, out = one.arguments[:-1], one.output
        first, second = out.copy(), out.copy()
        plain[f"k{number}"][one.grid](*inputs, first)
        _interpret(text, number, one.grid, [*inputs, second])
        optimised[f"k{number}"][one.grid](*inputs, out)
        np.testing.assert_array_equal(first, out)
        np.testing.assert_allclose(second, out, rtol=1e-5, atol=1e-6)


def spread(name: str, source: str, element: str, *shape: int) -> str:
    """A scalar as a tile."""
    ones = "x".join("1" for _ in shape)
    full = "x".join(map(str, shape))
    return (
        f"%{name}_1 = reshape %{source} : tile<{element}> -> tile<{ones}x{element}>\n"
        f"%{name} = broadcast %{name}_1 : tile<{ones}x{element}> -> tile<{full}x{element}>\n"
    )


POSITIONS = (
    "%bx, %by, %bz = get_tile_block_id : tile<i32>\n%len = constant <i32: 64> : tile<i32>\n"
    "%start = muli %bx, %len : tile<i32>\n%i = iota : tile<64xi32>\n"
    + spread("starts", "start", "i32", 64)
    + "%at = addi %i, %starts : tile<64xi32>\n"
    + spread("ends", "n", "i32", 64)
    + "%mask = cmpi less_than %at, %ends, signed : tile<64xi32> -> tile<64xi1>\n"
)


def pointers(name: str, element: str, at: str = "at") -> str:
    """Pointers behind a parameter, one for each position."""
    ptr = f"ptr<{element}>"
    return spread(f"{name}b", name, ptr, 64) + (
        f"%{name}p = offset %{name}b, %{at} : tile<64x{ptr}>, tile<64xi32> -> tile<64x{ptr}>\n"
    )


def load(name: str, element: str, mask: bool = True, padding: str = "") -> str:
    """A load through the pointers of `pointers`."""
    types = f"tile<64xptr<{element}>>" + (", tile<64xi1>" if mask else "")
    operands = f"%{name}p" + (", %mask" if mask else "")
    if padding:
        operands, types = f"{operands}, %{padding}", f"{types}, tile<64x{element}>"
    return f"%{name}v, %{name}t = load_ptr_tko weak {operands} : {types} -> tile<64x{element}>, token\n"


def store(name: str, value: str, element: str, mask: bool = True) -> str:
    """A store through the pointers of `pointers`."""
    tail = ", %mask : " if mask else " : "
    types = f"tile<64xptr<{element}>>, tile<64x{element}>" + (", tile<64xi1>" if mask else "")
    return f"%{name}t = store_ptr_tko weak %{name}p, %{value}{tail}{types} -> token\n"


def params(*elements: str) -> str:
    """Parameters for inputs of these elements and an output of the last one."""
    names = "xyzw"
    given = ", ".join(f"%{name}: tile<ptr<{e}>>" for name, e in zip(names, elements[:-1], strict=False))
    return f"%n: tile<i32>, {given}, %out: tile<ptr<{elements[-1]}>>"


def through(body: str, source: tuple[int, ...], target: tuple[int, ...]) -> str:
    """A kernel that loads a packed tensor as %a and stores %r."""
    text = "%z = constant <i32: 0> : tile<i32>\n"
    types: dict[str, str] = {}
    for name, shape in (("x", source), ("out", target)):
        strides = [int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
        spelled = "x".join(map(str, shape))
        tensor = f"tensor_view<{spelled}xf32, strides=[{','.join(map(str, strides))}]>"
        types[name] = f"partition_view<tile=({spelled}), {tensor}>"
        text += f"%{name}v = make_tensor_view %{name}, shape = {list(shape)}, strides = {strides} : {tensor}\n"
        text += f"%{name}w = make_partition_view %{name}v : {types[name]}\n"
    index = ", ".join("%z" for _ in source)
    tile = "x".join(map(str, source))
    text += f"%a, %t = load_view_tko weak %xw[{index}] : {types['x']}, tile<i32> -> tile<{tile}xf32>, token\n" + body
    index = ", ".join("%z" for _ in target)
    tile = "x".join(map(str, target))
    return (
        text + f"%s = store_view_tko weak %r, %outw[{index}] : tile<{tile}xf32>, {types['out']}, tile<i32> -> token\n"
    )
