"""Kernels of the tensor language, through the whole compiler: the four that the first issue names, and collectives."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .case import Array, Case, GroupArgument, Launch, poisoned, random_array

EXAMPLES = Path(__file__).parents[3] / "examples"
SAMPLE = EXAMPLES / "fused_kernel.tl"


def sample() -> Case:
    """D += alpha (A B^T) C over a batch."""

    def prepare(rng: np.random.Generator) -> Launch:
        batch, alpha = 19, np.float32(0.75)
        a = [random_array(rng, "f32", 16, 8) for _ in range(batch)]
        b, c = random_array(rng, "f32", 8, 8), random_array(rng, "f32", 8, 16)
        d = random_array(rng, "f32", 16, 16, batch)
        wide_b, wide_c = b.astype(np.float64), c.astype(np.float64)
        update = [float(alpha) * (m.astype(np.float64) @ wide_b.T) @ wide_c for m in a]
        expected = d + np.stack(update, axis=2)
        return Launch([alpha, GroupArgument(a), b, c, d], {4: expected}, (batch, 1, 1), 1e-6)

    return Case("sample", SAMPLE.read_text(encoding="utf-8"), prepare, language=True)


def attention() -> Case:
    """A softmax between two products, of heads whose lengths are no multiples of blocks."""

    def prepare(rng: np.random.Generator) -> Launch:
        heads, queries, keys = 1, int(rng.integers(33, 40)), int(rng.integers(65, 70))
        counts = (queries, keys, keys, queries)
        q, k, v, o = (np.asfortranarray(rng.standard_normal((64, n, heads)).astype(np.float16)) for n in counts)
        wide_q, wide_k, wide_v = (array.astype(np.float64) for array in (q, k, v))
        weights = np.exp(np.einsum("dkh,dqh->kqh", wide_k, wide_q) / 8)
        expected = np.einsum("dkh,kqh->dqh", wide_v, weights / weights.sum(axis=0))
        return Launch([np.float32(0.125), q, k, v, np.full_like(o, np.nan)], {4: expected}, (2, heads, 1), 2e-3)

    return Case("attention", (EXAMPLES / "attention.tl").read_text(encoding="utf-8"), prepare, language=True)


def axpby() -> Case:
    """Any strides, any size."""
    text = """
func @k(%alpha: f32, %A: memref<f32x?x?,strided<?,?>>, %beta: f32, %B: memref<f32x?x?,strided<?,?>>) {
    axpby %alpha, %A, %beta, %B
}"""

    def prepare(rng: np.random.Generator) -> Launch:
        m, n = int(rng.integers(1, 600)), int(rng.integers(1, 20))
        a = random_array(rng, "f32", 2 * m + 1, n)[1::2]
        b = random_array(rng, "f32", m + 3, 2 * n)[3:, ::2]
        alpha, beta = np.float32(1.5), np.float32(-0.25)
        return Launch([alpha, a, beta, b], {3: alpha * a + beta * b}, tolerance=1e-6)

    return Case("axpby-strides", text, prepare, language=True)


def matrices(size: int) -> Case:
    """A product of cooperative matrices with an epilogue: C := relu(A B) + row sums, remainders by checked accesses."""
    text = f"""
func @k(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?>, %R: memref<f32x?x1>, %K: index)
        attributes{{subgroup_size={size}, work_group_size=[{2 * size},2]}} {{
    %z = constant 0 : index
    %step = constant 8 : index
    %m = size %C[0] : index
    %n = size %C[1] : index
    foreach_tile (%r,%c)=(%z,%z),(%m,%n) as (%h,%w)<=({size},8) {{
        %zero = constant 0.0 : coopmatrix<f32x{size}x8,matrix_acc>
        %sum = for %k=%z,%K,%step init(%acc=%zero)->(coopmatrix<f32x{size}x8,matrix_acc>) {{
            %a = cooperative_matrix_load.both_checked %A[%r,%k] : coopmatrix<f32x{size}x8,matrix_a>
            %b = cooperative_matrix_load.t.both_checked %B[%c,%k] : coopmatrix<f32x8x8,matrix_b>
            %next = cooperative_matrix_mul_add %a, %b, %acc : coopmatrix<f32x{size}x8,matrix_acc>
            yield (%next)
        }}
        %relu = cooperative_matrix_apply (%i,%j,%v)=%sum -> coopmatrix<f32x{size}x8,matrix_acc> {{
            %zs = constant 0.0 : f32
            %x = max %v, %zs : f32
            yield (%x)
        }}
        %two = constant 2.0 : f32
        %scaled = cooperative_matrix_scale %two, %relu : coopmatrix<f32x{size}x8,matrix_acc>
        cooperative_matrix_store.both_checked %scaled, %C[%r,%c]
        %rows = cooperative_matrix_reduce_add.row %relu : coopmatrix<f32x{size}x1,matrix_acc>
        %old = cooperative_matrix_atomic_add.rows_checked %rows, %R[%r,%z] : coopmatrix<f32x{size}x1,matrix_acc>
    }}
}}"""

    def prepare(rng: np.random.Generator) -> Launch:
        m, n, k = (int(s) for s in rng.integers(1, (50, 40, 30)))
        a, b = random_array(rng, "f32", m, k), random_array(rng, "f32", n, k)
        relu = np.maximum(a.astype(np.float64) @ b.T.astype(np.float64), 0.0)
        r = random_array(rng, "f32", m, 1)
        sums = r + relu.sum(axis=1, keepdims=True)
        return Launch([a, b, poisoned("f32", m, n), r, np.int64(k)], {2: 2 * relu, 3: sums}, tolerance=3e-6)

    return Case(f"matrices-{size}", text, prepare, language=True)


def local_memory() -> Case:
    """SPMD with work-group memory and barriers: a tree reduction and a histogram."""
    text = """
func @k(%A: memref<i32x?>, %S: memref<i32x1>, %H: memref<i32x8>) attributes{subgroup_size=16, work_group_size=[128,1]} {
    %L = alloca : memref<i32x128,local>
    %P = alloca : memref<i32x8,local>
    parallel {
        %z = constant 0 : index
        %width = constant 128 : index
        %w16 = constant 16 : i32
        %sg = subgroup_linear_id : i32
        %lane = subgroup_local_id : i32
        %base = mul %sg, %w16 : i32
        %id32 = add %base, %lane : i32
        %id = cast %id32 : index
        %n = size %A[0] : index
        %i0 = constant 0 : i32
        %eight = constant 8 : index
        %first8 = less_than %id, %eight : bool
        if %first8 { store %i0, %P[%id] }
        barrier.local
        %sum = for %i=%id,%n,%width init(%acc=%i0)->(i32) {
            %x = load %A[%i] : i32
            %seven = constant 7 : i32
            %bin32 = and %x, %seven : i32
            %bin = cast %bin32 : index
            %one = constant 1 : i32
            %was = atomic_add %one, %P[%bin] : i32
            %next = add %acc, %x : i32
            yield (%next)
        }
        store %sum, %L[%id]
        barrier.local
        %one.i = constant 1 : index
        %steps = constant 7 : index
        %half = constant 64 : index
        %end = for %s=%z,%steps init(%d=%half)->(index) {
            %active = less_than %id, %d : bool
            if %active {
                %j = add %id, %d : index
                %x = load %L[%id] : i32
                %y = load %L[%j] : i32
                %t = add %x, %y : i32
                store %t, %L[%id]
            }
            barrier.local
            %d2 = shr %d, %one.i : index
            yield (%d2)
        }
        if %first8 {
            %p = load %P[%id] : i32
            store %p, %H[%id]
        }
        %lead = equal %id, %z : bool
        if %lead {
            %total = load %L[%z] : i32
            store %total, %S[%z]
        }
    }
}""".replace("%one.i", "%onei")

    def prepare(rng: np.random.Generator) -> Launch:
        a = rng.integers(-1000, 1000, int(rng.integers(1, 3000))).astype(np.int32)
        counts = np.bincount(a & 7, minlength=8).astype(np.int32)
        outputs = [poisoned("i32", 1), poisoned("i32", 8)]
        return Launch([a, *outputs], {1: np.array([a.sum()], np.int32), 2: counts})

    return Case("local-memory", text, prepare, language=True)


def collectives(dtype: str, tolerance: float) -> Case:
    """Every collective on sizes of several tiles, feeding each other through global memory."""
    constant = {"f": "{}.0", "c": "[{}.0, 0.0]", "b": "{}.0", "i": "{}"}[dtype[0]]
    one, two, zero = (constant.format(k) for k in (1, 2, 0))
    text = f"""
func @k(%A: memref<Tx?x?>, %B: memref<Tx?x?>, %C: memref<Tx?x?>, %x: memref<Tx?>, %y: memref<Tx?>, %s: memref<T>) {{
    %one = constant {one} : T
    %two = constant {two} : T
    %zero = constant {zero} : T
    gemm.n.t %one, %A, %B, %two, %C
    gemv.t %one, %C, %x, %zero, %y
    hadamard %one, %y, %y, %one, %y
    ger %one, %x, %y, %one, %C
    sum.t %one, %C, %one, %y
    sum %two, %y, %zero, %s
    %dim = size %C[1] : index
    cumsum %one, %C, 0, %zero, %A
    cumsum %one, %y, 0, %zero, %y
}}""".replace("T", dtype)

    def prepare(rng: np.random.Generator) -> Launch:
        m, n = int(rng.integers(1, 150)), int(rng.integers(1, 40))
        small = tolerance == 0.0
        shapes = ((m, n), (n, n), (m, n), (m,), (n,), ())
        a, b, c, x, y, s = (random_array(rng, dtype, *shape, small=small) for shape in shapes)
        arguments: list[Array] = [a, b, c, x, np.full_like(y, 77), s]
        wide = {"c": np.complex128, "i": a.dtype}.get(dtype[0], np.float64)
        a_, b_, c_, x_ = (v.astype(wide) for v in (a, b, c, x))
        c_ = a_ @ b_.T + 2 * c_
        y_ = c_.T @ x_
        y_ = y_ + y_ * y_
        c_ = c_ + np.outer(x_, y_)
        y_ = y_ + c_.sum(axis=0)
        s_ = np.asarray(2 * y_.sum())
        results = {0: np.cumsum(c_, axis=0), 2: c_, 4: np.cumsum(y_), 5: s_}
        return Launch(arguments, {k: r.astype(a.dtype) for k, r in results.items()}, tolerance=tolerance)

    return Case(f"collectives-{dtype}", text, prepare, language=True)


def loops() -> Case:
    """A product in loops over tiles, unrolled with a remainder, behind it what keeps its loops: C := max(C, A B)."""
    update = "%c = load %P[%i,%j] : f32 %p = mul %a, %b : f32 %s = add %c, %p : f32 store %s, %P[%i,%j]"
    text = f"""
func @k(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %P: memref<f32x?x?> {{"noalias"=true}},
        %C: memref<f32x?x?> {{"noalias"=true}}, %K: index) {{
    %z = constant 0 : index
    %one = constant 1 : index
    %two = constant 2 : index
    %tile = constant 8 : index
    %m = size %P[0] : index
    %n = size %P[1] : index
    for %i0 = %z, %m, %tile {{
        %over = add %i0, %tile : index
        %i1 = min %over, %m : index
        for %i = %i0, %i1 {{
            for %j = %z, %n {{
                %zero = constant 0.0 : f32
                store %zero, %P[%i,%j]
                %odd = rem %K, %two : index
                %even = sub %K, %odd : index
                for %k = %z, %even, %two {{
                    for %u = %z, %one {{ %a = load %A[%i,%k] : f32 %b = load %B[%k,%j] : f32 {update} }}
                    %q = add %k, %one : index
                    for %u = %z, %one {{ %a = load %A[%i,%q] : f32 %b = load %B[%q,%j] : f32 {update} }}
                }}
                for %k = %even, %K {{ %a = load %A[%i,%k] : f32 %b = load %B[%k,%j] : f32 {update} }}
                %x = load %P[%i,%j] : f32
                %y = load %C[%i,%j] : f32
                %r = max %x, %y : f32
                store %r, %C[%i,%j]
            }}
        }}
    }}
}}"""

    def prepare(rng: np.random.Generator) -> Launch:
        m, n, k = (int(rng.integers(1, 20)) for _ in range(3))
        a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((m, k), (k, n)))
        c = np.asfortranarray(rng.integers(-9, 10, (m, n)).astype(np.float32))
        product = poisoned("f32", m, n)
        arguments = [np.asfortranarray(a), np.asfortranarray(b), product, c, np.int64(k)]
        return Launch(arguments, {2: a @ b, 3: np.maximum(c, a @ b)})

    return Case("product-in-loops", text, prepare, language=True)


def language_cases() -> list[Case]:
    """All cases of this file."""
    return [
        sample(),
        attention(),
        axpby(),
        *(matrices(size) for size in (8, 16, 32)),
        local_memory(),
        loops(),
        collectives("f64", 1e-12),
        collectives("c32", 1e-4),
        collectives("i64", 0.0),
    ]
