"""`tilewright.matmul` and `einsum` against NumPy, in the interpreter and compiled for the CPU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from effort import SEED, count
from operators.activations import FUNCTIONS, gelu_tanh, relu

Array = NDArray[Any]
DTYPES: Final[dict[str, Any]] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "i8": np.int8,
    "i32": np.int32,
}
CLOSE: Final = {"f16": 2e-3, "bf16": 2e-2, "f32": 2e-5, "f64": 1e-12, "i8": 0.0, "i32": 0.0}


class Draw:
    """Random products: arrays with gaps, steps, permuted and reversed modes."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def array(self, shape: Sequence[int], dtype: str) -> Array:
        """An array of some layout."""
        rng = self.rng
        order = [int(k) for k in rng.permutation(len(shape))]
        steps = [int(rng.choice([1, 1, 1, 2])) for _ in shape]
        stored = [(shape[k] + int(rng.integers(0, 2))) * steps[k] for k in order]
        if dtype.startswith("i"):
            base = rng.integers(-9, 9, stored).astype(DTYPES[dtype])
        else:
            base = rng.standard_normal(stored).astype(DTYPES[dtype])
        cut = tuple(slice(0, extent * step, step) for extent, step in zip(shape, steps, strict=True))
        found = base.transpose(np.argsort(order))[cut]
        return np.flip(found, 0) if found.ndim and rng.random() < 0.15 else found

    def extent(self) -> int:
        """Of a matrix: nothing, one, or odd."""
        return int(self.rng.choice([0, 1, 2, 3, 5, 8, 17, 33], p=[0.05, 0.15, 0.1, 0.15, 0.15, 0.15, 0.15, 0.1]))

    def some(self, probability: float) -> bool:
        """Whether to do something."""
        return bool(self.rng.random() < probability)

    def factors(self, dtype: str) -> tuple[Array, Array]:
        """Stacks of matrices that are broadcast, or vectors."""
        batch = [int(self.rng.integers(1, 4)) for _ in range(int(self.rng.integers(0, 4)))]
        of_a, of_b = (
            [1 if self.some(0.3) else extent for extent in batch][int(self.rng.integers(0, len(batch) + 1)) :]
            for _ in range(2)
        )
        m, n, k = self.extent(), self.extent(), self.extent()
        a = [*of_a, m, k] if of_a or self.some(0.9) else [k]
        b = [*of_b, k, n] if of_b or self.some(0.9) else [k]
        return self.array(a, dtype), self.array(b, dtype)

    def epilogue(self, wanted: Array, extra: str, options: dict[str, Any], names: Sequence[str]) -> Array:
        """Steps behind a product; what they make of it."""
        steps: list[str] = []
        for step in self.rng.choice(names, int(self.rng.integers(0, 4))):
            if step in FUNCTIONS:
                wanted = FUNCTIONS[step](wanted)
            elif step not in options:
                full = wanted.shape
                shape = full if step == "residual" else [1 if self.some(0.5) else extent for extent in full]
                shape = shape[0 if step == "residual" else int(self.rng.integers(0, len(full) + 1)) :]
                options[step] = self.array(shape, extra)
                operand = options[step].astype(wanted.dtype)
                wanted = wanted * operand if step == "scale" else wanted + operand
            else:
                continue
            steps.append(str(step))
        if steps:
            options["epilogue"] = "+".join(steps)
        return wanted

    def check(self, target: str) -> None:
        """One product, compared with NumPy's in float64 or int64."""
        dtype = str(self.rng.choice(["f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "i8"]))
        a, b = self.factors(dtype)
        integers = dtype == "i8" and self.some(0.5)
        wanted = np.matmul(a.astype(np.float64), b.astype(np.float64))
        options: dict[str, Any] = {"target": target}
        if self.some(0.3):
            options["alpha"] = 2
            wanted = 2 * wanted
        if self.some(0.3):
            options |= {"c": self.array(wanted.shape, "i8" if integers else "f32"), "beta": -1}
            wanted = wanted - options["c"].astype(np.float64)
        names = ["bias", "scale", "residual", *(["relu"] if integers else FUNCTIONS)]
        extra = "i8" if integers else str(self.rng.choice(["f16", "f32", "f64"]))
        wanted = self.epilogue(wanted, extra, options, names)
        result = "i32" if integers else str(self.rng.choice(["f16", "bf16", "f32", "f64"]))
        out, room = None, np.full((), 77)
        if self.some(0.5):
            turned = self.some(0.5)
            shape = wanted.shape[::-1] if turned else wanted.shape
            room = np.full([extent + 2 for extent in shape], 77, DTYPES[result])
            inside = room[(*(slice(1, extent + 1) for extent in shape), ...)]
            out = inside.T if turned else inside
        found: Array = tw.matmul(a, b, out, **options, **({} if out is not None else {"out_dtype": result}))
        assert found.dtype == DTYPES[result]
        assert found.shape == wanted.shape
        assert out is None or found is out
        least = 0.0 if integers else CLOSE["f64" if dtype == "f64" and result == "f64" else "f32"]
        allowed = max(CLOSE[result], least) * (np.abs(wanted) + 2 * math.sqrt(a.shape[-1] + 1) + 1)
        assert (np.abs(found.astype(np.float64) - wanted) <= allowed).all()
        if out is not None:
            out[...] = 77
            assert (room == 77).all()


def test_random_products_in_the_interpreter() -> None:
    draw = Draw(SEED)
    for _ in range(count("RANDOM_MATMULS", 15, 400)):
        draw.check("interpreter")


def test_random_products_compiled() -> None:
    draw = Draw(SEED + 1)
    for _ in range(count("RANDOM_COMPILED_MATMULS", 2, 100)):
        draw.check("cpu")


@pytest.mark.parametrize(
    "subscripts",
    ["ij,jk->ik", "ab,bc", "abc,cd->bad", "abcd,bdce->eac", "ab,cd->abcd", "abc,abc->", "aab,bc->ac", "adbc,dcbe->ae"],
)
def test_einsum(subscripts: str) -> None:
    rng = np.random.default_rng()
    extents = dict(zip("abcdeijk", (2, 3, 4, 5, 2, 3, 4, 5), strict=True))
    a, b = (rng.standard_normal([extents[x] for x in part]) for part in subscripts.split("->")[0].split(","))
    a = a[::-1] if a.ndim > 2 else a.T.copy().T
    found = tw.einsum(subscripts, a, b, target="interpreter")
    np.testing.assert_allclose(found, np.einsum(subscripts, a, b), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("epilogue", ["gelu", "gelu_tanh"])
def test_gelu_of_all_numbers(dtype: str, epilogue: str) -> None:
    """Without cancellation where it is small, and none of infinities is NaN."""
    x = np.concatenate([np.linspace(-9, 9, 2001), [np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30, 0]]).astype(
        DTYPES[dtype]
    )
    found: Array = tw.matmul(x[:, None], np.ones((1, 1), x.dtype), epilogue=epilogue, target="interpreter")[:, 0]
    wanted = np.array([v and v * math.erfc(-v / math.sqrt(2)) / 2 for v in x[:2001].astype(float)])
    wanted = wanted if epilogue == "gelu" else gelu_tanh(x[:2001].astype(float))
    assert np.abs(found[:2001] - wanted).max() < (1e-6 if dtype == "f32" else 1e-14)
    if dtype == "f32":
        np.testing.assert_allclose(found[2001:], [np.inf, 0, np.nan, 1e30, 0, 5e-31, 0], rtol=1e-6)


@pytest.mark.parametrize(("epilogue", "most"), [("gelu", 0.65), ("gelu_tanh", 0.68)])
def test_gelu_of_all_numbers_of_f16(epilogue: str, most: float) -> None:
    """Nearly the nearest number: of all that f16 has but those whose result is tiny, in units of the last place."""
    every = np.arange(0, 1 << 16, 7).astype(np.uint16).view(np.float16)
    x: Array = np.compress(np.isfinite(every), every)
    found: Array = tw.matmul(x[:, None], np.ones((1, 1), x.dtype), epilogue=epilogue, target="interpreter")[:, 0]
    exact = x.astype(float)
    by_erf = np.array([v * math.erfc(-v / math.sqrt(2)) / 2 for v in exact.tolist()])
    wanted = by_erf if epilogue == "gelu" else gelu_tanh(exact)
    units = np.abs(found - wanted) / np.spacing(np.abs(wanted).astype(np.float16)).astype(float)
    assert units.max() < most
    edges = np.array([[np.inf], [-np.inf], [np.nan], [6e4], [-6e4]], np.float16)
    found = tw.matmul(edges, np.ones((1, 1), x.dtype), epilogue=epilogue, target="interpreter")[:, 0]
    np.testing.assert_array_equal(found, np.array([np.inf, 0, np.nan, 6e4, 0], np.float16))


def test_arrays_of_jax() -> None:
    jax: Any = pytest.importorskip("jax.numpy")
    a, b = jax.arange(12.0).reshape(3, 4), jax.ones((4, 2), jax.bfloat16)
    found = tw.matmul(a.astype(jax.bfloat16), b)
    assert (type(found), found.dtype) == (type(a), jax.bfloat16)
    assert np.array_equal(np.asarray(tw.einsum("ij,jk->ki", a, b.astype(jax.float32))), np.array([[6, 22, 38]] * 2))
    with pytest.raises(tw.OperatorError, match="arrays of JAX do not change"):
        tw.matmul(a, a.T, a[:, :3])


def test_results_are_rounded_once() -> None:
    """Sums and what follows them are in f32: in f16 the product is infinite, and a small bias would be lost."""
    a, b = np.full((1, 4), 200, np.float16), np.full((4, 1), 200, np.float16)
    found = tw.matmul(a, b, alpha=0.125, bias=np.array([10], np.float16), target="interpreter")
    assert found == np.array([[20016]], np.float16)
    assert np.isinf(np.asarray(tw.matmul(a, b, target="interpreter"))).all()


def test_what_out_holds_is_added() -> None:
    a, b = np.eye(3), np.arange(9.0).reshape(3, 3)
    out = np.ones((3, 3))
    assert tw.matmul(a, b, out, beta=2.0, target="interpreter") is out
    assert (out == b + 2).all()
    with pytest.raises(tw.OperatorError, match="neither c nor out"):
        tw.matmul(a, b, beta=2.0)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_fewer_bits_on_request(target: str) -> None:
    """Factors of 11 significant bits, or those and the rest; of vectors too."""
    a, b = np.array([[1 + 2**-12, 1 + 2**-9]], np.float32), np.eye(2, dtype=np.float32)
    for x in (a, a[0]):
        rounded: Array = tw.matmul(x, b, precision="tf32", target=target)
        assert np.array_equal(rounded, np.array([1, 1 + 2**-9], np.float32).reshape(x.shape))
        assert np.array_equal(tw.matmul(x, b, precision="3xtf32", target=target), x)


@pytest.mark.parametrize("dtype", ["f8E4M3FN", "f8E5M2"])
def test_floats_of_8_bits(dtype: str) -> None:
    """Sums of f32 are the result unless another is asked for; scales are steps behind them."""
    rng = np.random.default_rng(SEED)
    a, b = (rng.integers(-4, 5, shape).astype(DTYPES[dtype]) for shape in ((5, 40), (40, 7)))
    product = a.astype(np.float64) @ b.astype(np.float64)
    for precision in ("exact", "fast"):
        found: Array = tw.matmul(a, b, precision=precision)
        assert found.dtype == np.float32
        assert np.array_equal(found, product)
    backwards: Array = tw.matmul(a[::-1, ::-2], b[::-2], precision="fast")
    assert np.array_equal(backwards, a[::-1, ::-2].astype(np.float64) @ b[::-2].astype(np.float64))
    scale = np.ldexp(np.float32(1), rng.integers(-3, 3, (5, 7)))
    scaled: Array = tw.matmul(a, b, scale=scale, out_dtype="bf16", accumulate="f32")
    assert np.array_equal(scaled.astype(np.float64), (product * scale).astype(DTYPES["bf16"]).astype(np.float64))


def test_fewer_bits_for_sums_of_f16_are_permitted() -> None:
    """They have those of f32 all the same."""
    a = np.full((1, 4096), 1, np.float16)
    found: Array = tw.matmul(a, a.T, accumulate="f16", out_dtype="f32")
    assert found[0, 0] == 4096


def test_many_small_matrices_and_vectors() -> None:
    """On the CPU programs are made for the extents of many small matrices, and products of vectors have no rows."""
    rng = np.random.default_rng()
    a, b, bias = rng.standard_normal((16, 5, 7)), rng.standard_normal((16, 7, 3)), rng.standard_normal((5, 1))
    plan = tw.matmul.plan(a, b, bias=bias)
    assert "memref<?x5x7xf64, strided<[?, 7, 1]>>" in plan.text
    np.testing.assert_allclose(tw.matmul(a, b, bias=bias), a @ b + bias, rtol=1e-12, atol=1e-12)
    assert "memref<?x?x?xf64, strided<[?, ?, 1]>>" in tw.matmul.plan(a[:15], b[:15]).text
    for x, y in ((a[0, 0], b[0]), (a[0], b[0, :, 0]), (a[0, 0], b[0, :, 0])):
        assert '["parallel", "reduction"]' in tw.matmul.plan(x, y).text
        np.testing.assert_allclose(tw.matmul(x, y, epilogue="relu", target="interpreter"), relu(x @ y))
    # rows of one element in front of all others, which views of matrices keep; theirs of the loops go
    rows, many = rng.integers(-9, 9, (4, 5)).astype(np.int8), rng.integers(-9, 9, (5, 8, 5)).astype(np.int8)
    many = many.transpose(2, 1, 0).copy().transpose(2, 1, 0)
    found: Array = tw.einsum("bd,dca->dcab", rows[:, ::1], many)
    assert np.array_equal(found, np.einsum("bd,dca->dcab", rows.astype(np.int32), many.astype(np.int32)))


@pytest.mark.parametrize(
    ("shape", "fixed"),
    [
        ((1024, 3, 4), "memref<?x4xf64, strided<[?, 1]>>"),
        ((1023, 3, 4), "memref<?x?xf64, strided<[?, 1]>>"),
        ((3, 1024, 5), "memref<3x5xf64, strided<[5, 1]>>"),
        ((4, 3, 1024), "memref<4x?xf64, strided<[?, 1]>>"),
        ((1024, 65, 4), "memref<?x?xf64, strided<[?, 1]>>"),
        ((1024, 3, 0), "memref<?x?xf64, strided<[?, 1]>>"),
    ],
)
def test_long_thin_products(shape: tuple[int, int, int], fixed: str) -> None:
    """On the CPU programs are made for the short extents of products with one long one."""
    rows, terms, columns = shape
    rng = np.random.default_rng()
    a, b = rng.standard_normal((rows, terms)), rng.standard_normal((terms, columns))
    assert f"%out: {fixed}" in tw.matmul.plan(a, b).text
    np.testing.assert_allclose(tw.matmul(a, b), a @ b, rtol=1e-12, atol=1e-12)
    turned = tw.matmul(a, b, np.zeros((columns, rows)).T)
    np.testing.assert_allclose(turned, a @ b, rtol=1e-12, atol=1e-12)
