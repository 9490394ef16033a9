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
    it is said, go on from block to block, where queries see all keys. Where lengths are no multiples of blocks matrices
    are views of arrays of all heads. If masks are `plain` they are computed for all blocks of keys.
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
    plain: bool = False

    @property
    def grid(self) -> tuple[int, int, int]:
        """Heads of a band, blocks of queries, bands; or work-groups that go on."""
        if self.groups:
            return (self.groups, 1, 1)
        return (self.band, self.blocks_of_queries, self.heads // self.band)

    @property
    def blocks_of_queries(self) -> int:
        """Of a head."""
        return -(-self.queries // self.blocks[0])

    @property
    def ends_in_blocks(self) -> bool:
        """Whether the last block of keys of a head is not whole."""
        return self.keys % self.blocks[1] > 0

    @property
    def is_ragged(self) -> bool:
        """Whether lengths are no multiples of blocks."""
        return self.ends_in_blocks or self.queries % self.blocks[0] > 0


def attention(of: Attention) -> str:
    """The text; sums are f32, scores are rounded to the element type before they are multiplied by V."""
    (rows, columns), element = of.blocks, of.element
    q, k, o = (f"tile<{n}x{of.width}x{element}>" for n in (rows, columns, rows))
    kt = f"tile<{of.width}x{columns}x{element}>"
    s, p, line, sums = (
        f"tile<{rows}x{columns}xf32>",
        f"tile<{rows}x{columns}x{element}>",
        f"tile<{rows}xf32>",
        f"tile<{rows}x{of.width}xf32>",
    )
    column, bits = f"tile<{rows}x1xf32>", f"tile<{rows}xi1>"

    heads = f"{of.heads}x" if of.is_ragged else ""
    one = "1x" if of.is_ragged else ""

    def tensor(count: int) -> str:
        far = f"{count * of.width}," if of.is_ragged else ""
        rows = f"{count}" if of.is_ragged else f"{of.heads * count}"
        return f"tensor_view<{heads}{rows}x{of.width}x{element}, strides=[{far}{of.width},1]>"

    def view(count: int, block: int) -> str:
        padding = "padding_value = zero, " if of.is_ragged else ""
        return f"partition_view<tile=({one}{block}x{of.width}), {padding}{tensor(count)}>"

    def made(name: str, count: int, block: int) -> str:
        shape = f"{of.heads}, {count}" if of.is_ragged else f"{of.heads * count}"
        far = f"{count * of.width}, " if of.is_ragged else ""
        return (
            f"%{name}a = assume div_by<16>, %{name} : tile<ptr<{element}>>\n"
            f"%{name}t = make_tensor_view %{name}a, shape = [{shape}, {of.width}], strides = [{far}{of.width}, 1]"
            f" : {tensor(count)}\n%{name}v = make_partition_view %{name}t : {view(count, block)}\n"
        )

    def loaded(name: str, count: int, block: int, whole: str, inside: str) -> str:
        """A block by its number of all, or in its head."""
        type_, kind = view(count, block), f"{block}x{of.width}x{element}>"
        if not of.is_ragged:
            at = f"%{name}v[%{whole}, %zero] : {type_}, tile<i32>"
            return f"%{name}s, %{name}d = load_view_tko weak {at} -> tile<{kind}, token"
        at = f"%{name}v[%y, %{inside}, %zero] : {type_}, tile<i32>"
        return f"""%{name}l, %{name}d = load_view_tko weak {at} -> tile<1x{kind}, token
%{name}s = reshape %{name}l : tile<1x{kind} -> tile<{kind}"""

    def stored() -> str:
        type_ = view(of.queries, rows)
        if not of.is_ragged:
            return f"%done = store_view_tko weak %rounded, %ov[%row, %zero] : {o}, {type_}, tile<i32> -> token"
        long = f"tile<1x{rows}x{of.width}x{element}>"
        return f"""%long = reshape %rounded : {o} -> {long}
%done = store_view_tko weak %long, %ov[%y, %x, %zero] : {long}, {type_}, tile<i32> -> token"""

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
    is_masked = of.causal or of.ends_in_blocks
    return f"""cuda_tile.module @kernels {{
entry @attention({pointers}) {{
{_NUMBERS if of.groups else _PLACE}%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%blocks = constant <i32: {-(-of.keys // columns)}> : tile<i32>
%upper = constant <i32: {of.blocks_of_queries}> : tile<i32>
{made("q", of.queries, rows)}{made("k", of.keys, columns)}{made("v", of.keys, columns)}{made("o", of.queries, rows)}
{_over_blocks(of) if of.groups else _block(of)}%start = muli %y, %blocks : tile<i32>
{loaded("q", of.queries, rows, "row", "x")}
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
{loaded("k", of.keys, columns, "at", "i")}
{loaded("v", of.keys, columns, "at", "i")}
%kt1 = permute %ks [1, 0] : {k} -> {kt}
%{"raw" if is_masked else "s"} = mmaf %qs, %kt1, %still : {q}, {kt}, {s}
{_masked(of, s) if is_masked else ""}{reduced("top", "s", "maxf", "0xFF800000")}%mx = maxf %mi, %top : {line}
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
{stored()}
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
    return f"""%all = constant <i32: {of.heads * of.blocks_of_queries}> : tile<i32>
for %row in (%bid to %all, step %count) : tile<i32> {{
%y = divi %row, %upper unsigned : tile<i32>
%first = muli %y, %upper : tile<i32>
%x = subi %row, %first : tile<i32>
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
    """Scores, of which those of keys behind the query, or that are not there, are nothing."""
    rows, columns = of.blocks
    places, row, column = f"tile<{rows}x{columns}xi32>", f"tile<{rows}xi32>", f"tile<{columns}xi32>"
    bits = f"tile<{rows}x{columns}xi1>"
    kept = "s" if of.plain else "kept"
    behind = f"""%ahead = subi %query, %key : tile<i32>
%aheadr = reshape %ahead : tile<i32> -> tile<1xi32>
%aheadb = broadcast %aheadr : tile<1xi32> -> {row}
%rn = iota : {row}
%rp = addi %rn, %aheadb : {row}
%rc = reshape %rp : {row} -> tile<{rows}x1xi32>
%rw = broadcast %rc : tile<{rows}x1xi32> -> {places}
%unseen = cmpi greater_than %cw, %rw, signed : {places} -> {bits}
"""
    at_end = f"""%left = subi %keys, %key : tile<i32>
%leftr = reshape %left : tile<i32> -> tile<1x1xi32>
%leftb = broadcast %leftr : tile<1x1xi32> -> {places}
%gone = cmpi greater_than_or_equal %cw, %leftb, signed : {places} -> {bits}
"""
    masks = ["unseen"] * of.causal + ["gone"] * of.ends_in_blocks
    both = f"%masked = ori %unseen, %gone : {bits}\n" if len(masks) > 1 else ""
    mask = f"""%cn = iota : {column}
%cc = reshape %cn : {column} -> tile<1x{columns}xi32>
%cw = broadcast %cc : tile<1x{columns}xi32> -> {places}
{behind if of.causal else ""}{at_end if of.ends_in_blocks else ""}{both}%never = constant <f32: 0xFF800000> : {s}
%{kept} = select %{"masked" if both else masks[0]}, %never, %raw : {bits}, {s}
"""
    known = f"""{"" if of.causal else f"%columns = constant <i32: {columns}> : tile<i32>"}
%key = muli %i, %columns : tile<i32>
%keys = constant <i32: {of.keys}> : tile<i32>
"""
    if of.plain:
        return known + mask
    bounds = ["query"] * of.causal + ["keys"] * of.ends_in_blocks
    tests = [f"%over{name} = cmpi greater_than %last, %{name}, signed : tile<i32> -> tile<i1>\n" for name in bounds]
    either = "%partly = ori %overquery, %overkeys : tile<i1>\n" if len(bounds) > 1 else ""
    return f"""{known}%last = addi %key, %columns : tile<i32>
{"".join(tests)}{either}%s = if %{"partly" if either else f"over{bounds[0]}"} -> ({s}) {{
{mask}  yield %kept : {s}
}} else {{
  yield %raw : {s}
}}
"""
