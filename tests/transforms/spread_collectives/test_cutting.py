"""cut-foreach: each point once, in parts that blocks share."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.dialects import scf, tl
from tilewright.dialects.builtin import Module
from tilewright.interpreter import interpret
from tilewright.ir.passes import PassContext, PassManager
from tilewright.transforms.spread_collectives.cutting import CutForeach
from transforms.spread_collectives.programs import read

CUT = CutForeach(part=8, least=20)


def points(bounds: str, groups: int = 1) -> Module:
    """Adds 10 i + j + 1 to each element of a box."""
    text = f"""func @k(%A: memref<i64x40x8>, %m: index, %n: index) {{
        %zero = constant 0 : index %one = constant 1 : index %three = constant 3 : index
        %eight = constant 8 : index %many = constant 40 : index %ten = constant 10 : index
        foreach (%i,%j)={bounds} {{
            %a = load %A[%i, %j] : i64
            %t = mul %i, %ten : index %p = add %t, %j : index %q = add %p, %one : index
            %r = cast %q : i64
            %s = add %a, %r : i64
            store %s, %A[%i, %j]
        }}
    }}"""
    module = read(text)
    module.kernels[0].max_groups = groups
    PassManager([CUT], verify_each=True).run(module, PassContext())
    return module


@pytest.mark.parametrize(
    ("bounds", "box"),
    [
        ("(%zero,%zero),(%many,%eight)", (slice(0, 40), slice(0, 8))),
        ("(%three,%one),(%many,%eight)", (slice(3, 40), slice(1, 8))),
        ("(%zero,%one),(%m,%n)", (slice(0, 29), slice(1, 7))),
        ("(%m,%one),(%three,%n)", (slice(0, 0), slice(0, 0))),
    ],
    ids=["whole parts", "a rest", "open", "empty"],
)
def test_each_point_once(bounds: str, box: tuple[slice, slice]) -> None:
    module = points(bounds)
    loops = [op for op in module.walk() if isinstance(op, scf.For)]
    assert [loop.parallel for loop in loops] == [True, True]
    array = np.zeros((40, 8), np.int64)
    interpret(module.kernels[0], [array, 29, 7])
    wanted = np.zeros_like(array)
    wanted[box] = (10 * np.arange(40)[:, None] + np.arange(8) + 1)[box]
    np.testing.assert_array_equal(array, wanted)


@pytest.mark.parametrize(
    ("bounds", "groups"),
    [("(%zero,%zero),(%three,%three)", 1), ("(%zero,%zero),(%many,%eight)", 4)],
    ids=["few points", "any grid"],
)
def test_what_stays(bounds: str, groups: int) -> None:
    module = points(bounds, groups=groups)
    assert not any(isinstance(op, scf.For) for op in module.walk())
    assert sum(isinstance(op, tl.Foreach) for op in module.walk()) == 1


@pytest.mark.parametrize("extent", ["4096", "?"])
def test_functions_of_mlir_are_shared_by_blocks(extent: str) -> None:
    memref = f"memref<{extent}x4096xf32>"
    text = f"""func.func @copy(%a: {memref}, %b: {memref}) {{
        linalg.copy ins(%a : {memref}) outs(%b : {memref})
        return
    }}"""
    kernel = tw.compile(text, target="nvidia:sm_80", cache=False)["copy"]
    assert "spread=yes" in kernel.schedule
    assert kernel.info.launch is not None
    assert kernel.info.launch.parts is not None
