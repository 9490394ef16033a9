"""Memory whose extents only a launch knows: what it is a parameter of, what launches refuse, what is told of it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilewright as tw
from tilewright.artifacts.artifact import KernelInfo, MemrefParameter
from tilewright.artifacts.constraints import Origin, Polynomial, Quantity
from tilewright.diagnostics import Report, Source
from tilewright.dialects import tl
from tilewright.frontends.mlir import program_of, read_mlir_file
from tilewright.ir.passes import PassContext, PassManager
from tilewright.program import load_artifact
from tilewright.runtime.header import emit_header
from tilewright.transforms.fuse_epilogues import FuseEpilogues
from tilewright.transforms.lower_mlir import LowerMlir
from tilewright.transforms.signature import accessed, is_made


def function(arguments: str, *lines: str) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"func.func @f({arguments}) {{\n{body}  return\n}}\n"


DOUBLED = function(
    "%X: memref<?x?xf32>, %Y: memref<?x?xf32>",
    "%c0 = arith.constant 0 : index",
    "%c1 = arith.constant 1 : index",
    "%m = memref.dim %X, %c0 : memref<?x?xf32>",
    "%n = memref.dim %X, %c1 : memref<?x?xf32>",
    "%t = memref.alloc(%m, %n) : memref<?x?xf32>",
    "linalg.add ins(%X, %X : memref<?x?xf32>, memref<?x?xf32>) outs(%t : memref<?x?xf32>)",
    "memref.copy %t, %Y : memref<?x?xf32> to memref<?x?xf32>",
)
FILLED = function(
    "%n: index, %one: f32, %X: memref<1xf32>",
    "%c0 = arith.constant 0 : index",
    "%t = memref.alloc(%n) : memref<?xf32>",
    "linalg.fill ins(%one : f32) outs(%t : memref<?xf32>)",
    "%x = memref.load %t[%c0] : memref<?xf32>",
    "memref.store %x, %X[%c0] : memref<1xf32>",
)


DEEP = function(
    "%X: memref<2x?x2xf32>, %n: index",
    "%t = memref.alloc(%n) : memref<2x?x2xf32>",
    "linalg.exp ins(%X : memref<2x?x2xf32>) outs(%t : memref<2x?x2xf32>)",
)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_arguments_are_those_of_the_function(target: str, rng: np.random.Generator) -> None:
    """By position or name, of any size and again, from an artefact too."""
    program = tw.compile(DOUBLED, target=target, cache=False)
    assert "%Y" in program.f.signature
    assert "%t" not in program.f.signature
    assert [p.name for p in program.f.info.passed] == ["X", "Y"]
    programs = [program] if target == "interpreter" else [program, load_artifact(program.artifact)]
    for one in programs:
        for shape in ((3, 5), (0, 4), (1, 1), (7, 2)):
            x, y = rng.standard_normal(shape, np.float32), np.empty(shape, np.float32)
            one.f[1](x, Y=y) if shape == (1, 1) else one.f[1](x, y)
            assert np.array_equal(y, 2 * x)
    more = np.zeros((2, 2), np.float32)
    with pytest.raises(tw.LaunchError, match="takes 2 arguments"):
        program.f[1](more, more, more)


def test_what_the_launch_makes_is_said() -> None:
    program = tw.compile(DOUBLED, target="cpu", cache=False)
    *_, made = program.f.info.parameters
    assert isinstance(made, MemrefParameter)
    assert list(map(str, made.made)) == ["extent 0 of %X", "extent 1 of %X"]
    again = load_artifact(program.artifact).f.info.parameters[-1]
    assert again == made
    assert "memory that the kernel uses, of max(extent 0 of %X, 0) * max(extent 1 of %X, 0) elements" in emit_header(
        program.artifact
    )


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_launches_that_are_refused(target: str) -> None:
    program = tw.compile(FILLED, target=target, cache=False)
    x = np.zeros(1, np.float32)
    program.f[1](5, 3.0, x)
    assert x[0] == 3
    if target == "cpu":
        with pytest.raises(tw.LaunchError, match="no room for the"):
            program.f[1](1 << 60, 3.0, x)
    other = tw.compile(DOUBLED.replace("(%m, %n)", "(%n, %m)"), target=target, cache=False)
    with pytest.raises(tw.LaunchError, match="extents of operands differ"):
        other.f[1](np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32))
    deep = tw.compile(DEEP, target=target, cache=False)
    deep.f[1](np.zeros((2, 3, 2), np.float32), 3)
    with pytest.raises(tw.LaunchError, match="extents of operands differ"):
        deep.f[1](np.zeros((2, 3, 2), np.float32), 4)


@pytest.mark.parametrize(
    ("extent", "says"),
    [
        ("%n", "%n"),
        ("%i", "%n - 1"),
        ("affine.apply affine_map<(i)[n] -> (i * 2 + n - 3)>(%i)[%n]", ""),
        ("affine.apply affine_map<(i)[n] -> (i + n - 3)>(%i)[%n]", "2 * %n - 4"),
        ("affine.apply affine_map<(i)[m] -> (i - m)>(%i)[%m]", "%n - %m - 1"),
        ("affine.apply affine_map<(i)[m] -> (m - i)>(%i)[%m]", ""),
        ("affine.min affine_map<(i)[n, m] -> (n - i, m)>(%i)[%n, %m]", "%m"),
        ("affine.min affine_map<(i)[n] -> (n - i, 7)>(%i)[%n]", "local"),
        ("arith.muli %m, %n : index", "%m * %n"),
        ("arith.maxsi %m, %n : index", ""),
    ],
)
def test_memory_is_as_large_as_what_extents_are_no_greater_than(extent: str, says: str) -> None:
    """Indices of loops, sums and minima; a constant minimum needs no launch."""
    named = extent if extent.startswith("%") else "%s"
    text = f"""func.func @f(%n: index, %m: index, %X: memref<?xf32>) {{
  affine.parallel (%i) = (0) to (symbol(%n)) {{
    {"" if named == extent else f"%s = {extent}"}
    %t = memref.alloc({named}) : memref<?xf32>
    linalg.copy ins(%t : memref<?xf32>) outs(%t : memref<?xf32>)
  }}
  return
}}
"""
    if not says:
        with pytest.raises(tw.CompileError, match="neither the text nor a launch determines"):
            tw.compile(text, target="interpreter")
        return
    program = tw.compile(text, target="interpreter")
    made = [p.made for p in program.f.info.parameters if isinstance(p, MemrefParameter) and p.made]
    assert [str(one) for extents in made for one in extents] == ([] if says == "local" else [says])
    loop = next(line for line in program.f.ir("ir").splitlines() if "scf.for" in line)
    assert ("parallel" in loop) is (says == "local")


def test_a_part_of_memory_is_as_long_as_it_is_said(rng: np.random.Generator) -> None:
    """The rest of the memory is no part of it."""
    text = """func.func @f(%n: index, %X: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to %n {
    %t = memref.alloc(%i) : memref<?xf32>
    %d = memref.dim %t, %c0 : memref<?xf32>
    memref.store %d, %X[%i] : memref<?xindex>
  }
  return
}
"""
    found = rng.integers(9, 99, 5)
    tw.compile(text, target="interpreter").f[1](5, found)
    assert found.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_several_at_once(target: str, rng: np.random.Generator) -> None:
    """Each is its own, whatever else is as long as nothing or less."""
    text = function(
        "%X: memref<?xi16>, %n: index, %k: index",
        "%t = memref.alloc(%n) : memref<?xi16>",
        "%none = memref.alloc(%k, %n) : memref<?x?xf64>",
        "%u = memref.alloc(%n) : memref<?xi16>",
        "%seven = arith.constant 7.0 : f64",
        "linalg.fill ins(%seven : f64) outs(%none : memref<?x?xf64>)",
        "memref.copy %X, %t : memref<?xi16> to memref<?xi16>",
        "linalg.add ins(%t, %t : memref<?xi16>, memref<?xi16>) outs(%u : memref<?xi16>)",
        "linalg.add ins(%t, %u : memref<?xi16>, memref<?xi16>) outs(%X : memref<?xi16>)",
    )
    program = tw.compile(text, target=target, cache=False)
    for n, k in ((300, 3), (5, 0), (130, -4)):
        x = rng.integers(-99, 99, n).astype(np.int16)
        found = x.copy()
        program.f[1](found, n, k)
        assert np.array_equal(found, 3 * x)


def test_nothing_is_there_before_it_is_written() -> None:
    text = FILLED.replace("linalg.fill ins(%one : f32) outs(%t : memref<?xf32>)\n", "")
    program = tw.compile(text, target="interpreter", checked=True, cache=False)
    with pytest.raises(tw.KernelError, match="reads element 0 of memory %t, which nothing has written"):
        program.f[1](4, 1.0, np.zeros(1, np.float32))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            function(
                "%X: memref<?xindex>", "%c0 = arith.constant 0 : index", "%k = memref.load %X[%c0] : memref<?xindex>"
            ).replace("  return", "  %t = memref.alloc(%k) : memref<?xf32>\n  return"),
            "neither the text nor a launch determines",
        ),
        (
            """func.func @f(%X: memref<4xf32>, %n: index) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%X : memref<4xf32>) {
  ^bb0(%x: f32):
    %c0 = arith.constant 0 : index
    %t = memref.alloc(%n) : memref<?xf32>
    memref.store %x, %t[%c0] : memref<?xf32>
    %y = memref.load %t[%c0] : memref<?xf32>
    linalg.yield %y : f32
  }
  return
}
""",
            "is allocated in functions, loops and branches",
        ),
    ],
)
def test_what_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(tw.CompileError, match=says) as caught:
        tw.compile(text, cache=False)
    (found,) = caught.value.diagnostics
    assert found.code == "M11"
    place = found.location.primary
    assert place is not None
    assert re.match(r"%t = memref\.alloc", place.source.text[place.start :])


def test_an_artefact_with_other_extents_is_refused() -> None:
    """As many as modes, and of what is given."""
    with pytest.raises(ValueError, match="as many extents that are made as modes"):
        MemrefParameter("t", "f32", (None,), (1,), made=(Polynomial.constant(3), Polynomial.constant(4)))
    unknown = Polynomial.quantity(Quantity(Origin.VALUE, "n"))
    with pytest.raises(ValueError, match="memory of %n, which a launch does not know"):
        KernelInfo("f", "f", (MemrefParameter("t", "f32", (None,), (1,), made=(unknown,)),))
    given = MemrefParameter("x", "f32", (None,), (1,))
    with pytest.raises(ValueError, match="comes behind its arguments"):
        KernelInfo("f", "f", (MemrefParameter("t", "f32", (None,), (1,), made=(Polynomial.constant(3),)), given))


def test_a_product_in_memory_of_its_own_is_not_stored_there() -> None:
    """What follows it takes the elements as they are summed, as with memory of known extents."""
    text = function(
        "%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>",
        "%zero = arith.constant 0.0 : f32",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%m = memref.dim %A, %c0 : memref<?x?xf32>",
        "%n = memref.dim %B, %c1 : memref<?x?xf32>",
        "%t = memref.alloc(%m, %n) : memref<?x?xf32>",
        "linalg.fill ins(%zero : f32) outs(%t : memref<?x?xf32>)",
        "linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%t : memref<?x?xf32>)",
        "linalg.exp ins(%t : memref<?x?xf32>) outs(%C : memref<?x?xf32>)",
    )
    report = Report()
    file = read_mlir_file(Source("f.mlir", text), report)
    assert file is not None
    module = program_of(file)
    PassManager([LowerMlir(), FuseEpilogues()], verify_each=True).run(module, PassContext(report))
    (kernel,) = module.kernels
    (memory,) = [parameter for parameter in kernel.parameters if is_made(parameter)]
    assert not any(isinstance(user, tl.Gemm) for user in memory.uses)
    _, written = accessed(kernel)
    assert memory not in written
