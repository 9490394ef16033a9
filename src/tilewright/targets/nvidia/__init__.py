"""The NVIDIA target: NVPTX through LLVM. Importing it needs neither a driver nor a toolkit.

One block runs a work-group, one thread a work-item; a subgroup is a warp or an aligned segment of one. Tiles of the
work-group come as fragments, the registers of a thread (`transforms/schedule`); those of a subgroup live in registers.

| file | concept |
|---|---|
| `target.py`, `spread.py`, `policy.py`, `model.py`, `capabilities.py` | pipeline; teams, tiles, threads; refusals |
| `product_model.py`, `measured_tiles.py`, `group_tiles.py` | which tiles suit a product of known extents; their costs |
| `lanes.py` | kernels on the lane level (`transforms/schedule`): registers of a thread |
| `kernel.py`, `context.py`, `values.py` | entry and parameters; the state of lowering; what IR values become |
| `elementwise.py`, `memory.py`, `atomics.py`, `control.py`, `team.py`, `warp.py` | one element, one work-item |
| `guards.py`, `arena.py` | what is computed on a condition; shared and scratch memory |
| `lane_products.py`, `async_copies.py` | products and copies of the lane level; `cp.async` |
| `addresses.py` | pointers, gathers and scatters |
| `reports.py` | what kernels print, assert and check: records for the host |
| `registers.py`, `subgroup.py` | tiles of a subgroup |
| `subgroup_products.py` | which of their products are by matrix instructions, and which tiles have their layouts |
| `generation.py`, `ptx.py`, `explain.py` | checks and artefact; LLVM text to PTX; ptxas; what is told of kernels |

`machine/cuda` is libcuda, `runtime/nvidia` launches on device arrays.
"""
