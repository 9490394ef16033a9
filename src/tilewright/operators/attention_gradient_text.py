"""The text, in Tile IR, of the gradients of attention for a class of arrays, in programs without atomics.

With weights P = exp(scale q k^T - lse) and D = P (g v^T - delta), where g is the gradient of the result o and delta the
sums of the rows of g o, less the gradient of the logarithms if there is one: that of q is scale D k, that of k is scale
D^T q, that of v is P^T g. The first program has a work-group for a block of queries, goes over blocks of keys, and
stores delta for the second, which has one for a block of keys and goes over all queries of the heads that share them.
Weights are computed anew from the logarithms `lse`. What is there as whole blocks is read from matrices over all heads
(`flat`), as in `attention_text`.
"""

from __future__ import annotations

from typing import Final

from tilewright.operators.attention_gradient_writer import GradientClass, GradientWriter
from tilewright.operators.attention_kept_text import Kept, OfDifferences, OfLines
from tilewright.operators.attention_views import in_fours, line_of_head, line_view, whole_lines, whole_view
from tilewright.operators.tile_ir_pieces import across, along, masked

_LINES: Final = ("lse2", "delta")
"""What programs of keys read of each query; zero behind the last one, of which the gradient is zero."""


def gradient_text(of: GradientClass) -> str:
    """The program of a class."""
    writers = {"l": OfLines, "q": _OfQueries, "d": OfDifferences}
    return writers.get(of.of, _OfKeys)(of).text()


class _OfQueries(GradientWriter):
    def __init__(self, of: GradientClass) -> None:
        super().__init__(of, *of.blocks)

    def text(self) -> str:
        of = self.of
        return self.module(
            self.known_arrays(),
            self._places(),
            self._views(),
            self.constants(),
            self._start(),
            self._loop(),
            self._rest() if of.flat else "",
            self.stored("x", "dq" if of.flat else "ldq", "place", is_scaled=True),
        )

    def _places(self) -> str:
        """Which block of queries of which head this is, and how many blocks of keys it sees."""
        of, (rows, columns) = self.of, self.of.blocks
        blocks = "whole" if of.flat else "all"
        seen = f"%seen = addi %{blocks}, %zero : tile<i32>"
        order = ""
        if of.causal:
            order = "%final = subi %nb, %one : tile<i32>\n%place = subi %final, %turned : tile<i32>"
            seen = f"""%behind = addi %query, %rows : tile<i32>
%enough = divi %behind, %columns signed rounding<positive_inf> : tile<i32>
%seen = mini %enough, %{blocks} signed : tile<i32>"""
        return f"""%{"turned" if of.causal else "place"}, %h, %b = get_tile_block_id : tile<i32>
%nb, %hs, %nz = get_num_tile_blocks : tile<i32>
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%rows = constant <i32: {rows}> : tile<i32>
%columns = constant <i32: {columns}> : tile<i32>
{order}
%hk = divi %h, %group signed : tile<i32>
%query = muli %place, %rows : tile<i32>
%whole = divi %lk, %columns signed : tile<i32>
%all = divi %lk, %columns signed rounding<positive_inf> : tile<i32>
{seen}"""

    def _views(self) -> str:
        views, (rows, columns) = self.views, self.of.blocks
        found = [views.head(name, "h", "lq", views.of_head(rows)) for name in "qgo"]
        found += [views.head("x", "h", "lq", views.of_head(rows, is_stored=True))]
        found += [views.head(name, "hk", "lk", views.of_head(columns)) for name in "kv"]
        found += [views.flat(name, "hk", columns) for name in "kv" if self.of.flat]
        return "\n".join([*found, self.line_views()])

    def _start(self) -> str:
        """What the other program reads of each query, and what the loop multiplies."""
        rows, columns = self.own, self.other
        return "\n".join(
            [
                self.views.loaded("q", "place", rows),
                self.lines(),
                across("dlw", "dl", rows, columns),
                across("low", "lowl", rows, columns),
            ]
        )

    def _loop(self) -> str:
        """All blocks of keys, or, of flat matrices, those that are whole."""
        of = self.of
        loaded = [self.block(name, "hk", "i", "key") for name in "kv"]
        is_last = of.ragged if of.copied else not of.flat
        return f"""%ldq = for %i in (%zero to %seen, step %one) : tile<i32>
  iter_values(%acc = %nothing) -> ({self.accumulators}) {{
%key = muli %i, %columns : tile<i32>
{chr(10).join(loaded)}
{self._step("", "acc", self._exponents("", "key", is_last=is_last, always=False))}
continue %next : {self.accumulators}
}}"""

    def _rest(self) -> str:
        """The block of keys that is not whole, if any query sees it."""
        tests = ["%more = cmpi less_than %whole, %all, signed : tile<i32> -> tile<i1>"]
        if self.of.causal:
            tests += [
                "%tkey0 = muli %whole, %columns : tile<i32>",
                "%sees = cmpi less_than %tkey0, %behind, signed : tile<i32> -> tile<i1>",
                "%both = andi %more, %sees : tile<i1>",
            ]
        loaded = [self.views.loaded(name, "whole", self.other, "t") for name in "kv"]
        step = self._step("t", "ldq", self._exponents("t", "tkey", is_last=True, always=True))
        return "\n".join(
            [
                *tests,
                f"%dq = if %{'both' if self.of.causal else 'more'} -> ({self.accumulators}) {{",
                "%tkey = muli %whole, %columns : tile<i32>",
                *loaded,
                step,
                f"yield %tnext : {self.accumulators}\n}} else {{\nyield %ldq : {self.accumulators}\n}}",
            ]
        )

    def _step(self, t: str, acc: str, exponents: str) -> str:
        return f"""{self.scores(t, "q", "k", exponents)}
{self.differences(t, "g", "v", "dlw")}
%{t}next = mmaf %{t}ds, %{t}ks, %{acc} : {self.p}, {self.factor}, {self.accumulators}"""

    def _exponents(self, t: str, key: str, is_last: bool, always: bool) -> str:
        """Of weights: -inf for keys that are not there, or behind the query."""
        causal = self.of.causal
        name = f"{t}ey" if is_last or causal else f"{t}ex"
        lines = [f"%{name} = fma %{t}raw, %ups, %low : {self.s}"]
        if not (is_last or causal):
            return lines[0]
        mask: list[str] = []
        if is_last:
            mask.append(f"%{t}left = subi %lk, %{key} : tile<i32>")
        if causal:
            mask.append(f"%{t}ahead = subi %query, %{key} : tile<i32>")
        kept = f"{t}ex" if always else f"{t}kept"
        mask.append(masked(t, kept, f"{t}ey", self.shape, f"{t}left" if is_last else "", f"{t}ahead" if causal else ""))
        if always:
            return "\n".join([*lines, *mask])
        lines.append(f"%{t}end = addi %{key}, %columns : tile<i32>")
        bounds = [name for name, wanted in (("query", causal), ("lk", is_last)) if wanted]
        for bound in bounds:
            lines.append(f"%{t}over{bound} = cmpi greater_than %{t}end, %{bound}, signed : tile<i32> -> tile<i1>")
        condition = f"{t}over{bounds[0]}"
        if len(bounds) > 1:
            lines.append(f"%{t}overs = ori %{t}overquery, %{t}overlk : tile<i1>")
            condition = f"{t}overs"
        return "\n".join([*lines, self.masked_if(t, condition, "\n".join(mask))])


class _OfKeys(GradientWriter):
    def __init__(self, of: GradientClass) -> None:
        super().__init__(of, of.blocks[1], of.blocks[0])
        self.results = [name for name in "kv" if name in of.of]
        self.kept = Kept(of.element, (of.blocks[1], of.blocks[0])) if of.kept else None
        self.carried = ", ".join([self.accumulators] * len(self.results))

    def text(self) -> str:
        of = self.of
        return self.module(
            in_fours("lq", self.of.lines) if of.early else "",
            self.known_arrays(),
            self._places(),
            self._views(),
            self.constants(),
            self._loops(),
            *(self.stored("yz"["kv".index(name)], f"d{name}", "place", name == "k") for name in of.of),
        )

    def _places(self) -> str:
        """Which block of keys of which head this is, and the first block of queries that sees some of it."""
        of, (rows, columns) = self.of, self.of.blocks
        blocks = "whole" if of.flat else "all"
        first = (
            "%seeing = divi %key, %rows signed : tile<i32>" if of.causal else "%seeing = addi %zero, %zero : tile<i32>"
        )
        ids = """%place, %hk, %b = get_tile_block_id : tile<i32>
%nb, %hks, %nz = get_num_tile_blocks : tile<i32>
%hs = muli %hks, %group : tile<i32>"""
        if self.kept is not None:
            ids = """%place, %part, %none = get_tile_block_id : tile<i32>
%hks = divi %hs, %group signed : tile<i32>
%lin = addi %first, %part : tile<i32>
%b = divi %lin, %hks signed : tile<i32>
%lin0 = muli %b, %hks : tile<i32>
%hk = subi %lin, %lin0 : tile<i32>"""
        return f"""{ids}
%zero = constant <i32: 0> : tile<i32>
%one = constant <i32: 1> : tile<i32>
%rows = constant <i32: {rows}> : tile<i32>
%columns = constant <i32: {columns}> : tile<i32>
%key = muli %place, %columns : tile<i32>
%whole = divi %lq, %rows signed : tile<i32>
%all = divi %lq, %rows signed rounding<positive_inf> : tile<i32>
{first}
%start = mini %seeing, %{blocks} signed : tile<i32>
{self.kept.known if self.kept else ""}"""

    def _views(self) -> str:
        views, own = self.views, self.own
        found = [views.head(name, "hk", "lk", views.of_head(own)) for name in "kv"]
        found += [views.head(name, "hk", "lk", views.of_head(own, is_stored=True)) for name in self.of.arrays[4:]]
        return "\n".join([*found, *(views.loaded(name, "place", own) for name in "kv")])

    def _loops(self) -> str:
        """Over the heads that share the keys, and over the blocks of their queries, those that are whole of flat."""
        of, views, other = self.of, self.views, self.other
        heads = [views.head(name, "h", "lq", views.of_head(other)) for name in "qg"]
        heads += [views.flat(name, "h", other) for name in "qg" if of.flat]
        heads += [line_of_head(name, "h", "lq", other, "zero", of.early) for name in _LINES]
        heads += [whole_lines(name, "nha" if of.copied else "nh", "lq", other) for name in _LINES if of.early]
        loaded = [self.block(name, "h", "i", "query") for name in "qg"]
        inner = self._names("f") if of.flat else self._names("w")
        kinds = self.carried
        return f"""{self._names("d")} = for %n in (%zero to %group, step %one) : tile<i32>
  iter_values({self._inits("c", "nothing")}) -> ({kinds}) {{
%h0 = muli %hk, %group : tile<i32>
%h = addi %h0, %n : tile<i32>
{chr(10).join(heads)}
{self._unseen() if self.kept else ""}
{inner} = for %i in (%start to %{"whole" if of.flat else "all"}, step %one) : tile<i32>
  iter_values({self._inits("a", None)}) -> ({kinds}) {{
%query = muli %i, %rows : tile<i32>
{chr(10).join(loaded)}
{self._step("", "i", "query", "a", always=False)}
continue {self._names("n")} : {kinds}
}}
{self._rest() if of.flat else ""}
continue {self._names("w")} : {kinds}
}}"""

    def _unseen(self) -> str:
        """Where differences of this head are kept, and zeros for blocks of queries that are read with others."""
        assert self.kept is not None
        found = [
            "%wz = muli %part, %group : tile<i32>\n%wh = addi %wz, %n : tile<i32>",
            self.kept.place("wh", "place", "walla" if self.of.copied else "wall"),
        ]
        if self.of.causal:
            together = self.of.kept // self.of.blocks[0]
            found.append(f"""%zeros = constant <{self.of.element}: 0.0> : {self.kept.type}
%together = constant <i32: {together}> : tile<i32>
%wseen = divi %start, %together signed : tile<i32>
%wbegin = muli %wseen, %together : tile<i32>
for %u in (%wbegin to %start, step %one) : tile<i32> {{
{self.kept.stored("wnone", "zeros", "u", "u")}
continue
}}""")
        return "\n".join(found)

    def _rest(self) -> str:
        """The block of queries that is not whole, which see all that queries before them do."""
        loaded = [self.views.loaded(name, "whole", self.other, "t") for name in "qg"]
        return f"""%more = cmpi less_than %whole, %all, signed : tile<i32> -> tile<i1>
{self._names("w")} = if %more -> ({self.carried}) {{
%tquery = muli %whole, %rows : tile<i32>
{chr(10).join(loaded)}
{self._step("t", "whole", "tquery", "f", always=True)}
yield {self._names("tn")} : {self.carried}
}} else {{
yield {self._names("f")} : {self.carried}
}}"""

    def _names(self, prefix: str) -> str:
        return ", ".join(f"%{prefix}{name}" for name in self.results)

    def _inits(self, prefix: str, init: str | None) -> str:
        return ", ".join(f"%{prefix}{name} = %{init or f'c{name}'}" for name in self.results)

    def _line(self, t: str, name: str, index: str, is_whole: bool) -> str:
        """`%lse2s` or `%deltas`: a number of f32 for each query of a block."""
        other = self.other
        line = f"tile<{other}xf32>"
        if not is_whole:
            view = line_view(other, "zero")
            return (
                f"%{t}{name}s, %{t}{name}d = load_view_tko weak %{name}w[%{index}] : {view}, tile<i32> -> {line}, token"
            )
        row, view = f"tile<1x{other}xf32>", whole_view(other)
        return f"""%{t}{name}r, %{t}{name}d = load_view_tko weak %{name}m[%{name}heads, %{index}] : {view}, tile<i32>
  -> {row}, token
%{t}{name}s = reshape %{t}{name}r : {row} -> {line}"""

    def _step(self, t: str, index: str, query: str, acc: str, always: bool) -> str:
        other = self.other
        is_whole = self.of.early
        delta = self._line(t, "delta", index, is_whole) if "k" in self.of.of else ""
        pieces = [
            self._line(t, "lse2", index, is_whole),
            delta if is_whole else "",
            along(f"{t}low", f"{t}lse2s", self.own, other),
            self.scores(t, "k", "q", self._exponents(t, query, always)),
        ]
        if "v" in self.of.of:
            pieces += [
                f"%{t}p = ftof %{t}e : {self.s} -> {self.p}",
                f"%{t}nv = mmaf %{t}p, %{t}gs, %{acc}v : {self.p}, {self.factor}, {self.accumulators}",
            ]
        if "k" in self.of.of:
            pieces += [
                "" if is_whole else delta,
                along(f"{t}dlw", f"{t}deltas", self.own, other),
                self.differences(t, "v", "g", f"{t}dlw"),
                # in front of products: while these read shared memory, writing to it and the fence take long
                self.kept.stored(f"{t}wdone", f"{t}ds", index, t) if self.kept else "",
                f"%{t}nk = mmaf %{t}ds, %{t}qs, %{acc}k : {self.p}, {self.factor}, {self.accumulators}",
            ]
        return "\n".join(piece for piece in pieces if piece)

    def _exponents(self, t: str, query: str, always: bool) -> str:
        """Of weights: -inf for queries in front of the key."""
        if not self.of.causal:
            return f"%{t}ex = fma %{t}raw, %ups, %{t}low : {self.s}"
        mask = [f"%{t}ahead = subi %{query}, %key : tile<i32>"]
        mask.append(masked(t, f"{t}kept", f"{t}ey", self.shape, "", f"{t}ahead", is_turned=True))
        return "\n".join(
            [
                f"%{t}ey = fma %{t}raw, %ups, %{t}low : {self.s}",
                f"%{t}end = addi %key, %columns : tile<i32>",
                f"%{t}over = cmpi greater_than %{t}end, %{query}, signed : tile<i32> -> tile<i1>",
                self.masked_if(t, f"{t}over", "\n".join(mask)),
            ]
        )
