"""CUDA Tile IR kernels on the CPU against NumPy: pointers, views, control flow, shapes, products, atomics."""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.interpreter.engine import Argument, interpret

Array = NDArray[Any]


@pytest.fixture
def rng() -> np.random.Generator:
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    print(f"seed {seed}")
    return np.random.default_rng(seed)


def text_of(body: str, parameters: str) -> str:
    return f"cuda_tile.module @m {{\nentry @k({parameters}) {{\n{body}\n}}\n}}\n"


def program(body: str, parameters: str, level: int = 2) -> tw.Program:
    return tw.compile(text_of(body, parameters), level=level, cache=False)


def interpreted(body: str, parameters: str, grid: int | tuple[int, ...], *arguments: Argument) -> None:
    """The kernel on the tile level, in the interpreter."""
    module = read_module(Source("test", text_of(body, parameters)), Report())
    (kernel,) = module.kernels
    x, y, z = (*((grid,) if isinstance(grid, int) else grid), 1, 1)[:3]
    interpret(kernel, arguments, (x, y, z))


def run(body: str, parameters: str, grid: int | tuple[int, ...], *arguments: Argument) -> None:
    """The kernel without optimisation, with all of it, and interpreted; the last argument is the output."""
    *inputs, out = arguments
    assert isinstance(out, np.ndarray)
    first, second = out.copy(), out.copy()
    program(body, parameters, 0).k[grid](*inputs, first)
    interpreted(body, parameters, grid, *inputs, second)
    program(body, parameters).k[grid](*inputs, out)
    np.testing.assert_array_equal(first, out)
    np.testing.assert_allclose(second, out, rtol=1e-5, atol=1e-6)


def spread(name: str, source: str, element: str, *shape: int) -> str:
    """A scalar as a tile."""
    ones = "x".join("1" for _ in shape)
    full = "x".join(map(str, shape))
    return (
        f"%{name}_1 = reshape %{source} : tile<{element}> -> tile<{ones}x{element}>\n"
        f"%{name} = broadcast %{name}_1 : tile<{ones}x{element}> -> tile<{full}x{element}>\n"
    )


POSITIONS = (
    "%bx, %by, %bz = get_tile_block_id : tile<i32>\n%len = constant <i32: 64> : tile<i32>\n"
    "%start = muli %bx, %len : tile<i32>\n%i = iota : tile<64xi32>\n"
    + spread("starts", "start", "i32", 64)
    + "%at = addi %i, %starts : tile<64xi32>\n"
    + spread("ends", "n", "i32", 64)
    + "%mask = cmpi less_than %at, %ends, signed : tile<64xi32> -> tile<64xi1>\n"
)


def pointers(name: str, element: str, at: str = "at") -> str:
    """Pointers behind a parameter, one for each position."""
    ptr = f"ptr<{element}>"
    return spread(f"{name}b", name, ptr, 64) + (
        f"%{name}p = offset %{name}b, %{at} : tile<64x{ptr}>, tile<64xi32> -> tile<64x{ptr}>\n"
    )


def load(name: str, element: str, mask: bool = True, padding: str = "") -> str:
    """A load through the pointers of `pointers`."""
    types = f"tile<64xptr<{element}>>" + (", tile<64xi1>" if mask else "")
    operands = f"%{name}p" + (", %mask" if mask else "")
    if padding:
        operands, types = f"{operands}, %{padding}", f"{types}, tile<64x{element}>"
    return f"%{name}v, %{name}t = load_ptr_tko weak {operands} : {types} -> tile<64x{element}>, token\n"


def store(name: str, value: str, element: str, mask: bool = True) -> str:
    """A store through the pointers of `pointers`."""
    tail = ", %mask : " if mask else " : "
    types = f"tile<64xptr<{element}>>, tile<64x{element}>" + (", tile<64xi1>" if mask else "")
    return f"%{name}t = store_ptr_tko weak %{name}p, %{value}{tail}{types} -> token\n"


def params(*elements: str) -> str:
    names = "xyzw"
    given = ", ".join(f"%{name}: tile<ptr<{e}>>" for name, e in zip(names, elements[:-1], strict=False))
    return f"%n: tile<i32>, {given}, %out: tile<ptr<{elements[-1]}>>"


def test_vector_add_with_pointers(rng: np.random.Generator) -> None:
    n = 1000
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    out = np.full(n + 70, 7, np.float32)
    body = POSITIONS + "".join(pointers(a, "f32") for a in ("x", "y", "out"))
    body += load("x", "f32") + load("y", "f32") + "%r = addf %xv, %yv : tile<64xf32>\n" + store("out", "r", "f32")
    run(body, params("f32", "f32", "f32"), -(-n // 64), n, x, y, out)
    np.testing.assert_array_equal(out[:n], x + y)
    assert (out[n:] == 7).all()


def test_masked_elements_are_the_padding(rng: np.random.Generator) -> None:
    n = 37
    x, out = rng.random(n, np.float32), np.zeros(64, np.float32)
    body = POSITIONS + pointers("x", "f32") + pointers("out", "f32") + "%pad = constant <f32: 3.5> : tile<64xf32>\n"
    body += load("x", "f32", padding="pad") + store("out", "xv", "f32", mask=False)
    run(body, params("f32", "f32"), 1, n, x, out)
    np.testing.assert_array_equal(out, np.concatenate([x, np.full(64 - n, 3.5, np.float32)]))


def test_positions_that_wrap_are_gathered(rng: np.random.Generator) -> None:
    """Positions from 2^31 - 32 on: the upper half wraps to negative ones, and only that half is accessed."""
    x, out = rng.random(32, np.float32), np.zeros(64, np.float32)
    body = "%i = iota : tile<64xi32>\n" + spread("starts", "n", "i32", 64)
    body += "%at = addi %i, %starts : tile<64xi32>\n%zeros = constant <i32: 0> : tile<64xi32>\n"
    body += "%mask = cmpi less_than %at, %zeros, signed : tile<64xi32> -> tile<64xi1>\n"
    body += (
        pointers("x", "f32") + pointers("out", "f32", "i") + load("x", "f32") + store("out", "xv", "f32", mask=False)
    )
    far = x.ctypes.data + (1 << 33)
    program(body, params("f32", "f32")).k[1]((1 << 31) - 32, far, out)
    np.testing.assert_array_equal(out, np.concatenate([np.zeros(32, np.float32), x]))


def test_gather_by_computed_positions(rng: np.random.Generator) -> None:
    n = 200
    x, out = rng.integers(-100, 100, 500, np.int16), np.zeros(n, np.int16)
    index = rng.integers(0, 500, n, np.int32)
    body = POSITIONS + pointers("y", "i32") + pointers("out", "i16") + load("y", "i32")
    body += pointers("x", "i16", "yv") + load("x", "i16") + store("out", "xv", "i16")
    run(body, params("i16", "i32", "i16"), 4, n, x, index, out)
    np.testing.assert_array_equal(out, x[index])


def test_bools_in_memory_are_bytes(rng: np.random.Generator) -> None:
    n = 150
    x = rng.integers(0, 3, n).astype(np.uint8).view(np.bool_)
    y, out = rng.random(n) < 0.5, np.zeros(n, np.bool_)
    body = POSITIONS + "".join(pointers(a, "i1") for a in ("x", "y", "out"))
    body += load("x", "i1") + load("y", "i1") + "%r = xori %xv, %yv : tile<64xi1>\n" + store("out", "r", "i1")
    run(body, params("i1", "i1", "i1"), 3, n, x, y, out)
    np.testing.assert_array_equal(out.view(np.uint8), ((x.view(np.uint8) != 0) ^ y).astype(np.uint8))


INTEGER_OPS: dict[str, Callable[[Array, Array], Array]] = {
    "shri {} unsigned": lambda a, b: a >> (b & 7),
    "maxi {} unsigned": np.maximum,
    "mini {} unsigned": np.minimum,
    "divi {} unsigned": lambda a, b: a // b,
    "divi {} unsigned rounding<positive_inf>": lambda a, b: a // b + (a % b != 0),
    "remi {} unsigned": lambda a, b: a % b,
    "mulhii {}": lambda a, b: (
        (
            a.astype(object) * b.astype(object) >> (8 * a.dtype.itemsize)  # type: ignore[operator]
        ).astype(a.dtype)
    ),
}


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("form", INTEGER_OPS)
def test_unsigned_arithmetic(form: str, bits: int, rng: np.random.Generator) -> None:
    n, dtype = 128, np.dtype(f"u{bits // 8}")
    x = rng.integers(0, 1 << bits, n, dtype=dtype) if bits < 64 else rng.integers(0, 1 << 63, n, dtype=dtype) * 2 + 1
    y = rng.integers(1, 1 << bits, n, dtype=dtype) if bits < 64 else rng.integers(1, 1 << 63, n, dtype=dtype)
    y[::3] = np.maximum(y[::3] >> np.array(bits // 2, dtype), np.array(1, dtype))
    y[::5] = rng.integers(1, 8, len(y[::5]))
    if "shri" in form:
        y = y & np.array(7, dtype)
    element, signed = f"i{bits}", np.dtype(f"i{bits // 8}")
    out = np.zeros(n, signed)
    body = POSITIONS + "".join(pointers(a, element) for a in ("x", "y", "out"))
    body += load("x", element) + load("y", element)
    body += f"%r = {form.format('%xv, %yv')} : tile<64x{element}>\n" + store("out", "r", element)
    run(body, params(element, element, element), 2, n, x.view(signed), y.view(signed), out)
    np.testing.assert_array_equal(out.view(dtype), INTEGER_OPS[form](x, y))


@pytest.mark.parametrize("mode", ["negative_inf", "positive_inf", "zero"])
def test_signed_division(mode: str, rng: np.random.Generator) -> None:
    n = 64
    x, y = rng.integers(-1000, 1000, n, np.int32), rng.integers(1, 30, n, np.int32)
    y[::2] *= -1
    out = np.zeros(n, np.int32)
    body = POSITIONS + "".join(pointers(a, "i32") for a in ("x", "y", "out")) + load("x", "i32") + load("y", "i32")
    rounding = "" if mode == "zero" else f" rounding<{mode}>"
    body += f"%r = divi %xv, %yv signed{rounding} : tile<64xi32>\n" + store("out", "r", "i32")
    run(body, params("i32", "i32", "i32"), 1, n, x, y, out)
    rounded = {"negative_inf": np.floor, "positive_inf": np.ceil, "zero": np.trunc}[mode](x / y)
    np.testing.assert_array_equal(out, rounded.astype(np.int32))


# Views


def view(name: str, rows: str, columns: str, tile: str, options: str = "") -> str:
    """A row-major matrix as a partition view."""
    tensor = "tensor_view<?x?xf32, strides=[?,1]>"
    return (
        f"%{name}v = make_tensor_view %{name}, shape = [%{rows}, %{columns}], strides = [%{columns}, 1] : "
        f"tile<i32> -> {tensor}\n"
        f"%{name}w = make_partition_view %{name}v : partition_view<tile=({tile}){options.format('')}, {tensor}>\n"
    )


def view_type(tile: str, options: str = "", tail: str = "") -> str:
    return f"partition_view<tile=({tile}){options}, tensor_view<?x?xf32, strides=[?,1]>{tail}>"


@pytest.mark.parametrize(("rows", "columns"), [(8, 16), (13, 37), (1, 1), (64, 5)])
def test_partition_views_of_a_matrix(rows: int, columns: int, rng: np.random.Generator) -> None:
    x, out = rng.random((rows, columns), np.float32), rng.random((rows, columns), np.float32)
    wanted = np.float32(2.5) * x + out
    body = "%bx, %by, %bz = get_tile_block_id : tile<i32>\n%two = constant <f32: 2.5> : tile<8x16xf32>\n"
    body += view("x", "m", "n", "8x16") + view("out", "m", "n", "8x16")
    type_ = view_type("8x16")
    body += f"%a, %t = load_view_tko weak %xw[%bx, %by] : {type_}, tile<i32> -> tile<8x16xf32>, token\n"
    body += f"%b, %u = load_view_tko weak %outw[%bx, %by] : {type_}, tile<i32> -> tile<8x16xf32>, token\n"
    body += "%r = fma %a, %two, %b : tile<8x16xf32>\n"
    body += f"%s = store_view_tko weak %r, %outw[%bx, %by] : tile<8x16xf32>, {type_}, tile<i32> -> token\n"
    parameters = "%m: tile<i32>, %n: tile<i32>, %x: tile<ptr<f32>>, %out: tile<ptr<f32>>"
    run(body, parameters, (-(-rows // 8), -(-columns // 16)), rows, columns, x, out)
    np.testing.assert_allclose(out, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("padding", "value"), [("zero", 0.0), ("nan", np.nan), ("pos_inf", np.inf), ("neg_inf", -np.inf), ("neg_zero", 0.0)]
)
def test_padding_and_transposed_views(padding: str, value: float, rng: np.random.Generator) -> None:
    rows, columns = 13, 19
    x, out = rng.random((rows, columns), np.float32), np.zeros((32, 16), np.float32)
    tensor = "tensor_view<?x?xf32, strides=[?,1]>"
    type_ = f"partition_view<tile=(32x16), padding_value = {padding}, {tensor}, dim_map=[1, 0]>"
    full = "tensor_view<32x16xf32, strides=[16,1]>"
    body = f"%z = constant <i32: 0> : tile<i32>\n%xv = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {tensor}\n"
    body += f"%xw = make_partition_view %xv : {type_}\n"
    body += f"%ov = make_tensor_view %out, shape = [32, 16], strides = [16, 1] : {full}\n"
    body += f"%ow = make_partition_view %ov : partition_view<tile=(32x16), {full}>\n"
    body += f"%a, %t = load_view_tko weak %xw[%z, %z] : {type_}, tile<i32> -> tile<32x16xf32>, token\n"
    body += f"%s = store_view_tko weak %a, %ow[%z, %z] : tile<32x16xf32>, partition_view<tile=(32x16), {full}>, tile<i32> -> token\n"
    parameters = "%m: tile<i32>, %n: tile<i32>, %x: tile<ptr<f32>>, %out: tile<ptr<f32>>"
    run(body, parameters, 1, rows, columns, x, out)
    wanted = np.full((32, 16), value, np.float32)
    wanted[:columns, :rows] = x.T
    np.testing.assert_array_equal(out, wanted)
    if padding == "neg_zero":
        assert np.signbit(out[columns:]).all()


def test_strided_and_gather_views(rng: np.random.Generator) -> None:
    rows, columns = 50, 24
    x, out = rng.random((rows, columns), np.float32), np.zeros((8, 8), np.float32)
    tensor = f"tensor_view<{rows}x{columns}xf32, strides=[{columns},1]>"
    strided = f"strided_view<tile=(8x8), traversal_strides=[5,7], {tensor}>"
    full = "tensor_view<8x8xf32, strides=[8,1]>"
    target = f"partition_view<tile=(8x8), {full}>"
    gather = f"gather_scatter_view<tile=(8x8), {tensor}, sparse_dim=0>"
    body = f"""
    %z = constant <i32: 0> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %three = constant <i32: 3> : tile<i32>
    %rowlist = constant <i32: [3, 1, 4, 1, 5, 49, 2, 6]> : tile<8xi32>
    %xv = make_tensor_view %x, shape = [{rows}, {columns}], strides = [{columns}, 1] : {tensor}
    %sv = make_strided_view %xv : {strided}
    %gv = make_gather_scatter_view %xv : {gather}
    %ov = make_tensor_view %out, shape = [8, 8], strides = [8, 1] : {full}
    %ow = make_partition_view %ov : {target}
    %a, %t = load_view_tko weak %sv[%three, %two] : {strided}, tile<i32> -> tile<8x8xf32>, token
    %b, %u = load_view_tko weak %gv[%rowlist, %three] : {gather}, tile<8xi32>, tile<i32> -> tile<8x8xf32>, token
    %r = subf %a, %b : tile<8x8xf32>
    %s = store_view_tko weak %r, %ow[%z, %z] : tile<8x8xf32>, {target}, tile<i32> -> token
    """
    run(body, "%x: tile<ptr<f32>>, %out: tile<ptr<f32>>", 1, x, out)
    np.testing.assert_array_equal(out, x[15:23, 14:22] - x[[3, 1, 4, 1, 5, 49, 2, 6], 3:11])


def test_matrix_product_over_views(rng: np.random.Generator) -> None:
    m, n, k = 37, 45, 70
    a, b = rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)
    out = np.full((m, n), np.nan, np.float32)
    body = "%bx, %by, %bz = get_tile_block_id : tile<i32>\n%zero = constant <i32: 0> : tile<i32>\n"
    body += "%one = constant <i32: 1> : tile<i32>\n%init = constant <f32: 0.0> : tile<32x32xf32>\n"
    body += view("a", "m", "k", "32x16", "padding").replace("padding", ", padding_value = zero")
    body += view("b", "k", "n", "16x32", "padding").replace("padding", ", padding_value = zero")
    body += view("out", "m", "n", "32x32")
    at, bt = view_type("32x16", ", padding_value = zero"), view_type("16x32", ", padding_value = zero")
    body += f"%steps, %other = get_index_space_shape %bw : {bt} -> tile<i32>\n"
    body += f"""
    %sum = for %s in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %init) -> (tile<32x32xf32>) {{
      %p, %t = load_view_tko weak %aw[%bx, %s] : {at}, tile<i32> -> tile<32x16xf32>, token
      %q, %u = load_view_tko weak %bw[%s, %by] : {bt}, tile<i32> -> tile<16x32xf32>, token
      %next = mmaf %p, %q, %acc : tile<32x16xf32>, tile<16x32xf32>, tile<32x32xf32>
      continue %next : tile<32x32xf32>
    }}
    %e = store_view_tko weak %sum, %outw[%bx, %by] : tile<32x32xf32>, {view_type("32x32")}, tile<i32> -> token
    """
    parameters = "%m: tile<i32>, %n: tile<i32>, %k: tile<i32>, " + ", ".join(
        f"%{name}: tile<ptr<f32>>" for name in ("a", "b", "out")
    )
    program(body, parameters).k[(-(-m // 32), -(-n // 32))](m, n, k, a, b, out)
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    assert np.linalg.norm(out - wanted) < 1e-6 * np.linalg.norm(wanted)


def test_batched_product(rng: np.random.Generator) -> None:
    a, b = rng.standard_normal((2, 8, 16), np.float32), rng.standard_normal((2, 16, 4), np.float32)
    out = np.full((2, 8, 4), np.nan, np.float32)
    shapes = {"a": (2, 8, 16), "b": (2, 16, 4), "out": (2, 8, 4)}
    body, types = "%z = constant <i32: 0> : tile<i32>\n", dict[str, str]()
    for name, (p, q, r) in shapes.items():
        tensor = f"tensor_view<{p}x{q}x{r}xf32, strides=[{q * r},{r},1]>"
        types[name] = f"partition_view<tile=({p}x{q}x{r}), {tensor}>"
        body += (
            f"%{name}v = make_tensor_view %{name}, shape = [{p}, {q}, {r}], strides = [{q * r}, {r}, 1] : {tensor}\n"
        )
        body += f"%{name}w = make_partition_view %{name}v : {types[name]}\n"
    for name in ("a", "b"):
        tile = "x".join(map(str, shapes[name]))
        body += f"%{name}x, %{name}t = load_view_tko weak %{name}w[%z, %z, %z] : {types[name]}, tile<i32> -> tile<{tile}xf32>, token\n"
    body += "%init = constant <f32: 1.0> : tile<2x8x4xf32>\n"
    body += "%r = mmaf %ax, %bx, %init : tile<2x8x16xf32>, tile<2x16x4xf32>, tile<2x8x4xf32>\n"
    body += f"%s = store_view_tko weak %r, %outw[%z, %z, %z] : tile<2x8x4xf32>, {types['out']}, tile<i32> -> token\n"
    program(body, ", ".join(f"%{name}: tile<ptr<f32>>" for name in shapes)).k[1](a, b, out)
    np.testing.assert_allclose(out, a @ b + 1, rtol=2e-5, atol=1e-5)


# Shapes and reductions


def through(body: str, source: tuple[int, ...], target: tuple[int, ...]) -> str:
    """A kernel that loads a packed tensor as %a and stores %r."""
    text = "%z = constant <i32: 0> : tile<i32>\n"
    types: dict[str, str] = {}
    for name, shape in (("x", source), ("out", target)):
        strides = [int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
        spelled = "x".join(map(str, shape))
        tensor = f"tensor_view<{spelled}xf32, strides=[{','.join(map(str, strides))}]>"
        types[name] = f"partition_view<tile=({spelled}), {tensor}>"
        text += f"%{name}v = make_tensor_view %{name}, shape = {list(shape)}, strides = {strides} : {tensor}\n"
        text += f"%{name}w = make_partition_view %{name}v : {types[name]}\n"
    index = ", ".join("%z" for _ in source)
    tile = "x".join(map(str, source))
    text += f"%a, %t = load_view_tko weak %xw[{index}] : {types['x']}, tile<i32> -> tile<{tile}xf32>, token\n" + body
    index = ", ".join("%z" for _ in target)
    tile = "x".join(map(str, target))
    return (
        text + f"%s = store_view_tko weak %r, %outw[{index}] : tile<{tile}xf32>, {types['out']}, tile<i32> -> token\n"
    )


Meaning = Callable[[Array], Array]
COMBINE = "(%e: tile<f32>, %f: tile<f32>) {{ %g = {} %e, %f : tile<f32>\n yield %g : tile<f32> }}\n"


SHAPES: list[tuple[str, tuple[int, ...], tuple[int, ...], Meaning]] = [
    ("%r = reshape %a : tile<4x8xf32> -> tile<2x16xf32>\n", (4, 8), (2, 16), lambda a: a.reshape(2, 16)),
    ("%r = reshape %a : tile<4x2x4xf32> -> tile<32xf32>\n", (4, 2, 4), (32,), lambda a: a.reshape(32)),
    ("%r = permute %a [2, 0, 1] : tile<2x4x8xf32> -> tile<8x2x4xf32>\n", (2, 4, 8), (8, 2, 4), lambda a: a.transpose(2, 0, 1)),
    ("%r = permute %a [1, 0] : tile<16x4xf32> -> tile<4x16xf32>\n", (16, 4), (4, 16), lambda a: a.T),
    ("%r = cat %a, %a dim = 0 : tile<2x8xf32>, tile<2x8xf32> -> tile<4x8xf32>\n", (2, 8), (4, 8), lambda a: np.concatenate([a, a])),
    ("%r = cat %a, %a dim = 1 : tile<2x8xf32>, tile<2x8xf32> -> tile<2x16xf32>\n", (2, 8), (2, 16), lambda a: np.concatenate([a, a], 1)),
    ("%one = constant <i32: 1> : tile<i32>\n%r = extract %a[%one, %z] : tile<4x8xf32> -> tile<2x4xf32>\n", (4, 8), (2, 4), lambda a: a[2:4, :4]),
    ("%bx, %by, %bz = get_num_tile_blocks : tile<i32>\n%r = extract %a[%z, %bx] : tile<4x8xf32> -> tile<4x4xf32>\n", (4, 8), (4, 4), lambda a: a[:, 4:]),
    ("%b = reshape %a : tile<8xf32> -> tile<8x1xf32>\n%r = broadcast %b : tile<8x1xf32> -> tile<8x4xf32>\n", (8,), (8, 4), lambda a: np.repeat(a[:, None], 4, 1)),
    ("%r = reduce %a dim=1 identities=[0.0 : f32] : tile<4x32xf32> -> tile<4xf32> " + COMBINE.format("addf"), (4, 32), (4,), lambda a: a.sum(1)),
    ("%r = reduce %a dim=0 identities=[0xFF800000 : f32] : tile<4x32xf32> -> tile<32xf32> " + COMBINE.format("maxf"), (4, 32), (32,), lambda a: a.max(0)),
    ("%r = scan %a dim=1 reverse=false identities=[0.0 : f32] : tile<4x32xf32> -> tile<4x32xf32> " + COMBINE.format("addf"), (4, 32), (4, 32), lambda a: a.cumsum(1)),
]  # fmt: skip


@pytest.mark.parametrize(("body", "source", "target", "meaning"), SHAPES)
def test_shapes(
    body: str,
    source: tuple[int, ...],
    target: tuple[int, ...],
    meaning: Meaning,
    rng: np.random.Generator,
) -> None:
    x, out = rng.random(source, np.float32), np.full(target, np.nan, np.float32)
    run(through(body, source, target), "%x: tile<ptr<f32>>, %out: tile<ptr<f32>>", 1, x, out)
    np.testing.assert_allclose(out, meaning(x), rtol=1e-5)


def test_softmax_of_rows(rng: np.random.Generator) -> None:
    x, out = rng.standard_normal((4, 256), np.float32), np.full((4, 256), np.nan, np.float32)
    wide = "tile<4x256xf32>"
    body = "%m = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<4x256xf32> -> tile<4xf32> " + COMBINE.format(
        "maxf"
    )
    body += f"%m1 = reshape %m : tile<4xf32> -> tile<4x1xf32>\n%mb = broadcast %m1 : tile<4x1xf32> -> {wide}\n"
    body += f"%d = subf %a, %mb : {wide}\n%e = exp %d : {wide}\n"
    body += "%q = reduce %e dim=1 identities=[0.0 : f32] : tile<4x256xf32> -> tile<4xf32> " + COMBINE.format(
        "addf"
    ).replace("%e", "%h")
    body += f"%q1 = reshape %q : tile<4xf32> -> tile<4x1xf32>\n%qb = broadcast %q1 : tile<4x1xf32> -> {wide}\n"
    body += f"%r = divf %e, %qb : {wide}\n"
    run(through(body, (4, 256), (4, 256)), "%x: tile<ptr<f32>>, %out: tile<ptr<f32>>", 1, x, out)
    wanted = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, wanted / wanted.sum(1, keepdims=True), rtol=1e-5)


ARGMAX = """
%i = iota : tile<32xi32>
%i1 = reshape %i : tile<32xi32> -> tile<1x32xi32>
%ib = broadcast %i1 : tile<1x32xi32> -> tile<4x32xi32>
%best, %at = reduce %a, %ib dim=1 identities=[0xFF800000 : f32, 0 : i32] : tile<4x32xf32>, tile<4x32xi32> -> tile<4xf32>, tile<4xi32> (%e: tile<f32>, %f: tile<f32>, %p: tile<i32>, %q: tile<i32>) {
  %more = cmpf greater_than ordered %e, %f : tile<f32> -> tile<i1>
  %u = select %more, %e, %f : tile<i1>, tile<f32>
  %y = select %more, %p, %q : tile<i1>, tile<i32>
  yield %u, %y : tile<f32>, tile<i32>
}
%r = itof %at signed : tile<4xi32> -> tile<4xf32>
"""


def test_reduction_of_two_tiles_by_a_region(rng: np.random.Generator) -> None:
    x, out = rng.random((4, 32), np.float32), np.full(4, np.nan, np.float32)
    run(through(ARGMAX, (4, 32), (4,)), "%x: tile<ptr<f32>>, %out: tile<ptr<f32>>", 1, x, out)
    np.testing.assert_array_equal(out, x.argmax(1))


def test_reverse_scan_by_a_region(rng: np.random.Generator) -> None:
    x, out = rng.random((4, 32), np.float32), np.full((4, 32), np.nan, np.float32)
    body = "%r = scan %a dim=1 reverse=true identities=[1.0 : f32] : tile<4x32xf32> -> tile<4x32xf32> "
    body += COMBINE.format("mulf")
    run(through(body, (4, 32), (4, 32)), "%x: tile<ptr<f32>>, %out: tile<ptr<f32>>", 1, x, out)
    np.testing.assert_allclose(out, x[:, ::-1].cumprod(1)[:, ::-1], rtol=1e-5)


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "ceil": np.ceil,
    "floor": np.floor,
    "log2": np.log2,
    "exp": np.exp,
}


def test_functions(rng: np.random.Generator) -> None:
    """All in one kernel: their sum."""
    x, out = (4 * rng.random(64)).astype(np.float32), np.full(64, np.nan, np.float32)
    body = "".join(f"%r{k} = {name} %a : tile<64xf32>\n" for k, name in enumerate(FUNCTIONS))
    body += "%t0 = addf %r0, %r1 : tile<64xf32>\n"
    body += "".join(f"%t{k} = addf %t{k - 1}, %r{k + 1} : tile<64xf32>\n" for k in range(1, len(FUNCTIONS) - 1))
    body += f"%r = addf %t{len(FUNCTIONS) - 2}, %a rounding<zero> : tile<64xf32>\n"
    run(through(body, (64,), (64,)), "%x: tile<ptr<f32>>, %out: tile<ptr<f32>>", 1, x, out)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(out, sum(f(wide) for f in FUNCTIONS.values()) + wide, rtol=2e-6)


# Control flow


def scalar_kernel(body: str) -> str:
    """A kernel whose scalar %r goes to the element of its tile block."""
    return (
        "%bx, %by, %bz = get_tile_block_id : tile<i32>\n%c0 = constant <i32: 0> : tile<i32>\n"
        "%c1 = constant <i32: 1> : tile<i32>\n"
        "%p = offset %out, %bx : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n"
        + body
        + "%st = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token\n"
    )


def collatz(n: int) -> int:
    steps = 0
    while n > 1:
        n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
    return steps


def test_loop_with_break_and_continue() -> None:
    body = """
    %c2 = constant <i32: 2> : tile<i32>
    %c3 = constant <i32: 3> : tile<i32>
    %r = loop iter_values(%n = %bx, %k = %c0) : tile<i32>, tile<i32> -> tile<i32> {
      %done = cmpi less_than_or_equal %n, %c1, signed : tile<i32> -> tile<i1>
      if %done {
        break %k : tile<i32>
      }
      %k1 = addi %k, %c1 : tile<i32>
      %bit = andi %n, %c1 : tile<i32>
      %even = cmpi equal %bit, %c0, signed : tile<i32> -> tile<i1>
      if %even {
        %half = divi %n, %c2 signed : tile<i32>
        continue %half, %k1 : tile<i32>, tile<i32>
      }
      %m = muli %n, %c3 : tile<i32>
      %m1 = addi %m, %c1 : tile<i32>
      continue %m1, %k1 : tile<i32>, tile<i32>
    }
    """
    out = np.full(40, -1, np.int32)
    run(scalar_kernel(body), "%out: tile<ptr<i32>>", 40, out)
    np.testing.assert_array_equal(out, [collatz(n) for n in range(40)])


def test_return_inside_nested_ifs() -> None:
    body = """
    %c5 = constant <i32: 5> : tile<i32>
    %c9 = constant <i32: 9> : tile<i32>
    %small = cmpi less_than %bx, %c9, signed : tile<i32> -> tile<i1>
    %x = if %small -> (tile<i32>) {
      %five = cmpi equal %bx, %c5, signed : tile<i32> -> tile<i1>
      if %five { return }
      yield %c1 : tile<i32>
    } else {
      yield %bx : tile<i32>
    }
    %r = addi %x, %bx : tile<i32>
    """
    out = np.full(12, -1, np.int32)
    run(scalar_kernel(body), "%out: tile<ptr<i32>>", 12, out)
    np.testing.assert_array_equal(out, [-1 if b == 5 else b + (1 if b < 9 else b) for b in range(12)])


def test_continue_inside_a_for_and_carried_tiles() -> None:
    body = """
    %c10 = constant <i32: 10> : tile<i32>
    %zeros = constant <i32: 0> : tile<64xi32>
    %i = iota : tile<64xi32>
    %v = for %k in (%c0 to %c10, step %c1) : tile<i32> iter_values(%acc = %zeros) -> (tile<64xi32>) {
      %bit = andi %k, %c1 : tile<i32>
      %odd = cmpi equal %bit, %c1, signed : tile<i32> -> tile<i1>
      if %odd { continue %acc : tile<64xi32> }
      %next = addi %acc, %i : tile<64xi32>
      continue %next : tile<64xi32>
    }
    %s = reduce %v dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> (%e: tile<i32>, %f: tile<i32>) {
      %g = addi %e, %f : tile<i32>
      yield %g : tile<i32>
    }
    %r = addi %s, %bx : tile<i32>
    """
    out = np.full(3, -1, np.int32)
    run(scalar_kernel(body), "%out: tile<ptr<i32>>", 3, out)
    np.testing.assert_array_equal(out, [5 * 2016 + b for b in range(3)])


# Atomics


def test_atomic_updates_count_all_elements(rng: np.random.Generator) -> None:
    n = 500
    x = rng.integers(0, 8, n, np.int32)
    out = np.zeros(8, np.int32)
    body = POSITIONS + pointers("x", "i32") + load("x", "i32") + pointers("out", "i32", "xv")
    body += "%one = constant <i32: 1> : tile<64xi32>\n"
    body += "%old, %t = atomic_rmw_tko relaxed device %outp, add, %one, %mask : "
    body += "tile<64xptr<i32>>, tile<64xi32>, tile<64xi1> -> tile<64xi32>, token\n"
    run(body, params("i32", "i32"), 8, n, x, out)
    np.testing.assert_array_equal(out, np.bincount(x, minlength=8))


def test_compare_and_swap_as_a_lock() -> None:
    body = """
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    loop {
      %old, %t = atomic_cas_tko acquire device %lock, %c0, %c1 : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %free = cmpi equal %old, %c0, signed : tile<i32> -> tile<i1>
      if %free { break }
      continue
    }
    %v, %u = load_ptr_tko weak %out : tile<ptr<i32>> -> tile<i32>, token
    %w = addi %v, %c1 : tile<i32>
    %s = store_ptr_tko weak %out, %w : tile<ptr<i32>>, tile<i32> -> token
    %e = store_ptr_tko release device %lock, %c0 : tile<ptr<i32>>, tile<i32> -> token
    """
    out, lock = np.zeros(1, np.int32), np.zeros(1, np.int32)
    program(body, "%lock: tile<ptr<i32>>, %out: tile<ptr<i32>>").k[1000](lock, out)
    assert out[0] == 1000
    assert lock[0] == 0


# The host: printing, assertions, globals


def test_prints_come_out_after_the_launch(capsys: pytest.CaptureFixture[str]) -> None:
    body = """
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %i = iota : tile<8xi8>
    %m = reshape %i : tile<8xi8> -> tile<2x4xi8>
    %n = negi %m : tile<2x4xi8>
    %f = itof %n signed : tile<2x4xi8> -> tile<2x4xf16>
    %c = constant <i1: [true, false]> : tile<2xi1>
    %k = print_tko "%d%%: %.1f %x %d\\n", %bx, %f, %n, %c : tile<i32>, tile<2x4xf16>, tile<2x4xi8>, tile<2xi1> -> token
    print "plain "
    """
    expected = (
        "[[-0.0, -1.0, -2.0, -3.0], [-4.0, -5.0, -6.0, -7.0]] [[0, ff, fe, fd], [fc, fb, fa, f9]] [1, 0]\n"
    ).replace("-0.0", "0.0", 1)
    for level in (0, 2):
        compiled = tw.Program.from_bytes(program(body, "", level).to_bytes())
        compiled.k[1]()
        assert capsys.readouterr().out == f"0%: {expected}plain "
        compiled.k[3]()
        assert sorted(capsys.readouterr().out.replace("plain ", "").splitlines()) == [
            f"{k}%: {expected}".strip() for k in range(3)
        ]
    interpreted(body, "", 1)
    assert capsys.readouterr().out == f"0%: {expected}plain "


def test_failed_assertions_are_errors_after_the_launch() -> None:
    body = """
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %i = iota : tile<8xi32>
    %m = reshape %i : tile<8xi32> -> tile<2x4xi32>
    %x1 = reshape %bx : tile<i32> -> tile<1x1xi32>
    %x = broadcast %x1 : tile<1x1xi32> -> tile<2x4xi32>
    %s = addi %m, %x : tile<2x4xi32>
    %seven = constant <i32: 7> : tile<2x4xi32>
    %c = cmpi less_than_or_equal %s, %seven, signed : tile<2x4xi32> -> tile<2x4xi1>
    assert %c, "at most seven" : tile<2x4xi1>
    %one = constant <i32: 1> : tile<i32>
    %d = cmpi less_than_or_equal %bx, %one, signed : tile<i32> -> tile<i1>
    assert %d, "first two" : tile<i1>
    %p = offset %out, %bx : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
    """
    for level in (0, 2):
        kernel, out = program(body, "%out: tile<ptr<i32>>", level).k, np.zeros(3, np.int32)
        kernel[1](out)
        with pytest.raises(tw.CompileError) as caught:
            kernel[3](out)
        assert sorted(d.message for d in caught.value.diagnostics) == [
            "at most seven at [1, 2], [1, 3] (tile block 2, 0, 0)",
            "at most seven at [1, 3] (tile block 1, 0, 0)",
            "first two (tile block 2, 0, 0)",
        ]
        assert {d.code for d in caught.value.diagnostics} == {"R032"}
        assert all(str(d.location).partition(":")[2].startswith(("12:", "15:")) for d in caught.value.diagnostics)
        assert (out == 1).all()
        kernel[1](out)
    with pytest.raises(tw.CompileError, match="at most seven"):
        interpreted(body, "%out: tile<ptr<i32>>", 3, np.zeros(3, np.int32))


def test_globals_live_as_long_as_the_program() -> None:
    text = """cuda_tile.module @m {
    global @count <i32: [10, 20]> : tile<2xi32>
    entry @k(%out: tile<ptr<i32>>) {
      %g = get_global @count : tile<ptr<i32>>
      %one = constant <i32: 1> : tile<i32>
      %old, %t = atomic_rmw_tko relaxed device %g, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %u = store_ptr_tko weak %out, %old token = %t : tile<ptr<i32>>, tile<i32> -> token
    }
    entry @last(%out: tile<ptr<i32>>) {
      %g = get_global @count : tile<ptr<i32>>
      %one = constant <i32: 1> : tile<i32>
      %p = offset %g, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %v, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
      %u = store_ptr_tko weak %out, %v token = %t : tile<ptr<i32>>, tile<i32> -> token
    }
    }"""
    compiled, out = tw.compile(text, cache=False), np.zeros(1, np.int32)
    for expected in (10, 11):
        compiled.k[1](out)
        assert out[0] == expected
    compiled.last[1](out)
    assert out[0] == 20
    tw.compile(text, cache=False).k[1](out)
    assert out[0] == 10


# Two pointers may be to the same memory

ALIASING = {
    "read again": "load x a 0; twice y x; store y b 0; load z a 0; sum w z x; store w b 1",
    "kept across stores": "load x a 0; load z a 1; sum y x z; store z b 0; store y b 1; store x b 0",
    "read what was written": "load x a 0; twice y x; store y a 0; store x b 0; load z a 0; store z b 1",
}


def aliasing_body(words: str) -> str:
    tensor = "tensor_view<64xf32, strides=[1]>"
    view, t = f"partition_view<tile=(16), {tensor}>", "tile<16xf32>"
    lines = ["%c0 = constant <i32: 0> : tile<i32>", "%c1 = constant <i32: 1> : tile<i32>"]
    for name in "ab":
        lines.append(f"%t{name} = make_tensor_view %{name}, shape = [64], strides = [1] : {tensor}")
        lines.append(f"%v{name} = make_partition_view %t{name} : {view}")
    for number, line in enumerate(words.split("; ")):
        match line.split():
            case ["load", name, source, at]:
                lines.append(
                    f"%{name}, %k{number} = load_view_tko weak %v{source}[%c{at}] : {view}, tile<i32> -> {t}, token"
                )
            case ["store", name, target, at]:
                lines.append(
                    f"%k{number} = store_view_tko weak %{name}, %v{target}[%c{at}] : {t}, {view}, tile<i32> -> token"
                )
            case ["twice", name, x]:
                lines.append(f"%{name} = addf %{x}, %{x} : {t}")
            case [_, name, x, y]:
                lines.append(f"%{name} = addf %{x}, %{y} : {t}")
            case _:
                raise ValueError(line)
    return "\n".join(lines)


@pytest.mark.parametrize("words", ALIASING.values(), ids=ALIASING)
def test_pointers_may_overlap(words: str, rng: np.random.Generator) -> None:
    text = text_of(aliasing_body(words), "%a: tile<ptr<f32>>, %b: tile<ptr<f32>>")
    programs = [tw.compile(text, target="interpreter"), *(tw.compile(text, level=k, cache=False) for k in (0, 2))]
    start = rng.random(128, np.float32)
    for offset in (0, 1, 4, 13, 16, -3, -16):
        results: list[Array] = []
        for compiled in programs:
            memory = start.copy()
            compiled.k[1](memory[32:], memory[32 + offset :])
            results.append(memory)
        np.testing.assert_array_equal(results[1], results[0])
        np.testing.assert_array_equal(results[2], results[0])


def test_read_only_arrays_are_refused_where_they_are_written() -> None:
    kernel = program("%c = constant <i32: 1> : tile<i32>\n%t = store_ptr_tko weak %out, %c : tile<ptr<i32>>, tile<i32> -> token",
                     "%out: tile<ptr<i32>>").k  # fmt: skip
    out = np.zeros(1, np.int32)
    out.flags.writeable = False
    with pytest.raises(Exception, match="read-only"):
        kernel[1](out)
