"""`tilewright.matmul` of tensors on the GPU, against products in float64."""

from __future__ import annotations

from typing import Any, Final

import pytest

import tilewright as tw
from targets.nvidia.products.test_clusters import gemm
from tilewright.machine.cuda import driver

torch: Any = pytest.importorskip("torch")

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")

DTYPES: Final = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
CLOSE: Final = {"f16": 2e-3, "bf16": 2e-2, "f32": 2e-5, "f64": 1e-12}


def drawn(*shape: int, dtype: str, turned: bool = False) -> Any:
    stored = (*shape[:-2], shape[-1], shape[-2]) if turned else shape
    found = torch.randn(stored, device="cuda", dtype=torch.float64).to(getattr(torch, DTYPES[dtype]))
    return found.mT if turned else found


def error(found: Any, wanted: Any) -> float:
    """The norm of the error, as part of the product's."""
    assert found.shape == wanted.shape
    return float((found.double() - wanted).norm() / wanted.norm())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "extents", [(1, 1, 1), (129, 77, 65), (1000, 1000, 1000), (1025, 1025, 1025), (16, 1000, 3000)]
)
def test_majors(dtype: str, extents: tuple[int, int, int]) -> None:
    """Extents that tiles divide or not, rows that begin at multiples of 16 bytes or not."""
    m, n, k = extents
    for turned in ((False, False), (False, True), (True, False), (True, True)):
        a, b = drawn(m, k, dtype=dtype, turned=turned[0]), drawn(k, n, dtype=dtype, turned=turned[1])
        assert error(tw.matmul(a, b), a.double() @ b.double()) < CLOSE[dtype], turned


@pytest.mark.parametrize("epilogue", ["bias+gelu", "bias+gelu_tanh", "silu+bias", "bias+relu+residual"])
@pytest.mark.parametrize("extents", [(300, 520, 1024), (2048, 2056, 1024)])
def test_epilogues(epilogue: str, extents: tuple[int, int, int]) -> None:
    """Of tiles with two slabs a warp, and with four."""
    functional = torch.nn.functional
    m, n, k = extents
    a, b, bias, rest = (
        drawn(m, k, dtype="f16"),
        drawn(k, n, dtype="f16"),
        drawn(n, dtype="f32"),
        drawn(m, n, dtype="f16"),
    )
    options: dict[str, Any] = {"residual": rest} if "residual" in epilogue else {}
    x = a.double() @ b.double()
    wanted = {
        "bias+gelu": lambda: functional.gelu(x + bias),
        "bias+gelu_tanh": lambda: functional.gelu(x + bias, approximate="tanh"),
        "silu+bias": lambda: functional.silu(x) + bias,
        "bias+relu+residual": lambda: functional.relu(x + bias) + rest,
    }[epilogue]()
    assert error(tw.matmul(a, b, bias=bias, epilogue=epilogue, **options), wanted) < CLOSE["f16"]


@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_few_elements_and_many_terms(dtype: str) -> None:
    """Parts of the terms in blocks of their own, also behind other work in the stream and in a graph."""
    a, b = drawn(100, 32768, dtype=dtype), drawn(32768, 70, dtype=dtype)
    bias = drawn(100, 1, dtype="f32")
    assert tw.matmul.plan(a, b, bias=bias).parts > 1
    wanted = a.double() @ b.double() + bias.double()
    out = torch.empty(100, 70, device="cuda", dtype=a.dtype)
    for _ in range(3):
        assert error(tw.matmul(a, b, out, bias=bias), wanted) < CLOSE[dtype]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        tw.matmul(a, b, out, bias=bias)
    out.zero_()
    graph.replay()
    assert error(out, wanted) < CLOSE[dtype]


@pytest.mark.parametrize("dtype", ["f16", "f64"])
def test_batches(dtype: str) -> None:
    a, b = drawn(5, 3, 40, 65, dtype=dtype), drawn(3, 65, 70, dtype=dtype)
    assert error(tw.matmul(a, b), a.double() @ b.double()) < CLOSE[dtype]
    q, k = drawn(2, 50, 4, 64, dtype=dtype), drawn(2, 60, 4, 64, dtype=dtype)
    wanted = torch.einsum("blhd,bmhd->bhlm", q.double(), k.double())
    assert error(tw.einsum("blhd,bmhd->bhlm", q, k), wanted) < CLOSE[dtype]


def test_integers() -> None:
    a, b = (torch.randint(-128, 128, shape, dtype=torch.int8, device="cuda") for shape in ((99, 130), (130, 64)))
    assert torch.equal(tw.matmul(a, b).double(), a.double() @ b.double())


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("extents", [(17, 5, 3), (129, 77, 65), (1000, 1000, 1000), (1024, 2048, 4096)])
def test_floats_of_8_bits(name: str, extents: tuple[int, int, int]) -> None:
    """Scales of both factors, a bias and an activation behind them; exact sums, and those that units keep."""
    m, n, k = extents
    scales, bias = (drawn(m, 1, dtype="f32"), drawn(n, dtype="f32")), drawn(n, dtype="f32")
    for turned in ((False, False), (False, True), (True, False), (True, True)):
        a, b = (
            drawn(*shape, dtype="f32", turned=side).to(getattr(torch, name))
            for shape, side in zip(((m, k), (k, n)), turned, strict=True)
        )
        wanted = a.double() @ b.double()
        assert error(tw.matmul(a, b), wanted) < 1e-6, turned
        assert error(tw.matmul(a, b, precision="fast"), wanted) < 4e-3, turned
        scale = scales[0] * scales[1]
        found = tw.matmul(a, b, scale=scale, bias=bias, epilogue="scale+bias+relu", out_dtype="bf16", precision="fast")
        assert error(found, torch.relu(wanted * scale.double() + bias.double())) < 8e-3, turned


@pytest.mark.parametrize(
    "schedule",
    ["", "threads=256 tile=256x128x64 roles=yes cluster=1x2", "threads=128 tile=128x128x64 roles=yes pingpong=yes"],
)
@pytest.mark.parametrize("total", ["f16", "f32"])
def test_forty_launches_leave_the_same_bits(schedule: str, total: str) -> None:
    (product,) = tw.compile(gemm((2048, 2048, 2048), "n.n", total), target="nvidia", schedule=schedule or None)
    a, b = (drawn(2048, 2048, dtype="f16", turned=True) for _ in range(2))
    c, before = drawn(2048, 2048, dtype=total, turned=True), None
    for number in range(40):
        c.fill_(float("nan") if number % 2 else -1e4)
        product[1](a, b, c)
        assert before is None or torch.equal(c, before), number
        before = c.clone()
    assert error(c, a.double() @ b.double()) < CLOSE["f16"]


def test_gradients_of_compiled_code() -> None:
    x, w = (drawn(shape, 64, dtype="f32").requires_grad_() for shape in (40, 72))

    def layer(x: Any, w: Any) -> Any:
        return tw.matmul(x, w.t(), epilogue="gelu").sum()

    found = torch.autograd.grad(torch.compile(layer, fullgraph=True)(x, w), (x, w))
    wanted = torch.autograd.grad(torch.nn.functional.gelu(x.double() @ w.double().t()).sum(), (x, w))
    for one, other in zip(found, wanted, strict=True):
        assert error(one, other.double()) < 1e-4


@pytest.mark.parametrize(
    "schedule",
    [
        "threads=256 tile=256x128x64 roles=yes cluster=1x2",
        "threads=128 tile=128x128x64 roles=yes pingpong=yes cluster=2x1",
        "threads=128 tile=64x64x64 roles=yes pingpong=yes cluster=2x2",
        "threads=256 tile=128x200x64",
        "threads=128 tile=128x168x64 roles=yes pingpong=yes",
        "threads=384 tile=192x216x64",
    ],
)
def test_tiles_that_the_device_loads_and_stores(schedule: str) -> None:
    """Blocks that fill each other's stages, slabs the other way round; few terms of many tiles; the same bits again."""
    for m, n, k, total in ((2056, 1960, 128, "f16"), (520, 776, 1088, "f32"), (4096, 2048, 320, "f16")):
        (product,) = tw.compile(gemm((m, n, k), "n.n", total), target="nvidia", schedule=schedule)
        a, b = drawn(m, k, dtype="f16", turned=True), drawn(k, n, dtype="f16", turned=True)
        c, before = drawn(m, n, dtype=total, turned=True), None
        for _ in range(3):
            c.fill_(float("nan"))
            product[1](a, b, c)
            assert before is None or torch.equal(c, before)
            before = c.clone()
        assert error(c, a.double() @ b.double()) < CLOSE["f16"]
