"""Tile IR text of the matrices of heads: of one head, found by strides, and of all heads of an array in one matrix.

Matrices are told apart by letters. The program has for each a pointer `%q`, strides `%sqb`, `%sqh`, `%sql` of a batch,
a head and a row, and, if it is flat, `%qrows`, `%qcolumns`, and how far batches and heads are apart in it: rows `%qrb`,
`%qrh` and widths `%qcb`, `%qch`. The batch is `%b`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.machine.cuda.tensor_maps import MAP_UNIT
from tilewright.operators.attention_heads import ELEMENT_BYTES

UNIT: Final = MAP_UNIT // ELEMENT_BYTES
"""Elements of which distances are multiples where the device copies."""
_WHOLE_TENSOR: Final = "tensor_view<?x?xf32, strides=[?,1]>"


class Views(Struct, frozen=True):
    """Views of heads of a width, in tiles of `padded` columns."""

    element: str
    width: int
    padded: int

    def tile(self, rows: int) -> str:
        """The type of so many rows."""
        return f"tile<{rows}x{self.padded}x{self.element}>"

    @property
    def _tensor(self) -> str:
        return f"tensor_view<?x{self.width}x{self.element}, strides=[?,1]>"

    def of_head(self, rows: int, is_stored: bool = False) -> str:
        """The type of the view of one head by so many rows, with zeros behind its end."""
        padding = "" if is_stored else "padding_value = zero, "
        return f"partition_view<tile=({rows}x{self.padded}), {padding}{self._tensor}>"

    def head(self, name: str, head: str, length: str, view: str, more: str = "") -> str:
        """`%qw`: a head's matrix, cut as the view's type says, of a pointer and strides whose names end so."""
        element = self.element
        return f"""%{name}b6 = exti %s{name}b{more} signed : tile<i32> -> tile<i64>
%{name}h6 = exti %s{name}h{more} signed : tile<i32> -> tile<i64>
%{name}n6 = exti %b signed : tile<i32> -> tile<i64>
%{name}m6 = exti %{head} signed : tile<i32> -> tile<i64>
%{name}x6 = muli %{name}b6, %{name}n6 : tile<i64>
%{name}y6 = muli %{name}h6, %{name}m6 : tile<i64>
%{name}o6 = addi %{name}x6, %{name}y6 : tile<i64>
%{name}p = offset %{name}{more}, %{name}o6 : tile<ptr<{element}>>, tile<i64> -> tile<ptr<{element}>>
%{name}t = make_tensor_view %{name}p, shape = [%{length}, {self.width}], strides = [%s{name}l{more}, 1]
  : tile<i32> -> {self._tensor}
%{name}w = make_partition_view %{name}t : {view}"""

    @property
    def _flat_tensor(self) -> str:
        return f"tensor_view<?x?x{self.element}, strides=[?,1]>"

    def of_all(self, rows: int, is_stored: bool = False) -> str:
        """The type of the view of all heads, by so many rows from anywhere on."""
        steps = f"traversal_strides=[1,{self.padded}]"
        padding = "" if is_stored else "padding_value = zero, "
        return f"strided_view<tile=({rows}x{self.padded}), {steps}, {padding}{self._flat_tensor}>"

    def flat(self, name: str, head: str, rows: int) -> str:
        """`%qg`: the matrix of all heads, in which a head begins at row `%qr3` and column `%qc3` times the width."""
        matrix = self._matrix(name, rows, name, f"{name}rows", f"{name}columns", f"s{name}l")
        return f"{matrix}\n{self.position(name, head)}"

    def all_heads(self, name: str, rows: int, is_stored: bool = False) -> str:
        """`%qg` again, of numbers of which something is assumed; its rows are as long as they are far apart."""
        return self._matrix(name, rows, f"{name}a", f"{name}rowsa", f"s{name}la", f"s{name}la", is_stored)

    def _matrix(
        self, name: str, rows: int, pointer: str, count: str, columns: str, stride: str, is_stored: bool = False
    ) -> str:
        return "\n".join(
            [
                f"%{name}f = make_tensor_view %{pointer}, shape = [%{count}, %{columns}], strides = [%{stride}, 1]"
                f" : tile<i32> -> {self._flat_tensor}",
                f"%{name}g = make_strided_view %{name}f : {self.of_all(rows, is_stored)}",
            ]
        )

    def position(self, name: str, head: str, behind: str = "") -> str:
        """`%qr3` and `%qc3`: the row, and the column in widths, at which a head begins in the matrix of all; or so many
        rows `behind` that."""
        lines: list[str] = []
        for what, batch, of_head in (("r", "rb", "rh"), ("c", "cb", "ch")):
            lines += [
                f"%{name}{what}1 = muli %b, %{name}{batch} : tile<i32>",
                f"%{name}{what}2 = muli %{head}, %{name}{of_head} : tile<i32>",
                f"%{name}{what}{0 if behind and what == 'r' else 3} = addi %{name}{what}1, %{name}{what}2 : tile<i32>",
            ]
        if behind:
            lines.append(f"%{name}r3 = addi %{name}r0, %{behind} : tile<i32>")
        return "\n".join(lines)

    def loaded(self, name: str, index: str, rows: int, prefix: str = "") -> str:
        """`%qs`: rows of one head, by the number of their block."""
        return (
            f"%{prefix}{name}s, %{prefix}{name}d = load_view_tko weak %{name}w[%{index}, %zero]"
            f" : {self.of_head(rows)}, tile<i32> -> {self.tile(rows)}, token"
        )

    def loaded_flat(self, name: str, row: str, rows: int) -> str:
        """`%qs`: rows of one head, by the number of the first, from the matrix of all."""
        return (
            f"%{name}at = addi %{name}r3, %{row} : tile<i32>\n"
            f"%{name}s, %{name}d = load_view_tko weak %{name}g[%{name}at, %{name}c3] : {self.of_all(rows)}, tile<i32>"
            f" -> {self.tile(rows)}, token"
        )


class Arrays(Struct, frozen=True):
    """Views of arrays of all heads by strides of batches, heads and rows, in tiles of one head."""

    element: str
    width: int
    padded: int

    @property
    def _tensor(self) -> str:
        return f"tensor_view<?x?x?x{self.width}x{self.element}, strides=[?,?,?,1]>"

    def view(self, rows: int, is_stored: bool = False) -> str:
        """The type of the view by so many rows of a head, with zeros behind its end."""
        padding = "" if is_stored else "padding_value = zero, "
        return f"partition_view<tile=(1x1x{rows}x{self.padded}), {padding}{self._tensor}>"

    def tile(self, rows: int) -> str:
        """The type of so many rows, as loads have it."""
        return f"tile<1x1x{rows}x{self.padded}x{self.element}>"

    def known(self, name: str, heads: str, length: str, rows: int, is_stored: bool = False) -> str:
        """`%qg`: an array of `%bs` batches of so many heads that the device copies, which is assumed: it begins, with
        all rows, at multiples of 16 bytes, and has some."""
        strides = ", ".join(f"%s{name}{mode}a" for mode in "bhl")
        least = {"b": 1, "h": 1, "l": self.width}
        lines = [f"%{name}a = assume div_by<{MAP_UNIT}>, %{name} : tile<ptr<{self.element}>>"]
        for mode in "bhl":
            lines += [
                f"%s{name}{mode}0 = assume div_by<{UNIT}>, %s{name}{mode} : tile<i32>",
                f"%s{name}{mode}a = assume bounded<{least[mode]}, ?>, %s{name}{mode}0 : tile<i32>",
            ]
        return "\n".join(
            [
                *lines,
                f"%{name}f = make_tensor_view %{name}a, shape = [%bs, %{heads}, %{length}, {self.width}],"
                f" strides = [{strides}, 1] : tile<i32> -> {self._tensor}",
                f"%{name}g = make_partition_view %{name}f : {self.view(rows, is_stored)}",
            ]
        )

    def loaded(self, name: str, head: str, block: str, rows: int) -> str:
        """`%qs`: rows of one head of batch `%b`, by the number of their block."""
        short = f"tile<{rows}x{self.padded}x{self.element}>"
        return (
            f"%{name}l, %{name}d = load_view_tko weak %{name}g[%b, %{head}, %{block}, %zero] : {self.view(rows)},"
            f" tile<i32> -> {self.tile(rows)}, token\n%{name}s = reshape %{name}l : {self.tile(rows)} -> {short}"
        )


def line_of_head(name: str, head: str, length: str, rows: int, padding: str = "", fours: bool = False) -> str:
    """`%xw`: the numbers of f32 of a head's rows, which follow each other in memory, by blocks of so many.

    If they are `fours`, there are `%lengthp` of them, and they begin at `%xa`, of which an alignment is assumed.
    """
    base, pitch = (f"{name}a", f"{length}p") if fours else (name, length)
    tensor = "tensor_view<?xf32, strides=[1]>"
    return f"""%{name}head = muli %b, %{head}s : tile<i32>
%{name}heads = addi %{name}head, %{head} : tile<i32>
%{name}head6 = exti %{name}heads signed : tile<i32> -> tile<i64>
%{name}l6 = exti %{pitch} signed : tile<i32> -> tile<i64>
%{name}o6 = muli %{name}head6, %{name}l6 : tile<i64>
%{name}p = offset %{base}, %{name}o6 : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
%{name}t = make_tensor_view %{name}p, shape = [%{length}], strides = [1] : tile<i32> -> {tensor}
%{name}w = make_partition_view %{name}t : {line_view(rows, padding)}"""


def in_fours(length: str, names: Sequence[str]) -> str:
    """What `line_of_head` needs of numbers of f32 in fours: `%lengthp` is a length that is known to be a multiple."""
    aligned = [f"%{name}a = assume div_by<16>, %{name} : tile<ptr<f32>>" for name in names]
    return "\n".join([*aligned, f"%{length}p = assume div_by<4>, %{length} : tile<i32>"])


def line_view(rows: int, padding: str = "") -> str:
    """The type of such a view; `padding` stands behind the end of a head."""
    padded = f"padding_value = {padding}, " if padding else ""
    return f"partition_view<tile=({rows}), {padded}tensor_view<?xf32, strides=[1]>>"


def whole_lines(name: str, count: str, length: str, rows: int) -> str:
    """`%xm`: the same numbers of so many heads, each a row of a matrix, by blocks; behind `line_of_head`, by which
    `%xheads` is the number of the head."""
    return f"""%{name}f = make_tensor_view %{name}a, shape = [%{count}, %{length}p], strides = [%{length}p, 1]
  : tile<i32> -> {_WHOLE_TENSOR}
%{name}m = make_partition_view %{name}f : {whole_view(rows)}"""


def whole_view(rows: int) -> str:
    """The type of such a view, with zeros behind the end of a head."""
    return f"partition_view<tile=(1x{rows}), padding_value = zero, {_WHOLE_TENSOR}>"
