"""The text, in Tile IR, of what stands beside programs of keys that keep the differences D^T they compute in memory.

In front of these, sums of rows and logarithms as they read them, by blocks of queries; behind them the gradient of q,
the product of differences and keys, so that no weight is computed twice. Differences of a head lie by panels of
queries, matrices of as many rows as there are keys, in whole blocks: what a work-group stores in neighbouring
iterations is one piece of memory, and so is what another one loads in one. Those of heads follow each other.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.operators.attention_gradient_writer import KEPT, GradientClass, GradientWriter

_ALIGNED: Final = 16
"""Bytes of which memory that frameworks give begins at multiples."""


class Kept(Struct, frozen=True):
    """The differences of a head, by tiles of so many keys and queries."""

    element: str
    tile: tuple[int, int]

    @property
    def type(self) -> str:
        """Of a tile."""
        return f"tile<{self.tile[0]}x{self.tile[1]}x{self.element}>"

    @property
    def _tensor(self) -> str:
        return f"tensor_view<?x?x{self.element}, strides=[?,1]>"

    @property
    def _view(self) -> str:
        return f"partition_view<tile=({self.tile[0]}x{self.tile[1]}), padding_value = zero, {self._tensor}>"

    @property
    def _steps(self) -> str:
        steps = f"traversal_strides=[1,{self.tile[1]}]"
        return f"strided_view<tile=({self.tile[0]}x{self.tile[1]}), {steps}, padding_value = zero, {self._tensor}>"

    def panel(self, head: str, block: str, count: str) -> str:
        """`%ww`: so many rows of the panel of a block of queries of a head of this launch, with zeros behind them;
        `%wr0`, the first of these of all, and `%wq`, the number of the block in its panel."""
        return f"""{self.within(block)}
%wh0 = muli %{head}, %wpanels : tile<i32>
%wh1 = addi %wh0, %wpanel : tile<i32>
%wr0 = muli %wh1, %wrowsa : tile<i32>
%wr6 = exti %wr0 signed : tile<i32> -> tile<i64>
%wide6 = constant <i64: {KEPT}> : tile<i64>
%wo6 = muli %wr6, %wide6 : tile<i64>
%wp = offset %wa, %wo6 : tile<ptr<{self.element}>>, tile<i64> -> tile<ptr<{self.element}>>
%wt = make_tensor_view %wp, shape = [%{count}, %wunit], strides = [%wunit, 1] : tile<i32> -> {self._tensor}
%ww = make_partition_view %wt : {self._view}"""

    @property
    def known(self) -> str:
        """`%wa`, where they begin, and the rows of a panel, which are known to be a multiple."""
        return f"""%wa = assume div_by<{_ALIGNED}>, %w : tile<ptr<{self.element}>>
%wunit = constant <i32: {KEPT}> : tile<i32>
%wrowsn = divi %wrows, %wunit signed : tile<i32>
%wrowsa = muli %wrowsn, %wunit : tile<i32>"""

    def place(self, head: str, block: str, rows: str) -> str:
        """`%ww`: the differences of all heads, of so many rows, by tiles; `%wplace`: where those of a block of keys are
        in the first panel, `%wtiles` tiles in front of those of the next one."""
        return f"""%wf = make_tensor_view %wa, shape = [%{rows}, %wunit], strides = [%wunit, 1]
  : tile<i32> -> {self._tensor}
%ww = make_partition_view %wf : {self._view}
%wper = constant <i32: {KEPT // self.tile[0]}> : tile<i32>
%wtiles = muli %wrowsn, %wper : tile<i32>
%whead = muli %{head}, %wpanels : tile<i32>
%wbefore = muli %whead, %wtiles : tile<i32>
%wplace = addi %wbefore, %{block} : tile<i32>"""

    def within(self, block: str, t: str = "") -> str:
        """`%wpanel`, the panel of a block of queries, and `%wq`, the number of the block in it."""
        return f"""%{t}weach = constant <i32: {KEPT // self.tile[1]}> : tile<i32>
%{t}wpanel = divi %{block}, %{t}weach signed : tile<i32>
%{t}wq0 = muli %{t}wpanel, %{t}weach : tile<i32>
%{t}wq = subi %{block}, %{t}wq0 : tile<i32>"""

    def stored(self, name: str, value: str, query: str, t: str = "") -> str:
        """Stores a tile of the block of keys of `place`, by the number of its block of queries."""
        return f"""{self.within(query, t)}
%{t}wfar = muli %{t}wpanel, %wtiles : tile<i32>
%{t}wrow = addi %wplace, %{t}wfar : tile<i32>
%{name} = store_view_tko weak %{value}, %ww[%{t}wrow, %{t}wq] : {self.type}, {self._view}, tile<i32>
  -> token"""

    def loaded(self, key: str, prefix: str = "") -> str:
        """`%ws`: a tile of a panel, by the number of its block of keys."""
        return (
            f"%{prefix}ws, %{prefix}wd = load_view_tko weak %ww[%{key}, %wq] : {self._view}, tile<i32>"
            f" -> {self.type}, token"
        )

    @property
    def _panels(self) -> str:
        tensor = f"tensor_view<?x?x{KEPT}x{self.element}, strides=[?,{KEPT},1]>"
        return f"partition_view<tile=(1x{self.tile[0]}x{self.tile[1]}), padding_value = zero, {tensor}>"

    def copied(self, count: str) -> str:
        """`%wg`: the panels of all heads, each of so many rows, with zeros behind them."""
        return f"""%wfara0 = assume div_by<{KEPT}>, %wfar : tile<i32>
%wfara = assume bounded<{KEPT}, ?>, %wfara0 : tile<i32>
%wpalla = assume bounded<1, ?>, %wpall : tile<i32>
%wf = make_tensor_view %wa, shape = [%wpalla, %{count}, {KEPT}], strides = [%wfara, {KEPT}, 1]
  : tile<i32> -> tensor_view<?x?x{KEPT}x{self.element}, strides=[?,{KEPT},1]>
%wg = make_partition_view %wf : {self._panels}"""

    def loaded_copied(self, panel: str, key: str) -> str:
        """`%ws`: a tile of a panel by its number of all, and the number of its block of keys."""
        long = f"tile<1x{self.tile[0]}x{self.tile[1]}x{self.element}>"
        return f"""%wl, %wd = load_view_tko weak %wg[%{panel}, %{key}, %wq] : {self._panels}, tile<i32> -> {long}, token
%ws = reshape %wl : {long} -> {self.type}"""

    @property
    def flat(self) -> str:
        """`%wg`: those of all heads, one panel behind the other."""
        return f"""%wf = make_tensor_view %wa, shape = [%wall, %wunit], strides = [%wunit, 1]
  : tile<i32> -> {self._tensor}
%wg = make_strided_view %wf : {self._steps}"""

    def loaded_flat(self, row: str) -> str:
        """`%ws`: a tile, by the number of its first row of all."""
        return f"%ws, %wd = load_view_tko weak %wg[%{row}, %wq] : {self._steps}, tile<i32> -> {self.type}, token"


class OfLines(GradientWriter):
    """What programs of keys read of each query."""

    def __init__(self, of: GradientClass) -> None:
        super().__init__(of, *of.blocks)

    def text(self) -> str:
        views = [self.views.head(name, "h", "lq", self.views.of_head(self.own)) for name in "go"]
        return self.module(
            "%place, %h, %b = get_tile_block_id : tile<i32>\n%nb, %hs, %nz = get_num_tile_blocks : tile<i32>",
            "%zero = constant <i32: 0> : tile<i32>",
            *views,
            self.line_views(),
            self.base(),
            self.lines(),
        )


class OfDifferences(GradientWriter):
    """The gradient of q."""

    def __init__(self, of: GradientClass) -> None:
        super().__init__(of, *of.blocks)
        self.kept = Kept(of.element, (of.blocks[1], of.blocks[0]))
        self.count = "whole" if of.flat else "all"

    def text(self) -> str:
        return self.module(
            self.known_arrays(),
            self._places(),
            self._views(),
            self.sums_constants(),
            self._loop(),
            self._rest() if self.of.flat else "",
            self.stored("x", "dq", "place", is_scaled=True),
        )

    def _places(self) -> str:
        """Which block of queries of which head this is, and how many blocks of keys it sees."""
        rows, columns = self.of.blocks
        seen, order = f"%seen = addi %{self.count}, %zero : tile<i32>", ""
        if self.of.causal:
            order = "%final = subi %nb, %one : tile<i32>\n%place = subi %final, %turned : tile<i32>"
            seen = f"""%behind = addi %query, %rows : tile<i32>
%enough = divi %behind, %columns signed rounding<positive_inf> : tile<i32>
%seen = mini %enough, %{self.count} signed : tile<i32>"""
        return f"""%{"turned" if self.of.causal else "place"}, %part, %none = get_tile_block_id : tile<i32>
%nb, %nh, %nz = get_num_tile_blocks : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%rows = constant <i32: {rows}> : tile<i32>
%columns = constant <i32: {columns}> : tile<i32>
{order}
%before = muli %first, %group : tile<i32>
%lin = addi %before, %part : tile<i32>
%b = divi %lin, %hs signed : tile<i32>
%lin0 = muli %b, %hs : tile<i32>
%h = subi %lin, %lin0 : tile<i32>
%hk = divi %h, %group signed : tile<i32>
%query = muli %place, %rows : tile<i32>
%whole = divi %lk, %columns signed : tile<i32>
%all = divi %lk, %columns signed rounding<positive_inf> : tile<i32>
{seen}"""

    def _views(self) -> str:
        views, (rows, columns), flat = self.views, self.of.blocks, self.of.flat
        found = [views.head("x", "h", "lq", views.of_head(rows, is_stored=True))]
        found += [views.head("k", "hk", "lk", views.of_head(columns))]
        found += [views.flat("k", "hk", columns)] if flat else []
        found += [self.kept.known, self.kept.panel("part", "place", "lk")]
        found += [self.kept.flat] if flat else []
        found += [self.kept.copied("lka")] if self.of.copied else []
        return "\n".join(found)

    def _loop(self) -> str:
        """All blocks of keys, or, of flat matrices, those that are whole."""
        if self.of.flat:
            loaded = f"""%wat = addi %wr0, %key : tile<i32>
{self.kept.loaded_flat("wat")}
{self.views.loaded_flat("k", "key", self.other)}"""
        elif self.of.copied:
            loaded = f"{self.kept.loaded_copied('wh1', 'i')}\n{self.block('k', 'hk', 'i', 'key')}"
        else:
            loaded = f"{self.kept.loaded('i')}\n{self.views.loaded('k', 'i', self.other)}"
        return f"""%{"l" if self.of.flat else ""}dq = for %i in (%zero to %seen, step %one) : tile<i32>
  iter_values(%acc = %nothing) -> ({self.accumulators}) {{
%key = muli %i, %columns : tile<i32>
{loaded}
{self._step("", "acc")}
continue %next : {self.accumulators}
}}"""

    def _rest(self) -> str:
        """The block of keys that is not whole, if any query sees it."""
        tests = "%more = cmpi less_than %whole, %all, signed : tile<i32> -> tile<i1>"
        if self.of.causal:
            tests += """
%wkey = muli %whole, %columns : tile<i32>
%sees = cmpi less_than %wkey, %behind, signed : tile<i32> -> tile<i1>
%both = andi %more, %sees : tile<i1>"""
        return f"""{tests}
%dq = if %{"both" if self.of.causal else "more"} -> ({self.accumulators}) {{
{self.kept.loaded("whole", "t")}
{self.views.loaded("k", "whole", self.other, "t")}
{self._step("t", "ldq")}
yield %tnext : {self.accumulators}
}} else {{
yield %ldq : {self.accumulators}
}}"""

    def _step(self, t: str, acc: str) -> str:
        turned = f"tile<{self.own}x{self.other}x{self.of.element}>"
        return f"""%{t}wt1 = permute %{t}ws [1, 0] : {self.kept.type} -> {turned}
%{t}next = mmaf %{t}wt1, %{t}ks, %{acc} : {turned}, {self.factor}, {self.accumulators}"""
