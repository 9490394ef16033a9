"""Text of attention forward in Tile IR: two products with a softmax between, over blocks of keys."""

from __future__ import annotations

from dataclasses import dataclass

APART = 8.0
"""Powers of two by which a maximum may be below the largest score: it is raised seldom, and sums are scaled seldom."""
LOG2_E = 1.4426950408889634
"""The logarithm of e to base 2."""


@dataclass(frozen=True, slots=True)
class Attention:
    """softmax(scale Q K^T) V of row-major matrices, `queries` x `width` and `keys` x `width`, in blocks of rows.

    The matrices of `heads` lie behind each other. If `causal`, a query sees keys up to its own number; blocks of keys
    that no query of a block sees are left out, and only those that not all of them see are masked. Blocks of queries
    that see most keys begin first, of all heads of a `band`, whose keys and values a cache keeps. So many `groups`, if
    it is said, go on from block to block, where queries see all keys.
    """

    queries: int
    keys: int
    width: int
    blocks: tuple[int, int]
    element: str = "f16"
    heads: int = 1
    causal: bool = False
    scale: float = 1.0
    band: int = 1
    groups: int = 0

    @property
    def grid(self) -> tuple[int, int, int]:
        """Heads of a band, blocks of queries, bands; or work-groups that go on."""
        if self.groups:
            return (self.groups, 1, 1)
        return (self.band, self.queries // self.blocks[0], self.heads // self.band)


def attention(of: Attention) -> str:
    """The text; sums are f32, scores are rounded to the element type before they are multiplied by V."""
    (rows, columns), element = of.blocks, of.element
    queries, keys = of.heads * of.queries, of.heads * of.keys
    q, k, o = (f"tile<{n}x{of.width}x{element}>" for n in (rows, columns, rows))
    kt = f"tile<{of.width}x{columns}x{element}>"
    s, p, line, sums = (
        f"tile<{rows}x{columns}xf32>",
        f"tile<{rows}x{columns}x{element}>",
        f"tile<{rows}xf32>",
        f"tile<{rows}x{of.width}xf32>",
    )
    column, bits = f"tile<{rows}x1xf32>", f"tile<{rows}xi1>"

    def tensor(count: int) -> str:
        return f"tensor_view<{count}x{of.width}x{element}, strides=[{of.width},1]>"

    def view(count: int, block: int) -> str:
        return f"partition_view<tile=({block}x{of.width}), {tensor(count)}>"

    def made(name: str, count: int, block: int) -> str:
        return (
            f"%{name}a = assume div_by<16>, %{name} : tile<ptr<{element}>>\n"
            f"%{name}t = make_tensor_view %{name}a, shape = [{count}, {of.width}], strides = [{of.width}, 1]"
            f" : {tensor(count)}\n%{name}v = make_partition_view %{name}t : {view(count, block)}\n"
        )

    def reduced(name: str, value: str, how: str, start: str) -> str:
        return f"""%{name} = reduce %{value} dim=1 identities=[{start} : f32] : {s} -> {line}
(%{name}x: tile<f32>, %{name}y: tile<f32>) {{
  %{name}z = {how} %{name}x, %{name}y : tile<f32>
  yield %{name}z : tile<f32>
}}
"""

    def across(name: str, value: str, width: int) -> str:
        wide = f"tile<{rows}x{width}xf32>"
        return f"%{name}c = reshape %{value} : {line} -> {column}\n%{name} = broadcast %{name}c : {column} -> {wide}\n"

    pointers = ", ".join(f"%{name}: tile<ptr<{element}>>" for name in "qkvo")
    return f"""cuda_tile.module @kernels {{
entry @attention({pointers}) {{
{_NUMBERS if of.groups else _PLACE}%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%blocks = constant <i32: {of.keys // columns}> : tile<i32>
%upper = constant <i32: {of.queries // rows}> : tile<i32>
{made("q", queries, rows)}{made("k", keys, columns)}{made("v", keys, columns)}{made("o", queries, rows)}
{_over_blocks(of) if of.groups else _block(of)}%start = muli %y, %blocks : tile<i32>
%qs, %qd = load_view_tko weak %qv[%row, %zero] : {view(queries, rows)}, tile<i32> -> {q}, token
%most = constant <f32: -1.0e30> : {line}
%same = constant <f32: 1.0> : {line}
%apart = constant <f32: {APART}> : {line}
%none = constant <f32: 0.0> : {line}
%nothing = constant <f32: 0.0> : {sums}
%scale = constant <f32: {of.scale * LOG2_E}> : {s}
%up = constant <f32: {of.scale * LOG2_E}> : {line}
%down = constant <f32: -{of.scale * LOG2_E}> : {line}
%still = constant <f32: 0.0> : {s}
{_seen(of) if of.causal else ""}%m, %l, %sum = for %i in (%zero to {"%seen" if of.causal else "%blocks"}, step %one)
  : tile<i32>
  iter_values(%mi = %most, %li = %none, %acc = %nothing) -> ({line}, {line}, {sums}) {{
%at = addi %start, %i : tile<i32>
%ks, %kd = load_view_tko weak %kv[%at, %zero] : {view(keys, columns)}, tile<i32> -> {k}, token
%vs, %vd = load_view_tko weak %vv[%at, %zero] : {view(keys, columns)}, tile<i32> -> {k}, token
%kt1 = permute %ks [1, 0] : {k} -> {kt}
%{"raw" if of.causal else "s"} = mmaf %qs, %kt1, %still : {q}, {kt}, {s}
{_masked(of, s) if of.causal else ""}{reduced("top", "s", "maxf", "0xFF800000")}%mx = maxf %mi, %top : {line}
%grown = subf %mx, %mi : {line}
%grownup = mulf %grown, %up : {line}
%far = cmpf greater_than ordered %grownup, %apart : {line} -> {bits}
%mn = select %far, %mx, %mi : {bits}, {line}
%nm = mulf %mn, %down : {line}
{across("mw", "nm", columns)}%d = fma %s, %scale, %mw : {s}
%e = exp2 %d flush_to_zero : {s}
{reduced("part", "e", "addf", "0.0")}%g = fma %mi, %up, %nm : {line}
%f0 = exp2 %g flush_to_zero : {line}
%f = select %far, %f0, %same : {bits}, {line}
%lf = mulf %li, %f : {line}
%ln = addf %lf, %part : {line}
{across("fw", "f", of.width)}%scaled = mulf %acc, %fw : {sums}
%p = ftof %e : {s} -> {p}
%next = mmaf %p, %vs, %scaled : {p}, {k}, {sums}
continue %mn, %ln, %next : {line}, {line}, {sums}
}}
%unit = constant <f32: 1.0> : {line}
%inverse = divf %unit, %l : {line}
{across("lw", "inverse", of.width)}%whole = mulf %sum, %lw : {sums}
%rounded = ftof %whole : {sums} -> {o}
%done = store_view_tko weak %rounded, %ov[%row, %zero] : {o}, {view(queries, rows)}, tile<i32> -> token
{_NEXT_BLOCK if of.groups else ""}return
}}
}}
"""


_PLACE = "%yb, %bx, %z = get_tile_block_id : tile<i32>\n"
_NUMBERS = """%bid, %u0, %u1 = get_tile_block_id : tile<i32>
%count, %u2, %u3 = get_num_tile_blocks : tile<i32>
"""
_NEXT_BLOCK = "continue\n}\n"


def _block(of: Attention) -> str:
    """Which block of queries this is, and of which head."""
    return f"""%band = constant <i32: {of.band}> : tile<i32>
%bands = muli %z, %band : tile<i32>
%y = addi %bands, %yb : tile<i32>
%final = subi %upper, %one : tile<i32>
%x = subi %final, %bx : tile<i32>
%first = muli %y, %upper : tile<i32>
%row = addi %first, %x : tile<i32>
"""


def _over_blocks(of: Attention) -> str:
    """The beginning of the loop over blocks: those of a head follow each other."""
    assert not of.causal, "blocks of one head have as many keys"
    return f"""%all = constant <i32: {of.heads * of.queries // of.blocks[0]}> : tile<i32>
for %row in (%bid to %all, step %count) : tile<i32> {{
%y = divi %row, %upper unsigned : tile<i32>
"""


def _seen(of: Attention) -> str:
    """How many blocks of keys the queries of a block see, and the first of these."""
    rows, columns = of.blocks
    return f"""%rows = constant <i32: {rows}> : tile<i32>
%columns = constant <i32: {columns}> : tile<i32>
%query = muli %x, %rows : tile<i32>
%behind = addi %query, %rows : tile<i32>
%some = divi %behind, %columns signed rounding<positive_inf> : tile<i32>
%seen = mini %some, %blocks signed : tile<i32>
"""


def _masked(of: Attention, s: str) -> str:
    """Scores, of which those of keys behind the query are nothing."""
    rows, columns = of.blocks
    places, row, column = f"tile<{rows}x{columns}xi32>", f"tile<{rows}xi32>", f"tile<{columns}xi32>"
    return f"""%key = muli %i, %columns : tile<i32>
%last = addi %key, %columns : tile<i32>
%partly = cmpi greater_than %last, %query, signed : tile<i32> -> tile<i1>
%s = if %partly -> ({s}) {{
  %ahead = subi %query, %key : tile<i32>
  %aheadr = reshape %ahead : tile<i32> -> tile<1xi32>
  %aheadb = broadcast %aheadr : tile<1xi32> -> {row}
  %rn = iota : {row}
  %rp = addi %rn, %aheadb : {row}
  %rc = reshape %rp : {row} -> tile<{rows}x1xi32>
  %rw = broadcast %rc : tile<{rows}x1xi32> -> {places}
  %cn = iota : {column}
  %cc = reshape %cn : {column} -> tile<1x{columns}xi32>
  %cw = broadcast %cc : tile<1x{columns}xi32> -> {places}
  %unseen = cmpi greater_than %cw, %rw, signed : {places} -> tile<{rows}x{columns}xi1>
  %never = constant <f32: 0xFF800000> : {s}
  %kept = select %unseen, %never, %raw : tile<{rows}x{columns}xi1>, {s}
  yield %kept : {s}
}} else {{
  yield %raw : {s}
}}
"""
