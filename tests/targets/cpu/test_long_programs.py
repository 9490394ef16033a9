"""Programs that are much code: cut into blocks and parts, made shorter, or refused where they pass the limit."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import tilewright as tw
from differential.compare import disagreements
from differential.variants import Variant
from generators.kernels import generate
from tilewright.machine.processor import FeatureSet
from tilewright.targets.cpu import context, generation
from tilewright.targets.cpu.outlining import parts

GEMM = "gemm.n.n %a, %A, %B, %a, %C"
SHORTENED = [(context, "LONGEST_BLOCK", 8), (parts, "_LONG_FUNCTION", 0), (generation, "WELL_OPTIMISED", 0)]


def program(line: str, count: int, extent: str = "?") -> str:
    matrices = ", ".join(f"%{name}: memref<f32x{extent}x{extent}>" for name in "ABC")
    return f"func @k(%a: f32, {matrices}) {{\n" + f"{line}\n" * count + "}"


def compiled(text: str) -> tw.Kernel:
    return tw.compile(text, target="cpu", cache=False).k


@pytest.mark.covering(0)
@pytest.mark.parametrize("extent", ["?", "20", "64"])
def test_many_products_compute_what_they_say(extent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of the products that would be too long for the best code, and of what is too long."""
    monkeypatch.setattr(generation, "WELL_OPTIMISED", generation.WELL_OPTIMISED // 3)
    count = 20
    size = 20 if extent == "?" else int(extent)
    rng = np.random.default_rng(1)
    a, b, c = (np.asfortranarray(rng.standard_normal((size, size), dtype=np.float32)) for _ in range(3))
    expected = c.copy()
    for _ in range(count):
        expected = (0.5 * (a @ b) + 0.5 * expected).astype(np.float32)
    compiled(program(GEMM, count, extent))[1](0.5, a, b, c)
    np.testing.assert_allclose(c, expected, rtol=1e-4, atol=1e-4)


def functions(kernel: tw.Kernel) -> list[str]:
    return kernel.llvm.split("\ndefine ")[1:]


@pytest.mark.parametrize(("limit", "counts"), [(generation.WELL_OPTIMISED, (16, 24)), (0, (6, 12))])
def test_equal_instructions_share_their_parts(
    limit: int, counts: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In code for speed, and in code that is as short as it can be."""
    monkeypatch.setattr(generation, "WELL_OPTIMISED", limit)
    fewer, more = (len(functions(compiled(program(GEMM, count)))) for count in counts)
    assert fewer == more > 2


def test_blocks_stay_short() -> None:
    stores = [f"%i{k} = constant {k} : index\nstore %a, %x[%i{k}]" for k in range(1500)]
    kernel = compiled("func @k(%a: f32, %x: memref<f32x?>) {" + "\n".join(stores) + "}")
    x = np.zeros(1500, np.float32)
    kernel[1](2.0, x)
    assert (x == 2).all()
    longest = max(len(block.splitlines()) for block in re.split(r"^[\w.]+:$", kernel.llvm, flags=re.MULTILINE))
    assert longest < 1100


def test_what_passes_the_limit_is_refused_where_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of the limit, which is as many seconds sooner."""
    limit = context.MAX_INSTRUCTIONS // 5
    for module in (context, generation):
        monkeypatch.setattr(module, "MAX_INSTRUCTIONS", limit)
    monkeypatch.setattr(generation, "WELL_OPTIMISED", generation.WELL_OPTIMISED // 5)
    with pytest.raises(tw.CompileError) as refused:
        compiled(program(GEMM, 160, "20"))
    (found,) = refused.value.diagnostics
    assert found.code == "T002"
    assert f"{limit:,} machine-level instructions" in found.message
    assert found.location.primary is not None
    line, _ = found.location.primary.source.position(found.location.primary.start)
    assert line > 20


def test_stacks_do_not_grow_with_the_program() -> None:
    text = compiled(program("axpby %a, %A, %a, %C\n" + GEMM, 45, "20")).llvm
    assert sum(int(size) for size in re.findall(r"alloca \[(\d+) x i8\]", text)) < 1 << 18


@pytest.mark.parametrize("changed", [SHORTENED[:1], SHORTENED[1:2], SHORTENED[2:], SHORTENED])
def test_random_kernels_in_any_form(changed: list[tuple[object, str, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in changed:
        monkeypatch.setattr(module, name, value)
    seed = random.SystemRandom().randrange(1 << 40)
    for number in range(seed, seed + 5):
        kernel = generate(random.Random(number))
        found = disagreements(kernel, [Variant(FeatureSet.HOST, 2)])
        assert not found, f"seed {number}: {found}\n{kernel.text}"
