"""Checked mode: two accesses to one place need an order if one of them writes and one is weak.

Within a tile block a token path orders; between tile blocks nothing does.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

import tilewright as tw
from tilewright.interpreter import KernelError

POINTER, I32 = "tile<ptr<i32>>", "tile<i32>"


@dataclass(frozen=True)
class Kind:
    """An access to `%p`: its text, with `{n}` as its number and `{after}` for the token that it waits for."""

    text: str
    writes: bool
    weak: bool


KINDS = {
    "load": Kind(f"%x{{n}}, %t{{n}} = load_ptr_tko weak %p{{after}} : {POINTER} -> {I32}, token", False, True),
    "store": Kind(f"%t{{n}} = store_ptr_tko weak %p, %c{{after}} : {POINTER}, {I32} -> token", True, True),
    "relaxed load": Kind(
        f"%x{{n}}, %t{{n}} = load_ptr_tko relaxed device %p{{after}} : {POINTER} -> {I32}, token", False, False
    ),
    "relaxed store": Kind(
        f"%t{{n}} = store_ptr_tko relaxed device %p, %c{{after}} : {POINTER}, {I32} -> token", True, False
    ),
    "update": Kind(
        f"%x{{n}}, %t{{n}} = atomic_rmw_tko relaxed device %p, add, %c{{after}} : {POINTER}, {I32} -> {I32}, token",
        True,
        False,
    ),
}
PAIRS = list(itertools.product(KINDS, repeat=2))


def access(kind: str, number: int, after: str = "") -> str:
    return KINDS[kind].text.format(n=number, after=f" token = %{after}" if after else "") + "\n"


def codes(body: str, blocks: int = 1) -> list[str]:
    """What the interpreter finds wrong in a kernel on `%p` and `%q`."""
    head = f"%c = constant <i32: 3> : {I32}\n"
    text = f"cuda_tile.module @m {{ entry @k(%p: {POINTER}, %q: {POINTER}) {{\n{head}{body}}} }}"
    kernel = tw.compile(text, target="interpreter", checked=True).k
    try:
        kernel[blocks](np.zeros(1, np.int32), np.zeros(1, np.int32))
    except KernelError as error:
        return [found.code for found in error.diagnostics]
    return []


def conflict(first: str, second: str) -> bool:
    a, b = KINDS[first], KINDS[second]
    return (a.writes or b.writes) and (a.weak or b.weak)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_accesses_of_a_tile_block_need_a_token_path(first: str, second: str) -> None:
    assert codes(access(first, 0) + access(second, 1)) == ["R031"] * conflict(first, second)
    assert codes(access(first, 0) + access(second, 1, "t0")) == []


def test_a_path_may_lead_through_other_accesses() -> None:
    through = access("load", 1, "t0").replace("%p", "%q")
    assert codes(access("store", 0) + through + access("load", 2, "t1")) == []
    assert codes(access("store", 0) + through.replace(" token = %t0", "") + access("load", 2, "t1")) == ["R031"]


@pytest.mark.parametrize("order", ["%t0, %t1", "%t1, %t0"])
def test_joined_tokens_order_behind_both(order: str) -> None:
    apart = access("store", 0) + access("store", 1).replace("%p", "%q")
    both = access("load", 3, "t2") + access("load", 4, "t2").replace("%p", "%q")
    join = f"%t2 = join_tokens {order} : token\n"
    assert codes(apart + join + both) == []
    assert codes(apart + "%t2 = make_token : token\n" + both) == ["R031"]


WHO = f"""%x, %y, %z = get_tile_block_id : {I32}
%limit = constant <i32: {{limit}}> : {I32}
%early = cmpi less_than %x, %limit, signed : {I32} -> tile<i1>
if %early {{{{ {{first}} }}}} else {{{{ {{second}} }}}}
"""


@pytest.mark.parametrize(("first", "second"), list(itertools.product(["load", "store"], repeat=2)))
@pytest.mark.parametrize("early", [1, 2])
def test_weak_accesses_of_tile_blocks_race_if_one_writes(first: str, second: str, early: int) -> None:
    body = WHO.format(limit=early, first=access(first, 0), second=access(second, 1))
    assert codes(body, early + 1) == ["R020"] * ("store" in (first, second))


def test_one_tile_block_may_do_as_it_likes() -> None:
    assert codes(access("load", 0) + access("store", 1, "t0") + access("load", 2, "t1")) == []
