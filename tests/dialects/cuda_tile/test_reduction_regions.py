"""What may stand in the region of a reduction: until 13.3 what is pure, since 13.4 what has no effects."""

from __future__ import annotations

import pytest

from frontends.tile_ir.marked import check, parsed

VIEW = "tensor_view<1xf32, strides=[1]>"
EFFECTS = [
    "%t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token",
    "%v, %t = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token",
    "%v, %t = atomic_rmw_tko relaxed device %p, addf, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token",
    '%t = print_tko "x" -> token',
    'assert %b, "x" : tile<i1>',
    "%a = alloca num_elem = 4, alignment = 4 : tile<ptr<f32>>",
]
WITHOUT_EFFECTS = [f"«%u = make_tensor_view %p, shape = [1], strides = [1] : {VIEW}»", "«if %b» {\n yield\n }"]


def program(inside: str, version: str) -> str:
    return f"""cuda_tile.module @m attributes {{tilewright.version = "{version}"}} {{
  entry @k(%p: tile<ptr<f32>>, %b: tile<i1>) {{
    %q = constant <f32: 0.0> : tile<4xf32>
    %s = reduce %q dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) {{
      {inside}
      yield %x : tile<f32>
    }}
    return
  }}
}}
"""


@pytest.mark.parametrize("inside", EFFECTS)
def test_effects_are_refused_in_every_version(inside: str) -> None:
    check("C14", program(f"«{inside}»", "13.3"), "pure and can be run ahead of time")
    check("C14", program(f"«{inside}»", "13.4"), "without effects")


@pytest.mark.parametrize("inside", EFFECTS)
def test_effects_inside_of_branches_are_refused(inside: str) -> None:
    check("C14", program(f"«if %b» {{\n {inside}\n yield\n }}", "13.4"), "without effects")


@pytest.mark.parametrize("inside", WITHOUT_EFFECTS)
def test_what_has_no_effects_stands_there_since_13_4(inside: str) -> None:
    assert parsed(program(inside.replace("«", "").replace("»", ""), "13.4")).version == 4
    check("C14", program(inside, "13.3"), "pure")
