"""Texts of products of matrices for GPUs, in Tile IR and the tensor language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Product:
    """c = op(a) op(b), m x n x k, of row-major matrices; a transposed factor is stored as k x m or n x k."""

    extents: tuple[int, int, int]
    element: str
    total: str
    transposed: tuple[bool, bool] = (False, False)
    rounded: str = ""
    """The type of c, if not that of the sums."""
    fast: bool = False
    """Whether sums of floats of 8 bits may be formed in fewer bits."""

    @property
    def result(self) -> str:
        """The type of c."""
        return self.rounded or self.total


def tile_ir_product(product: Product, tiles: tuple[int, int, int], edges: str = "", band: int = 0) -> str:
    """One block a tile of c; `edges` is `padding_value = zero, ` where tiles do not divide the matrices.

    With a `band` there are any number of blocks, which go on from tile to tile, by bands of so many rows of tiles: a
    divisor of how many there are.
    """
    (m, n, k), (tm, tn, tk) = product.extents, tiles
    ta, tb = product.transposed
    element, total = product.element, product.total
    zero, word = ("0", "mmai") if total.startswith("i") else ("0.0", "mmaf")
    signs = " signed signed" if word == "mmai" else " fast_acc" if product.fast else ""
    at, bt, ct = f"tile<{tm}x{tk}x{element}>", f"tile<{tk}x{tn}x{element}>", f"tile<{tm}x{tn}x{total}>"
    a_shape, b_shape = (
        ((k, m), (tk, tm)) if ta else ((m, k), (tm, tk)),
        ((n, k), (tn, tk)) if tb else ((k, n), (tk, tn)),
    )
    a_load = _load("x", "a", "%k, %bx" if ta else "%bx, %k", a_shape, element, edges)
    b_load = _load("y", "b", "%by, %k" if tb else "%k, %by", b_shape, element, edges)
    a_load += _turned("x", (tk, tm), element) if ta else ""
    b_load += _turned("y", (tn, tk), element) if tb else ""
    x, y = "xt" if ta else "x", "yt" if tb else "y"
    views = _view("a", *a_shape, element, edges) + _view("b", *b_shape, element, edges)
    views += _view("c", (m, n), (tm, tn), product.result, edges)
    rt, stored = f"tile<{tm}x{tn}x{product.result}>", "rounded" if product.rounded else "sum"
    rounding = f"    %rounded = ftof %sum : {ct} -> {rt}\n" if product.rounded else ""
    view = _view_type((m, n), (tm, tn), product.result, edges)
    tiles_of_c = _over_tiles(-(-m // tm), -(-n // tn), band) if band else ""
    return f"""cuda_tile.module @kernels {{
  entry @product(%a: tile<ptr<{element}>>, %b: tile<ptr<{element}>>, %c: tile<ptr<{product.result}>>) {{
    %aa = assume div_by<16>, %a : tile<ptr<{element}>>
    %ba = assume div_by<16>, %b : tile<ptr<{element}>>
    %ca = assume div_by<16>, %c : tile<ptr<{product.result}>>
{_NUMBERS if band else _PLACE}{views}    %lo = constant <i32: 0> : tile<i32>
    %hi = constant <i32: {-(-k // tk)}> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %zeros = constant <{total}: {zero}> : {ct}
{tiles_of_c}    %sum = for %k in (%lo to %hi, step %step) : tile<i32> iter_values(%acc = %zeros) -> ({ct}) {{
{a_load}{b_load}    %next = {word} %{x}, %{y}, %acc{signs} : {at}, {bt}, {ct}
    continue %next : {ct}
    }}
{rounding}    %done = store_view_tko weak %{stored}, %cv[%bx, %by] : {rt}, {view}, tile<i32> -> token
{_NEXT_TILE if band else ""}    return
  }}
}}
"""


_PLACE = "    %bx, %by, %bz = get_tile_block_id : tile<i32>\n"
_NUMBERS = """    %first, %u0, %u1 = get_tile_block_id : tile<i32>
    %count, %u2, %u3 = get_num_tile_blocks : tile<i32>
"""
_NEXT_TILE = "    continue\n    }\n"


def _over_tiles(rows: int, columns: int, band: int) -> str:
    """The beginning of the loop over tiles: where the tile of a number is."""
    return f"""    %tiles = constant <i32: {rows * columns}> : tile<i32>
    %plane = constant <i32: {band * columns}> : tile<i32>
    %band = constant <i32: {band}> : tile<i32>
    for %t in (%first to %tiles, step %count) : tile<i32> {{
    %which = divi %t, %plane unsigned : tile<i32>
    %before = muli %which, %plane : tile<i32>
    %within = subi %t, %before : tile<i32>
    %by = divi %within, %band unsigned : tile<i32>
    %above = muli %by, %band : tile<i32>
    %row = subi %within, %above : tile<i32>
    %start = muli %which, %band : tile<i32>
    %bx = addi %start, %row : tile<i32>
"""


def _tensor_type(shape: Sequence[int], element: str) -> str:
    return f"tensor_view<{shape[0]}x{shape[1]}x{element}, strides=[{shape[1]},1]>"


def _view_type(shape: Sequence[int], tile: Sequence[int], element: str, edges: str) -> str:
    return f"partition_view<tile=({tile[0]}x{tile[1]}), {edges}{_tensor_type(shape, element)}>"


def _view(name: str, shape: Sequence[int], tile: Sequence[int], element: str, edges: str) -> str:
    tensor = _tensor_type(shape, element)
    return (
        f"    %{name}t = make_tensor_view %{name}a, shape = {list(shape)}, strides = [{shape[1]}, 1] : {tensor}\n"
        f"    %{name}v = make_partition_view %{name}t : {_view_type(shape, tile, element, edges)}\n"
    )


def _load(
    result: str, name: str, at: str, shapes: tuple[Sequence[int], Sequence[int]], element: str, edges: str
) -> str:
    shape, tile = shapes
    return (
        f"    %{result}, %{result}_done = load_view_tko weak %{name}v[{at}] : "
        f"{_view_type(shape, tile, element, edges)}, tile<i32> -> tile<{tile[0]}x{tile[1]}x{element}>, token\n"
    )


def _turned(name: str, shape: Sequence[int], element: str) -> str:
    rows, columns = shape
    return (
        f"    %{name}t = permute %{name} [1, 0] : "
        f"tile<{rows}x{columns}x{element}> -> tile<{columns}x{rows}x{element}>\n"
    )


def open_product(product: Product, tiles: tuple[int, int, int], number: str = "i32", aligned: bool = True) -> str:
    """`tile_ir_product` in f16 or bf16 of any extents: m, n, k and the strides of a, b, c are arguments behind those.

    They are of type `number`; `aligned` promises that matrices begin at multiples of 16 bytes.
    """
    (ta, tb), (tm, tn, tk) = product.transposed, tiles
    element, total, result = product.element, product.total, product.result
    a_shape, b_shape = (tk, tm) if ta else (tm, tk), (tn, tk) if tb else (tk, tn)
    views = _open_view("a", "km" if ta else "mk", a_shape, element, number, aligned)
    views += _open_view("b", "nk" if tb else "kn", b_shape, element, number, aligned)
    views += _open_view("c", "mn", (tm, tn), result, number, aligned)
    loads = _open_load("x", "a", "%i, %row" if ta else "%row, %i", a_shape, element)
    loads += _open_load("y", "b", "%column, %i" if tb else "%i, %column", b_shape, element)
    loads += _turned("x", a_shape, element) if ta else ""
    loads += _turned("y", b_shape, element) if tb else ""
    x, y, stored = "xt" if ta else "x", "yt" if tb else "y", "rounded" if product.rounded else "sum"
    sums, stored_type = f"tile<{tm}x{tn}x{total}>", f"tile<{tm}x{tn}x{result}>"
    rounding = f"    %rounded = ftof %sum : {sums} -> {stored_type}\n" if product.rounded else ""
    numbers = ", ".join(f"%{name}: tile<{number}>" for name in ("m", "n", "k", "sa", "sb", "sc"))
    narrow = "    %short = trunci %k : tile<i64> -> tile<i32>\n" if number == "i64" else ""
    return f"""cuda_tile.module @kernels {{
  entry @product(%a: tile<ptr<{element}>>, %b: tile<ptr<{element}>>, %c: tile<ptr<{result}>>, {numbers}) {{
    %row, %column, %z = get_tile_block_id : tile<i32>
{views}{narrow}    %depth = constant <i32: {tk}> : tile<i32>
    %lo = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %hi = divi %{"short" if narrow else "k"}, %depth signed rounding<positive_inf> : tile<i32>
    %zeros = constant <{total}: 0.0> : {sums}
    %sum = for %i in (%lo to %hi, step %step) : tile<i32> iter_values(%acc = %zeros) -> ({sums}) {{
{loads}      %next = mmaf %{x}, %{y}, %acc : tile<{tm}x{tk}x{element}>, tile<{tk}x{tn}x{element}>, {sums}
      continue %next : {sums}
    }}
{rounding}    %done = store_view_tko weak %{stored}, %cv[%row, %column] :
      {stored_type}, {_open_type((tm, tn), result)}, tile<i32> -> token
    return
  }}
}}
"""


def _open_type(tile: Sequence[int], element: str) -> str:
    tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
    return f"partition_view<tile=({tile[0]}x{tile[1]}), padding_value = zero, {tensor}>"


def _open_view(name: str, modes: str, tile: Sequence[int], element: str, number: str, aligned: bool) -> str:
    """Of a matrix whose modes have these extents."""
    view, base = _open_type(tile, element), f"%{name}a" if aligned else f"%{name}"
    shape, tensor = f"shape = [%{modes[0]}, %{modes[1]}]", f"tensor_view<?x?x{element}, strides=[?,1]>"
    promise = f"    %{name}a = assume div_by<16>, %{name} : tile<ptr<{element}>>\n" if aligned else ""
    return (
        f"{promise}    %{name}t = make_tensor_view {base}, {shape}, strides = [%s{name}, 1] : "
        f"tile<{number}> -> {tensor}\n    %{name}v = make_partition_view %{name}t : {view}\n"
    )


def _open_load(result: str, name: str, at: str, tile: Sequence[int], element: str) -> str:
    return (
        f"      %{result}, %{result}_done = load_view_tko weak %{name}v[{at}] : "
        f"{_open_type(tile, element)}, tile<i32> -> tile<{tile[0]}x{tile[1]}x{element}>, token\n"
    )


def gemm_product(product: Product, tiles: tuple[int, int], beta: str = "0.0", alpha: str = "1.0") -> str:
    """`gemm` of the tensor language on column-major matrices of any extents, one work-group a block of C."""
    (rows, columns), (ta, tb) = tiles, product.transposed
    element, total = product.element, product.total
    if total.startswith("i"):
        alpha, beta = alpha.partition(".")[0], beta.partition(".")[0]
    whole = "?,strided<1,?>"
    a = f"%A[0:%k, %i:%h] : memref<{element}x?x{whole}>" if ta else f"%A[%i:%h, 0:%k] : memref<{element}x?x{whole}>"
    b = f"%B[%j:%w, 0:%k] : memref<{element}x?x{whole}>" if tb else f"%B[0:%k, %j:%w] : memref<{element}x?x{whole}>"
    return f"""func @product(%A: memref<{element}x?x?>, %B: memref<{element}x?x?>, %C: memref<{total}x?x?>) {{
    %alpha = constant {alpha} : {element}
    %beta = constant {beta} : {total}
    %x = group_id.x : index
    %y = group_id.y : index
    %rows = constant {rows} : index
    %columns = constant {columns} : index
    %i = mul %x, %rows : index
    %j = mul %y, %columns : index
    %m = size %C[0] : index
    %n = size %C[1] : index
    %k = size %A[{0 if ta else 1}] : index
    %down = sub %m, %i : index
    %across = sub %n, %j : index
    %h = min %down, %rows : index
    %w = min %across, %columns : index
    %a = subview {a}
    %b = subview {b}
    %c = subview %C[%i:%h, %j:%w] : memref<{total}x?x{whole}>
    gemm.{"t" if ta else "n"}.{"t" if tb else "n"} %alpha, %a, %b, %beta, %c
}}
"""


def whole_gemm(n: int, element: str, total: str, transposed: bool = False, extent: str = "") -> str:
    """One `gemm` of square column-major matrices for a grid of one; `extent` in place of the number n."""
    each = extent or str(n)
    return whole_product((each, each, each), element, total, (transposed, False))


def whole_product(
    extents: tuple[int | str, int | str, int | str], element: str, total: str, transposed: tuple[bool, bool]
) -> str:
    """One `gemm` of column-major matrices, m x n x k, for a grid of one."""
    one, zero = ("1", "0") if total.startswith("i") else ("1.0", "0.0")
    (m, n, k), (ta, tb) = extents, transposed
    a, b = f"{element}x{k}x{m}" if ta else f"{element}x{m}x{k}", f"{element}x{n}x{k}" if tb else f"{element}x{k}x{n}"
    return f"""func @product(%A: memref<{a}>, %B: memref<{b}>, %C: memref<{total}x{m}x{n}>) {{
    %alpha = constant {one} : {element}
    %beta = constant {zero} : {total}
    gemm.{"t" if ta else "n"}.{"t" if tb else "n"} %alpha, %A, %B, %beta, %C
}}
"""
