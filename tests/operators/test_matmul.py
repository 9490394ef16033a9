"""`tilewright.matmul` and `einsum` against NumPy, in the interpreter and compiled."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, cast

import ml_dtypes
import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

import tilewright as tw
from effort import SEED, count, thorough
from interop.emulated_device import OnDevice, runs
from machine.cuda.fake_driver import FakeDriver
from machine.cuda.played import played as played
from tilewright.operators.frameworks import framework_of
from tilewright.operators.products import compiled, launch_of
from tilewright.runtime.arrays import view

Array = NDArray[Any]
DTYPES: Final[dict[str, Any]] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
}
CLOSE: Final = {"f16": 2e-3, "bf16": 2e-2, "f32": 2e-5, "f64": 1e-12, "i8": 0.0, "i32": 0.0}


def gelu(x: Array) -> Array:
    return x / 2 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))


def gelu_tanh(x: Array) -> Array:
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def silu(x: Array) -> Array:
    return x * sigmoid(x)


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


FUNCTIONS: Final[dict[str, Callable[[Array], Array]]] = {
    "relu": relu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
    "sigmoid": sigmoid,
    "tanh": np.tanh,
}


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
        dtype = str(self.rng.choice(["f16", "bf16", "f32", "f64", "i8"]))
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


F: Final = np.zeros((3, 4), np.float32)
I8: Final = np.ones((3, 4), np.int8)
SQUARE: Final = np.ones((3, 3), np.float32)
READ_ONLY: Final = np.frombuffer(bytes(36), np.float32).reshape(3, 3)


class OnHost:
    """An array that nothing but DLPack shows."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> object:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((F, F), {}, tw.OperatorError, r"a has extents \(3, 4\), b \(3, 4\): 4 and 3 have to be equal"),
        ((F, F.T.astype(np.float64)), {}, tw.OperatorTypeError, "a is of f32, b of f64; factors are of one type"),
        (
            (F.astype(np.int32), F.T.astype(np.int32)),
            {},
            tw.OperatorTypeError,
            "a and b are of i32; products are there",
        ),
        ((F > 0, F.T > 0), {}, tw.OperatorTypeError, "a: its element type is bool; products are there of f16, bf16"),
        ((F, "b"), {}, tw.OperatorTypeError, "b: str is no array"),
        ((F, np.zeros((), np.float32)), {}, tw.OperatorError, "no factors without modes"),
        ((F, F.T, F), {}, tw.OperatorError, r"out has extents \(3, 4\), the product \(3, 3\)"),
        ((F, F.T, np.zeros((6, 3), np.float32)[::-2]), {}, tw.OperatorError, "out: .* it runs backwards"),
        ((F, F.T, np.zeros((3, 3))), {"out_dtype": "f32"}, tw.OperatorTypeError, "out is of f64, out_dtype says f32"),
        ((F, F.T), {"epilogue": "bias"}, tw.OperatorError, "bias: there is no array of that name; give both or none"),
        ((F, F.T), {"bias": F[0], "epilogue": "gelu"}, tw.OperatorError, "bias: the epilogue 'gelu' has no step"),
        (
            (F, F.T),
            {"bias": F[0]},
            tw.OperatorError,
            r"bias has extents \(4,\), which are not broadcast to .* \(3, 3\)",
        ),
        ((F, F.T), {"epilogue": "swish"}, tw.OperatorError, "there is no step 'swish'; there are bias, scale"),
        ((F, F.T), {"epilogue": "+".join(["gelu"] * 9)}, tw.OperatorError, "9 steps, of 8 at most"),
        ((F, F.T), {"precision": "tf16"}, tw.OperatorTypeError, "in f32 are exact, tf32, 3xtf32, not tf16"),
        (
            (F, F.T),
            {"precision": "tf32", "accumulate": "f64"},
            tw.OperatorTypeError,
            "precision: products of f32 with accumulators in f64 are exact, not tf32",
        ),
        ((F, F.T), {"accumulate": "f16"}, tw.OperatorTypeError, "products of f32 are summed in f32 or f64, not in f16"),
        ((F, F.T), {"out_dtype": "i32"}, tw.OperatorTypeError, "results of products of f32 are of f16, bf16, f32, f64"),
        ((F, F.T), {"out_type": "f32"}, TypeError, "no option 'out_type'; there are accumulate, alpha"),
        ((F, F.T), {"epilogue": ["relu"]}, tw.OperatorTypeError, "epilogue is .'relu'.; it is text"),
        ((F, F.T), {"target": 5}, tw.OperatorTypeError, "target is 5; it is text"),
        ((F, F.T), {"out_dtype": ""}, tw.OperatorTypeError, "results of products of f32 are"),
        ((F, F.T), {"alpha": None}, tw.OperatorTypeError, "alpha is None; it is a number"),
        ((F, F.T), {"beta": np.ones(2), "c": F}, tw.OperatorTypeError, "beta is array.*; it is a number"),
        ((F, F.T), {"alpha": 1e300}, tw.OperatorError, "^alpha: 1e.300 is beyond the range of f32"),
        ((I8, I8.T), {"alpha": np.inf}, tw.OperatorTypeError, "alpha is inf, and the result is of integers"),
        ((SQUARE, SQUARE.T.copy(), SQUARE), {}, tw.OperatorError, "^out: .* overlaps argument a"),
        ((F, F.T, READ_ONLY), {}, tw.OperatorError, "^out: the array is read-only"),
        ((F.astype(np.int8), F.T.astype(np.int8)), {"epilogue": "gelu"}, tw.OperatorTypeError, "computed with floats"),
        (
            (F.astype(np.int8), F.T.astype(np.int8)),
            {"alpha": 0.5},
            tw.OperatorTypeError,
            "alpha is 0.5, and the result",
        ),
        ((OnDevice(F), F.T, F[:, :3]), {}, tw.OperatorError, "a lies on cuda:0, b on cpu"),
        (
            (OnDevice(F[:, ::-1]), OnDevice(F.T), OnDevice(F[:, :3])),
            {},
            tw.OperatorError,
            "a: it runs backwards, and its library is not known to copy it; pass a copy",
        ),
        ((OnDevice(F), OnDevice(F.T)), {}, tw.OperatorError, "not known to make arrays there: give out"),
    ],
)
def test_what_does_not_fit(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        tw.matmul(*arguments, **options)


def test_bad_subscripts() -> None:
    for text, message in {
        "ij,jk->iik": "'i' twice",
        "ij,kl->ij": "'k' is in one factor alone",
        "i...,j->i": "without an ellipsis",
        "ijk,jk->ik": r"3 letters for a, whose extents are \(3, 4\)",
    }.items():
        with pytest.raises(tw.OperatorError, match=message):
            tw.einsum(text, F, F)
    with pytest.raises(tw.OperatorError, match=r"a has no diagonal 'i', its extents are \(1, 3\)"):
        tw.einsum("ii,ij->ij", F[:1, :3], F[:3])
    with pytest.raises(tw.OperatorTypeError, match="subscripts are 5; they are text"):
        tw.einsum(cast("str", 5), F, F)


def test_a_leading_batch_of_one_factor_is_rows() -> None:
    """Matrices that lie one behind the other and meet one and the same second factor are one matrix."""
    plan = tw.matmul.plan(np.zeros((6, 5, 4)), np.zeros((4, 3)))
    assert plan.arrangement.loops == ()
    assert dict(plan.arrangement.extents) == {"m": 30, "n": 3, "k": 4}
    apart = tw.matmul.plan(np.zeros((6, 7, 4))[:, :5], np.zeros((4, 3)))
    assert apart.arrangement.loops == ("p0",)
    repeated = tw.matmul.plan(np.broadcast_to(np.zeros((1, 5, 4)), (6, 5, 4)), np.zeros((6, 4, 3)))
    assert repeated.copies == ()
    assert repeated.arrangement.operands[0].modes == ("m", "k")


def test_equal_classes_share_a_program() -> None:
    before = compiled.cache_info().misses
    for m in (3, 4, 5):
        a, b = np.zeros((m, m), np.float16), np.zeros((m, m + 1), np.float16)
        assert tw.matmul.plan(a, b).kernel is tw.matmul.plan(a, b).kernel
    assert compiled.cache_info().misses <= before + 1


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_fewer_bits_on_request(target: str) -> None:
    """Factors of 11 significant bits, or those and the rest; of vectors too."""
    a, b = np.array([[1 + 2**-12, 1 + 2**-9]], np.float32), np.eye(2, dtype=np.float32)
    for x in (a, a[0]):
        rounded: Array = tw.matmul(x, b, precision="tf32", target=target)
        assert np.array_equal(rounded, np.array([1, 1 + 2**-9], np.float32).reshape(x.shape))
        assert np.array_equal(tw.matmul(x, b, precision="3xtf32", target=target), x)


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


def test_columns_are_computed_as_rows_of_the_transposed_product() -> None:
    a, b = np.zeros((3, 4)), np.zeros((4, 5))
    plan = tw.matmul.plan(a, b, np.zeros((5, 3)).T)
    assert plan.arrangement.turned
    assert plan.text == tw.matmul.plan(b.T, a.T, np.zeros((5, 3))).text.replace("%a", "%t").replace("%b", "%a").replace(
        "%t", "%b"
    )


class TestCopies:
    """What kernels do not take as it lies is copied, and plans say so."""

    def copies(self, a: Array, b: Array, target: str = "cpu") -> list[str]:
        return [str(copy) for copy in tw.matmul.plan(a, b, target=target).copies]

    def test_steps_backwards_and_repeated_elements(self) -> None:
        a, b = np.zeros((3, 4)), np.zeros((4, 5))
        assert self.copies(a, b) == self.copies(a[::2, ::2], b[::2, ::3]) == []
        assert self.copies(a[:, ::-1], b) == ["a is copied: it runs backwards (strides (4, -1), of the copy (4, 1))"]
        assert "b is copied: it repeats elements" in self.copies(a, np.broadcast_to(b[:, :1], (4, 5)))[0]
        windows = np.lib.stride_tricks.sliding_window_view(np.arange(6.0), 4)
        assert "a is copied: its rows overlap" in self.copies(windows, b)[0]
        np.testing.assert_array_equal(tw.matmul(windows, b + 1), windows @ (b + 1))

    def test_of_what_offers_dlpack_alone(self) -> None:
        """To NumPy it is one object, whose elements would be pointers."""
        a = np.arange(12, dtype=np.float32).reshape(3, 4)
        found: Array = tw.matmul(a, OnHost(a.T[::-1]))
        assert np.array_equal(found, a @ a.T[::-1])

    def test_factors_that_a_gpu_reads_slowly(self) -> None:
        a = np.zeros((1025, 1032), np.float16)
        odd = a[:, :1025].copy()
        assert self.copies(a[:, :1025], a, "nvidia:sm_90a") == []
        (said,) = self.copies(odd, a, "nvidia:sm_90a")
        assert said == (
            "a is copied: its rows are 2050 bytes apart, no multiple of 16 (strides (1025, 1), of the copy (1088, 1))"
        )
        (said,) = self.copies(a[:, 1:1026], a, "nvidia:sm_90a")
        assert "it begins at no multiple of 16 bytes" in said
        assert (
            "its elements are no neighbours" in self.copies(np.zeros((1025, 2050), np.float16)[:, ::2], a, "nvidia")[0]
        )
        # rows of copies begin where lines of 128 bytes do; small products take none
        wide = np.zeros((3001, 3001), np.float32)
        (said, _) = self.copies(wide, wide, "nvidia:sm_90a")
        assert "its rows are 12004 bytes apart, no multiple of 16 (strides (3001, 1), of the copy (3008, 1))" in said
        assert self.copies(odd[:65, :65].copy(), odd[:65, :65].copy(), "nvidia") == []
        assert self.copies(odd, a) == []

    @pytest.mark.parametrize(
        ("dtype", "precision", "unit"), [(np.float32, "tf32", "tf32.turned"), (np.int8, "exact", "i8.turned")]
    )
    def test_one_of_two_factors_that_no_unit_takes(self, dtype: type[Any], precision: str, unit: str) -> None:
        a, few = np.zeros((2048, 4608), dtype), np.zeros((9, 2048), dtype)
        plans = [tw.matmul.plan(x, a, target="nvidia:sm_90a", precision=precision) for x in (a.T, few)]
        copies = [[str(copy) for copy in plan.copies] for plan in plans]
        reason = "no unit takes both factors as they lie"
        assert copies == [[f"a is copied: {reason} (strides (1, 4608), of the copy (2048, 1))"], []]
        assert unit in plans[0].schedule
        assert not tw.matmul.plan(a.T, a, target="nvidia:sm_80", precision=precision).copies
        if precision != "exact":
            assert not tw.matmul.plan(a.T, a, target="nvidia:sm_90a").copies


def test_what_the_machine_copies_has_no_second_way() -> None:
    """In which threads copy: only a plan for other arrays has it."""
    a = np.zeros((300, 304), np.float16)
    b, out = np.zeros((304, 200), np.float16), np.zeros((300, 200), np.float16)
    odd = np.zeros((300, 203), np.float16)

    def second(*arrays: Array, target: str = "nvidia:sm_90a") -> bool:
        return "maps=yes" not in tw.matmul.plan(*arrays, target=target).steps[0].tiles

    assert not second(a, b, out)
    assert not second(a[:, :1], b[:1], out)
    assert not second(np.zeros((5, 304), np.float16), np.zeros((304, 16), np.float16), np.zeros((5, 16), np.float16))
    assert second(a[:, 1:297], b[:296], out)
    assert second(a, b, odd[:, :200])
    assert second(a, b, np.zeros((300, 201), np.float16)[:, 1:])
    assert second(a, b[:, ::2], out[:, :100])
    assert second(a.astype(np.float32), b.astype(np.float32), out.astype(np.float32))
    assert second(a, b, out, target="nvidia:sm_80")
    # neighbours that lie in matrices beside each other, and more modes than a map has
    apart = np.zeros((8, 8, 8), np.float16)
    assert second(apart.transpose(2, 0, 1), apart)
    for modes in (5, 6):
        many = np.zeros((16,) * (modes - 1) + (8,), np.float16)[(slice(None, None, 2),) * (modes - 1)]
        plan = tw.matmul.plan(many, apart[0], target="nvidia:sm_90a")
        assert len(plan.arrangement.operands[0].modes) == modes
        assert ("maps=yes" in plan.steps[0].tiles) == (modes == 5)
    plan = tw.matmul.plan(a, b, out, target="nvidia:sm_90a")
    assert plan.schedule.endswith("maps=yes")


def test_on_a_device(played: FakeDriver) -> None:
    """The emulator runs what a launch enqueues: a product with an epilogue, of arrays with gaps."""
    rng = np.random.default_rng()
    a, b, bias = (rng.standard_normal(shape).astype(np.float16) for shape in ((5, 21), (24, 9), (9,)))
    out = np.full((5, 9), np.nan, np.float16)
    arrays = [OnDevice(a[:, 1:20]), OnDevice(b[:19]), OnDevice(out)]
    shift = OnDevice(bias)
    options: Any = {"bias": shift, "epilogue": "bias+relu", "target": "nvidia:sm_80"}
    text = tw.matmul.plan(*arrays, **options).text
    runs(played, lambda: tw.compile(text, target="nvidia:sm_80"), [*arrays, shift])
    tw.matmul(*arrays, **options)
    wanted = np.maximum(a[:, 1:20].astype(float) @ b[:19].astype(float) + bias.astype(float), 0)
    assert np.allclose(out.astype(float), wanted, rtol=2e-3, atol=2e-3)


@pytest.mark.skipif(not thorough(), reason="the emulator takes seconds")
def test_parts_on_a_device(played: FakeDriver) -> None:
    """Two launches: sums of parts, then their sums with what follows."""
    rng = np.random.default_rng()
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((3, 4096), (4096, 2)))
    bias = rng.standard_normal(2).astype(np.float32)
    plan = tw.matmul.plan(a, b, bias=bias, epilogue="bias+relu", target="nvidia:sm_80")
    out = OnDevice(np.full((3, 2), np.nan, np.float16))
    arrays = {"a": OnDevice(a), "b": OnDevice(b), "bias": OnDevice(bias), "out": out}
    arrays["partial"] = OnDevice(np.full(plan.steps[0].arranged.operands[-1].shape, np.nan, np.float32))
    for step in plan.steps:
        of_step = partial(tw.compile, step.text, target="nvidia:sm_80", schedule=step.tiles or None)
        runs(played, of_step, [*arrays.values()])
        operands = step.arranged.operands
        of_step().matmul[1](*(replace(view(arrays[o.name]), shape=o.shape, strides=o.strides) for o in operands))
    assert len(played.launches) == 2
    assert np.allclose(out.array, relu(a.astype(float) @ b.astype(float) + bias), rtol=2e-3, atol=2e-3)


def interpreted(plan: Any, arrays: dict[str, Array], *numbers: float) -> None:
    """Run the steps of a plan in the interpreter."""
    for step in plan.steps:
        operands = step.arranged.operands
        shapes = {one.name: (one.shape, [arrays[one.name].itemsize * s for s in one.strides]) for one in operands}
        views = [np.lib.stride_tricks.as_strided(arrays[name], *layout) for name, layout in shapes.items()]
        tw.compile(step.text, target="interpreter").matmul[1](*(numbers if step.takes_numbers else ()), *views)


def test_tiles_by_turns_where_the_machine_stores() -> None:
    """Not where threads read what they store, nor where rows begin within 16 bytes."""
    a, wide = np.zeros((3072, 3072), np.float16), np.zeros((3072, 3073), np.float16)

    def tiles(out: Array, **options: Any) -> str:
        return tw.matmul.plan(a, a, out, target="nvidia:sm_90a", **options).steps[0].tiles

    assert tiles(a) == "threads=128 tile=192x128x64 roles=yes pingpong=yes maps=yes"
    assert tiles(a, epilogue="gelu") == tiles(a)
    assert tiles(a, beta=1.0, c=a) == tiles(a)
    assert tiles(wide[:, :-1]) == "threads=256 tile=192x128x64"
    assert tiles(a, beta=1.0) == "threads=256 tile=192x128x64 maps=yes"


def test_launches_of_parts(played: FakeDriver) -> None:
    """Each launch takes the arrays of its program; the sums of parts are a new array between them."""
    a, b, out = np.zeros((3, 8192), np.float16), np.zeros((8192, 2), np.float16), np.zeros((3, 2), np.float16)
    plan = tw.matmul.plan(a, b, out, alpha=2.0, target="nvidia:sm_90a")
    passed: list[tuple[object, ...]] = []

    def start(*given: object) -> None:
        passed.append(given)

    found = launch_of(plan, {name: (x.shape, (x.shape[1], 1)) for name, x in (("a", a), ("b", b), ("out", out))})
    starts = tuple(replace(each, start=start) for each in found.starts)
    replace(found, starts=starts).run(framework_of(a), (2.0,), {"a": a, "b": b, "out": out})
    (left, right, sums), (alpha, added, target) = cast("Any", passed)
    assert (alpha, target is out, added is sums) == (2.0, True, True)
    assert (left.shape, right.shape) == ((3, plan.parts, 8192 // plan.parts), (plan.parts, 8192 // plan.parts, 2))
    assert (sums.shape, sums.dtype) == ((plan.parts, 3, 2), np.float32)


def test_parts_of_a_product() -> None:
    """Few elements and many terms: sums of parts are stored, then added; the texts run in the interpreter as well."""
    rng = np.random.default_rng()
    a, b, bias = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 3, 2048), (2, 2048, 70), (70,)))
    out, shift = np.full((2, 3, 70), np.nan, np.float32), rng.standard_normal((3, 1)).astype(np.float32)
    for given, options in ((a, {"bias": bias, "epilogue": "bias+gelu", "alpha": 0.1}), (a[:1], {"residual": shift})):
        wanted = gelu(0.1 * (a @ b) + bias) if "bias" in options else a[:1] @ b + shift
        plan = tw.matmul.plan(given, b, out, **cast("Any", options), target="nvidia:sm_90a")
        assert plan.parts > 1
        assert [step.takes_numbers for step in plan.steps] == [False, "alpha" in options]
        assert dict(plan.steps[0].arranged.extents)["k"] * plan.parts == 2048
        assert f"in {plan.parts} parts of the terms, whose sums a second launch adds" in str(plan)
        partial_sums = plan.steps[0].arranged.operands[-1]
        arrays: dict[str, Array] = {
            "a": given,
            "b": b,
            "out": out,
            "partial": np.full(partial_sums.shape, np.nan, "f4"),
        }
        interpreted(plan, arrays | {k: v for k, v in options.items() if isinstance(v, np.ndarray)}, 0.1)
        assert np.allclose(out, wanted, atol=1e-3)
    # enough tiles, or terms that cannot be dealt out evenly
    # parts begin at multiples of 16 bytes: not 60 of 137 terms
    assert tw.matmul.plan(np.zeros((3, 8220), np.float32), np.zeros((8220, 2), np.float32), target="nvidia").parts == 15
    for m, n, k in ((4096, 4096, 2048), (3, 2, 4099), (3, 2, 128)):
        wide, long = np.zeros((m, k), np.float32), np.zeros((k, n), np.float32)
        assert tw.matmul.plan(wide, long, target="nvidia").parts == 1
