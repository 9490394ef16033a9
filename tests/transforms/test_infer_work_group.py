"""infer-work-group: constraints, preferences, folding, errors."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import CompileError
from tilewright.transforms.infer_work_group import InferWorkGroup
from transforms.support import kernel, run

TILE = """%z = arith.constant {value = 0} -> index
  tl.foreach_tile %z, %z {tile_shape = [SIZE], operand_segments = [1, 1]} (%r: index, %h: index) { }"""


def test_folds_the_sizes() -> None:
    text = run(
        kernel(
            "", "%s = team.subgroup_size -> i32 %n = team.num_subgroups {dim = 1} -> i32", "work_group_size = [32, 3]"
        ),
        InferWorkGroup(),
    )
    assert "subgroup_size = 16" in text
    assert "arith.constant {value = 16} -> i32" in text
    assert "arith.constant {value = 3} -> i32" in text


@pytest.mark.parametrize(("size", "expected"), [(32, 16), (8, 8), (24, 8), (5, 1)])
def test_tile_sizes_constrain(size: int, expected: int) -> None:
    text = run(kernel("", TILE.replace("SIZE", str(size)), ""), InferWorkGroup())
    assert f"subgroup_size = {expected}, work_group_size = [{expected}, 1]" in text


def test_clash_lists_the_constraints() -> None:
    with pytest.raises(CompileError) as caught:
        run(kernel("", TILE.replace("SIZE", "24"), "subgroup_size = 16"), InferWorkGroup())
    finding = caught.value.diagnostics[0]
    assert finding.code == "V17"
    assert [label.message for label in finding.labels] == ["it must divide 24, the first tile size of foreach_tile"]


@pytest.mark.parametrize(
    "attributes",
    ["subgroup_size = 3", "subgroup_size = 16, work_group_size = [24, 1]", "work_group_size = [1024, 2]"],
)
def test_impossible_sizes_are_errors(attributes: str) -> None:
    with pytest.raises(CompileError) as caught:
        run(kernel("", "", attributes), InferWorkGroup())
    assert {d.code for d in caught.value.diagnostics} == {"V17"}


LOOPS = """%z = arith.constant {value = 0} -> index %n = arith.constant {value = 9} -> index
  scf.for %z, %n {operand_segments = [1, 1, 0, 0]} (%i: index) {
    %v = memref.load %X, %i -> f32 memref.store %v, %X, %i
  }"""


@pytest.mark.parametrize(
    ("body", "attributes", "waits"),
    [
        (LOOPS, "", True),
        (f"%s = team.subgroup_size -> i32 {LOOPS}", "", False),
        (f"{LOOPS} {TILE.replace('SIZE', '8').replace('%z', '%y')}", "", False),
        (LOOPS, "work_group_size = [32, 1]", False),
        (LOOPS, "subgroup_size = 8", False),
        ("", "", False),
    ],
)
def test_kernels_of_loops_alone_may_wait(body: str, attributes: str, waits: bool) -> None:
    """For the pass that finds instructions in them: one that has a size or asks for it has it at once."""
    module = kernel("%X: memref<f32x9>", body, attributes)
    first = run(module, InferWorkGroup(waits=True))
    assert ("work_group_size" not in first) == waits
    assert "work_group_size" in run(module, InferWorkGroup())
