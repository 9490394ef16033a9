"""Kernels on tiles with layouts, as wild as these may be, taken to the lane level."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Module
from tilewright.interpreter.engine import Argument, Group, interpret
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.passes import PassContext
from tilewright.ir.verifier import verified
from tilewright.transforms.schedule.lower_to_lanes import LowerToLanes

from .case import Argument as Given
from .case import Array, Case, GroupArgument, Launch, kernel

WARPS = 4


@st.composite
def layouts(draw: st.DrawFn, shape: tuple[int, ...] | None = None) -> Layout:
    """Any bits of the coordinates to any owner, in any order; the rest of the threads hold copies."""
    if shape is None:
        shape = tuple(1 << k for k in draw(st.tuples(*[st.integers(0, 6)] * 2)))
    bits = [(dim, 1 << k) for dim, extent in enumerate(shape) for k in range(extent.bit_length() - 1)]
    order = [*draw(st.permutations(bits))]
    digits: list[Digit] = []
    for owner, limit in ((Owner.LANE, 5), (Owner.WARP, WARPS.bit_length() - 1)):
        for _ in range(limit):
            is_copy = not order or draw(st.integers(0, 4)) == 0
            digits.append(Digit(owner, 2) if is_copy else Digit(owner, 2, *order.pop()))
    return Layout(shape, (*(Digit(Owner.REG, 2, *bit) for bit in order), *digits))


def laid_out(parameters: str, body: str) -> str:
    """A kernel of so many warps whose tiles have layouts."""
    return kernel(parameters, body, 32, (32 * WARPS, 1), f', schedule = "lanes threads={32 * WARPS}"')


def lowered(case: Case) -> Module:
    """The program on the lane level."""
    module = case.module()
    LowerToLanes().run(module, PassContext(Report()))
    verified(module)
    return module


def interpreted(module: Module, launch: Launch) -> dict[int, Array | list[Array | None]]:
    """What the interpreter leaves in the arrays."""
    arguments = [_argument(argument) for argument in launch.arguments]
    interpret(module.kernels[0], arguments, launch.grid)
    results: dict[int, Array | list[Array | None]] = {}
    for k, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            results[k] = argument
        elif isinstance(argument, Group):
            results[k] = list(argument.arrays)
    return results


def _argument(argument: Given) -> Argument:
    """In the interpreter's form; arrays are copies, but for those of groups."""
    if isinstance(argument, GroupArgument):
        return Group(argument.arrays, argument.offset)
    return np.array(argument, order="K") if isinstance(argument, np.ndarray) else argument
