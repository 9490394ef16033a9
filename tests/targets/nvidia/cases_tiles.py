"""Tile operations: each body runs on tiles of the work-group and, unchanged, on tiles of one subgroup."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .case import Array, Case, Launch, kernel, poisoned, random_array

M, N, K = 16, 6, 5


def in_subgroup(body: str) -> str:
    """The body for the last subgroup of an SPMD region; the others must not disturb it."""
    return f"""
    team.spmd {{
      %sg = team.subgroup_linear_id -> i32
      %one.i32 = arith.constant {{value = 1}} -> i32
      %mine = arith.cmp %sg, %one.i32 {{predicate = "eq"}} -> bool
      scf.if %mine {{
{body}
      }}
    }}"""


def both(name: str, parameters: str, body: str, prepare: Callable[[np.random.Generator], Launch]) -> list[Case]:
    """A case for the work-group and one for each subgroup size."""
    start = "%z = arith.constant {value = 0} -> index\n"
    found = [Case(f"{name}-group", kernel(parameters, start + body), prepare)]
    for size in (8, 16, 32):
        text = kernel(parameters, start + in_subgroup(body), size, (2 * size, 1))
        found.append(Case(f"{name}-subgroup{size}", text, prepare))
    return found


MOVES = f"""
      %a = tile.load %A, %z, %z -> tile<{M}x{N}xT>
      %p = tile.permute %a {{order = [1, 0]}} -> tile<{N}x{M}xT>
      tile.store %p, %P, %z, %z
      %row = tile.extract %a {{offsets = [3, 0]}} -> tile<1x{N}xT>
      %wide = tile.broadcast %row -> tile<{M}x{N}xT>
      tile.store %wide, %W, %z, %z
      %r = tile.reshape %a -> tile<{N // 2}x{2 * M}xT>
      %box = tile.extract %r {{offsets = [1, 2]}} -> tile<2x7xT>
      tile.store %box, %X, %z, %z
      %c = tile.cat %wide, %a {{dim = 1}} -> tile<{M}x{2 * N}xT>
      %d = tile.cat %a, %wide {{dim = 0}} -> tile<{2 * M}x{N}xT>
      tile.store %c, %C, %z, %z
      tile.store %d, %D, %z, %z"""


def moves(dtype: str) -> list[Case]:
    """permute, extract, broadcast, reshape, cat."""
    shapes = [(M, N), (N, M), (M, N), (2, 7), (M, 2 * N), (2 * M, N)]

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, dtype, M, N)
        wide = np.broadcast_to(a[3:4], (M, N))
        reshaped = a.reshape((N // 2, 2 * M), order="F")
        results: list[Array] = [a.T, wide, reshaped[1:3, 2:9], np.hstack([wide, a]), np.vstack([a, wide])]
        outputs = [poisoned(dtype, *shape) for shape in shapes[1:]]
        return Launch([a, *outputs], {k + 1: r for k, r in enumerate(results)})

    names = "APWXCD"
    parameters = ", ".join(f"%{n}: memref<{dtype}x{s[0]}x{s[1]}>" for n, s in zip(names, shapes, strict=True))
    return both(f"moves-{dtype}", parameters, MOVES.replace("T>", f"{dtype}>"), prepare)


PRODUCT = f"""
      %a = tile.load %A, %z, %z -> tile<{M}x{K}xT>
      %b = tile.load %B, %z, %z -> tile<{K}x{N}xT>
      %c = tile.load %C, %z, %z -> tile<{M}x{N}xU>
      %s = tile.mma %a, %b, %c -> tile<{M}x{N}xU>
      %bt = tile.permute %b {{order = [1, 0]}} -> tile<{N}x{K}xT>
      %zero = arith.constant {{value = ZERO}} -> tile<{M}x{K}xU>
      %t = tile.mma %s, %bt, %zero -> tile<{M}x{K}xU>
      tile.store %s, %C, %z, %z
      tile.store %t, %D, %z, %z"""


def product(operand: str, accumulator: str, tolerance: float) -> list[Case]:
    """A product that feeds another one."""
    zero = {"i": "0", "f": "0.0", "b": "0.0", "c": "(0.0, 0.0)"}[accumulator[0]]
    body = PRODUCT.replace("T>", f"{operand}>").replace("U>", f"{accumulator}>").replace("ZERO", zero)

    def prepare(rng: np.random.Generator) -> Launch:
        small = tolerance == 0.0
        a, b = (random_array(rng, operand, *shape, small=small) for shape in ((M, K), (K, N)))
        c = random_array(rng, accumulator, M, N, small=small)
        wide = np.complex128 if accumulator[0] == "c" else np.int64 if accumulator[0] == "i" else np.float64
        s = a.astype(wide) @ b.astype(wide) + c.astype(wide)
        t = s @ b.astype(wide).T
        return Launch(
            [a, b, c, poisoned(accumulator, M, K)], {2: s.astype(c.dtype), 3: t.astype(c.dtype)}, tolerance=tolerance
        )

    parameters = (
        f"%A: memref<{operand}x{M}x{K}>, %B: memref<{operand}x{K}x{N}>, "
        f"%C: memref<{accumulator}x{M}x{N}>, %D: memref<{accumulator}x{M}x{K}>"
    )
    return both(f"product-{operand}-{accumulator}", parameters, body, prepare)


FOLDS = f"""
      %a = tile.load %A, %z, %z -> tile<{M}x{N}xT>
      %s0 = tile.reduce %a {{kind = "add", dim = 0}} -> tile<{N}xT>
      %s1 = tile.reduce %a {{kind = "max", dim = 1}} -> tile<{M}xT>
      %sum = tile.reduce %s0 {{kind = "min", dim = 0}} -> tile<T>
      %item = tile.item %sum -> T
      %all = tile.splat %item -> tile<3xT>
      tile.store %s0, %S, %z
      tile.store %s1, %X, %z
      tile.store %all, %I, %z
      %c0 = tile.scan %a {{kind = "add", dim = 0}} -> tile<{M}x{N}xT>
      %c1 = tile.scan %a {{kind = "min", dim = 1}} -> tile<{M}x{N}xT>
      tile.store %c0, %C, %z, %z
      tile.store %c1, %D, %z, %z"""


def folds(dtype: str) -> list[Case]:
    """reduce, item, splat, scan."""

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, dtype, M, N, small=True)
        sums = a.sum(axis=0, dtype=a.dtype)
        results: list[Array] = [
            sums,
            a.max(axis=1),
            np.full(3, sums.min()),
            np.cumsum(a, axis=0, dtype=a.dtype),
            np.minimum.accumulate(a, axis=1),
        ]
        outputs = [poisoned(dtype, *r.shape) for r in results]
        return Launch([a, *outputs], {k + 1: r for k, r in enumerate(results)})

    parameters = (
        "%A: memref<TxMxN>, %S: memref<TxN>, %X: memref<TxM>, %I: memref<Tx3>, %C: memref<TxMxN>, %D: memref<TxMxN>"
    )
    parameters = parameters.replace("xM", f"x{M}").replace("xN", f"x{N}").replace("<T", f"<{dtype}")
    body = FOLDS.replace("T>", f"{dtype}>").replace("-> T\n", f"-> {dtype}\n")
    return both(f"folds-{dtype}", parameters, body, prepare)


CONTROL = f"""
      %m1 = arith.constant {{value = -1}} -> index
      %two = arith.constant {{value = 2}} -> index
      %four = arith.constant {{value = 4}} -> index
      %a = tile.load %A, %m1, %two {{check = [true, true]}} -> tile<{M}x{N}xf32>
      %i = tile.iota {{dim = 0}} -> tile<{M}x{N}xi32>
      %j = tile.iota {{dim = 1}} -> tile<{M}x{N}xi32>
      %lower = arith.cmp %i, %j {{predicate = "ge"}} -> tile<{M}x{N}xbool>
      %half = arith.constant {{value = 0.5}} -> tile<{M}x{N}xf32>
      %sel = arith.select %lower, %a, %half -> tile<{M}x{N}xf32>
      %x, %y = scf.for %z, %four, %sel, %half {{operand_segments = [1, 1, 0, 2]}} ->
          tile<{M}x{N}xf32>, tile<{M}x{N}xf32> (%k: index, %p: tile<{M}x{N}xf32>, %q: tile<{M}x{N}xf32>) {{
        %q2 = arith.add %q, %p -> tile<{M}x{N}xf32>
        scf.yield %q2, %p
      }}
      tile.store %x, %B, %z, %z
      %n = memref.size %A {{mode = 0}} -> index
      %big = arith.cmp %n, %four {{predicate = "gt"}} -> bool
      %w = scf.if %big -> tile<{M}x{N}xf32> {{
        %neg = arith.neg %y -> tile<{M}x{N}xf32>
        scf.yield %neg
      }} {{
        scf.yield %y
      }}
      %mapped = tile.map %w -> tile<{M}x{N}xf32> (%mi: i32, %mj: i32, %v: f32) {{
        %t = arith.cast %mi -> f32
        %u = arith.cast %mj -> f32
        %tu = arith.mul %t, %u -> f32
        %r = arith.add %tu, %v -> f32
        scf.yield %r
      }}
      tile.store %mapped, %C, %m1, %two {{check = [true, true]}}"""


def control() -> list[Case]:
    """Checked accesses beyond all ends, carried and swapped tiles, branches, maps, iota, select."""

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, "f32", 13, N)
        framed = np.zeros((M + 2, N + 4), np.float32)
        framed[1:14, :N] = a
        tile = framed[0:M, 2 : N + 2]
        i, j = np.indices((M, N))
        p: Array = np.where(i >= j, tile, np.float32(0.5))
        q: Array = np.full((M, N), 0.5, np.float32)
        for _ in range(4):
            p, q = q + p, p
        result: Array = i * j + (-q)
        c = poisoned("f32", 13, N)
        expected = c.copy()
        expected[0:13, 2:N] = result[1:14, 0 : N - 2]
        return Launch([a, poisoned("f32", M, N), c], {1: p, 2: expected}, tolerance=1e-6)

    parameters = f"%A: memref<f32x?x{N}>, %B: memref<f32x{M}x{N}>, %C: memref<f32x?x{N}>"
    return both("control", parameters, CONTROL, prepare)


def overlap() -> list[Case]:
    """Reading and writing the same memory in one step: a transpose and a shift in place."""
    body = """
      %one = arith.constant {value = 1} -> index
      %a = tile.load %A, %z, %z -> tile<16x16xf32>
      %p = tile.permute %a {order = [1, 0]} -> tile<16x16xf32>
      tile.store %p, %A, %z, %z
      %s = tile.load %B, %z -> tile<70xf32>
      tile.store %s, %B, %one"""

    def prepare(rng: np.random.Generator) -> Launch:
        a, b = random_array(rng, "f32", 16, 16), random_array(rng, "f32", 71)
        return Launch([a, b], {0: a.T.copy(), 1: np.concatenate([b[:1], b[:70]])})

    return both("overlap", "%A: memref<f32x16x16>, %B: memref<f32x71>", body, prepare)


def again() -> list[Case]:
    """What was stored is read at other places: by other work-items than have written it."""
    body = """
      %one = arith.constant {value = 1} -> index
      %b = tile.load %B, %z -> tile<70xf32>
      tile.store %b, %C, %one
      %c = tile.load %C, %z -> tile<71xf32>
      %d = arith.add %c, %c -> tile<71xf32>
      tile.store %d, %D, %z"""

    def prepare(rng: np.random.Generator) -> Launch:
        b, c = random_array(rng, "f32", 70), random_array(rng, "f32", 71)
        moved = np.concatenate([c[:1], b])
        return Launch([b, c, poisoned("f32", 71)], {1: moved, 2: moved + moved})

    return both("again", "%B: memref<f32x70>, %C: memref<f32x71>, %D: memref<f32x71>", body, prepare)


def hanging() -> list[Case]:
    """A tile that hangs over every edge reads zeros there, and writes nothing."""
    body = """
      %five = arith.constant {value = 5} -> index
      %minus = arith.constant {value = -3} -> index
      %a = tile.load %A, %five, %minus {check = [true, true]} -> tile<8x8xf32>
      tile.store %a, %B, %z, %z
      tile.store %a, %C, %minus, %five {check = [true, true]}"""

    def prepare(rng: np.random.Generator) -> Launch:
        a, c = random_array(rng, "f32", 9, 7), random_array(rng, "f32", 9, 7)
        found = np.zeros((8, 8), np.float32, order="F")
        found[:4, 3:] = a[5:, :5]
        after = c.copy(order="F")
        after[:5, 5:] = found[3:, :2]
        return Launch([a, poisoned("f32", 8, 8), c], {1: found, 2: after})

    return both("hanging", "%A: memref<f32x9x7>, %B: memref<f32x8x8>, %C: memref<f32x9x7>", body, prepare)


def rounds() -> Case:
    """A buffer of the body of a loop: the next round must not write it while others still read."""
    body = """
    %z = arith.constant {value = 0} -> index
    %three = arith.constant {value = 3} -> index
    scf.for %z, %three {operand_segments = [1, 1, 0, 0]} (%k: index) {
      %a = tile.load %A, %z, %k -> tile<64x1xi32>
      %s = tile.scan %a {kind = "add", dim = 0} -> tile<64x1xi32>
      %m = tile.reshape %s -> tile<8x8xi32>
      %p = tile.permute %m {order = [1, 0]} -> tile<8x8xi32>
      %part = memref.subview %B, %k {operand_segments = [1, 1, 0],
        static_offsets = [0, 0, none], static_sizes = [8, 8, 0]} -> memref<i32x8x8>
      tile.store %p, %part, %z, %z
    }
    %few = tile.load %A, %z, %z -> tile<3x1xi32>
    %last = tile.scan %few {kind = "max", dim = 0} -> tile<3x1xi32>
    tile.store %last, %C, %z, %z"""

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, "i32", 64, 3, small=True)
        sums = np.cumsum(a, axis=0, dtype=np.int32).reshape((8, 8, 3), order="F")
        expected = {1: np.asfortranarray(sums.transpose((1, 0, 2))), 2: np.maximum.accumulate(a[:3, :1])}
        return Launch([a, poisoned("i32", 8, 8, 3), poisoned("i32", 3, 1)], expected)

    return Case("rounds", kernel("%A: memref<i32x64x3>, %B: memref<i32x8x8x3>, %C: memref<i32x3x1>", body), prepare)


def trips() -> Case:
    """Loops between bounds that only the launch knows, with steps that it knows too, of one and of three: what they
    add."""
    body = """
    %g = team.group_id {dim = 0} -> index
    %z = arith.constant {value = 0} -> index
    %one = arith.constant {value = 1} -> index
    %two = arith.constant {value = 2} -> index
    %lower = memref.load %N, %z, %g -> i64
    %upper = memref.load %N, %one, %g -> i64
    %step = memref.load %N, %two, %g -> i64
    %nil = arith.constant {value = 0} -> i64
    %ten = arith.constant {value = 10} -> i64
    %sum = scf.for %lower, %upper, %step, %nil {operand_segments = [1, 1, 1, 1]} -> i64 (%k: i64, %acc: i64) {
      %more = arith.mul %acc, %ten -> i64
      %next = arith.add %more, %k -> i64
      scf.yield %next
    }
    %ones = scf.for %lower, %upper, %nil {operand_segments = [1, 1, 0, 1]} -> i64 (%k: i64, %acc: i64) {
      %more = arith.add %acc, %k -> i64
      scf.yield %more
    }
    %three = arith.constant {value = 3} -> i64
    %thirds = scf.for %lower, %upper, %three, %nil {operand_segments = [1, 1, 1, 1]} -> i64 (%k: i64, %acc: i64) {
      %more = arith.add %acc, %k -> i64
      scf.yield %more
    }
    memref.store %sum, %S, %z, %g
    memref.store %ones, %S, %one, %g
    memref.store %thirds, %S, %two, %g"""
    bounds = [
        (0, 6, 2),
        (0, 7, 2),
        (0, 5, 3),
        (3, 3, 1),
        (4, 3, 1),
        (4, 3, 5),
        (0, 4, 0),
        (0, 4, -1),
        (-3, 3, 3),
        (2, 3, 9),
        ((1 << 63) - 1, -(1 << 63), 1),
    ]

    def prepare(rng: np.random.Generator) -> Launch:
        expected = np.zeros((3, len(bounds)), np.int64, order="F")
        for number, (lower, upper, step) in enumerate(bounds):
            for k in range(lower, upper, step) if step > 0 else ():
                expected[0, number] = expected[0, number] * 10 + k
            expected[1, number] = sum(range(lower, upper))
            expected[2, number] = sum(range(lower, upper, 3))
        numbers = np.array(bounds, np.int64).T.copy(order="F")
        return Launch([numbers, poisoned("i64", *expected.shape)], {1: expected}, (len(bounds), 1, 1))

    count = len(bounds)
    return Case("trips", kernel(f"%N: memref<i64x3x{count}>, %S: memref<i64x3x{count}>", body), prepare)


def tile_cases() -> list[Case]:
    """All cases of this file."""
    return [
        *moves("f32"),
        *moves("i8"),
        *moves("c64"),
        *product("f32", "f32", 1e-6),
        *product("f64", "f64", 1e-14),
        *product("f16", "f32", 1e-6),
        *product("bf16", "f32", 1e-6),
        *product("i8", "i32", 0.0),
        *product("c32", "c32", 1e-6),
        *folds("f32"),
        *folds("f64"),
        *folds("i64"),
        *folds("bf16"),
        *control(),
        *overlap(),
        *again(),
        *hanging(),
        rounds(),
        trips(),
    ]
