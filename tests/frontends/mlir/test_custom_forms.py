"""Texts in custom forms: what the stock tool printed is printed as it was, and what we print it prints likewise."""

from __future__ import annotations

from functools import cache

import pytest

from frontends.mlir.forms import PRINTED, PROGRAMS, parts_of
from frontends.mlir.reading import read
from ir.mlir import tool
from tilewright.frontends.mlir.region_printer import print_custom

OTHERWISE = ("", "generic", "loops")
"""Texts that are in other forms than the tool prints."""

OTHERS = """\
#id = affine_map<(d0) -> (d0)>
#set = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
module @outer attributes {a.b = 1 : i32} {
  memref.global "private" @nothing : memref<4xf32> = uninitialized
  memref.global constant @known : memref<2xi32> = dense<[1, 2]> {alignment = 64 : i64}
  module @inner {
    func.func private @g(f32 {my.attribute}, i32) -> (f32 {my.other = "x"})
    func.func private @h() -> (f32, i1)
    func.func private @callback() -> ((i32) -> i32)
  }
  func.func private @twice(%x: f32) -> f32 attributes {no_inline} {
    %0 = arith.addf %x, %x fastmath<fast> : f32
    return %0 : f32
  }
  func.func public @f(%A: memref<4x8xf32>, %t: tensor<?x4xf32>, %v: memref<?xf32>, %i: index, %x: f32, %n: i32, \
%p: i1) {
    %true = arith.constant true
    %dense = arith.constant dense<0.0> : tensor<4xf32>
    %named = arith.constant {my.name} 7 : i8
    %0 = arith.truncf %x to_nearest_even : f32 to f16
    %1 = arith.addi %n, %n overflow<nsw, nuw> : i32
    %2 = arith.cmpi ult, %1, %n : i32
    %3 = arith.cmpf une, %x, %x fastmath<nnan> : f32
    %4 = arith.select %2, %3, %p : i1
    %5 = func.call @twice(%x) : (f32) -> f32
    call @nested() : () -> ()
    %a = memref.alloc(%i) {alignment = 32 : i64} : memref<?xf32>
    %l = memref.alloca(%i)[%i] : memref<?xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
    %6 = memref.load %A[%i, %i] {nontemporal = true} : memref<4x8xf32>
    memref.store %6, %A[%i, %i] : memref<4x8xf32>
    %g = memref.get_global @known : memref<2xi32>
    %s = memref.subview %v[%i] [4] [%i] : memref<?xf32> to memref<4xf32, strided<[?], offset: ?>>
    %c = memref.cast %a : memref<?xf32> to memref<4xf32>
    memref.dealloc %a : memref<?xf32>
    %e = tensor.empty(%i) : tensor<?x4xf32>
    %d = tensor.dim %t, %i : tensor<?x4xf32>
    %7 = tensor.extract %t[%i, %i] : tensor<?x4xf32>
    %8 = tensor.insert %7 into %e[%i, %i] : tensor<?x4xf32>
    %9 = tensor.extract_slice %8[0, 0] [2, 4] [1, 1] : tensor<?x4xf32> to tensor<2x4xf32>
    %10 = tensor.insert_slice %9 into %t[%i, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<?x4xf32>
    %11 = linalg.fill ins(%x : f32) outs(%10 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %12 = linalg.generic {doc = "relu", indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = \
["parallel", "parallel"]} outs(%11 : tensor<?x4xf32>) attrs = {my.attribute} {
    ^bb0(%out: f32):
      %at = linalg.index 1 : index
      %m = arith.maximumf %out, %x : f32
      linalg.yield %m : f32
    } -> tensor<?x4xf32>
    %13 = scf.for %k = %n to %n step %n iter_args(%q = %x) -> (f32)  : i32 {
      %w = func.call @twice(%q) : (f32) -> f32
      scf.yield %w : f32
    } {my.attribute}
    %14:2 = scf.while (%y = %x, %z = %n) : (f32, i32) -> (f32, i32) {
      scf.condition(%p) %y, %z : f32, i32
    } do {
    ^bb0(%y: f32, %z: i32):
      scf.yield %y, %z : f32, i32
    }
    scf.while : () -> () {
      scf.condition(%p)
    } do {
      scf.yield
    }
    %15:2 = scf.if %p -> (f32, i32) {
      scf.yield %14#0, %14#1 : f32, i32
    } else {
      scf.yield %x, %n : f32, i32
    }
    %16 = scf.parallel (%k) = (%i) to (%i) step (%i) init (%x) -> f32 {
      scf.reduce(%x : f32) {
      ^bb0(%y: f32, %z: f32):
        %w = arith.addf %y, %z : f32
        scf.reduce.return %w : f32
      }
    }
    %17 = affine.parallel (%k, %j) = (0, max(%i, 3)) to (4, min(%i + 5, symbol(%i) * 2 - 1)) step (1, 2) \
reduce ("addf") -> (f32) {
      affine.yield %x : f32
    }
    %18 = affine.if #set(%i)[%i] -> f32 {
      affine.yield %x : f32
    } else {
      affine.yield %17 : f32
    }
    affine.for %k = #id(%i) to %i step 3 {
      %w = affine.load %v[%k floordiv 4 + 1] : memref<?xf32>
      affine.store %w, %v[-%k + symbol(%i)] : memref<?xf32>
    } {my.attribute = 3 : i64}
    %19 = vector.load %A[%i, %i] : memref<4x8xf32>, vector<4xf32>
    vector.store %19, %A[%i, %i] : memref<4x8xf32>, vector<4xf32>
    %20 = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<16x16xf32, "COp">
    %21 = gpu.subgroup_mma_elementwise  mulf %20, %20 : (!gpu.mma_matrix<16x16xf32, "COp">, \
!gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.barrier
    cf.cond_br %p, ^bb1(%x : f32), ^bb2
  ^bb1(%22: f32):
    cf.br ^bb2
  ^bb2:
    return
  }
  func.func private @nested()
}
"""
"""Forms that no program of the corpus has."""


@cache
def texts_of(name: str) -> list[tuple[str, str]]:
    """A program as it was written and in all printed forms, with the name of the form."""
    printed = [(parts_of(path)[1], path.read_text()) for path in PRINTED if parts_of(path)[0] == name]
    return [("", (PROGRAMS[0].parent / f"{name}.mlir").read_text()), *printed]


@cache
def ours(text: str) -> str:
    """What we print of a text."""
    return print_custom(read(text))


@pytest.mark.parametrize("name", [p.stem for p in PROGRAMS])
def test_what_the_tool_printed_is_printed_as_it_was(name: str) -> None:
    """But for the blank behind a `scf.reduce` without values, and the empty line at the end. Others are a fixpoint."""
    for form, text in texts_of(name):
        expected = ours(text) if form in OTHERWISE else text
        expected = expected.replace("scf.reduce  loc", "scf.reduce loc").replace("scf.reduce \n", "scf.reduce\n")
        assert print_custom(read(ours(text))) == ours(text) == expected.rstrip("\n") + "\n", form


@tool.needed
def test_the_tool_prints_ours_like_the_original() -> None:
    texts = [OTHERS, *(text for path in PROGRAMS for _, text in texts_of(path.stem))]
    printed = tool.printed_together([*texts, *map(ours, texts)])
    for text in texts:
        assert printed(ours(text)) == printed(text)
    assert ours(printed(OTHERS)) == printed(OTHERS).rstrip("\n") + "\n"


def test_other_forms() -> None:
    assert print_custom(read(ours(OTHERS))) == ours(OTHERS)
    assert '"(' not in ours(OTHERS)


def test_operations_without_custom_forms_are_printed_in_the_generic_one() -> None:
    text = """\
module {
  "gpu.container"() ({
    "gpu.something"() {value = 1 : i32} : () -> ()
  }) : () -> ()
}
"""
    assert print_custom(read(text)) == text
