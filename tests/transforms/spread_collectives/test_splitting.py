"""split-sums: which sums are added up in parts, and how long these are."""

from __future__ import annotations

import pytest

from tilewright.dialects import memref, scf, tl
from tilewright.dialects.builtin import Module
from tilewright.ir.passes import PassContext, PassManager
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.policy import SpreadPolicy
from tilewright.transforms.spread_collectives.splitting import SplitSums
from transforms.spread_collectives.programs import read

TILES = GenericTilePolicy(whole=2, block=4, depth=4, run=16)
SPLIT = SplitSums(TILES, SpreadPolicy(sum_tiles=3, sum_blocks=8, tiles_of_part=2))


def split(body: str, a: str = "f16x3x1000", x: str = "f16x1000", y: str = "f16x3") -> Module:
    text = f"""func @k(%A: memref<{a}>, %x: memref<{x}>, %y: memref<{y}>, %s: memref<f16>) {{
        %one = constant 1.0 : f16 %zero = constant 0.0 : f16
        {body}
    }}"""
    module = read(text)
    PassManager([SPLIT], verify_each=True).run(module, PassContext())
    return module


@pytest.mark.parametrize(
    ("body", "shape", "inner"),
    [
        ("gemv %one, %A, %x, %one, %y", "f32x3x8", tl.Gemv),
        ("sum %one, %A, %one, %y", "f32x3x8", tl.Sum),
        ("sum %one, %x, %one, %s", "f32x8", tl.Sum),
    ],
)
def test_few_results_of_many_terms(body: str, shape: str, inner: type[tl.Collective]) -> None:
    module = split(body)
    (sums,) = (op for op in module.walk() if isinstance(op, memref.Alloca))
    assert str(sums.out.type) == f"memref<{shape},local>"
    (loop,) = (op for op in module.walk() if isinstance(op, scf.For))
    assert loop.parallel
    assert [type(op) for op in loop.walk() if isinstance(op, tl.Collective)] == [inner]
    assert [type(op) for op in module.kernels[0].body.entry if isinstance(op, tl.Collective)] == [tl.Sum]


def test_no_more_parts_than_there_are_tiles_for() -> None:
    (sums,) = (op for op in split("sum %one, %x, %one, %s", x="f16x64").walk() if isinstance(op, memref.Alloca))
    assert str(sums.out.type) == "memref<f32x2,local>"


@pytest.mark.parametrize(
    ("body", "types"),
    [
        ("sum %one, %x, %one, %s", {"x": "f16x63"}),
        ("gemv %one, %A, %x, %one, %y", {"a": "f16x50x1000", "y": "f16x50"}),
        ("gemv %one, %A, %x, %one, %y", {"a": "f16x?x1000", "y": "f16x?"}),
        ("gemv %one, %A, %x, %one, %y", {"a": "f16x0x1000", "y": "f16x0"}),
        ("gemv %zero, %A, %x, %one, %y", {}),
        ("%g = group_id.x : index gemv %one, %A, %x, %one, %y", {}),
        ("%l = alloca : memref<f16x1000,local> sum %one, %l, %one, %s", {}),
        ("%i = constant 0 : index %n = constant 2 : index for %k=%i,%n { sum %one, %x, %one, %s }", {}),
    ],
    ids=["few terms", "many results", "open results", "no results", "no terms", "numbered", "local", "loop"],
)
def test_what_stays(body: str, types: dict[str, str]) -> None:
    module = split(body, **types)
    assert not any(isinstance(op, scf.For) and op.parallel for op in module.walk())
