"""What went wrong in kernels for NVIDIA devices that others wrote by hand, and which tests would notice it in ours.

The parts are those of the reference on matrix products: f products past the vendor's library, g many small tensors,
h attention. Numbers are those of its lists of traps. Each test named here makes the mistake, or looks for it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
NVIDIA, PRODUCTS = "targets/nvidia", "targets/nvidia/products"
TRAPS: dict[str, tuple[str, ...]] = {
    "f1 readers tell other blocks with release semantics: a wait for all memory in each k block": (
        f"{NVIDIA}/test_gates.py::test_nobody_waits_for_all_memory",
        f"{PRODUCTS}/test_clusters.py::test_ptxas_takes_it",
    ),
    "f2 a slab is filled while the machine stores what it had in the tile before: few terms, many tiles, odd rounds": (
        f"{PRODUCTS}/test_stores.py::test_few_terms_of_many_tiles",
        f"{PRODUCTS}/test_stores.py::test_mistakes_are_found",
        "gpu/test_matmul.py::test_tiles_that_the_device_loads_and_stores",
    ),
    "f3 fewer clusters of four run at a time than multiprocessors have room for": (
        f"{PRODUCTS}/test_clusters.py::test_whole_clusters_are_launched",
    ),
    "f4 rows 16 bytes past whole lines: boxes touch two of them, clusters pay": (
        f"{NVIDIA}/test_product_model.py::test_split_sectors_are_for_clusters",
    ),
    "f5 who is timed first after a pause runs at other clocks": (
        "benchmarks/test_timing.py::test_rounds_have_orders_of_their_own",
    ),
    "f6 waits split blocks: values that loops carry come from the last of them": (
        "targets/llvm/test_emitter.py::test_nested_loops_and_branches",
    ),
    "f7 stores by threads beyond the edge; the machine clips": (
        f"{NVIDIA}/test_ragged.py::test_tiles_that_hang_over_the_edges",
        f"{PRODUCTS}/test_tensor_copies.py::test_tiles_that_do_not_divide",
        f"{PRODUCTS}/test_random.py::test_random_products",
    ),
    "g1 all loads of a product stand before all multiply-adds: registers spill": (
        f"{NVIDIA}/test_packing.py::test_what_the_code_promises",
    ),
    "g2 a barrier without a constant number takes all sixteen": (
        f"{NVIDIA}/test_gates.py::test_barriers_without_a_number_take_all",
        f"{NVIDIA}/test_packing.py::test_what_the_code_promises",
    ),
    "g4 order of copies, barriers and fences; reads before what is written in place": (
        f"{NVIDIA}/test_packing.py::test_random_batches",
        f"{NVIDIA}/test_packed_memory.py::test_what_is_loaded_is_stored_in_another_order",
        f"{PRODUCTS}/test_tensor_copies.py::test_mistakes_are_found",
        f"{PRODUCTS}/test_tensor_copies.py::test_what_was_written_before_is_shown",
    ),
    "g5 chunks that are no multiples of 16 bytes, or begin at none; results larger than the factor in whose place": (
        f"{NVIDIA}/test_packing.py::test_rows_that_are_not_aligned",
        f"{NVIDIA}/test_packing.py::test_products_of_every_count",
        f"{NVIDIA}/test_packing.py::test_results_stay_while_other_items_of_the_chunk_are_computed",
    ),
    "h1 a static order that leaves some blocks more keys than others": (
        "operators/test_attention.py::test_short_and_long_blocks_by_turns",
        "operators/test_attention.py::test_pairs_of_blocks_where_they_are_faster",
    ),
    "h2 accumulators used while products go on: ptxas takes them one by one": (
        f"{NVIDIA}/test_gates.py::test_losses_are_errors",
        f"{PRODUCTS}/test_tensor_rings.py::test_products_go_on_while_scores_are_weighed",
    ),
    "h4 more registers are dealt than the block began with: it hangs": (
        "transforms/schedule/test_assign_roles.py::test_registers_are_dealt_anew",
        f"{NVIDIA}/test_gates.py::test_losses_are_errors",
    ),
    "h5 groups of a block that skip steps: not in ours, which share loops; all numbers of steps are right": (
        f"{PRODUCTS}/test_tensor_rings.py::test_any_number_of_iterations",
        f"{PRODUCTS}/test_pingpong.py::test_in_any_order",
    ),
    "h6 masked scores: rows of nothing, infinities and NaN": (
        "operators/test_attention.py::test_without_keys_or_queries",
        "operators/test_attention.py::test_a_number_that_is_none_stays_in_its_row",
        "operators/test_attention.py::test_interpreted",
    ),
    "h7 decimal constants that LLVM takes for others": ("targets/llvm/test_emitter.py::test_constants",),
}
"""Not here: g3 (instructions that we have not: movmatrix, loads that evict first), g6 (times), h3 (left to ptxas)."""


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.partition(" ")[0])
def test_the_tests_that_notice_it_are_there(trap: str) -> None:
    for named in TRAPS[trap]:
        file, _, name = named.partition("::")
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        assert any(isinstance(node, ast.FunctionDef) and node.name == name for node in tree.body), named
