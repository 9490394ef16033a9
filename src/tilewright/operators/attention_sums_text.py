"""The text, in Tile IR, of what makes one result of attention to several parts of the keys.

Each part has its own result and the logarithms of its sums of exponentials. Its weight is e to that, over the sum of
all; the largest logarithm is taken from all of them first. A work-group has some rows of a block of queries, of all
parts at once, so that one load does not wait for another.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.operators.attention_text import LOG2_E
from tilewright.operators.attention_views import Views, line_of_head, line_view

NAME: Final = "sums"
_ELEMENTS: Final = 4096
"""That a work-group reads of all parts."""
SCHEDULE: Final = "threads=64"
"""How a program is run on an NVIDIA device: few warps wait for each other."""


class SumsClass(Struct, frozen=True):
    """What a program is made for: so many `queries` of a block, heads of a width, no more than so many `parts`, a power
    of two."""

    element: str
    width: int
    queries: int
    parts: int
    with_lse: bool

    @property
    def rows(self) -> int:
        """Those of a work-group, a power of two."""
        most = max(_ELEMENTS // (self.parts * self.width), 1)
        return min(1 << (most.bit_length() - 1), self.queries)


INTEGERS: Final = ("parts", "taken", "skipped", "nb", "hs", "lq", "sob", "soh", "sol")
"""Parts of a block of queries, blocks that have some, those in front of them, those of a head; heads; queries of a
head, and strides of the result."""


def sums_text(of: SumsClass) -> str:
    """The program of a class.

    Arrays are the results of parts (blocks, parts, queries, width) and their logarithms (blocks, parts, queries)
    without gaps, the result by strides of batches, heads and rows, and its logarithms, if it has some, without gaps.
    """
    s, rows, width, element = of.parts, of.rows, of.width, of.element
    line, lines, one = f"tile<{rows}xf32>", f"tile<{s}x{rows}xf32>", f"tile<1x{rows}xf32>"
    all_, each, out = f"tile<{s}x{rows}x{width}xf32>", f"tile<{rows}x{width}xf32>", f"tile<{rows}x{width}x{element}>"
    read, logs = f"{s}x{rows}x{width}x{element}", f"{s}x{rows}xf32"
    tensor = f"tensor_view<?x?x{of.queries}x{width}x{element}, strides=[?,{of.queries * width},{width},1]>"
    view = f"partition_view<tile=(1x{s}x{rows}x{width}), padding_value = zero, {tensor}>"
    logs_tensor = f"tensor_view<?x?x{of.queries}xf32, strides=[?,{of.queries},1]>"
    logs_view = f"partition_view<tile=(1x{s}x{rows}), padding_value = neg_inf, {logs_tensor}>"
    views = Views(element, width, width)
    of_head = views.of_head(rows, is_stored=True)
    types = {"p": element, "plse": "f32", "o": element} | ({"lse": "f32"} if of.with_lse else {})
    pointers = [f"%{name}: tile<ptr<{type_}>>" for name, type_ in types.items()]
    parameters = ", ".join([*pointers, *(f"%{name}: tile<i32>" for name in INTEGERS)])
    return f"""cuda_tile.module @kernels {{
entry @{NAME}({parameters}) {{
%at, %block, %unused = get_tile_block_id : tile<i32>
%within, %unused1, %unused2 = get_num_tile_blocks : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%number = addi %block, %skipped : tile<i32>
%head = divi %number, %nb signed : tile<i32>
%heads = muli %head, %nb : tile<i32>
%turned0 = subi %number, %heads : tile<i32>
%turned = addi %turned0, %one : tile<i32>
%x = subi %nb, %turned : tile<i32>
%b = divi %head, %hs signed : tile<i32>
%batches = muli %b, %hs : tile<i32>
%h = subi %head, %batches : tile<i32>
%first = muli %x, %within : tile<i32>
%row = addi %first, %at : tile<i32>
%lines = constant <i32: {of.queries}> : tile<i32>
%elements = constant <i32: {of.queries * width}> : tile<i32>
%lpitch = muli %parts, %lines : tile<i32>
%ppitch = muli %parts, %elements : tile<i32>
%pa = assume div_by<16>, %p : tile<ptr<{element}>>
%pt = make_tensor_view %pa, shape = [%taken, %parts, {of.queries}, {width}],
  strides = [%ppitch, {of.queries * width}, {width}, 1] : tile<i32> -> {tensor}
%pw = make_partition_view %pt : {view}
%gt = make_tensor_view %plse, shape = [%taken, %parts, {of.queries}], strides = [%lpitch, {of.queries}, 1]
  : tile<i32> -> {logs_tensor}
%gw = make_partition_view %gt : {logs_view}
%g1, %gd = load_view_tko weak %gw[%block, %zero, %at] : {logs_view}, tile<i32> -> tile<1x{logs}>, token
%r1, %rd = load_view_tko weak %pw[%block, %zero, %at, %zero] : {view}, tile<i32> -> tile<1x{read}>, token
%g = reshape %g1 : tile<1x{logs}> -> {lines}
%r = reshape %r1 : tile<1x{read}> -> tile<{read}>
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
%wide = ftof %r : tile<{read}> -> {all_}
%shares = mulf %wide, %ww : {all_}
{_reduced("sum", "shares", "addf", "0.0", all_, each)}
%rounded = ftof %sum : {each} -> {out}
{views.head("o", "h", "lq", of_head)}
%done = store_view_tko weak %rounded, %ow[%row, %zero] : {out}, {of_head}, tile<i32> -> token
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
    """The logarithms of the sums of all parts."""
    return f"""%log = log %total : {line}
%logs = addf %m, %log : {line}
{line_of_head("lse", "h", "lq", rows)}
%lsed = store_view_tko weak %logs, %lsew[%row] : {line}, {line_view(rows)}, tile<i32> -> token
"""
