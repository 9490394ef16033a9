"""Work-groups divided among blocks, and launches in place of a kernel, on the emulator and in what is told of them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators.writer import Team
from tilewright.artifacts.artifact import Artifact
from tilewright.diagnostics import CompileError
from tilewright.runtime.nvidia.code_checks import check_ptx
from transforms.spread_collectives.programs import program

from .against_interpreter import disagreements
from .case import Array, Launch, faults
from .emulated import compiled

RANDOM = count("RANDOM_DIVIDED_KERNELS", 2, 100)
TEAM = Team(32, 4, 1)
"""The emulator takes minutes for large tiles by few threads."""
GEMM = """func @product(%A: memref<f32x?x?>, %B: memref<f32x?x?>, %C: memref<f32x?x?x?>) {
    %one = constant 1.0 : f32
    %two = constant 2.0 : f32
    %g = group_id.x : index
    %m = size %C[0] : index
    %n = size %C[1] : index
    %c = subview %C[0:%m, 0:%n, %g] : memref<f32x?x?,strided<1,?>>
    gemm.n.t %two, %A, %B, %one, %c
}
"""
CHAIN = """func @chain(%A: memref<f32x{m}x{k}>, %x: memref<f32x{k}>, %C: memref<f32x{m}x{m}>) {{
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    %t = alloca : memref<f32x{m}x{m},local>
    %u = alloca : memref<f32x{m},local>
    gemm.n.t %one, %A, %A, %zero, %t
    gemv %one, %A, %x, %zero, %u
    axpby.t %one, %t, %one, %C
    ger %one, %u, %u, %one, %C
}}
"""
REPORTING = """func @told(%A: memref<f32x?x?>, %B: memref<f32x?x?>) {
    %one = constant 1.0 : f32
    axpby %one, %A, %one, %B
}
"""


def small(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array(rng.integers(-3, 4, shape), np.float32, order="F")


def test_a_product_of_several_work_groups(rng: np.random.Generator) -> None:
    a, b, c = small(rng, 70, 9), small(rng, 67, 9), small(rng, 70, 67, 2)
    expected = c + 2 * (a @ b.T)[:, :, None]
    found = compiled(GEMM)
    assert found.kernels[0].parts is not None
    launch = Launch([a, b, c], {2: expected}, (2, 1, 1))
    assert not faults(launch, found.run(launch))


def test_launches_that_keep_local_memory(rng: np.random.Generator) -> None:
    m, k = 140, 5
    a, x, c = small(rng, m, k), small(rng, k), small(rng, m, m)
    text = CHAIN.format(m=m, k=k)
    found = compiled(text)
    (info,) = found.kernels
    assert info.steps is not None
    assert [step.launch is not None and step.launch.group_bytes for step in info.steps.kernels] == [79104] * 3
    product: Array = a @ x
    wanted: Array = c + (a @ a.T).T
    launch = Launch([a, x, c], {2: wanted + np.outer(product, product)})
    assert not faults(launch, found.run(launch))


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("results", "instruction", "counts"),
    [
        ("", "sum %two, %x, %two, %y", (12345,)),
        ("", "sum %two, %x, %two, %y", (0, 1)),
        ("3", "gemv.t %two, %A, %x, %two, %y", (4097,)),
    ],
)
def test_few_sums_in_parts(results: str, instruction: str, counts: tuple[int, ...], rng: np.random.Generator) -> None:
    """Of more terms than one block adds up, of fewer than there are parts, and of none."""
    y = f"memref<f32{results and 'x'}{results}>"
    text = f"""func @k(%A: memref<f32x?x3>, %x: memref<f32x?>, %y: {y}) {{
        %two = constant 2.0 : f32
        {instruction}
    }}"""
    found = compiled(text)
    assert found.kernels[0].steps is not None
    for terms in counts:
        a, x, y = small(rng, terms, 3), small(rng, terms), small(rng, 3) if results else small(rng)
        launch = Launch([a, x, y], {2: 2 * y + 2 * (a.T @ x if results else x.sum())})
        assert not faults(launch, found.run(launch)), terms


def test_random_programs(ran: Ran) -> None:
    divided = 0
    for seed in range(SEED, SEED + RANDOM):
        print(f"seed {seed}")
        generated = program(random.Random(seed), (0.5, 1.0), TEAM)
        found = compiled(generated.text)
        divided += any(info.parts is not None or info.steps is not None for info in found.kernels)
        faults_ = disagreements(generated, lambda launch, number, found=found: found.run(launch, number))
        assert not faults_, f"seed {seed}: {faults_}\n{generated.text}"
    ran(divided, "kernels divided among blocks of the emulated device")


def test_what_is_told(rng: np.random.Generator) -> None:
    found = tw.compile(CHAIN.format(m=2048, k=64), target="nvidia:sm_80", cache=False)
    said = found.chain.schedule
    assert "spread=yes" in said
    assert "product=128x128x32:fma.f32" in said, "beside 16 MB that no block has room for"
    assert said.endswith("on grids of at most 528 work-groups 3 launches with spread tiles")
    artifact = found.artifact
    assert Artifact.from_bytes(artifact.to_bytes()).kernels == artifact.kernels
    check_ptx(artifact)
    assert str(found.chain.explain()).count("in its place: chain.") == 3
    assert [info.name for info in artifact.kernels] == ["chain"]


@pytest.mark.parametrize(
    ("text", "checked", "reason"),
    [
        (REPORTING, True, "each of several blocks would report to the host what it does"),
        (
            "func @f(%G: group<memref<f32x?x?>x?>) {\n %one = constant 1.0 : f32  %z = constant 0 : index\n"
            " %a = load %G[%z] : memref<f32x?x?>\n axpby %one, %a, %one, %a }",
            False,
            "a launch does not know how many tiles there are",
        ),
    ],
)
def test_why_not(text: str, checked: bool, reason: str) -> None:
    (kernel,) = tw.compile(text, target="nvidia:sm_80", checked=checked, cache=False)
    assert "spread=no" in kernel.schedule
    assert reason in kernel.schedule
    with pytest.raises(CompileError, match=f"spread=yes does not fit kernel {kernel.name}: .*{reason}"):
        tw.compile(text, target="nvidia:sm_80", checked=checked, schedule="spread=yes", cache=False)


def test_what_is_asked_for() -> None:
    (kernel,) = tw.compile(GEMM, target="nvidia:sm_80", schedule="spread=no", cache=False)
    assert kernel.info.parts is None
    assert "spread=no" in kernel.schedule
    with pytest.raises(CompileError, match="spread takes yes or no, not 'so'"):
        tw.compile(GEMM, target="nvidia:sm_80", schedule="spread=so", cache=False)
    few = GEMM.replace("f32x?x?x?", "f32x8x8x?").replace("f32x?x?,strided<1,?>", "f32x8x8,strided<1,8>")
    few = few.replace("0:%m, 0:%n", "0:8, 0:8").replace("A: memref<f32x?x?>", "A: memref<f32x8x4>")
    few = few.replace("B: memref<f32x?x?>", "B: memref<f32x8x4>")
    with pytest.raises(
        CompileError, match="spread=yes does not fit kernel product: it has no instruction with so many"
    ):
        tw.compile(few, target="nvidia:sm_80", schedule="spread=yes", cache=False)
    with pytest.raises(CompileError, match="groups=8 does not fit kernel chain: each of its blocks runs 1") as error:
        tw.compile(CHAIN.format(m=140, k=5), target="nvidia:sm_80", schedule="groups=8", cache=False)
    assert "chain.0" not in str(error.value), "steps are nobody's but the compiler's"
