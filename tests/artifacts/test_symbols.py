"""Kernels and globals whose names differ only in what object code and C cannot say."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tilewright as tw
from tilewright.artifacts.symbols import entry_symbol, global_symbol, reports_symbol

NAMES = ["a-b", "a.b", "a_b", "a$2d$b", "a_2d_b", "global_x", "global$x", "reports_a", "$global$x", "ä"]
LINE = 'entry @"{name}"(%p: tile<ptr<i32>>) {{ %g = get_global @x : tile<ptr<i32>> %c = constant <i32: {value}> : ' + (
    "tile<i32> %v, %s = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token %r = addi %c, %v : tile<i32> "
    '%t = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token print_tko "" -> token }}'
)


def module(lines: str) -> str:
    return f"cuda_tile.module @m {{\nglobal @x <i32: [7]> : tile<1xi32>\n{lines}\n}}"


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_every_kernel_is_itself(target: str) -> None:
    lines = "\n".join(LINE.format(name=name, value=10 * k) for k, name in enumerate(NAMES))
    program = tw.compile(module(lines), target=target, cache=False)
    assert [kernel.name for kernel in program] == NAMES
    for k, name in enumerate(NAMES):
        out = np.zeros(1, np.int32)
        program[name][1](out)
        assert out[0] == 10 * k + 7


def test_ptx_has_an_entry_for_each() -> None:
    lines = "\n".join(
        LINE.format(name=name, value=k).replace('print_tko "" -> token', "") for k, name in enumerate(NAMES)
    )
    program = tw.compile(module(lines), target="nvidia", cache=False)
    assert program.text("ptx").count(".entry ") == len(NAMES)


def test_no_two_symbols_are_the_same() -> None:
    names = ["".join(word) for size in range(4) for word in product("a$_-2d", repeat=size)]
    kinds = (entry_symbol, global_symbol, reports_symbol)
    assert len({kind(name) for kind in kinds for name in names}) == len(kinds) * len(names)
