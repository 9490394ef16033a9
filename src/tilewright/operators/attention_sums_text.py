"""The text, in Tile IR, of what makes one result of attention to several parts of the keys.

Each part has its own result and the logarithms of its sums of exponentials. Its weight is e to that, over the sum of
all; the largest logarithm is taken from all of them first. A work-group has some rows of a head, of all parts at once,
so that one load does not wait for another.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.operators.attention_text import LOG2_E

NAME: Final = "sums"
INTEGERS: Final = ("count", "lines", "pitch", "blocks", "hs", "lq", "soh", "sol")
"""Parts, rows of a part, elements of it, blocks of rows of a head, heads, rows of a head, strides of the result."""
_ELEMENTS: Final = 8192
"""That a work-group reads of all parts."""
_MOST_ROWS: Final = 32


class SumsClass(Struct, frozen=True):
    """What a program is made for: rows of a width, of no more than so many `parts`, a power of two."""

    element: str
    width: int
    parts: int
    with_lse: bool

    @property
    def rows(self) -> int:
        """Those of a work-group, a power of two."""
        most = max(_ELEMENTS // (self.parts * self.width), 1)
        return min(1 << (most.bit_length() - 1), _MOST_ROWS)


def sums_text(of: SumsClass) -> str:
    """The program of a class.

    Arrays are the results of parts (parts, heads, rows, width) and their logarithms (parts, heads, rows) without gaps,
    the result by strides of heads and rows, and its logarithms, if it has some, without gaps.
    """
    s, rows, width, element = of.parts, of.rows, of.width, of.element
    line, lines, one = f"tile<{rows}xf32>", f"tile<{s}x{rows}xf32>", f"tile<1x{rows}xf32>"
    all_, each, out = f"tile<{s}x{rows}x{width}xf32>", f"tile<{rows}x{width}xf32>", f"tile<1x{rows}x{width}x{element}>"
    read = f"tile<{s}x{rows}x{width}x{element}>"
    parts_tensor = f"tensor_view<?x?x{width}x{element}, strides=[?,{width},1]>"
    parts_view = f"partition_view<tile=({s}x{rows}x{width}), padding_value = zero, {parts_tensor}>"
    logs_tensor = "tensor_view<?x?xf32, strides=[?,1]>"
    logs_view = f"partition_view<tile=({s}x{rows}), padding_value = neg_inf, {logs_tensor}>"
    out_tensor = f"tensor_view<?x?x{width}x{element}, strides=[?,?,1]>"
    out_view = f"partition_view<tile=(1x{rows}x{width}), {out_tensor}>"
    pointers = [f"%{name}: tile<ptr<{element}>>" for name in ("p", "o")]
    pointers += [f"%{name}: tile<ptr<f32>>" for name in ("plse", *(["lse"] if of.with_lse else []))]
    parameters = ", ".join([*pointers, *(f"%{name}: tile<i32>" for name in INTEGERS)])
    return f"""cuda_tile.module @kernels {{
entry @{NAME}({parameters}) {{
%x, %h, %unused = get_tile_block_id : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%before = muli %h, %blocks : tile<i32>
%block = addi %before, %x : tile<i32>
%pa = assume div_by<16>, %p : tile<ptr<{element}>>
%pitcha = assume div_by<8>, %pitch : tile<i32>
%pt = make_tensor_view %pa, shape = [%count, %lines, {width}], strides = [%pitcha, {width}, 1]
  : tile<i32> -> {parts_tensor}
%pw = make_partition_view %pt : {parts_view}
%gt = make_tensor_view %plse, shape = [%count, %lines], strides = [%lines, 1] : tile<i32> -> {logs_tensor}
%gw = make_partition_view %gt : {logs_view}
%oa = assume div_by<16>, %o : tile<ptr<{element}>>
%soha = assume div_by<8>, %soh : tile<i32>
%sola = assume div_by<8>, %sol : tile<i32>
%ot = make_tensor_view %oa, shape = [%hs, %lq, {width}], strides = [%soha, %sola, 1] : tile<i32> -> {out_tensor}
%ow = make_partition_view %ot : {out_view}
%g, %gd = load_view_tko weak %gw[%zero, %block] : {logs_view}, tile<i32> -> {lines}, token
%r, %rd = load_view_tko weak %pw[%zero, %block, %zero] : {parts_view}, tile<i32> -> {read}, token
{_reduced("top", "g", "maxf", "0xFF800000", lines, line)}
%least = constant <f32: -1.0e30> : {line}
%m = maxf %top, %least : {line}
%mc = reshape %m : {line} -> {one}
%mw = broadcast %mc : {one} -> {lines}
%e2 = constant <f32: {LOG2_E}> : {lines}
%apart = subf %g, %mw : {lines}
%scaled = mulf %apart, %e2 : {lines}
%e = exp2 %scaled flush_to_zero : {lines}
{_reduced("total", "e", "addf", "0.0", lines, line)}
%few = constant <f32: 1.0e-30> : {line}
%some = maxf %total, %few : {line}
%unit = constant <f32: 1.0> : {line}
%inverse = divf %unit, %some : {line}
%ic = reshape %inverse : {line} -> {one}
%iw = broadcast %ic : {one} -> {lines}
%weight = mulf %e, %iw : {lines}
%wc = reshape %weight : {lines} -> tile<{s}x{rows}x1xf32>
%ww = broadcast %wc : tile<{s}x{rows}x1xf32> -> {all_}
%wide = ftof %r : {read} -> {all_}
%shares = mulf %wide, %ww : {all_}
{_reduced("sum", "shares", "addf", "0.0", all_, each)}
%rounded = ftof %sum : {each} -> tile<{rows}x{width}x{element}>
%found = reshape %rounded : tile<{rows}x{width}x{element}> -> {out}
%done = store_view_tko weak %found, %ow[%h, %x, %zero] : {out}, {out_view}, tile<i32> -> token
{_logs(line, rows) if of.with_lse else ""}return
}}
}}
"""


def _reduced(name: str, value: str, how: str, start: str, whole: str, found: str) -> str:
    """All parts combined."""
    return f"""%{name} = reduce %{value} dim=0 identities=[{start} : f32] : {whole} -> {found}
(%{name}x: tile<f32>, %{name}y: tile<f32>) {{
  %{name}z = {how} %{name}x, %{name}y : tile<f32>
  yield %{name}z : tile<f32>
}}"""


def _logs(line: str, rows: int) -> str:
    tensor = "tensor_view<?xf32, strides=[1]>"
    view = f"partition_view<tile=({rows}), {tensor}>"
    return f"""%log = log %total : {line}
%logs = addf %m, %log : {line}
%lt = make_tensor_view %lse, shape = [%lines], strides = [1] : tile<i32> -> {tensor}
%lw = make_partition_view %lt : {view}
%ld = store_view_tko weak %logs, %lw[%block] : {line}, {view}, tile<i32> -> token
"""
