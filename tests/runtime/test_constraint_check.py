"""Launches that a kernel is undefined for are refused before anything runs, wherever the interpreter would stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

import tilewright as tw
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.interpreter import KernelError, interpret
from tilewright.ir.passes import PassContext
from tilewright.runtime.arrays import AnyArray
from tilewright.runtime.launch import bind_artifact
from tilewright.transforms.infer_work_group import InferWorkGroup

AXPBY = "func @k(%a: f32, %x: memref<f32x?>, %b: f32, %y: memref<f32x?>) {\n    axpby %a, %x, %b, %y\n}\n"
SIZED = """func @k(%x: memref<f32x?>, %n: index, %y: memref<f32x?>) {
    %o = constant 1.0 : f32
    %s = subview %x[0:%n] : memref<f32x?>
    axpby %o, %s, %o, %y
}
"""
GRID = """func @k(%x: memref<f32x?>, %y: memref<f32x?>) {
    %o = constant 1.0 : f32
    %n = num_groups.x : index
    %s = subview %x[0:%n] : memref<f32x?>
    axpby.atomic %o, %s, %o, %y
}
"""
ELEMENT = """func @k(%c: index, %G: group<memref<f32x4>x?>, %s: index) {{
    %o = constant 1.0 : f32
    %x = group_id.x : index
    %y = group_id.y : index
    %w = num_groups.x : index
    {index}
    %m = load %G[%i] : memref<f32x4>
    axpby.atomic %o, %m, %o, %m
}}
"""


def floats(*shape: int) -> AnyArray:
    return np.ones(shape, np.float32, order="F")


def refusal(call: Callable[..., None], *arguments: object) -> str:
    with pytest.raises(tw.LaunchError) as caught:
        call(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_extents_that_differ(target: str) -> None:
    kernel = tw.compile(Source("axpby.tl", AXPBY), target=target, cache=False).k
    x, y = floats(10), floats(4)
    for _ in range(4):
        assert "R013" in refusal(kernel[3], 2.0, x, 3.0, y)
    with pytest.raises(tw.LaunchError) as caught:
        kernel[3](2.0, x, 3.0, y)
    assert caught.value.code == "R013"
    message = str(caught.value)
    assert "axpby.tl:2:5: error[R013]: kernel k: extents of operands differ where they have to agree" in message
    assert "mode 0 of %x is 10, mode 0 of %y is 4" in message
    assert "    axpby %a, %x, %b, %y" in message
    assert isinstance(caught.value, KernelError)
    assert (y == 1).all()
    kernel[3](2.0, floats(4), 0.0, y)
    assert (y == 2).all()


def test_a_factor_of_zero_excuses_nothing() -> None:
    module = read_module(Source("k.tl", AXPBY), Report())
    InferWorkGroup().run(module, PassContext())
    with pytest.raises(KernelError, match="R013"):
        interpret(module.kernels[0], [0.0, floats(3), 1.0, floats(4)])
    assert "R013" in refusal(tw.compile(AXPBY).k[1], 0.0, floats(3), 1.0, floats(4))


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_nothing_is_demanded_of_an_empty_grid(target: str) -> None:
    kernel = tw.compile(AXPBY, target=target).k
    for _ in range(4):
        kernel[0](2.0, floats(10), 3.0, floats(4))
        kernel[3, 0](2.0, floats(10), 3.0, floats(4))
    assert "R013" in refusal(kernel[1], 2.0, floats(10), 3.0, floats(4))


def test_what_may_not_run_is_not_refused() -> None:
    text = AXPBY.replace("axpby %a", "%c = equal %a, %b : bool\n    if %c { axpby %a").replace("%y\n", "%y }\n")
    x, y = floats(10), floats(4)
    tw.compile(text).k[1](1.0, x, 2.0, y)
    tw.compile(text, target="interpreter").k[1](1.0, x, 2.0, y)
    with pytest.raises(KernelError, match="R013"):
        tw.compile(text, target="interpreter").k[1](2.0, x, 2.0, y)


def test_integers_that_sizes_depend_on_are_compared_in_every_call() -> None:
    call = tw.compile(SIZED).k[1]
    x, y = floats(10), floats(4)
    for _ in range(5):
        call(x, 4, y)
    assert (y == 6).all()
    for number in (5, 3, -4, 5):
        assert f"mode 0 of %s is {number}, mode 0 of %y is 4" in refusal(call, x, number, y)
    for _ in range(5):
        call(x, 5, floats(5))
        call(x, 4, y)
    assert (y == 11).all()
    assert "in this launch, extent 0 of %y is 4, %n is 6" in refusal(call, x, 6, y)


def test_the_grid_is_compared_in_every_call() -> None:
    kernel = tw.compile(GRID).k
    x, y = floats(10), floats(4)
    for _ in range(5):
        kernel[4](x, y)
        kernel[0](x, y)
    assert y.tolist() == [21] * 4
    for grid in (3, 5, 3, 5):
        assert f"mode 0 of %s is {grid}, mode 0 of %y is 4" in refusal(kernel[grid], x, y)
    assert "on a grid of 5 x 2 x 1 work-groups" in refusal(kernel[5, 2], x, y)


def test_programs_that_were_kept_compare_too() -> None:
    kernel = tw.Program.from_bytes(tw.compile(AXPBY).to_bytes()).k
    assert "    axpby %a, %x, %b, %y" in refusal(kernel[1], 1.0, floats(10), 1.0, floats(4))


def test_extents_are_those_that_the_kernel_sees() -> None:
    text = "func @k(%x: memref<f32x?x?>, %y: memref<f32x?>) {\n  %o = constant 1.0 : f32\n  sum %o, %x, %o, %y\n}"
    artifact = tw.compile(text).artifact
    rows = bind_artifact(artifact, layout="C")["k"]
    rows.launch(1, (np.ones((3, 2), np.float32), floats(2)))
    assert "mode 0 of %y is 3, mode 0 of %x is 2" in refusal(rows.launch, 1, (np.ones((3, 2), np.float32), floats(3)))


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
@pytest.mark.parametrize(
    ("index", "grid", "size", "step", "wanted"),
    [
        ("%i = add %x, %s : index", (3, 1), 4, 1, None),
        ("%i = add %x, %s : index", (4, 1), 4, 1, "index 4 is outside group %G of 4 elements"),
        ("%i = sub %x, %s : index", (4, 1), 4, 1, "index -1 is outside"),
        ("%i = sub %s, %x : index", (4, 1), 4, 3, None),
        ("%i = sub %s, %x : index", (5, 1), 4, 3, "index -1 is outside"),
        ("%r = mul %y, %w : index  %i = add %x, %r : index", (2, 2), 4, 0, None),
        ("%r = mul %y, %w : index  %i = add %x, %r : index", (2, 3), 5, 0, "index 5 is outside"),
        ("%i = mul %x, %s : index", (3, 1), 5, 2, None),
        ("%i = mul %x, %s : index", (3, 1), 5, 3, "index 6 is outside"),
        ("%i = mul %x, %s : index", (2, 1), 5, 1 << 62, "index 4611686018427387904 is outside"),
        ("%i = mul %x, %s : index", (3, 1), 5, -1, "index -2 is outside"),
        ("%i = add %s, %c : index", (1, 1), 2, 1, None),
        ("%i = add %s, %c : index", (1, 1), 0, 0, "index 0 is outside"),
    ],
)
def test_indices_of_groups(
    target: str, index: str, grid: tuple[int, int], size: int, step: int, wanted: str | None
) -> None:
    call = tw.compile(ELEMENT.format(index=index), target=target).k[grid]
    arguments = (0, [floats(4) for _ in range(size)], step)
    if wanted is None:
        call(*arguments)
        return
    message = refusal(call, *arguments)
    assert "error[R010]: kernel k, argument G: " in message
    assert wanted in message
    assert "%m = load %G[%i] : memref<f32x4>" in message
    assert "the index is " in message


BATCH = """func @k(%n: index, %x: memref<f32x4x?>, %y: memref<f32x?>) {
    %o = constant 1.0 : f32
    %g = group_id.x : index
    %s = subview %x[0:4,%g] : memref<f32x4>
    %p = subview %y[%g:%n] : memref<f32x?>
    axpby.atomic %o, %s, %o, %s
    axpby.atomic %o, %p, %o, %p
}
"""


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_a_grid_beyond_an_array(target: str) -> None:
    kernel = tw.compile(Source("batch.tl", BATCH), target=target).k
    x, y = floats(4, 3), floats(5)
    for _ in range(4):
        kernel[3](3, x, y)
    for grid in (4, 5, 4, 5):
        message = refusal(kernel[grid], 1, x, y)
        assert f"element {grid - 1} of mode 1 of %x, accessed through %s, is outside its extent of 3" in message
        assert "batch.tl:6:5: error[R010]: kernel k: " in message
        assert f"on a grid of {grid} x 1 x 1 work-groups, extent 1 of %x is 3, group_id.x is {grid - 1}" in message
    assert "elements 2 to 5 of mode 0 of %y, accessed through %p, are outside its extent of 5" in refusal(
        kernel[3], 4, x, y
    )


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_views_without_elements_may_lie_anywhere(target: str) -> None:
    call = tw.compile(BATCH, target=target).k[3]
    x = floats(4, 3)
    for _ in range(4):
        call(0, x, floats(0))
    assert "R010" in refusal(call, 1, x, floats(0))


def test_a_table_that_is_not_there() -> None:
    text = ELEMENT.replace("x?>,", "x4>,").format(index="%i = add %x, %s : index")
    for target in ("cpu", "interpreter"):
        assert "None is a null pointer" in refusal(tw.compile(text, target=target).k[2], 0, None, 0)


CASES = {
    "axpby.t": ("%a: memref<f32x?x?>, %c: memref<f32x?x?>", "axpby.t %o, %a, %o, %c", ["ij", "ji"]),
    "sum": ("%a: memref<f32x?x?>, %c: memref<f32x?>", "sum.t %o, %a, %o, %c", ["ij", "j"]),
    "cumsum": ("%a: memref<f32x?x?x?>, %c: memref<f32x?x?x?>", "cumsum %o, %a, 1, %o, %c", ["ijk", "ijk"]),
    "gemm": (
        "%a: memref<f32x?x?>, %b: memref<f32x?x?>, %c: memref<f32x?x?>",
        "gemm.t.n %o, %a, %b, %o, %c",
        ["ki", "kj", "ij"],
    ),
    "gemv": ("%a: memref<f32x?x?>, %b: memref<f32x?>, %c: memref<f32x?>", "gemv %o, %a, %b, %o, %c", ["ij", "j", "i"]),
    "ger": ("%a: memref<f32x?>, %b: memref<f32x?>, %c: memref<f32x?x?>", "ger %o, %a, %b, %o, %c", ["i", "j", "ij"]),
    "hadamard": (
        "%a: memref<f32x?>, %b: memref<f32x?>, %c: memref<f32x?>",
        "hadamard %o, %a, %b, %o, %c",
        ["i", "i", "i"],
    ),
    "views": (
        "%a: memref<f32x?x?>, %c: memref<f32x?>",
        "%f = fuse %a[0,1] : memref<f32x?>  axpby %o, %f, %o, %c",
        ["ij", "n"],
    ),
}


def agrees(modes: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether every letter stands for one extent, and n for the product of i and j."""
    known: dict[str, int] = {}
    for letters, shape in zip(modes, shapes, strict=True):
        for letter, extent in zip(letters, shape, strict=True):
            if known.setdefault(letter, extent) != extent:
                return False
    return "n" not in known or known["n"] == known["i"] * known["j"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_random_extents(name: str, target: str, rng: np.random.Generator) -> None:
    """Refused is exactly what does not agree, also where calls are recognised."""
    parameters, body, modes = CASES[name]
    call = tw.compile(f"func @k({parameters}) {{ %o = constant 1.0 : f32 {body} }}", target=target).k[1]
    outcomes: list[bool] = []
    for number in range(60):
        # Launches that agree are as frequent as others: independent draws of three modes agree one time in eight.
        extents = {letter: int(rng.integers(1, 3)) for letter in "ijk"}
        extents["n"] = extents["i"] * extents["j"]
        shapes = [tuple(extents[letter] for letter in letters) for letters in modes]
        if number % 2:
            shapes = [tuple(int(n) for n in rng.integers(1, 3, len(letters))) for letters in modes]
        outcomes.append(agrees(modes, shapes))
        if outcomes[-1]:
            call(*(floats(*shape) for shape in shapes))
        else:
            assert "R013" in refusal(call, *(floats(*shape) for shape in shapes))
    assert 0 < sum(outcomes) < len(outcomes)
