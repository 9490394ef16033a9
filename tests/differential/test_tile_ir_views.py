"""Tile IR on the CPU: views of tensors, products of matrices read through them."""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

import numpy as np

from .tile_ir_kernels import POINTERS, Array, Launch, program, run, run_all


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


MATRICES = "%m: tile<i32>, %n: tile<i32>, %x: tile<ptr<f32>>, %out: tile<ptr<f32>>"


def test_partition_views_of_a_matrix(rng: np.random.Generator) -> None:
    body = "%bx, %by, %bz = get_tile_block_id : tile<i32>\n%two = constant <f32: 2.5> : tile<8x16xf32>\n"
    body += view("x", "m", "n", "8x16") + view("out", "m", "n", "8x16")
    type_ = view_type("8x16")
    body += f"%a, %t = load_view_tko weak %xw[%bx, %by] : {type_}, tile<i32> -> tile<8x16xf32>, token\n"
    body += f"%b, %u = load_view_tko weak %outw[%bx, %by] : {type_}, tile<i32> -> tile<8x16xf32>, token\n"
    body += "%r = fma %a, %two, %b : tile<8x16xf32>\n"
    body += f"%s = store_view_tko weak %r, %outw[%bx, %by] : tile<8x16xf32>, {type_}, tile<i32> -> token\n"
    launches: list[Launch] = []
    wanted: list[Array] = []
    for rows, columns in ((8, 16), (13, 37), (1, 1), (64, 5)):
        x, out = rng.random((rows, columns), np.float32), rng.random((rows, columns), np.float32)
        wanted.append(np.float32(2.5) * x + out)
        launches.append(Launch(body, MATRICES, (-(-rows // 8), -(-columns // 16)), (rows, columns, x, out)))
    run_all(launches)
    for launch, expected in zip(launches, wanted, strict=True):
        np.testing.assert_allclose(launch.output, expected, rtol=1e-6)


def turned(padding: str) -> str:
    """The whole of a matrix as one tile, transposed."""
    tensor = "tensor_view<?x?xf32, strides=[?,1]>"
    type_ = f"partition_view<tile=(32x16), padding_value = {padding}, {tensor}, dim_map=[1, 0]>"
    full = "tensor_view<32x16xf32, strides=[16,1]>"
    return f"""
    %z = constant <i32: 0> : tile<i32>
    %xv = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {tensor}
    %xw = make_partition_view %xv : {type_}
    %ov = make_tensor_view %out, shape = [32, 16], strides = [16, 1] : {full}
    %ow = make_partition_view %ov : partition_view<tile=(32x16), {full}>
    %a, %t = load_view_tko weak %xw[%z, %z] : {type_}, tile<i32> -> tile<32x16xf32>, token
    %s = store_view_tko weak %a, %ow[%z, %z] : tile<32x16xf32>, partition_view<tile=(32x16), {full}>, tile<i32> -> token
    """


def test_padding_and_transposed_views(rng: np.random.Generator) -> None:
    paddings = {"zero": 0.0, "nan": np.nan, "pos_inf": np.inf, "neg_inf": -np.inf, "neg_zero": -0.0}
    rows, columns = 13, 19
    x = rng.random((rows, columns), np.float32)
    poisoned = np.full((32, 16), 7, np.float32)
    launches = [Launch(turned(word), MATRICES, (1,), (rows, columns, x, poisoned.copy())) for word in paddings]
    run_all(launches)
    for value, launch in zip(paddings.values(), launches, strict=True):
        wanted = np.full((32, 16), value, np.float32)
        wanted[:columns, :rows] = x.T
        np.testing.assert_array_equal(launch.output, wanted)
        np.testing.assert_array_equal(np.signbit(launch.output), np.signbit(wanted))


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
    run(body, POINTERS, 1, x, out)
    np.testing.assert_array_equal(out, x[15:23, 14:22] - x[[3, 1, 4, 1, 5, 49, 2, 6], 3:11])


def test_rows_before_and_behind_a_tensor_do_not_exist() -> None:
    tensor = "tensor_view<6x4xf32, strides=[4,1]>"
    view = f"gather_scatter_view<tile=(4x4), padding_value = zero, {tensor}, sparse_dim=0>"
    body = f"""
    %z = constant <i64: 0> : tile<i64>
    %rows = constant <i64: [5, -1, 2, -9223372036854775808]> : tile<4xi64>
    %v = make_tensor_view %x, shape = [6, 4], strides = [4, 1] : {tensor}
    %w = make_gather_scatter_view %v : {view}
    %a, %t = load_view_tko weak %w[%rows, %z] : {view}, tile<4xi64>, tile<i64> -> tile<4x4xf32>, token
    %one = constant <f32: 1.0> : tile<4x4xf32>
    %b = addf %a, %one : tile<4x4xf32>
    %middle = constant <i32: 4> : tile<i32>
    %p = offset %out, %middle : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %ov = make_tensor_view %p, shape = [6, 4], strides = [4, 1] : {tensor}
    %ow = make_gather_scatter_view %ov : {view}
    %s = store_view_tko weak %b, %ow[%rows, %z] : tile<4x4xf32>, {view}, tile<4xi64>, tile<i64> -> token
    """
    x, out = np.arange(24, dtype=np.float32).reshape(6, 4), np.full((7, 4), 7, np.float32)
    run(body, POINTERS, 1, x, out)
    wanted = np.full((7, 4), 7, np.float32)
    wanted[[6, 3]] = x[[5, 2]] + 1
    np.testing.assert_array_equal(out, wanted)


def test_index_spaces_of_the_largest_tensors() -> None:
    tensor = "tensor_view<?x9223372036854775807xf32, strides=[1,1]>"
    view = f"strided_view<tile=(16x16), traversal_strides=[7,16], {tensor}>"
    body = f"""
    %v = make_tensor_view %x, shape = [%n, 9223372036854775807], strides = [1, 1] : tile<i64> -> {tensor}
    %w = make_strided_view %v : {view}
    %a, %b = get_index_space_shape %w : {view} -> tile<i64>
    %one = constant <i32: 1> : tile<i32>
    %p = offset %out, %one : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
    %s = store_ptr_tko weak %out, %a : tile<ptr<i64>>, tile<i64> -> token
    %t = store_ptr_tko weak %p, %b : tile<ptr<i64>>, tile<i64> -> token
    """
    out = np.zeros(2, np.int64)
    run(body, "%n: tile<i64>, %x: tile<ptr<f32>>, %out: tile<ptr<i64>>", 1, -1, np.zeros(1, np.float32), out)
    assert out.tolist() == [-(-(2**64 - 1) // 7), 2**59]


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
