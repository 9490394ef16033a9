"""Rows of `vector_ops.py` whose shapes are unusual: thin transposes, sums along columns, complex numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np

from vector_cases import Array, Case, Peers

_THIN: Final = 1 << 20
"""Elements of thin matrices."""
_WIDTHS: Final = (1, 2, 3, 5, 8, 17)
_COLUMNS: Final = ((4096, 4096), (1024, 1024), (100_000, 17), (100_000, 100), (100_000, 500), (20, 100_000))
_BYTES: Final = 40_000_000
_DTYPES: Final = {"f32": np.float32, "f64": np.float64, "c32": np.complex64, "c64": np.complex128}


def shape_cases() -> Iterator[tuple[str, Callable[[], Case]]]:
    """Names, and what makes the case of the name."""
    for dtype in ("f32", "f64"):
        for width in _WIDTHS:
            for shape in ((width, _THIN // width), (_THIN // width, width)):
                yield f"{dtype} axpby.t {_spelt(shape)}", partial(_thin, dtype, shape)
        for form, text in (("reduce", _REDUCE), ("loops", _LOOPS), ("foreach", _FOREACH)):
            for shape in _COLUMNS:
                yield f"{dtype} {form} columns {_spelt(shape)}", partial(_columns, dtype, form, text, shape)
    for dtype in ("c32", "c64"):
        yield f"{dtype} axpby b=0", partial(_complex, dtype, "axpby %alpha, %x, %beta, %y", 1)
        yield f"{dtype} hadamard b=0", partial(_complex, dtype, "hadamard %alpha, %x, %z, %beta, %y", 2)


def _spelt(shape: tuple[int, int]) -> str:
    return "x".join(map(str, shape))


def _random(dtype: str, *shape: int) -> Array:
    """Positive, since the sum of numbers of both signs has no relative error worth the name."""
    kind, rng = np.dtype(_DTYPES[dtype]), np.random.default_rng()
    parts = rng.random((2, *shape))
    return (parts[0] + 1j * parts[1] if kind.kind == "c" else parts[0]).astype(kind)


def _thin(dtype: str, shape: tuple[int, int]) -> Case:
    """B := 2 A^T, both column-major, of open extents."""
    a = np.asfortranarray(_random(dtype, *shape))
    mine, theirs = (np.zeros(shape[::-1], a.dtype, order="F") for _ in range(2))
    text = f"""func @k(%x: memref<{dtype}x?x?>, %y: memref<{dtype}x?x?>) {{
    %alpha = constant 2.0 : {dtype}
    %beta = constant 0.0 : {dtype}
    axpby.t %alpha, %x, %beta, %y
}}"""
    peers: Peers = {"at once": lambda: np.multiply(a.T, 2, out=theirs)}
    expected = lambda: 2 * a.T.astype(np.float64)  # noqa: E731
    name = f"{dtype} axpby.t {_spelt(shape)}"
    return Case(name, dtype, text, (a, mine), mine, peers, expected, 2 * a.nbytes, "triad")


_REDUCE: Final = """func.func @k(%A: memref<?x?xTYPE>, %o: memref<?xTYPE>) {
  linalg.reduce ins(%A: memref<?x?xTYPE>) outs(%o: memref<?xTYPE>) dimensions = [0]
    (%x: TYPE, %y: TYPE) { %s = arith.maximumf %x, %y : TYPE
      linalg.yield %s : TYPE }
  return
}"""
_LOOPS: Final = """func.func @k(%A: memref<?x?xTYPE>, %o: memref<?xTYPE>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : TYPE
  %rows = memref.dim %A, %c0 : memref<?x?xTYPE>
  %columns = memref.dim %A, %c1 : memref<?x?xTYPE>
  affine.for %i = 0 to %columns {
    %s = affine.for %j = 0 to %rows iter_args(%a = %z) -> (TYPE) {
      %x = affine.load %A[%j, %i] : memref<?x?xTYPE>
      %n = arith.addf %a, %x : TYPE
      affine.yield %n : TYPE
    }
    affine.store %s, %o[%i] : memref<?xTYPE>
  }
  return
}"""
_FOREACH: Final = """func @k(%A: memref<TYPEx?x?>, %o: memref<TYPEx?>) {
  %zero = constant 0 : index
  %columns = size %A[0] : index
  %rows = size %A[1] : index
  %z = constant 0.0 : TYPE
  foreach (%i)=(%zero),(%columns) {
    %s = for %j=%zero,%rows init(%a=%z) -> (TYPE) {
      %x = load %A[%i, %j] : TYPE
      %n = add %a, %x : TYPE
      yield (%n)
    }
    store %s, %o[%i]
  }
}"""


def _columns(dtype: str, form: str, text: str, shape: tuple[int, int]) -> Case:
    """The largest elements or the sums of columns of a row-major matrix."""
    a = _random(dtype, *shape)
    mine, theirs = (np.zeros(shape[1], a.dtype) for _ in range(2))
    function = np.maximum if form == "reduce" else np.add
    peers: Peers = {"reduce": lambda: function.reduce(a, 0, out=theirs)}
    expected = lambda: function.reduce(a.astype(np.float64), 0)  # noqa: E731
    name = f"{dtype} {form} columns {_spelt(shape)}"
    given = a.T if form == "foreach" else a
    return Case(name, dtype, text.replace("TYPE", dtype), (given, mine), mine, peers, expected, a.nbytes, "read")


def _complex(dtype: str, call: str, inputs: int) -> Case:
    """y := 2 x, y := 2 x z, of more than the caches hold."""
    length = _BYTES // np.dtype(_DTYPES[dtype]).itemsize
    x, z = (_random(dtype, length) for _ in range(2))
    mine, theirs = (np.zeros_like(x) for _ in range(2))
    names = ("x", "z", "y") if inputs == 2 else ("x", "y")
    parameters = ", ".join(f"%{name}: memref<{dtype}x?>" for name in names)
    text = f"""func @k({parameters}) {{
    %alpha = constant [2.0, 0.0] : {dtype}
    %beta = constant [0.0, 0.0] : {dtype}
    {call}
}}"""

    def product() -> None:
        np.multiply(x, z, out=theirs)
        np.multiply(theirs, 2, out=theirs)

    peers: Peers = {"at once": product if inputs == 2 else lambda: np.multiply(x, 2, out=theirs)}
    wide = x.astype(np.complex128)
    expected = lambda: 2 * (wide * z if inputs == 2 else wide)  # noqa: E731
    name = f"{dtype} {call.split(' ')[0]} b=0"
    arguments = (x, z, mine) if inputs == 2 else (x, mine)
    return Case(name, dtype, text, arguments, mine, peers, expected, (inputs + 1) * x.nbytes, "triad")
