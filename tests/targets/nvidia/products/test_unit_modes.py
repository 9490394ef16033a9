"""Products of batches in Tile IR, whose tiles have one element along the mode of the batch."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Launch
from targets.nvidia.products.test_levels import levels, some
from targets.nvidia.products.test_persistent import check, emulate
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext
from tilewright.ir.printer import print_op
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.schedule.drop_unit_modes import DropUnitModes


def of_batches(batches: int, m: int, n: int, k: int, padded: str = "") -> str:
    """a (batch, m, k) times b (batch, k, n), a block for each tile of 64 x 64."""
    types = {
        name: f"tensor_view<{batches}x{rows}x{columns}xf16, strides=[{rows * columns},{columns},1]>"
        for name, rows, columns in (("a", m, k), ("b", k, n), ("c", m, n))
    }
    views = {name: f"partition_view<tile=(1x64x64), {padded}{type_}>" for name, type_ in types.items()}
    made = "".join(
        f"""
    %{name}p = assume div_by<16>, %{name} : tile<ptr<f16>>
    %{name}t = make_tensor_view %{name}p,
        shape = [{batches}, {rows}, {columns}], strides = [{rows * columns}, {columns}, 1] : {types[name]}
    %{name}v = make_partition_view %{name}t : {views[name]}"""
        for name, rows, columns in (("a", m, k), ("b", k, n), ("c", m, n))
    )
    flat, deep, sums = "tile<64x64xf16>", "tile<1x64x64xf16>", "tile<64x64xf32>"
    return f"""cuda_tile.module @kernels {{
  entry @product(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f16>>) {{
    %x, %y, %z = get_tile_block_id : tile<i32>{made}
    %lo = constant <i32: 0> : tile<i32>
    %hi = constant <i32: {-(-k // 64)}> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : {sums}
    %sum = for %i in (%lo to %hi, step %step) : tile<i32> iter_values(%acc = %zeros) -> ({sums}) {{
      %p, %pd = load_view_tko weak %av[%z, %x, %i] : {views["a"]}, tile<i32> -> {deep}, token
      %q, %qd = load_view_tko weak %bv[%z, %i, %y] : {views["b"]}, tile<i32> -> {deep}, token
      %p2 = reshape %p : {deep} -> {flat}
      %q2 = reshape %q : {deep} -> {flat}
      %next = mmaf %p2, %q2, %acc : {flat}, {flat}, {sums}
      continue %next : {sums}
    }}
    %rounded = ftof %sum : {sums} -> {flat}
    %r = reshape %rounded : {flat} -> {deep}
    %done = store_view_tko weak %r, %cv[%z, %x, %y] : {deep}, {views["c"]}, tile<i32> -> token
    return
  }}
}}
"""


@pytest.mark.covering(0)
@pytest.mark.parametrize("asked", ["", "persistent=yes", "persistent=yes roles=yes pingpong=yes"])
@pytest.mark.parametrize(("m", "n", "k"), [(128, 64, 128), (72, 64, 136)])
def test_the_machine_copies_batches(asked: str, m: int, n: int, k: int, rng: np.random.Generator) -> None:
    """Tiles that divide the matrices and do not, each of two."""
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((2, m, k), (2, k, n)))
    expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    grid = (-(-m // 64), -(-n // 64), 2)
    given = Launch([a.ravel(), b.ravel(), np.zeros(expected.size, np.float16)], {2: expected.ravel()}, grid)
    text = of_batches(2, m, n, k, "padding_value = zero, " if m % 64 else "")
    for module in some(levels(text, Architecture.SM_90A, asked), rng):
        check(module, given)
    llvm, kernel = emitted(text, schedule=asked)
    assert "copies=tensor stores=tensor" in kernel.facts[SCHEDULE]
    emulate(llvm, kernel, given)


ACCESS = """builtin.module {
  builtin.kernel {sym_name = "k", subgroup_size = 32, work_group_size = [128, 1]} (
      %a: memref<f16x64x?x5>, %b: memref<f16x64x?x5>, %i: index) {
    %o = arith.constant {value = 0} -> index
    %t = tile.load %a, %o, %i, %i {check = [false, true, CHECK], unordered = true} -> tile<64x8x1xf16>
    %x = tile.reshape %t -> tile<REST>
    %y = arith.add %x, %x -> tile<REST>
    %z = tile.reshape %y -> tile<64x8x1xf16>
    tile.store %z, %b, %o, %i, %i {check = [false, true, CHECK]}
  }
}
"""


@pytest.mark.parametrize(
    ("tested", "rest", "left"),
    [("false", "64x8xf16", 0), ("true", "64x8xf16", 2), ("false", "512x1xf16", 2), ("false", "1x64x8xf16", 2)],
)
def test_what_is_a_matrix_without_them(tested: str, rest: str, left: int) -> None:
    """What is tested along the mode is not, nor what is reshaped to something else."""
    report, text = Report(), ACCESS.replace("CHECK", tested).replace("REST", rest)
    module = parse_ir(Source("k", text), report, operation_classes())
    assert isinstance(module, Module), report.diagnostics
    changed = DropUnitModes().run(module, PassContext())
    verified(module)
    printed = print_op(module)
    assert (changed, printed.count("tile.reshape")) == (left == 0, left)
    if changed:
        assert printed.count("{check = [false, true], unordered = true} -> tile<64x8xf16>") == 1
        assert printed.count("memref.size") == 2


EMPTY = """builtin.module {
  builtin.kernel {sym_name = "k", subgroup_size = 32, work_group_size = [128, 1]} (
      %a: memref<f16x5x0x?>, %b: memref<f16x5x0x?>, %i: index) {
    %o = arith.constant {value = 0} -> index
    %t = tile.load %a, %i, %o, %i {check = [false, false, true]} -> tile<1x0x8xf16>
    %x = tile.reshape %t -> tile<0x8xf16>
    %y = arith.add %x, %x -> tile<0x8xf16>
    %z = tile.reshape %y -> tile<1x0x8xf16>
    tile.store %z, %b, %i, %o, %i {check = [false, false, true]}
  }
}
"""


def test_empty_modes_stay() -> None:
    """An extent of 0 is no size of a subview that drops its mode."""
    module = parse_ir(Source("k", EMPTY), report := Report(), operation_classes())
    assert isinstance(module, Module), report.diagnostics
    assert DropUnitModes().run(module, PassContext())
    verified(module)
    assert print_op(module).count("memref.subview") == 2
