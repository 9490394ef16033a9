"""The text, in Tile IR, of attention for a class of arrays: extents, strides and the scale are known to launches alone.

A work-group has a block of queries of one head, and goes over blocks of keys: scores, their running maximum and sum,
and the weighted sum of values. Blocks of keys that are there as a whole are read from matrices over all heads (`flat`),
of which the device copies boxes by itself; what is left of a head's keys is read from the head's own matrix, with zeros
behind its end, so that nothing of another head is multiplied, not even by 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.operators.attention_views import Views, line_of_head, line_view
from tilewright.operators.tile_ir_pieces import across, masked, reduced, spread

NAME = "attention"
EXTENTS = {"extents": "any"}
"""What is said of the language: heads, and so tiles, have any width."""
WIDTH_UNIT = 16
"""Elements of 16 bits along which one instruction multiplies."""
APART = 8.0
"""Powers of two by which a maximum may be below the largest score: exponentials are no larger than 256 then."""
_START = -(2.0**100)
"""The maximum of no scores: its product with the scale is exact, so that the factor between it and itself is 1."""
LOG2_E = 1.4426950408889634
"""The logarithm of e to base 2."""


class AttentionClass(Struct, frozen=True):
    """What a program is made for.

    `width` is the head size, `blocks` the queries and keys of a block. `flat` says whether rows of all heads are rows
    of one matrix each, for keys and values, in which a head begins at a multiple of the width. If all is `whole`, that
    is so of queries too, lengths are multiples of blocks, and rows begin at multiples of 16 bytes; `persistent` says
    that work-groups go on from block to block then, and that the result lies where none of the arguments does; if they
    are `paired`, by turns to one that sees many keys and to one that sees few. If they are `divided`, work-groups go on
    over parts of the keys of the last blocks, each of which has a result of its own. If it is `ragged` lengths are any,
    and heads any, if they begin at multiples of 16 bytes.
    """

    element: str
    width: int
    blocks: tuple[int, int]
    causal: bool
    with_lse: bool
    flat: bool
    whole: bool = False
    persistent: bool = False
    paired: bool = False
    divided: bool = False
    ragged: bool = False

    @property
    def has_rest(self) -> bool:
        """Whether blocks of keys that are not whole are read from the head's own matrix."""
        return self.flat and not self.whole

    @property
    def padded(self) -> int:
        """The width of tiles: that of heads, or the next one that instructions multiply whole."""
        return -(-self.width // WIDTH_UNIT) * WIDTH_UNIT

    @property
    def integers(self) -> tuple[str, ...]:
        """The numbers that a launch passes behind the arrays and the scale.

        Lengths, query heads that share a key head, strides of a batch, a head and a row of each array in elements.
        Where they are flat also rows and columns of the matrices, and how far batches and heads are apart in them:
        rows, and columns in widths.
        """
        strides = [f"s{name}{mode}" for name in "qkvo" for mode in "bhl"]
        flat = [f"{name}{what}" for name in "kv" for what in ("rows", "columns", "rb", "rh", "cb", "ch")]
        return ("lq", "lk", "group", *strides, *(flat if self.flat else ()))


class AttentionWriter:
    """The types of one class, and the pieces of its text."""

    block = "x"

    def __init__(self, of: AttentionClass) -> None:
        (rows, columns), width = of.blocks, of.padded
        self.of, self.blocks, self.rows, self.columns, self.width = of, of.blocks, rows, columns, width
        self.s, self.p = f"tile<{rows}x{columns}xf32>", f"tile<{rows}x{columns}x{of.element}>"
        self.views = views = Views(of.element, of.width, width)
        self.query_view, self.result_view = views.of_head(rows), views.of_head(rows, is_stored=True)
        self.q, self.k = views.tile(rows), views.tile(columns)
        self.kt = f"tile<{width}x{columns}x{of.element}>"
        self.line, self.column, self.bits = f"tile<{rows}xf32>", f"tile<{rows}x1xf32>", f"tile<{rows}xi1>"
        self.accumulators = f"tile<{rows}x{width}xf32>"

    def text(self) -> str:
        """All of it."""
        of = self.of
        parameters = ", ".join(self._parameters(of.integers))
        return "\n".join(
            [
                f"cuda_tile.module @kernels {{\nentry @{NAME}({parameters}) {{",
                self.places(),
                self._views(),
                self.views.loaded("q", "x", self.rows),
                self._constants(),
                self._loop(),
                self._rest() if of.has_rest else "",
                self._end(),
                "return\n}\n}\n",
            ]
        )

    def _parameters(self, integers: Sequence[str]) -> list[str]:
        pointers = [f"%{name}: tile<ptr<{self.of.element}>>" for name in "qkvo"]
        pointers += ["%lse: tile<ptr<f32>>"] if self.of.with_lse else []
        return [*pointers, "%scale: tile<f32>", *(f"%{name}: tile<i32>" for name in integers)]

    def places(self) -> str:
        """Which block of queries of which head this is, and how many blocks of keys it sees."""
        order = "%final = subi %nb, %one : tile<i32>\n%x = subi %final, %bx : tile<i32>" if self.of.causal else ""
        x = "bx" if self.of.causal else "x"
        return f"""%{x}, %h, %b = get_tile_block_id : tile<i32>
%nb, %hs, %nz = get_num_tile_blocks : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%rows = constant <i32: {self.rows}> : tile<i32>
%columns = constant <i32: {self.columns}> : tile<i32>
{order}
%hk = divi %h, %group signed : tile<i32>
%query = muli %x, %rows : tile<i32>
%whole = divi %lk, %columns signed : tile<i32>
%all = divi %lk, %columns signed rounding<positive_inf> : tile<i32>
{self._seen()}"""

    def _seen(self) -> str:
        blocks = "whole" if self.of.flat else "all"
        if not self.of.causal:
            return f"%seen = addi %{blocks}, %zero : tile<i32>"
        return f"""%behind = addi %query, %rows : tile<i32>
%enough = divi %behind, %columns signed rounding<positive_inf> : tile<i32>
%seen = mini %enough, %{blocks} signed : tile<i32>"""

    def _views(self) -> str:
        """The matrices of this head, and those of all heads."""
        views = self.views
        found = [views.head("q", "h", "lq", self.query_view), views.head("o", "h", "lq", self.result_view)]
        found += [views.head(name, "hk", "lk", views.of_head(self.columns)) for name in "kv"]
        if self.of.flat:
            found += [views.flat(name, "hk", self.columns) for name in "kv"]
        return "\n".join(found)

    def _constants(self) -> str:
        return f"""%e2 = constant <f32: {LOG2_E}> : tile<f32>
%up = mulf %scale, %e2 : tile<f32>
%down = negf %up : tile<f32>
{spread("ups", "up", self.s, 2)}
{spread("upl", "up", self.line, 1)}
{spread("downl", "down", self.line, 1)}
%most = constant <f32: {_START}> : {self.line}
%same = constant <f32: 1.0> : {self.line}
%apart = constant <f32: {APART}> : {self.line}
%none = constant <f32: 0.0> : {self.line}
%nothing = constant <f32: 0.0> : {self.accumulators}
%still = constant <f32: 0.0> : {self.s}
%never = constant <f32: 0xFF800000> : {self.s}"""

    def _carried(self) -> str:
        return f"({self.line}, {self.line}, {self.accumulators})"

    def _loop(self) -> str:
        """All blocks of keys, or, of flat matrices, those that are whole."""
        of = self.of
        at_end = of.ragged or not of.flat
        return f"""%lm, %ll, %lsum = for %i in (%zero to %seen, step %one) : tile<i32>
  iter_values(%mi = %most, %li = %none, %acc = %nothing) -> {self._carried()} {{
{self._key()}
{self._loaded_keys()}
{self._step("", "mi", "li", "acc", self._mask_where_needed(at_end) if of.causal or at_end else "")}
continue %mn, %ln, %next : {self.line}, {self.line}, {self.accumulators}
}}"""

    def _key(self) -> str:
        """The first key of the block."""
        return "%key = muli %i, %columns : tile<i32>"

    def _rest(self) -> str:
        """The block of keys that is not whole, if any query sees it."""
        tests = ["%more = cmpi less_than %whole, %all, signed : tile<i32> -> tile<i1>"]
        condition = "more"
        if self.of.causal:
            tests += [
                "%tkey0 = muli %whole, %columns : tile<i32>",
                "%sees = cmpi less_than %tkey0, %behind, signed : tile<i32> -> tile<i1>",
                "%both = andi %more, %sees : tile<i1>",
            ]
            condition = "both"
        return "\n".join(
            [
                *tests,
                f"%m, %l, %sum = if %{condition} -> {self._carried()} {{",
                "%tkey = muli %whole, %columns : tile<i32>",
                self._loaded_own("whole", "t"),
                self._step("t", "lm", "ll", "lsum", self._mask("t", "tkey", "tsraw", "ts", True)),
                f"yield %tmn, %tln, %tnext : {self.line}, {self.line}, {self.accumulators}",
                "} else {",
                f"yield %lm, %ll, %lsum : {self.line}, {self.line}, {self.accumulators}",
                "}",
            ]
        )

    def _loaded_keys(self) -> str:
        """Keys and values of a block."""
        if not self.of.flat:
            return self._loaded_own("i", "")
        return "\n".join(self.views.loaded_flat(name, "key", self.columns) for name in "kv")

    def _loaded_own(self, index: str, prefix: str) -> str:
        return "\n".join(self.views.loaded(name, index, self.columns, prefix) for name in "kv")

    def _step(self, t: str, m: str, total: str, acc: str, mask: str) -> str:
        """One block of keys; names of values begin with `t`."""
        raw = f"{t}sraw" if mask else f"{t}s"
        return f"""%{t}kt1 = permute %{t}ks [1, 0] : {self.k} -> {self.kt}
%{raw} = mmaf %qs, %{t}kt1, %still : {self.q}, {self.kt}, {self.s}
{mask}
{reduced(f"{t}top", f"{t}s", "maxf", "0xFF800000", self.blocks)}
{raised(t, m, f"{t}top", "upl", self.rows)}
%{t}nm = mulf %{t}mn, %downl : {self.line}
{across(f"{t}mw", f"{t}nm", self.rows, self.columns)}
%{t}d = fma %{t}s, %ups, %{t}mw : {self.s}
%{t}e = exp2 %{t}d flush_to_zero : {self.s}
{reduced(f"{t}part", f"{t}e", "addf", "0.0", self.blocks)}
%{t}g = fma %{m}, %upl, %{t}nm : {self.line}
%{t}f0 = exp2 %{t}g flush_to_zero : {self.line}
%{t}f = select %{t}far, %{t}f0, %same : {self.bits}, {self.line}
%{t}lf = mulf %{total}, %{t}f : {self.line}
%{t}ln = addf %{t}lf, %{t}part : {self.line}
{across(f"{t}fw", f"{t}f", self.rows, self.width)}
%{t}scaled = mulf %{acc}, %{t}fw : {self.accumulators}
%{t}p = ftof %{t}e : {self.s} -> {self.p}
%{t}next = mmaf %{t}p, %{t}vs, %{t}scaled : {self.p}, {self.k}, {self.accumulators}"""

    def _mask_where_needed(self, at_end: bool) -> str:
        """Scores with the mask in blocks that not all queries see as a whole."""
        lines, partly = self._partly(at_end)
        return "\n".join(
            [
                *lines,
                f"%s = if %{partly} -> ({self.s}) {{",
                self._mask("", "key", "sraw", "kept", at_end),
                f"yield %kept : {self.s}",
                "} else {",
                f"yield %sraw : {self.s}",
                "}",
            ]
        )

    def _partly(self, at_end: bool) -> tuple[list[str], str]:
        """Whether a block is such one, and the lines for that."""
        lines = ["%last = addi %key, %columns : tile<i32>"]
        if self.of.causal:
            lines.append("%partly0 = cmpi greater_than %last, %query, signed : tile<i32> -> tile<i1>")
        if at_end:
            lines.append("%partly1 = cmpi greater_than %last, %lk, signed : tile<i32> -> tile<i1>")
        names = ["partly0"] * self.of.causal + ["partly1"] * at_end
        if len(names) == 1:
            return lines, names[0]
        return [*lines, "%partly = ori %partly0, %partly1 : tile<i1>"], "partly"

    def _mask(self, t: str, key: str, raw: str, out: str, at_end: bool) -> str:
        """Scores, of which those of keys that are not there, or behind the query, are nothing."""
        lines: list[str] = []
        if at_end:
            lines.append(f"%{t}left = subi %lk, %{key} : tile<i32>")
        if self.of.causal:
            lines.append(f"%{t}ahead = subi %query, %{key} : tile<i32>")
        left, ahead = f"{t}left" if at_end else "", f"{t}ahead" if self.of.causal else ""
        return "\n".join([*lines, masked(t, out, raw, self.blocks, left, ahead)])

    def _end(self) -> str:
        prefix = "" if self.of.has_rest else "l"
        m, total, accumulators = (f"{prefix}{name}" for name in ("m", "l", "sum"))
        found = f"""%least = constant <f32: 1.0e-30> : {self.line}
%some = maxf %{total}, %least : {self.line}
%unit = constant <f32: 1.0> : {self.line}
%inverse = divf %unit, %some : {self.line}
{across("lw", "inverse", self.rows, self.width)}
%quotient = mulf %{accumulators}, %lw : {self.accumulators}
%rounded = ftof %quotient : {self.accumulators} -> {self.q}
{self._stored()}"""
        return found + (self._lse(m, total) if self.of.with_lse else "")

    def _stored(self) -> str:
        at = "%ow[%x, %zero] token=%qd"
        return f"%done = store_view_tko weak %rounded, {at} : {self.q}, {self.result_view}, tile<i32> -> token"

    def _lse(self, m: str, total: str) -> str:
        """The logarithms of the sums of exponentials, of which those of a head are neighbours."""
        return f"""
{spread("scales", "scale", self.line, 1)}
%logs = log %{total} : {self.line}
%lses = fma %{m}, %scales, %logs : {self.line}
{self._line()}
%lsed = store_view_tko weak %lses, %lsew[%{self.block}] : {self.line}, {line_view(self.rows)}, tile<i32> -> token"""

    def _line(self) -> str:
        """`%lsew`, of which the logarithms are stored by the number of the `block`."""
        return line_of_head("lse", "h", "lq", self.rows)


def raised(t: str, m: str, top: str, up: str, rows: int) -> str:
    """`%mn`: the maximum that scores are taken from, raised to the largest one where that is `%apart` powers of two
    above it, which `%far` tells. Most factors of what was summed up are 1 so, by which nobody need multiply."""
    line, bits = f"tile<{rows}xf32>", f"tile<{rows}xi1>"
    return f"""%{t}mx = maxf %{m}, %{top} : {line}
%{t}grown = subf %{t}mx, %{m} : {line}
%{t}grownup = mulf %{t}grown, %{up} : {line}
%{t}far = cmpf greater_than ordered %{t}grownup, %apart : {line} -> {bits}
%{t}mn = select %{t}far, %{t}mx, %{m} : {bits}, {line}"""


def attention_text(of: AttentionClass) -> str:
    """The program of a class."""
    return AttentionWriter(of).text()
