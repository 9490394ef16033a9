"""The text of attention for arrays that are made of whole blocks, and lie where the device copies boxes of them.

Work-groups begin one after the other along the first dimension of the grid, then along the others. The first one goes
over the blocks of queries of a band of heads, of which keys and values stay in the cache that multiprocessors share;
those that see most keys begin first. The second one goes over bands, the third over batches. So what is left to the end
is short, whatever the lengths. Persistent work-groups number all blocks in this order and take every n-th of them; what
the next one multiplies first comes while this one is finished.

Under a mask every n-th block may be a long one for some work-groups and a short one for others: those that have short
ones are bands ahead soon, and a cache does not keep all that is read meanwhile. So two blocks of a head are a pair,
that which sees most keys with that which sees fewest, the next one with the next one, and pairs are what is numbered.
Of as many pairs as there are work-groups, all take the short blocks first and then, in the same order, the long ones:
all pairs take as long. H200, width 128, length 4096: 0.41 GB are read from memory, 1.53 GB without pairs. What short
blocks have read the long ones, which begin with it, find in the cache: H100, width 256, of torch's attention, 512 .91
for .85 with the long ones first, 1024 1.01 for .99, 2048 1.00 both; width 128 as fast.

Work-groups that have parts of the keys take those of a block one after the other; what a part begins with is a number
of rows more in the matrices of keys and values, and its result lies in a matrix of results of all parts
(`attention_rest.py`).
"""

from __future__ import annotations

from typing import Final

from tilewright.machine.cuda.tensor_maps import MAP_UNIT
from tilewright.operators.attention_text import NAME, AttentionClass, AttentionWriter
from tilewright.operators.attention_views import UNIT, Arrays, line_of_head, line_view

FLAT: Final = "qkvo"
"""The arrays of which all heads are one matrix."""
_NUMBERS: Final = ("nb", "band", "hs")
_OF_ALL: Final = ("tb", "gb", "tiles")
_OF_PAIRS: Final = ("pairs", "two")
_OF_PARTS: Final = ("parts", "each", "skipped")
_UPWARDS: Final = frozenset({96})
"""Widths whose whole blocks of keys are faster from the first one up, under a mask (H200, length 4096: 524 TFLOP/s for
498; ragged ones of length 4000 464 for 517)."""
_TWICE: Final = 32
"""Bits of twice a number that is not negative, and of their reciprocals."""


def whole_integers(of: AttentionClass) -> tuple[str, ...]:
    """The numbers that a launch passes behind the arrays and the scale.

    Lengths, query heads that share a key head, strides of a batch, a head and a row of each array in elements; rows of
    the matrices of all heads, and how far batches and heads are apart in them: rows, and columns in widths. Blocks of
    queries of a head, heads of a band, and heads; if work-groups go on also blocks of queries of a batch, of a band,
    and in all. If blocks are paired these of a batch and of a band are pairs, and there are the pairs in all, and twice
    the work-groups. If they are divided there are parts in all, those of a block, how many blocks of keys they have,
    and in front of how many blocks of queries there are no parts. What is divided by has its `reciprocal` at the end.
    """
    strides = [f"s{name}{mode}" for name in "qkvo" for mode in "bhl"]
    flat = [f"{name}{what}" for name in FLAT for what in ("rows", "rb", "rh", "cb", "ch")]
    flat = ["bs", "hks"] if of.ragged else flat
    reciprocals = [f"{name}{part}" for name in divisors(of) for part in "rt"]
    more = _OF_PAIRS if of.paired else _OF_PARTS if of.divided else ()
    of_all = (*_OF_ALL, *more) if of.persistent else ()
    return ("lq", "lk", "group", *strides, *flat, *_NUMBERS, *of_all, *reciprocals)


def divisors(of: AttentionClass) -> tuple[str, ...]:
    """The numbers of `whole_integers` that others are divided by."""
    more = ("two",) if of.paired else ("parts",) if of.divided else ()
    return ("band", "group", *(("tb", "gb", *more) if of.persistent else ()))


def reciprocal(number: int) -> tuple[int, int]:
    """A factor, as a signed number of 32 bits, and a shift, by which quotients are found (`_quotient`).

    Twice a number below 2^31 times the factor, which is rounded up, is too large by less than one part of the divisor.
    """
    shift = (number - 1).bit_length()
    factor = -(-(1 << (_TWICE - 1 + shift)) // number)
    return factor - (1 << _TWICE), shift


def _quotient(out: str, number: str, by: str) -> str:
    """A division takes some twenty instructions, one after the other, in front of all that a work-group does."""
    return f"""%{out}2 = addi %{number}, %{number} : tile<i32>
%{out}h = mulhii %{out}2, %{by}r : tile<i32>
%{out} = shri %{out}h, %{by}t unsigned : tile<i32>"""


_PAIR: Final = f"""{_quotient("round", "t", "two")}
%start = muli %round, %two : tile<i32>
%place0 = subi %t, %start : tile<i32>
%begun = muli %round, %count : tile<i32>
%rests = subi %pairs, %begun : tile<i32>
%lead = mini %rests, %count signed : tile<i32>
%later = cmpi greater_than_or_equal %place0, %lead, signed : tile<i32> -> tile<i1>
%behind0 = subi %place0, %lead : tile<i32>
%place = select %later, %behind0, %place0 : tile<i1>, tile<i32>
%pair = addi %begun, %place : tile<i32>"""
"""Which pair a block by its number is of, and whether it is the long one (`later`)."""


_PART: Final = f"""{_quotient("place", "u", "parts")}
%begun = muli %place, %parts : tile<i32>
%piece = subi %u, %begun : tile<i32>
%t = addi %place, %skipped : tile<i32>
%from = muli %piece, %each : tile<i32>
%left = subi %whole, %from : tile<i32>
%behind = muli %from, %columns : tile<i32>"""
"""Of which block a part by its number is, and how many blocks of keys, and keys, there are in front of it."""


class WholeWriter(AttentionWriter):
    """The text of one class."""

    def __init__(self, of: AttentionClass) -> None:
        super().__init__(of)
        self.block = "u" if of.divided else "x"

    def text(self) -> str:
        of = self.of
        parameters = ", ".join(self._parameters(whole_integers(of)))
        block = [
            self.places(),
            *self._queries(),
            self._loop(),
            self._end(),
        ]
        if of.persistent:
            number = "u" if of.divided else "t"
            block = [f"for %{number} in (%bid to %tiles, step %count) : tile<i32> {{", *block, "continue\n}"]
        pieces = [
            f"cuda_tile.module @kernels {{\nentry @{NAME}({parameters}) {{",
            self._known(),
            self._constants(),
            *block,
            "return\n}\n}\n",
        ]
        return "\n".join(pieces)

    def _queries(self) -> list[str]:
        if self.of.ragged:
            return [self.arrays.loaded("q", "h", "x", self.rows)]
        return [self._positions(), self.views.loaded_flat("q", "query", self.rows)]

    @property
    def goes_down(self) -> bool:
        """Whether blocks of keys come from the last one down: the one that needs a mask is the first then, in front of
        the loop, which has none. Of several such blocks the others would be in the loop."""
        of, (rows, columns) = self.of, self.of.blocks
        if of.causal and (rows > columns or (of.width in _UPWARDS and not of.ragged)):
            return False
        return of.causal or of.ragged

    def _key(self) -> str:
        number = "%j = subi %latest, %i : tile<i32>" if self.goes_down else "%j = addi %i, %zero : tile<i32>"
        return f"{number}\n%key = muli %j, %columns : tile<i32>"

    def _partly(self, at_end: bool) -> tuple[list[str], str]:
        if not self.goes_down:
            return super()._partly(at_end)
        return ["%partly = cmpi less_than %i, %one, signed : tile<i32> -> tile<i1>"], "partly"

    def _loaded_keys(self) -> str:
        if not self.of.ragged:
            return super()._loaded_keys()
        return "\n".join(self.arrays.loaded(name, "hk", "j", self.columns) for name in "kv")

    @property
    def arrays(self) -> Arrays:
        """Views of arrays whose lengths are any."""
        return Arrays(self.of.element, self.of.width, self.width)

    def _known(self) -> str:
        """What is so of all arrays of the class."""
        of = self.of
        ids = "%bid, %unused0, %unused1" if of.persistent else "%inside, %which, %b"
        lines = [
            f"{ids} = get_tile_block_id : tile<i32>",
            "%count, %unused2, %unused3 = get_num_tile_blocks : tile<i32>",
            "%zero = constant <i32: 0> : tile<i32>",
            "%one = constant <i32: 1> : tile<i32>",
            f"%rows = constant <i32: {self.rows}> : tile<i32>",
            f"%columns = constant <i32: {self.columns}> : tile<i32>",
            f"%whole = divi %lk, %columns signed{' rounding<positive_inf>' if of.ragged else ''} : tile<i32>",
            "%final = subi %nb, %one : tile<i32>",
        ]
        if of.ragged:
            extents = ("bs", "hs", "hks", "lq", "lk")
            lines += [f"%{name}a = assume bounded<1, ?>, %{name} : tile<i32>" for name in extents]
            for name in FLAT:
                heads, length, rows = ("hksa", "lka", self.columns) if name in "kv" else ("hsa", "lqa", self.rows)
                lines.append(self.arrays.known(name, heads, length, rows, name == "o"))
            return "\n".join(lines)
        lines.append(f"%lqa = assume div_by<{self.rows}>, %lq : tile<i32>")
        for name in FLAT:
            lines += [
                f"%{name}a = assume div_by<{MAP_UNIT}>, %{name} : tile<ptr<{of.element}>>",
                f"%s{name}la = assume div_by<{UNIT}>, %s{name}l : tile<i32>",
                f"%s{name}lb = assume bounded<{of.width}, ?>, %s{name}l : tile<i32>",
                f"%{name}rowsa = assume bounded<1, ?>, %{name}rows : tile<i32>",
                self.views.all_heads(name, self.columns if name in "kv" else self.rows, name == "o"),
            ]
        return "\n".join(lines)

    def places(self) -> str:
        """Which block of queries of which head this is, and how many blocks of keys it sees."""
        seen = "%seen = addi %whole, %zero : tile<i32>"
        if self.of.divided:
            seen = "%seen = mini %each, %left signed : tile<i32>"
        if self.of.causal:
            seen = """%behind = addi %query, %rows : tile<i32>
%enough = divi %behind, %columns signed rounding<positive_inf> : tile<i32>
%seen = mini %enough, %whole signed : tile<i32>"""
        x = "%x = subi %final, %turned : tile<i32>"
        if self.of.paired:
            x = f"%long = {x[5:]}\n%x = select %later, %long, %turned : tile<i1>, tile<i32>"
        return f"""{self._numbers() if self.of.persistent else ""}
{_quotient("turned", "inside", "band")}
%taken = muli %turned, %band : tile<i32>
%own = subi %inside, %taken : tile<i32>
%first = muli %which, %band : tile<i32>
%h = addi %first, %own : tile<i32>
{x}
{_quotient("hk", "h", "group")}
%query = muli %x, %rows : tile<i32>
{seen}
%latest = subi %seen, %one : tile<i32>"""

    def _numbers(self) -> str:
        """The batch, the band of heads, and the number in it of a block by its number among all, or of its pair."""
        number = "pair" if self.of.paired else "t"
        return f"""{_PAIR if self.of.paired else _PART if self.of.divided else ""}
{_quotient("b", number, "tb")}
%before = muli %b, %tb : tile<i32>
%within = subi %{number}, %before : tile<i32>
{_quotient("which", "within", "gb")}
%ahead0 = muli %which, %gb : tile<i32>
%inside = subi %within, %ahead0 : tile<i32>"""

    def _positions(self) -> str:
        """Where the head begins in each matrix of all."""
        of_keys = ("hk", "behind" if self.of.divided else "")
        return "\n".join(self.views.position(name, *(of_keys if name in "kv" else ("h", ""))) for name in FLAT)

    def _line(self) -> str:
        if not self.of.divided:
            return line_of_head("lse", "h", "lq" if self.of.ragged else "lqa", self.rows)
        tensor = "tensor_view<?xf32, strides=[1]>"
        return f"""%lset = make_tensor_view %lse, shape = [%orows], strides = [1] : tile<i32> -> {tensor}
%lsew = make_partition_view %lset : {line_view(self.rows)}"""

    def _stored(self) -> str:
        behind = "" if self.of.persistent else " token=%qd"
        if self.of.ragged:
            view, tile = self.arrays.view(self.rows, is_stored=True), self.arrays.tile(self.rows)
            return (
                f"%shaped = reshape %rounded : {self.q} -> {tile}\n"
                f"%done = store_view_tko weak %shaped, %og[%b, %h, %x, %zero]{behind}"
                f" : {tile}, {view}, tile<i32> -> token"
            )
        view = self.views.of_all(self.rows, is_stored=True)
        place, column = ("%oat = muli %u, %rows", "zero") if self.of.divided else ("%oat = addi %or3, %query", "oc3")
        return f"""{place} : tile<i32>
%done = store_view_tko weak %rounded, %og[%oat, %{column}]{behind} : {self.q}, {view}, tile<i32> -> token"""
