"""Softmax, layer norm and RMS norm of rows in CUDA Tile IR, one row a tile block: texts for `norms.py`.

A tile is as long as the next power of two. Elements behind the row's end read as `padding`, and count as 0 in the
second sum of a layer norm. Sums are formed in f32 whatever the elements are.
"""

from __future__ import annotations

SUM = "addf", "0.0"
LARGEST = "maxf", "0xFF800000"
EPSILON = 1e-5


class _Rows:
    """A kernel under construction: rows of `columns` elements of a type, in tiles of `width`."""

    def __init__(self, columns: int, element: str) -> None:
        self.columns, self.element = columns, element
        self.width = 1 << (columns - 1).bit_length()
        self.lines: list[str] = ["%zero = constant <i32: 0> : tile<i32>"]

    def view(self, name: str, rows: int, padding: str = "zero") -> None:
        """The array behind a pointer, in tiles of one row."""
        tensor = f"tensor_view<{rows}x{self.columns}x{self.element}, strides=[{self.columns},1]>"
        self.lines += [
            f"%{name}a = assume div_by<16>, %{name} : tile<ptr<{self.element}>>",
            f"%{name}t = make_tensor_view %{name}a, shape = [{rows}, {self.columns}], "
            f"strides = [{self.columns}, 1] : {tensor}",
            f"%{name}v = make_partition_view %{name}t : {self._partition(rows, padding)}",
        ]

    def _partition(self, rows: int, padding: str) -> str:
        tensor = f"tensor_view<{rows}x{self.columns}x{self.element}, strides=[{self.columns},1]>"
        return f"partition_view<tile=(1x{self.width}), padding_value = {padding}, {tensor}>"

    def _tile(self, element: str = "f32") -> str:
        return f"tile<1x{self.width}x{element}>"

    def load(self, result: str, name: str, row: str, rows: int, padding: str = "zero") -> None:
        """A row in f32."""
        narrow = f"{result}_n" if self.element != "f32" else result
        types = f"{self._partition(rows, padding)}, tile<i32> -> {self._tile(self.element)}, token"
        self.lines.append(f"%{narrow}, %{result}_done = load_view_tko weak %{name}v[{row}, %zero] : {types}")
        if narrow != result:
            self.lines.append(f"%{result} = ftof %{narrow} : {self._tile(self.element)} -> {self._tile()}")

    def store(self, value: str, name: str, row: str, rows: int) -> None:
        """Write a row."""
        narrow = f"{value}_n" if self.element != "f32" else value
        if narrow != value:
            self.lines.append(f"%{narrow} = ftof %{value} : {self._tile()} -> {self._tile(self.element)}")
        types = f"{self._tile(self.element)}, {self._partition(rows, 'zero')}, tile<i32> -> token"
        self.lines.append(f"%{name}_done = store_view_tko weak %{narrow}, %{name}v[{row}, %zero] : {types}")

    def constant(self, name: str, value: float) -> None:
        """A row of one number."""
        self.lines.append(f"%{name} = constant <f32: {value:.20f}> : {self._tile()}")

    def apply(self, result: str, operation: str, *operands: str) -> None:
        """Element by element."""
        self.lines.append(f"%{result} = {operation} {', '.join(f'%{o}' for o in operands)} : {self._tile()}")

    def reduce(self, result: str, value: str, how: tuple[str, str]) -> None:
        """Along the row, and over all of it again."""
        operation, identity = how
        self.lines += [
            f"%{result}_r = reduce %{value} dim=1 identities=[{identity} : f32] : {self._tile()} -> tile<1xf32>",
            f"(%{result}_x: tile<f32>, %{result}_y: tile<f32>) {{",
            f"  %{result}_z = {operation} %{result}_x, %{result}_y : tile<f32>",
            f"  yield %{result}_z : tile<f32>",
            "}",
            f"%{result}_1 = reshape %{result}_r : tile<1xf32> -> tile<1x1xf32>",
            f"%{result} = broadcast %{result}_1 : tile<1x1xf32> -> {self._tile()}",
        ]

    def within(self, value: str) -> str:
        """The name of the value that is 0 behind the end of the row."""
        if self.width == self.columns:
            return value
        flat, row = f"tile<{self.width}xi32>", f"tile<1x{self.width}xi32>"
        self.lines += [
            f"%places = iota : {flat}",
            f"%place = reshape %places : {flat} -> {row}",
            f"%end = constant <i32: {self.columns}> : {row}",
            f"%inside = cmpi less_than %place, %end, signed : {row} -> tile<1x{self.width}xi1>",
            f"%none = constant <f32: 0.0> : {self._tile()}",
            f"%{value}_inside = select %inside, %{value}, %none : tile<1x{self.width}xi1>, {self._tile()}",
        ]
        return f"{value}_inside"

    def module(self, name: str, pointers: str) -> str:
        """The whole text."""
        parameters = ", ".join(f"%{p}: tile<ptr<{self.element}>>" for p in pointers)
        body = "\n".join(["%bx, %by, %bz = get_tile_block_id : tile<i32>", *self.lines, "return"])
        return f"cuda_tile.module @kernels {{\nentry @{name}({parameters}) {{\n{body}\n}}\n}}\n"


def softmax(rows: int, columns: int, element: str) -> str:
    """y = softmax of each row of x."""
    k = _Rows(columns, element)
    k.view("x", rows, "neg_inf")
    k.view("y", rows)
    k.load("v", "x", "%bx", rows, "neg_inf")
    k.reduce("most", "v", LARGEST)
    k.apply("moved", "subf", "v", "most")
    k.apply("e", "exp", "moved")
    k.reduce("sum", "e", SUM)
    k.apply("q", "divf", "e", "sum")
    k.store("q", "y", "%bx", rows)
    return k.module("softmax", "xy")


def layer_norm(rows: int, columns: int, element: str) -> str:
    """y = (x - mean) / sqrt(variance + epsilon) * w + b for each row of x."""
    k = _Rows(columns, element)
    for name, count in (("x", rows), ("w", 1), ("b", 1), ("y", rows)):
        k.view(name, count)
    k.constant("share", 1 / columns)
    k.constant("epsilon", EPSILON)
    k.load("v", "x", "%bx", rows)
    k.load("ws", "w", "%zero", 1)
    k.load("bs", "b", "%zero", 1)
    k.reduce("sum", "v", SUM)
    k.apply("mean", "mulf", "sum", "share")
    k.apply("d", "subf", "v", "mean")
    inside = k.within("d")
    k.apply("dd", "mulf", inside, inside)
    k.reduce("squares", "dd", SUM)
    k.apply("variance", "mulf", "squares", "share")
    k.apply("safe", "addf", "variance", "epsilon")
    k.apply("r", "rsqrt", "safe")
    k.apply("u", "mulf", "d", "r")
    k.apply("uw", "mulf", "u", "ws")
    k.apply("q", "addf", "uw", "bs")
    k.store("q", "y", "%bx", rows)
    return k.module("layer_norm", "xwby")


def rms_norm(rows: int, columns: int, element: str) -> str:
    """y = x / sqrt(mean of squares + epsilon) * w for each row of x."""
    k = _Rows(columns, element)
    for name, count in (("x", rows), ("w", 1), ("y", rows)):
        k.view(name, count)
    k.constant("share", 1 / columns)
    k.constant("epsilon", EPSILON)
    k.load("v", "x", "%bx", rows)
    k.load("ws", "w", "%zero", 1)
    k.apply("vv", "mulf", "v", "v")
    k.reduce("sum", "vv", SUM)
    k.apply("mean", "mulf", "sum", "share")
    k.apply("safe", "addf", "mean", "epsilon")
    k.apply("r", "rsqrt", "safe")
    k.apply("u", "mulf", "v", "r")
    k.apply("q", "mulf", "u", "ws")
    k.store("q", "y", "%bx", rows)
    return k.module("rms_norm", "xwy")
