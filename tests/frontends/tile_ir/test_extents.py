"""Tiles whose extents are no powers of two, which a caller may let Tile IR texts have beyond the specification."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

import tilewright as tw
from tilewright.compiler import read_source
from tilewright.diagnostics import Report, Source
from tilewright.languages import Form, NotOffered, ReadOptions, language_of

Array = npt.NDArray[Any]
ANY: Final = {"extents": "any"}
_A, _B = "tensor_view<7x10xf32, strides=[10,1]>", "tensor_view<9x6xf32, strides=[6,1]>"
_AV, _AO, _BO = (
    f"partition_view<tile=(3x10), padding_value = zero, {_A}>",
    *(f"partition_view<tile=({tile}), {view}>" for tile, view in (("3x10", _A), ("3x6", _B))),
)
_T, _S = "tile<3x10xf32>", "tile<3x3xf32>"
_SUM: Final = "(%p: tile<f32>, %q: tile<f32>) { %w = addf %p, %q : tile<f32> yield %w : tile<f32> }"
TEXT: Final = f"""cuda_tile.module @m {{
entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>) {{
%x, %y, %z = get_tile_block_id : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%t = make_tensor_view %a, shape = [7, 10], strides = [10, 1] : {_A}
%v = make_partition_view %t : {_AV}
%s, %d = load_view_tko weak %v[%x, %zero] : {_AV}, tile<i32> -> {_T}, token
%r = reduce %s dim=1 identities=[0.0 : f32] : {_T} -> tile<3xf32> {_SUM}
%rc = reshape %r : tile<3xf32> -> tile<3x1xf32>
%rw = broadcast %rc : tile<3x1xf32> -> {_T}
%n = scan %s dim=1 reverse=false identities=[0.0 : f32] : {_T} -> {_T} {_SUM}
%o = addf %rw, %n : {_T}
%st = permute %s [1, 0] : {_T} -> tile<10x3xf32>
%none = constant <f32: 0.0> : {_S}
%g = mmaf %s, %st, %none : {_T}, tile<10x3xf32>, {_S}
%many = constant <f32: 2.0> : tile<3x6xf32>
%i = insert %g, %many[%zero, %one] : {_S}, tile<3x6xf32>
%ot = make_tensor_view %b, shape = [7, 10], strides = [10, 1] : {_A}
%ov = make_partition_view %ot : {_AO}
%e = store_view_tko weak %o, %ov[%x, %zero] : {_T}, {_AO}, tile<i32> -> token
%gt = make_tensor_view %c, shape = [9, 6], strides = [6, 1] : {_B}
%gv = make_partition_view %gt : {_BO}
%h = store_view_tko weak %i, %gv[%x, %zero] : tile<3x6xf32>, {_BO}, tile<i32> -> token
return
}}
}}
"""


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_they_mean_what_others_do(target: str, rng: np.random.Generator) -> None:
    """Loads and stores over an edge, reductions, scans, moves, parts, products."""
    a = rng.integers(-9, 10, (9, 10)).astype(np.float32)
    a[7:] = 0
    blocks = a.reshape(3, 3, 10)
    products = np.concatenate([np.full((3, 3, 3), 2, np.float32), blocks @ blocks.swapaxes(1, 2)], axis=2)
    b, c = (np.full(count, np.nan, np.float32) for count in (70, 54))
    tw.compile(TEXT, target=target, language_options=ANY, cache=False).k[3](a[:7].ravel(), b, c)
    np.testing.assert_array_equal(b.reshape(7, 10), (a.sum(1)[:, None] + a.cumsum(1))[:7])
    np.testing.assert_array_equal(c.reshape(9, 6), products.reshape(9, 6))


def test_who_has_not_asked_has_none() -> None:
    with pytest.raises(tw.CompileError, match="powers of two, not 3"):
        tw.compile(TEXT, cache=False)
    with pytest.raises(tw.CompileError, match="positive, not 0"):
        tw.compile(TEXT.replace("3x10", "0x10"), language_options=ANY, cache=False)


def test_bytecode_has_none() -> None:
    source = Source("k.tileir", TEXT)
    module = read_source(source, Report(), ReadOptions(chosen=ANY))
    assert b"tile<3x10xf32>" in language_of(source).translate(module, Form("text"))
    with pytest.raises(NotOffered, match="powers of two, not 3"):
        language_of(source).translate(module, Form("bytecode"))
