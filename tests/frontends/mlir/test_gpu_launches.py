"""Launches of gpu and rows of elements of vector: their text, rules, and what they compute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilewright as tw
from tilewright.diagnostics import CompileError, Report, Source
from tilewright.frontends.mlir import read_mlir_file
from tilewright.ir.mlir.printer import print_generic

PROGRAM = """\
"builtin.module"() ({
  "func.func"() <{function_type = (memref<24x64xi32>, memref<24x64xi32>) -> (), sym_name = "f"}> ({
  ^bb0(%A: memref<24x64xi32>, %B: memref<24x64xi32>):
    %c1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %c2 = "arith.constant"() <{value = 2 : index}> : () -> index
    %c3 = "arith.constant"() <{value = 3 : index}> : () -> index
    %c4 = "arith.constant"() <{value = 4 : index}> : () -> index
    %c8 = "arith.constant"() <{value = 8 : index}> : () -> index
    "gpu.launch"(%c2, %c3, %c1, %c8, %c4, %c2) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> ({
    ^bb0(%bx: index, %by: index, %bz: index, %tx: index, %ty: index, %tz: index, %gx: index, %gy: index, %gz: index, \
%sx: index, %sy: index, %sz: index, %s: memref<8x32xi32, 3>, %p: memref<4xi32, 5>):
      %r = "affine.apply"(%ty, %tz) <{map = affine_map<(d0, d1) -> (d0 + d1 * 4)>}> : (index, index) -> index
      %c = "affine.apply"(%tx) <{map = affine_map<(d0) -> (d0 * 4)>}> : (index) -> index
      %row = "affine.apply"(%by, %r) <{map = affine_map<(d0, d1) -> (d0 * 8 + d1)>}> : (index, index) -> index
      %column = "affine.apply"(%bx, %c) <{map = affine_map<(d0, d1) -> (d0 * 32 + d1)>}> : (index, index) -> index
      %zero = "affine.apply"() <{map = affine_map<() -> (0)>}> : () -> index
      %v = "vector.load"(%A, %row, %column) : (memref<24x64xi32>, index, index) -> vector<4xi32>
      "vector.store"(%v, %p, %zero) : (vector<4xi32>, memref<4xi32, 5>, index) -> ()
      %w = "vector.load"(%p, %zero) : (memref<4xi32, 5>, index) -> vector<4xi32>
      "vector.store"(%w, %s, %r, %c) : (vector<4xi32>, memref<8x32xi32, 3>, index, index) -> ()
      "gpu.barrier"() : () -> ()
      %turned = "affine.apply"(%r) <{map = affine_map<(d0) -> (-d0 + 7)>}> : (index) -> index
      %u = "vector.load"(%s, %turned, %c) : (memref<8x32xi32, 3>, index, index) -> vector<4xi32>
      "vector.store"(%u, %B, %row, %column) : (vector<4xi32>, memref<24x64xi32>, index, index) -> ()
      "gpu.terminator"() : () -> ()
    }) {workgroup_attributions = 1 : i64} : (index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
"""Turns each eight rows of a matrix around: blocks of 8 x 4 x 2 threads."""


def compiled(text: str, target: str, folder: Path) -> tw.Program:
    path = folder / "program.mlir"
    path.write_text(text)
    return tw.compile(path, target=target, cache=False)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_threads_of_blocks_of_a_grid(target: str, rng: np.random.Generator, tmp_path: Path) -> None:
    a = rng.integers(-99, 99, (24, 64), dtype=np.int32)
    b = np.zeros_like(a)
    compiled(PROGRAM, target, tmp_path).f[1](a, b)
    assert np.array_equal(b, a.reshape(3, 8, 64)[:, ::-1].reshape(24, 64))


def test_the_text_is_read_back() -> None:
    report = Report()
    file = read_mlir_file(Source("f.mlir", PROGRAM), report)
    report.raise_if_errors()
    assert file is not None
    assert print_generic(file).strip() == PROGRAM.strip()


LAUNCH = (
    '"gpu.launch"(%c2, %c3, %c1, %c8, %c4, %c2) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}>'
)
LOADED = '"vector.load"(%A, %row, %column) : (memref<24x64xi32>, index, index)'


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        (LAUNCH, LAUNCH.replace("%c4, %c2)", "%c3, %c1)"), "a block of 24 threads is no whole number of warps of 32"),
        (
            f"{LAUNCH} ({{",
            f"{LAUNCH.replace('%c2)', '%c2, %c1)').replace('0, 0, 0, 0>', '0, 0, 0, 1>')} ({{",
            "tokens, clusters and dynamic shared memory are not supported",
        ),
        ('      "gpu.terminator"() : () -> ()\n', "", "gpu.launch: the body ends in gpu.terminator"),
        ("attributions = 1 : i64", "attributions = 3 : i64", "there are not 3 memrefs for the block"),
        (LOADED, LOADED.replace(", %column", "").replace(", index, index", ", index"), "takes 2 indices, not 1"),
    ],
)
def test_launches_that_are_refused(was: str, becomes: str, said: str, tmp_path: Path) -> None:
    text = PROGRAM.replace(was, becomes)
    assert text != PROGRAM
    if "0, 0, 0, 1>" in becomes:
        text = text.replace("(index, index, index, index, index, index) -> ()", f"({', '.join(['index'] * 7)}) -> ()")
    with pytest.raises(CompileError) as error:
        compiled(text, "interpreter", tmp_path)
    messages = [one.message for one in error.value.diagnostics]
    assert any(said in message for message in messages), messages


def test_the_custom_form_of_a_launch_is_not_read(tmp_path: Path) -> None:
    text = "func.func @f(%n: index) {\n  gpu.launch blocks(%a, %b, %c) in (%x = %n, %y = %n, %z = %n)\n  return\n}\n"
    with pytest.raises(CompileError) as error:
        compiled(text, "interpreter", tmp_path)
    assert "gpu.launch" in error.value.diagnostics[0].message


def test_rows_of_elements_in_their_custom_form(rng: np.random.Generator, tmp_path: Path) -> None:
    text = (
        "func.func @f(%A: memref<4x8xi32>, %B: memref<4x8xi32>) {\n  %zero = arith.constant 0 : index\n"
        "  affine.for %i = 0 to 4 {\n    %v = vector.load %A[%i, %zero] : memref<4x8xi32>, vector<8xi32>\n"
        "    vector.store %v, %B[%i, %zero] : memref<4x8xi32>, vector<8xi32>\n  }\n  return\n}\n"
    )
    a = rng.integers(-99, 99, (4, 8), dtype=np.int32)
    b = np.zeros_like(a)
    compiled(text, "interpreter", tmp_path).f[1](a, b)
    assert np.array_equal(a, b)


STORED = '      "vector.store"(%v, %p, %zero) : (vector<4xi32>, memref<4xi32, 5>, index) -> ()\n'
ALLOCA = '"memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () ->'
FILL = """\
      "linalg.fill"(%{value}, %{memory}) <{{operandSegmentSizes = array<i32: 1, 1>}}> ({{
      ^bb0(%in{memory}: i32, %out{memory}: i32):
        "linalg.yield"(%in{memory}) : (i32) -> ()
      }}) : (i32, {type}) -> ()
"""
SUMS = f"""\
      %three = "arith.constant"() <{{value = 3 : i32}}> : () -> i32
      %none = "arith.constant"() <{{value = 0 : i32}}> : () -> i32
      %q = {ALLOCA} memref<2x2xi32, 5>
      %out = {ALLOCA} memref<2x2xi32, 5>
{FILL.format(value="three", memory="q", type="memref<2x2xi32, 5>")}\
{FILL.format(value="none", memory="out", type="memref<2x2xi32, 5>")}\
      "linalg.matmul"(%q, %q, %out) <{{operandSegmentSizes = array<i32: 2, 1>}}> ({{
      ^bb0(%x: i32, %y: i32, %sum: i32):
        %product = "arith.muli"(%x, %y) : (i32, i32) -> i32
        %more = "arith.addi"(%sum, %product) : (i32, i32) -> i32
        "linalg.yield"(%more) : (i32) -> ()
      }}) : (memref<2x2xi32, 5>, memref<2x2xi32, 5>, memref<2x2xi32, 5>) -> ()
      %found = "memref.load"(%out, %zero, %zero) : (memref<2x2xi32, 5>, index, index) -> i32
{FILL.format(value="found", memory="p", type="memref<4xi32, 5>")}\
"""
COPIES = f"""\
      %q = {ALLOCA} memref<4xi32, 5>
      "memref.copy"(%p, %q) : (memref<4xi32, 5>, memref<4xi32, 5>) -> ()
      %own = "memref.load"(%q, %c1) : (memref<4xi32, 5>, index) -> i32
      "memref.store"(%own, %p, %zero) : (i32, memref<4xi32, 5>, index) -> ()
"""
TENSORS = """\
      %first = "memref.load"(%p, %zero) : (memref<4xi32, 5>, index) -> i32
      %dense = "arith.constant"() <{value = dense<7> : tensor<3xi32>}> : () -> tensor<3xi32>
      %own = "tensor.insert"(%first, %dense, %c1) : (i32, tensor<3xi32>, index) -> tensor<3xi32>
      %same = "tensor.extract"(%own, %c1) : (tensor<3xi32>, index) -> i32
      %seven = "tensor.extract"(%own, %c2) : (tensor<3xi32>, index) -> i32
      "memref.store"(%seven, %p, %c1) : (i32, memref<4xi32, 5>, index) -> ()
      "memref.store"(%same, %p, %c2) : (i32, memref<4xi32, 5>, index) -> ()
"""


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize(("body", "columns"), [(SUMS, None), (COPIES, [1, 1, 2, 3]), (TENSORS, [0, None, 0, 3])])
def test_threads_compute_each_on_their_own(
    body: str, columns: list[int | None] | None, target: str, rng: np.random.Generator, tmp_path: Path
) -> None:
    """Fills, copies, products and tensors are none of the work-group there; `columns` of four are moved, None is 7."""
    a = rng.integers(-99, 99, (24, 64), dtype=np.int32)
    b = np.zeros_like(a)
    compiled(PROGRAM.replace(STORED, STORED + body), target, tmp_path).f[1](a, b)
    rows = a.reshape(3, 8, 16, 4)[:, ::-1].reshape(24, 16, 4)
    wanted = [np.full((24, 16), 7) if k is None else rows[:, :, k] for k in columns or []]
    assert np.array_equal(b, np.stack(wanted, 2).reshape(24, 64) if wanted else np.full_like(a, 18))


COPY = (
    '"nvgpu.device_async_copy"(%s, %r, %c, %A, %row, %column) <{dstElements = 4 : index, '
    "operandSegmentSizes = array<i32: 1, 2, 1, 2, 0>}> : "
    "(memref<8x32xi32, 3>, index, index, memref<24x64xi32>, index, index) -> !nvgpu.device.async.token"
)
GROUP = '"nvgpu.device_async_create_group"(%t) : (!nvgpu.device.async.token) -> !nvgpu.device.async.token'
WAIT = '"nvgpu.device_async_wait"(%g) <{numGroups = 0 : i32}> : (!nvgpu.device.async.token) -> ()'
BY_THREADS = PROGRAM[PROGRAM.index("      %v =") : PROGRAM.index('      "gpu.barrier"')]
BEGUN = PROGRAM.replace(BY_THREADS, f"      %t = {COPY}\n      %g = {GROUP}\n      {WAIT}\n")


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_copies_that_go_on_by_themselves(target: str, rng: np.random.Generator, tmp_path: Path) -> None:
    a = rng.integers(-99, 99, (24, 64), dtype=np.int32)
    b = np.zeros_like(a)
    compiled(BEGUN, target, tmp_path).f[1](a, b)
    assert np.array_equal(b, a.reshape(3, 8, 64)[:, ::-1].reshape(24, 64))
    report = Report()
    file = read_mlir_file(Source("f.mlir", BEGUN), report)
    assert file is not None
    assert print_generic(file).strip() == BEGUN.strip()


def test_what_has_not_been_awaited_is_not_there(rng: np.random.Generator, tmp_path: Path) -> None:
    a = rng.integers(-99, 99, (24, 64), dtype=np.int32)
    with pytest.raises(tw.KernelError):
        compiled(BEGUN.replace("numGroups = 0", "numGroups = 1"), "interpreter", tmp_path).f[1](a, np.zeros_like(a))


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("dstElements = 4", "dstElements = 3", "a copy is of 4, 8 or 16 bytes that follow each other, not of 12"),
        ("dstElements = 4", "dstElements = 0", "0 elements are copied"),
        ("numGroups = 0", "numGroups = -1", "-1 groups cannot be left"),
        (
            COPY,
            COPY.replace("%c, %A", "%A").replace("1, 2, 1", "1, 1, 1").replace("3>, index, i", "3>, i"),
            "takes 2 ind",
        ),
        (
            COPY,
            COPY.replace("%column)", "%column, %c4)")
            .replace("2, 0>", "2, 1>")
            .replace("index) ->", "index, index) ->"),
            "srcElements is not supported",
        ),
        ("%s: memref<8x32xi32, 3>", "%s: memref<8x32xi16, 3>", "has not the elements of"),
    ],
)
def test_copies_that_are_refused(was: str, becomes: str, said: str, tmp_path: Path) -> None:
    text = BEGUN.replace(was, becomes)
    assert text != BEGUN
    if "i16" in becomes:
        text = text.replace("(memref<8x32xi32, 3>", "(memref<8x32xi16, 3>")
    with pytest.raises(CompileError) as error:
        compiled(text, "interpreter", tmp_path)
    messages = [one.message for one in error.value.diagnostics]
    assert any(said in message for message in messages), messages


def test_only_threads_copy_so(tmp_path: Path) -> None:
    text = (
        "func.func @f(%A: memref<4xi32>, %B: memref<4xi32>) {\n  %z = arith.constant 0 : index\n"
        '  %t = "nvgpu.device_async_copy"(%B, %z, %A, %z) <{dstElements = 4 : index, '
        "operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (memref<4xi32>, index, memref<4xi32>, index) -> "
        "!nvgpu.device.async.token\n  return\n}\n"
    )
    with pytest.raises(CompileError) as error:
        compiled(text, "interpreter", tmp_path)
    assert "only threads of a launch copy so" in error.value.diagnostics[0].message
