"""Products of f32 whose factors may be rounded: what the pass makes of them, and the answers of both languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from click.testing import CliRunner

import tilewright as tw
from loaded import loaded
from tilewright.cli.main import cli
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.numerics.precision import Precision
from tilewright.transforms.round_factors import RoundFactors

TEXTS: Any = loaded(Path(__file__).parents[2] / "benchmarks" / "product_texts.py")
KERNEL = """builtin.module {
  builtin.kernel {sym_name = "k"} (%A: memref<f32x8x8>, %H: memref<f16x8x8>) {
    %z = arith.constant {value = 0} -> index
    %a = tile.load %A, %z, %z -> tile<8x8xf32>
    %h = tile.load %H, %z, %z -> tile<8x8xf16>
    %b = tile.mma %a, %a, %a -> tile<8x8xf32>
    %c = tile.mma %h, %h, %b -> tile<8x8xf32>
    %d = tile.mma %h, %a, %c -> tile<8x8xf32>
    tile.store %d, %A, %z, %z
  }
}
"""
PLACES = [
    ("cpu", "tile ir"),
    ("cpu", "tensor language"),
    ("interpreter", "tile ir"),
    ("interpreter", "tensor language"),
]


@pytest.mark.parametrize(("precision", "products"), [(Precision.TF32, 1), (Precision.THREE_TF32, 3)])
def test_products_of_f32_alone_are_rounded(precision: Precision, products: int) -> None:
    module = parse_ir(Source("k.twir", KERNEL), Report(), operation_classes())
    assert isinstance(module, Module)
    PassManager([RoundFactors(precision)], True).run(module, PassContext())
    text = print_op(module)
    assert text.count("tile.mma") == products + 2
    assert "tile.mma %h, %h, " in text
    assert "tile.mma %h, %a, " in text


def product(target: str, language: str, precision: Literal["exact", "tf32", "3xtf32"], a: Any, b: Any) -> Any:
    """a b, of matrices of 64 x 64."""
    is_tile_ir = language == "tile ir"
    order = "C" if is_tile_ir else "F"
    whole = TEXTS.Product((64, 64, 64), "f32", "f32")
    text = TEXTS.tile_ir_product(whole, (32, 32, 32)) if is_tile_ir else TEXTS.whole_gemm(64, "f32", "f32")
    kernel = tw.compile(text, target=target, precision=precision).product
    c = np.full((64, 64), np.nan, np.float32, order)
    kernel[(2, 2) if is_tile_ir else 1](np.asarray(a, order=order), np.asarray(b, order=order), c)
    return c


@pytest.mark.parametrize(("target", "language"), PLACES)
def test_what_is_rounded(target: str, language: str, rng: np.random.Generator) -> None:
    """Of numbers of 13 bits, ties among them, whose sums are exact."""
    a = (rng.choice([-1, 1], (64, 64)) * rng.integers(4096, 8192, (64, 64)) / 4096).astype(np.float32)
    b = rng.integers(-2, 3, (64, 64)).astype(np.float32)
    rounded = np.rint(a.astype(np.float64) * 1024) / 1024
    np.testing.assert_array_equal(product(target, language, "exact", a, b), a @ b)
    np.testing.assert_array_equal(product(target, language, "tf32", a, b), (rounded @ b).astype(np.float32))
    np.testing.assert_array_equal(product(target, language, "3xtf32", a, b), a @ b)


@pytest.mark.parametrize(("target", "language"), PLACES)
def test_three_products_are_nearly_exact(target: str, language: str, rng: np.random.Generator) -> None:
    a, b = (rng.standard_normal((64, 64)).astype(np.float32) for _ in range(2))
    exact, size = a.astype(np.float64) @ b.astype(np.float64), np.abs(a).astype(np.float64) @ np.abs(b)
    errors = [
        np.max(np.abs(product(target, language, name, a, b) - exact) / size) for name in ("exact", "3xtf32", "tf32")
    ]
    assert errors[0] < 2**-20
    assert errors[1] < 2**-19
    assert 2**-13 < errors[2] < 2**-10


def test_a_precision_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="precision is one of exact, tf32, 3xtf32, fast, not 'half'"):
        tw.compile(TEXTS.whole_gemm(8, "f32", "f32"), precision="half")
    path = tmp_path / "k.tl"
    path.write_text(TEXTS.whole_gemm(8, "f32", "f32"))
    for name, status in (("3xtf32", 0), ("half", 2)):
        found = CliRunner().invoke(cli, ["compile", str(path), "--emit=tile", f"--precision={name}"])
        assert found.exit_code == status
        assert ("xtf32>" in found.output) == (status == 0)
