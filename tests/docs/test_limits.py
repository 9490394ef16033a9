"""The guide states every limit with the number that the program has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tilewright.dialects.cuda_tile.types import MAX_TILE_BLOCKS
from tilewright.frontends.tensor_language import literals
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS
from tilewright.frontends.tensor_language.rules import kernels, memory, types
from tilewright.interpreter import views
from tilewright.ir.mlir.limits import DEFAULT_LIMITS as TILE_IR_LIMITS
from tilewright.runtime import grid
from tilewright.targets.cpu import generation as cpu
from tilewright.targets.cpu.context import MAX_INSTRUCTIONS
from tilewright.targets.nvidia import capabilities
from tilewright.transforms.limit_operations import MAX_OPERATIONS

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "README.md"
ROW = re.compile(r"^\| (.+?) \| ([\d,]+)[^|]*\| ([^|]*)\|$", re.MULTILINE)

BOUNDS = {
    "size of a source": DEFAULT_LIMITS.source_bytes,
    "tokens of a source": DEFAULT_LIMITS.tokens,
    "nesting of regions": DEFAULT_LIMITS.nesting,
    "length of a name": DEFAULT_LIMITS.identifier,
    "length of a literal": DEFAULT_LIMITS.literal,
    "order of a tensor": DEFAULT_LIMITS.order,
    "operands of an instruction, parameters of a function": DEFAULT_LIMITS.operands,
    "nesting of attributes": DEFAULT_LIMITS.attribute_nesting,
    "entries of an attribute": DEFAULT_LIMITS.attribute_entries,
    "nesting of debug locations in Tile IR": TILE_IR_LIMITS.debug_nesting,
    "errors shown of one source, and as many warnings": DEFAULT_LIMITS.errors,
    "integers and sizes, computed exactly": literals.INT64_MAX,
    "elements of a cooperative matrix": vars(types)["_MATRIX_LIMIT"],
    "work-items of a work-group": vars(kernels)["_MAX_WORK_GROUP"],
    "alignment of an allocation": vars(memory)["_MAX_ALIGNMENT"],
    "local memory of a kernel on the CPU": cpu.MAX_LOCAL_BYTES,
    "bytes of a local memref in the interpreter": views.MAX_LOCAL_BYTES,
    "operations of a program, with the loops and tiles that collective instructions become": MAX_OPERATIONS,
    "machine-level instructions that are made of a program on the CPU": MAX_INSTRUCTIONS,
    "memory of a thread for the tiles of a kernel on the CPU": cpu.MAX_WORKSPACE_BYTES,
    "work-items of a work-group on NVIDIA devices": capabilities.MAX_THREADS,
    "work-groups of a launch along a mode of the grid": vars(grid)["_MAX_EXTENT"],
    "tile blocks of a launch of Tile IR along an axis of the grid": MAX_TILE_BLOCKS,
    "work-groups of a launch": vars(grid)["_MAX_GROUPS"] - 1,
}


def stated() -> dict[str, int]:
    text = GUIDE.read_text(encoding="utf-8")
    section = text[text.index("## Limits") : text.index("## Targets")]
    return {name: int(number.replace(",", "")) for name, number, _ in ROW.findall(section)}


@pytest.mark.parametrize("what", BOUNDS)
def test_the_guide_states_the_limit(what: str) -> None:
    assert stated()[what] == BOUNDS[what]


def test_nothing_is_stated_that_is_not_compared_and_no_limit_of_the_reader_is_missing() -> None:
    assert stated().keys() == BOUNDS.keys()
    assert {getattr(DEFAULT_LIMITS, name) for name in DEFAULT_LIMITS.__struct_fields__} <= set(stated().values())


def test_sizes_of_memrefs_have_63_bits() -> None:
    assert vars(types)["_LIMIT"] - 1 == literals.INT64_MAX
