"""Classes of gradients of attention, and the pieces of Tile IR that the programs of all of them have."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.operators.attention_text import LOG2_E
from tilewright.operators.attention_views import Arrays, Views, line_of_head, line_view
from tilewright.operators.tile_ir_pieces import reduced, spread

NAME = "gradient"
KEPT: Final = 256
"""Queries of a panel of stored differences, and keys of which there is memory for whole blocks."""
_OF_QUERIES: Final = {"q": "qkvgox", "l": "go", "d": "kx"}
"""Programs with work-groups for blocks of queries, and their arrays."""


class GradientClass(Struct, frozen=True):
    """What a program is made for: the gradients `of` q, or of k, v or both.

    `blocks` are the queries and keys of a block; `flat` says whether what the program goes over is flat: k and v, or q
    and the gradient of the result. If `early`, programs of keys load the logarithms and delta of whole blocks of
    queries before they multiply, from matrices with a row for each head, as the machine copies them: of a multiple of
    4 queries, and from multiples of 16 bytes on. `of_lse` says that there is a gradient of the logarithms too, for the
    program of queries.

    Arrays that are gone over and begin, with all rows, at multiples of 16 bytes, are not flat, but `copied` by the
    machine, of any lengths; `ragged` says that these may end in a block.

    Programs of keys that have `kept` store the differences D^T too, in whole blocks of so many queries. Of "l" are the
    lines of queries that programs of keys read, of "d" the gradient of q from stored differences.
    """

    element: str
    width: int
    blocks: tuple[int, int]
    causal: bool
    flat: bool
    of: str
    early: bool = False
    of_lse: bool = False
    kept: int = 0
    copied: bool = False
    ragged: bool = False

    @property
    def padded(self) -> int:
        """The width of tiles."""
        return max(1 << (self.width - 1).bit_length(), 16)

    @property
    def is_of_queries(self) -> bool:
        """Whether work-groups have blocks of queries."""
        return self.of in _OF_QUERIES

    @property
    def writes_lines(self) -> bool:
        """Whether the program computes what programs of keys read of each query."""
        return self.of in ("q", "l")

    @property
    def takes_kept(self) -> bool:
        """Whether the program reads or writes stored differences."""
        return self.kept > 0

    @property
    def arrays(self) -> str:
        """The matrices of heads, by letters: g is the gradient of the result, x, y and z are those of q, k and v."""
        found = _OF_QUERIES.get(self.of)
        return found or "qkvg" + "".join("yz"["kv".index(name)] for name in self.of)

    @property
    def lines(self) -> tuple[str, ...]:
        """The arrays of a number for each query: the logarithms, the gradient of these, what is subtracted, and `lse2`,
        the logarithms to base 2, negative."""
        if self.of == "d":
            return ()
        if not self.writes_lines:
            return ("lse2", "delta")
        return ("lse", "delta", "lse2", "glse") if self.of_lse else ("lse", "delta", "lse2")

    @property
    def gone_over(self) -> str:
        """The arrays of heads of which a loop reads blocks."""
        return {"q": "kv", "l": "", "d": "k"}.get(self.of, "qg")

    @property
    def integers(self) -> tuple[str, ...]:
        """The numbers that a launch passes behind the arrays and the scale, as those of `AttentionClass`.

        If logarithms are loaded early, also the query heads of all batches. With stored differences the query heads of
        a batch, the key heads of all batches in front of the first one of this launch, the rows of a panel, the panels
        of a head and the rows of those of all heads of this launch.
        """
        strides = [f"s{name}{mode}" for name in self.arrays for mode in "bhl"]
        flat = [f"{name}{what}" for name in self.gone_over for what in ("rows", "columns", "rb", "rh", "cb", "ch")]
        kept = ("hs", "first", "wrows", "wpanels", "wall") if self.takes_kept else ()
        lines = ("nh",) if self.early else ()
        extents = ("bs", "hq", "hkv", *(("wfar", "wpall") if self.of == "d" else ())) if self.copied else ()
        return ("lq", "lk", "group", *lines, *kept, *strides, *(flat if self.flat else extents))


class GradientWriter:
    """What both programs have: a tile of scores has `own` rows and `other` columns."""

    def __init__(self, of: GradientClass, own: int, other: int) -> None:
        self.of, self.own, self.other, self.shape = of, own, other, (own, other)
        self.views = Views(of.element, of.width, of.padded)
        self.arrays = Arrays(of.element, of.width, of.padded)
        self.s, self.p = f"tile<{own}x{other}xf32>", f"tile<{own}x{other}x{of.element}>"
        self.accumulators, self.line = f"tile<{own}x{of.padded}xf32>", f"tile<{own}xf32>"
        self.factor, self.turned = self.views.tile(other), f"tile<{of.padded}x{other}x{of.element}>"
        self.mine = self.views.tile(own)

    def module(self, *pieces: str) -> str:
        of = self.of
        pointers = [f"%{name}: tile<ptr<{of.element}>>" for name in of.arrays]
        pointers += [f"%{name}: tile<ptr<f32>>" for name in of.lines]
        pointers += [f"%w: tile<ptr<{of.element}>>"] if of.takes_kept else []
        numbers = [f"%{name}: tile<i32>" for name in of.integers]
        parameters = ", ".join([*pointers, "%scale: tile<f32>", *numbers])
        body = "\n".join(piece for piece in pieces if piece)
        return f"cuda_tile.module @kernels {{\nentry @{NAME}({parameters}) {{\n{body}\nreturn\n}}\n}}\n"

    def known_arrays(self) -> str:
        """What is so of arrays that the machine copies."""
        of = self.of
        if not of.copied:
            return ""
        some = ["bs", "hq", "hkv", "lq", "lk", *(["nh"] if of.early else []), *(["wall"] if of.takes_kept else [])]
        found = [f"%{name}a = assume bounded<1, ?>, %{name} : tile<i32>" for name in some]
        for name in of.gone_over:
            heads, length = ("hkva", "lka") if name in "kv" else ("hqa", "lqa")
            found.append(self.arrays.known(name, heads, length, self.other))
        return "\n".join(found)

    def block(self, name: str, head: str, index: str, row: str) -> str:
        """`%qs`: what a loop goes over, by the number of a block, or that of its first row."""
        if self.of.copied:
            return self.arrays.loaded(name, head, index, self.other)
        if self.of.flat:
            return self.views.loaded_flat(name, row, self.other)
        return self.views.loaded(name, index, self.other)

    def constants(self) -> str:
        return f"""{self.base()}
%up = mulf %scale, %e2 : tile<f32>
{spread("ups", "up", self.s, 2)}
{self.sums_constants()}
%still = constant <f32: 0.0> : {self.s}
%never = constant <f32: 0xFF800000> : {self.s}"""

    def base(self) -> str:
        """`%neg`, what logarithms are multiplied by."""
        return f"%e2 = constant <f32: {LOG2_E}> : tile<f32>\n%neg = negf %e2 : tile<f32>"

    def sums_constants(self) -> str:
        """What accumulators begin with, and are multiplied by in the end."""
        return f"{spread('last', 'scale', self.accumulators, 2)}\n%nothing = constant <f32: 0.0> : {self.accumulators}"

    def scores(self, t: str, mine: str, other: str, lines: str) -> str:
        """Weights `%p` and the product `%dp` of the other factors, with names that begin with `t`."""
        return f"""%{t}{other}t1 = permute %{t}{other}s [1, 0] : {self.factor} -> {self.turned}
%{t}raw = mmaf %{mine}s, %{t}{other}t1, %still : {self.mine}, {self.turned}, {self.s}
{lines}
%{t}e = exp2 %{t}ex flush_to_zero : {self.s}"""

    def differences(self, t: str, mine: str, other: str, delta: str) -> str:
        """`%ds`: weights times what the gradient of the weights differs from its mean by."""
        return f"""%{t}{other}t1 = permute %{t}{other}s [1, 0] : {self.factor} -> {self.turned}
%{t}dp = mmaf %{mine}s, %{t}{other}t1, %still : {self.mine}, {self.turned}, {self.s}
%{t}off = subf %{t}dp, %{delta} : {self.s}
%{t}dsw = mulf %{t}e, %{t}off : {self.s}
%{t}ds = ftof %{t}dsw : {self.s} -> {self.p}"""

    def stored(self, name: str, accumulators: str, index: str, is_scaled: bool) -> str:
        view = self.views.of_head(self.own, is_stored=True)
        scaled = f"%{name}scaled = mulf %{accumulators}, %last : {self.accumulators}\n" if is_scaled else ""
        return f"""{scaled}%{name}r = ftof %{f"{name}scaled" if is_scaled else accumulators} : {self.accumulators} ->
        {self.mine}
%{name}done = store_view_tko weak %{name}r, %{name}w[%{index}, %zero] : {self.mine}, {view}, tile<i32> -> token"""

    def line_views(self) -> str:
        """Of what `lines` reads and writes."""
        rows = self.own
        found = [line_of_head("lse", "h", "lq", rows, "pos_inf")]
        found += [line_of_head(name, "h", "lq", rows) for name in ("delta", "lse2")]
        found += [line_of_head("glse", "h", "lq", rows, "zero")] if self.of.of_lse else []
        return "\n".join(found)

    def lines(self) -> str:
        """`%dl`, sums of rows of the gradient times the result, and `%lowl`, logarithms to base 2: stored."""
        views, rows = self.views, self.own
        lse, whole = line_view(rows, "pos_inf"), "dlo" if self.of.of_lse else "dl"
        less = f"""%glses, %glsed = load_view_tko weak %glsew[%place] : {line_view(rows, "zero")}, tile<i32>
  -> {self.line}, token
%dl = subf %dlo, %glses : {self.line}
"""
        return f"""{chr(10).join(views.loaded(name, "place", rows) for name in "go")}
%gw32 = ftof %gs : {self.mine} -> {self.accumulators}
%ow32 = ftof %os : {self.mine} -> {self.accumulators}
%go = mulf %gw32, %ow32 : {self.accumulators}
{reduced(whole, "go", "addf", "0.0", (rows, self.of.padded))}
{less if self.of.of_lse else ""}%dld = store_view_tko weak %dl, %deltaw[%place]
  : {self.line}, {line_view(rows)}, tile<i32> -> token
%lses, %lsed = load_view_tko weak %lsew[%place] : {lse}, tile<i32> -> {self.line}, token
{spread("negs", "neg", self.line, 1)}
%lowl = mulf %lses, %negs : {self.line}
%lowd = store_view_tko weak %lowl, %lse2w[%place] : {self.line}, {line_view(rows)}, tile<i32> -> token"""

    def masked_if(self, t: str, condition: str, mask: str) -> str:
        """Exponents `%x` from `%y`, masked if that is needed; always if there is no condition."""
        if not condition:
            return mask
        return f"""%{t}ex = if %{condition} -> ({self.s}) {{
{mask}
yield %{t}kept : {self.s}
}} else {{
yield %{t}ey : {self.s}
}}"""
