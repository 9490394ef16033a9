"""Sums across tile blocks in CUDA Tile IR: column sums, running sums, layer norm backward; texts for `sums.py`.

Sums are formed in f32 whatever the elements are.
"""

from __future__ import annotations

from collections.abc import Sequence

WIDE = 128
"""Columns of a tile of sums of columns."""
DEEP = 16
"""Rows of it."""


def _dims(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))


class _Kernel:
    """A text under construction: views of row-major arrays, and tiles in f32 computed from them."""

    def __init__(self) -> None:
        self.lines = [f"%{name} = constant <i32: {value}> : tile<i32>" for name, value in (("zero", 0), ("one", 1))]
        self._elements: dict[str, str] = {}
        self._views: dict[str, str] = {}
        self._tiles: dict[str, tuple[int, int]] = {}

    def view(self, name: str, element: str, shape: tuple[int, int], tile: tuple[int, int]) -> None:
        """The array behind a new parameter, in tiles."""
        tensor = f"tensor_view<{_dims(shape)}x{element}, strides=[{shape[1]},1]>"
        partition = f"partition_view<tile=({_dims(tile)}), padding_value = zero, {tensor}>"
        self._elements[name], self._views[name], self._tiles[name] = element, partition, tile
        self.lines += [
            f"%{name}a = assume div_by<16>, %{name} : tile<ptr<{element}>>",
            f"%{name}t = make_tensor_view %{name}a, shape = {list(shape)}, strides = [{shape[1]}, 1] : {tensor}",
            f"%{name}v = make_partition_view %{name}t : {partition}",
        ]

    def load(self, result: str, name: str, row: str, column: str) -> None:
        """A tile in f32."""
        element, shape = self._elements[name], _dims(self._tiles[name])
        narrow = result if element == "f32" else f"{result}_n"
        types = f"{self._views[name]}, tile<i32> -> tile<{shape}x{element}>, token"
        self.lines.append(f"%{narrow}, %{result}_done = load_view_tko weak %{name}v[{row}, {column}] : {types}")
        if narrow != result:
            self.lines.append(f"%{result} = ftof %{narrow} : tile<{shape}x{element}> -> tile<{shape}xf32>")

    def store(self, value: str, name: str, row: str, column: str) -> None:
        """Write a tile that is f32."""
        element, shape = self._elements[name], _dims(self._tiles[name])
        narrow = value if element == "f32" else f"{value}_n"
        if narrow != value:
            self.lines.append(f"%{narrow} = ftof %{value} : tile<{shape}xf32> -> tile<{shape}x{element}>")
        types = f"tile<{shape}x{element}>, {self._views[name]}, tile<i32> -> token"
        self.lines.append(f"%{name}_done = store_view_tko weak %{narrow}, %{name}v[{row}, {column}] : {types}")

    def nothing(self, name: str, shape: Sequence[int]) -> None:
        """A tile of zeros."""
        self.lines.append(f"%{name} = constant <f32: 0.0> : tile<{_dims(shape)}xf32>")

    def apply(self, result: str, operation: str, operands: Sequence[str], shape: Sequence[int]) -> None:
        """Element by element."""
        words = ", ".join(f"%{operand}" for operand in operands)
        self.lines.append(f"%{result} = {operation} {words} : tile<{_dims(shape)}xf32>")

    def broadcast(self, result: str, value: str, source: Sequence[int], shape: Sequence[int]) -> None:
        """Along dimensions of extent 1."""
        self.lines.append(f"%{result} = broadcast %{value} : tile<{_dims(source)}xf32> -> tile<{_dims(shape)}xf32>")

    def _sum(self, result: str) -> list[str]:
        return [
            f"(%{result}_x: tile<f32>, %{result}_y: tile<f32>) {{",
            f"  %{result}_z = addf %{result}_x, %{result}_y : tile<f32>",
            f"  yield %{result}_z : tile<f32>",
            "}",
        ]

    def reduce(self, result: str, value: str, shape: tuple[int, int], dim: int) -> None:
        """The sum along a dimension, which is kept with extent 1."""
        kept = shape[1 - dim]
        ones = (1, kept) if dim == 0 else (kept, 1)
        self.lines += [
            f"%{result}_r = reduce %{value} dim={dim} identities=[0.0 : f32]"
            f" : tile<{_dims(shape)}xf32> -> tile<{kept}xf32>",
            *self._sum(result),
            f"%{result} = reshape %{result}_r : tile<{kept}xf32> -> tile<{_dims(ones)}xf32>",
        ]

    def scan(self, result: str, value: str, shape: tuple[int, int], dim: int) -> None:
        """Sums up to each element along a dimension."""
        types = f"tile<{_dims(shape)}xf32> -> tile<{_dims(shape)}xf32>"
        self.lines += [
            f"%{result} = scan %{value} dim={dim} reverse=false identities=[0.0 : f32] : {types}",
            *self._sum(result),
        ]

    def loop(self, index: str, bounds: tuple[str, str, str], carried: Sequence[str], shape: Sequence[int]) -> None:
        """Begin a loop that carries tiles: `<c>_s` comes in, `<c>_c` is what an iteration has of it."""
        type_ = f"tile<{_dims(shape)}xf32>"
        start, end, step = bounds
        results = ", ".join(f"%{name}" for name in carried)
        values = ", ".join(f"%{name}_c = %{name}_s" for name in carried)
        self.lines.append(
            f"{results} = for %{index} in ({start} to {end}, step {step}) : tile<i32> "
            f"iter_values({values}) -> ({', '.join([type_] * len(carried))}) {{"
        )

    def end_loop(self, carried: Sequence[str], shape: Sequence[int]) -> None:
        """End it with what the next iteration has."""
        types = ", ".join([f"tile<{_dims(shape)}xf32>"] * len(carried))
        self.lines += [f"continue {', '.join(f'%{name}' for name in carried)} : {types}", "}"]

    def integer(self, name: str, value: int) -> None:
        """An i32."""
        self.lines.append(f"%{name} = constant <i32: {value}> : tile<i32>")

    def module(self, name: str) -> str:
        """The whole text; arrays are parameters in the order of their views."""
        parameters = ", ".join(f"%{p}: tile<ptr<{element}>>" for p, element in self._elements.items())
        body = "\n".join(["%bx, %by, %bz = get_tile_block_id : tile<i32>", *self.lines, "return"])
        return f"cuda_tile.module @kernels {{\nentry @{name}({parameters}) {{\n{body}\n}}\n}}\n"


def column_sums(rows: int, columns: int, strips: int, source: str, target: str) -> str:
    """y, of `strips` rows, of which each is the sum of as many rows of x; a grid of columns / WIDE x strips."""
    shape, k = (DEEP, WIDE), _Kernel()
    k.view("x", source, (rows, columns), shape)
    k.view("y", target, (strips, columns), (1, WIDE))
    steps = -(-rows // (strips * DEEP))
    k.integer("steps", steps)
    k.lines += ["%first = muli %by, %steps : tile<i32>", "%last = addi %first, %steps : tile<i32>"]
    k.nothing("sum_s", shape)
    k.loop("i", ("%first", "%last", "%one"), ["sum"], shape)
    k.load("v", "x", "%i", "%bx")
    k.apply("more", "addf", ["sum_c", "v"], shape)
    k.end_loop(["more"], shape)
    k.reduce("total", "sum", shape, 0)
    k.store("total", "y", "%by", "%bx")
    return k.module("column_sums")


def running_sums_of_rows(rows: int, columns: int, element: str) -> str:
    """y = sums along each row up to each element; a row a tile block."""
    shape, k = (1, columns), _Kernel()
    k.view("x", element, (rows, columns), shape)
    k.view("y", element, (rows, columns), shape)
    k.load("v", "x", "%bx", "%zero")
    k.scan("q", "v", shape, 1)
    k.store("q", "y", "%bx", "%zero")
    return k.module("running_sums_of_rows")


def running_sums_of_columns(rows: int, columns: int, element: str, tile: tuple[int, int]) -> str:
    """y = sums along each column up to each element; a block of columns a tile block, which goes down."""
    k, above = _Kernel(), (1, tile[1])
    k.view("x", element, (rows, columns), tile)
    k.view("y", element, (rows, columns), tile)
    k.integer("steps", -(-rows // tile[0]))
    k.nothing("sum_s", above)
    k.loop("i", ("%zero", "%steps", "%one"), ["sum"], above)
    k.load("v", "x", "%i", "%bx")
    k.scan("own", "v", tile, 0)
    k.broadcast("before", "sum_c", above, tile)
    k.apply("q", "addf", ["own", "before"], tile)
    k.store("q", "y", "%i", "%bx")
    k.reduce("all", "v", tile, 0)
    k.apply("next", "addf", ["sum_c", "all"], above)
    k.end_loop(["next"], above)
    return k.module("running_sums_of_columns")


def layer_norm_backward(rows: int, columns: int, blocks: int, element: str) -> str:
    """Of layer norm with the gradient g of its result, from mean m and reciprocal deviation r of each row of x: the
    gradient d of x, and for each of `blocks` tile blocks the sums over its rows of those of weight and bias, p and q.
    """
    shape, k = (1, columns), _Kernel()
    for name in "gx":
        k.view(name, element, (rows, columns), shape)
    k.view("w", element, (1, columns), shape)
    for name in "mr":
        k.view(name, "f32", (rows, 1), (1, 1))
    k.view("d", element, (rows, columns), shape)
    for name in "pq":
        k.view(name, "f32", (blocks, columns), shape)
    k.lines.append(f"%share = constant <f32: {1 / columns:.20f}> : tile<{_dims(shape)}xf32>")
    k.integer("rows", rows)
    k.integer("blocks", blocks)
    k.load("ws", "w", "%zero", "%zero")
    for name in ("weights", "biases"):
        k.nothing(f"{name}_s", shape)
    k.loop("i", ("%bx", "%rows", "%blocks"), ["weights", "biases"], shape)
    for result, name in (("gs", "g"), ("xs", "x"), ("mean_1", "m"), ("scale_1", "r")):
        k.load(result, name, "%i", "%zero")
    for name in ("mean", "scale"):
        k.broadcast(name, f"{name}_1", (1, 1), shape)
    k.apply("moved", "subf", ["xs", "mean"], shape)
    k.apply("hat", "mulf", ["moved", "scale"], shape)
    k.apply("wg", "mulf", ["gs", "ws"], shape)
    k.apply("wgh", "mulf", ["wg", "hat"], shape)
    for result, value in (("along", "wgh"), ("level", "wg")):
        k.reduce(f"{result}_1", value, shape, 1)
        k.broadcast(f"{result}_s", f"{result}_1", (1, 1), shape)
        k.apply(result, "mulf", [f"{result}_s", "share"], shape)
    k.apply("bent", "mulf", ["hat", "along"], shape)
    k.apply("lost", "addf", ["bent", "level"], shape)
    k.apply("rest", "subf", ["wg", "lost"], shape)
    k.apply("ds", "mulf", ["rest", "scale"], shape)
    k.store("ds", "d", "%i", "%zero")
    k.apply("gh", "mulf", ["gs", "hat"], shape)
    k.apply("weights_n", "addf", ["weights_c", "gh"], shape)
    k.apply("biases_n", "addf", ["biases_c", "gs"], shape)
    k.end_loop(["weights_n", "biases_n"], shape)
    k.store("weights", "p", "%bx", "%zero")
    k.store("biases", "q", "%bx", "%zero")
    return k.module("layer_norm_backward")
