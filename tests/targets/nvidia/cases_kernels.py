"""Whole kernels: axpby with dynamic strides, the fused sample kernel over a batch, a tiled gemm, groups."""

from __future__ import annotations

import numpy as np

from .case import Array, Case, GroupArgument, Launch, kernel, poisoned, random_array


def axpby() -> Case:
    """`B := alpha A + beta B`, A row-major and B a slice with gaps, any size."""
    body = """
    %z = arith.constant {value = 0} -> index
    %m = memref.size %A {mode = 0} -> index
    %n = memref.size %A {mode = 1} -> index
    %cm = arith.constant {value = 32} -> index
    %cn = arith.constant {value = 4} -> index
    scf.for %z, %n, %cn {operand_segments = [1, 1, 1, 0], parallel = true} (%j: index) {
      scf.for %z, %m, %cm {operand_segments = [1, 1, 1, 0], parallel = true} (%i: index) {
        %a = tile.load %A, %i, %j {check = [true, true]} -> tile<32x4xf32>
        %b = tile.load %B, %i, %j {check = [true, true]} -> tile<32x4xf32>
        %at = tile.splat %alpha -> tile<32x4xf32>
        %bt = tile.splat %beta -> tile<32x4xf32>
        %x = arith.mul %a, %at -> tile<32x4xf32>
        %y = arith.mul %b, %bt -> tile<32x4xf32>
        %s = arith.add %x, %y -> tile<32x4xf32>
        tile.store %s, %B, %i, %j {check = [true, true]}
      }
    }"""

    def prepare(rng: np.random.Generator) -> Launch:
        m, n = (int(k) for k in rng.integers(1, 80, 2))
        a = np.ascontiguousarray(random_array(rng, "f32", m, n))
        b = random_array(rng, "f32", 2 * m + 1, n + 3)[1::2, 2:-1]
        alpha, beta = np.float32(1.5), np.float32(-0.25)
        return Launch([alpha, a, beta, b], {3: alpha * a + beta * b}, tolerance=1e-6)

    matrix = "memref<f32x?x?,strided<?,?>>"
    return Case("axpby", kernel(f"%alpha: f32, %A: {matrix}, %beta: f32, %B: {matrix}", body), prepare)


def fused() -> Case:
    """D += alpha (A B^T) C for each matrix of a batch; B and C are the same for all."""
    m, n, k = 56, 9, 9
    body = f"""
    %z = arith.constant {{value = 0}} -> index
    %g = team.group_id {{dim = 0}} -> index
    %Ag = memref.subview %A, %g {{operand_segments = [1, 1, 0],
      static_offsets = [0, 0, none], static_sizes = [{m}, {k}, 0]}} -> memref<f32x{m}x{k}>
    %Dg = memref.subview %D, %g {{operand_segments = [1, 1, 0],
      static_offsets = [0, 0, none], static_sizes = [{m}, {n}, 0]}} -> memref<f32x{m}x{n}>
    %Bt = memref.permute %B {{order = [1, 0]}} -> memref<f32x{k}x{n},strided<{n},1>>
    %a = tile.load %Ag, %z, %z -> tile<{m}x{k}xf32>
    %b = tile.load %Bt, %z, %z -> tile<{k}x{n}xf32>
    %zero = arith.constant {{value = 0.0}} -> tile<{m}x{n}xf32>
    %tmp = tile.mma %a, %b, %zero -> tile<{m}x{n}xf32>
    %c = tile.load %C, %z, %z -> tile<{n}x{n}xf32>
    %p = tile.mma %tmp, %c, %zero -> tile<{m}x{n}xf32>
    %at = tile.splat %alpha -> tile<{m}x{n}xf32>
    %s = arith.mul %at, %p -> tile<{m}x{n}xf32>
    %d = tile.load %Dg, %z, %z -> tile<{m}x{n}xf32>
    %r = arith.add %s, %d -> tile<{m}x{n}xf32>
    tile.store %r, %Dg, %z, %z"""

    def prepare(rng: np.random.Generator) -> Launch:
        batch, alpha = 23, np.float32(0.75)
        a, b = random_array(rng, "f32", m, k, batch), random_array(rng, "f32", n, k)
        c, d = random_array(rng, "f32", n, n), random_array(rng, "f32", m, n, batch)
        wide = [x.astype(np.float64) for x in (a, b, c, d)]
        expected = wide[3] + float(alpha) * np.einsum("mkg,nk,nj->mjg", *wide[:3])
        return Launch([alpha, a, b, c, d], {4: expected}, (batch, 1, 1), 1e-6)

    parameters = (
        f"%alpha: f32, %A: memref<f32x{m}x{k}x?>, %B: memref<f32x{n}x{k}>, "
        f"%C: memref<f32x{n}x{n}>, %D: memref<f32x{m}x{n}x?>"
    )
    return Case("fused", kernel(parameters, body, 32, (128, 1)), prepare)


def gemm() -> Case:
    """Tiles of the result over the grid, the inner dimension carried through a loop, remainders checked."""
    body = """
    %z = arith.constant {value = 0} -> index
    %t = arith.constant {value = 32} -> index
    %u = arith.constant {value = 8} -> index
    %gx = team.group_id {dim = 0} -> index
    %gy = team.group_id {dim = 1} -> index
    %i = arith.mul %gx, %t -> index
    %j = arith.mul %gy, %t -> index
    %n = memref.size %A {mode = 1} -> index
    %zero = arith.constant {value = 0.0} -> tile<32x32xf64>
    %sum = scf.for %z, %n, %u, %zero {operand_segments = [1, 1, 1, 1]} ->
        tile<32x32xf64> (%k: index, %acc: tile<32x32xf64>) {
      %a = tile.load %A, %i, %k {check = [true, true]} -> tile<32x8xf64>
      %b = tile.load %B, %k, %j {check = [true, true]} -> tile<8x32xf64>
      %next = tile.mma %a, %b, %acc -> tile<32x32xf64>
      scf.yield %next
    }
    tile.store %sum, %C, %i, %j {check = [true, true]}"""

    def prepare(rng: np.random.Generator) -> Launch:
        m, n, k = (int(s) for s in rng.integers(1, 90, 3))
        a, b = random_array(rng, "f64", m, k), random_array(rng, "f64", k, n)
        return Launch([a, b, poisoned("f64", m, n)], {2: a @ b}, (-(-m // 32), -(-n // 32), 1), 1e-13)

    parameters = "%A: memref<f64x?x?>, %B: memref<f64x?x?>, %C: memref<f64x?x?>"
    return Case("gemm", kernel(parameters, body, 32, (64, 2)), prepare)


def groups() -> Case:
    """Elements of a group with their own extents, some null; a group with an offset."""
    body = """
    %z = arith.constant {value = 0} -> index
    %one = arith.constant {value = 1} -> index
    %g = team.group_id {dim = 0} -> index
    %x = memref.group_load %G, %g -> memref<f32x?x3>
    %there = memref.associated %x -> bool
    %count = memref.size %G {mode = 0} -> index
    scf.if %there {
      %n = memref.size %x {mode = 0} -> index
      %c64 = arith.constant {value = 64} -> index
      scf.for %z, %n, %c64 {operand_segments = [1, 1, 1, 0]} (%i: index) {
        %a = tile.load %x, %i, %z {check = [true, false]} -> tile<64x3xf32>
        %y = arith.add %a, %a -> tile<64x3xf32>
        tile.store %y, %x, %i, %z {check = [true, false]}
      }
      %n64 = arith.cast %n -> i64
      memref.store %n64, %S, %g
    } {
      %count64 = arith.cast %count -> i64
      memref.store %count64, %S, %g
    }
    %h = memref.group_load %H, %g -> memref<i32x4>
    %first = memref.load %h, %z -> i32
    memref.store %first, %F, %g"""

    def prepare(rng: np.random.Generator) -> Launch:
        sizes = [5, None, 130, 64]
        arrays = [None if s is None else random_array(rng, "f32", s, 3) for s in sizes]
        others = [random_array(rng, "i32", 8) for _ in sizes]
        doubled: list[Array | None] = [None if a is None else a + a for a in arrays]
        counts = np.array([4 if s is None else s for s in sizes], np.int64)
        firsts = np.array([o[2] for o in others], np.int32)
        arguments = [GroupArgument(arrays), GroupArgument(others, 2), poisoned("i64", 4), poisoned("i32", 4)]
        return Launch(arguments, {0: doubled, 2: counts, 3: firsts}, (4, 1, 1))

    parameters = (
        "%G: group<memref<f32x?x3>x?>, %H: group<memref<i32x4>x4, offset: ?>, %S: memref<i64x4>, %F: memref<i32x4>"
    )
    return Case("groups", kernel(parameters, body), prepare)


def groups_of_any_layout() -> Case:
    """Each element of a group has extents and strides of its own, known to the launch only."""
    body = """
    %z = arith.constant {value = 0} -> index
    %g = team.group_id {dim = 0} -> index
    %x = memref.group_load %G, %g -> memref<f32x?x?,strided<?,?>>
    %a = tile.load %x, %z, %z {check = [true, true]} -> tile<8x8xf32>
    %y = arith.add %a, %a -> tile<8x8xf32>
    tile.store %y, %x, %z, %z {check = [true, true]}
    %stride = memref.stride %x {mode = 1} -> index
    %wide = arith.cast %stride -> i64
    memref.store %wide, %S, %g"""

    def prepare(rng: np.random.Generator) -> Launch:
        whole = [random_array(rng, "f32", 9, 11) for _ in range(3)]
        arrays = [whole[0][1:4, :5], whole[1].T[:7, :2], whole[2][::2, ::3]]
        strides = np.array([9, 1, 27], np.int64)
        return Launch([GroupArgument(arrays), poisoned("i64", 3)], {0: [a + a for a in arrays], 1: strides}, (3, 1, 1))

    parameters = "%G: group<memref<f32x?x?,strided<?,?>>x?>, %S: memref<i64x3>"
    return Case("groups-of-any-layout", kernel(parameters, body), prepare)


def kernel_cases() -> list[Case]:
    """All cases of this file."""
    return [axpby(), fused(), gemm(), groups(), groups_of_any_layout()]
