"""Memory of a block: what is reserved for a while is there again afterwards, and launches provide the most of it."""

from __future__ import annotations

from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.targets.nvidia.arena import Arena

TEXT = """builtin.module {
  builtin.kernel {sym_name = "k", work_group_size = [32, 1]} () {
  }
}"""


def test_launches_provide_the_most_that_is_taken_at_a_time() -> None:
    module = parse_ir(Source("k", TEXT), Report(), operation_classes())
    assert isinstance(module, Module)
    arena = Arena(module.kernels[0])
    with arena.frame():
        first = arena.place(1000)
    with arena.frame():
        second = arena.place(16)
    assert first.fresh
    assert not second.fresh
    assert (second.offset, arena.high_water) == (first.offset, 1008)
