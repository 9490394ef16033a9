"""Products of tiles of the work-group in kernels that do not take the way over lanes, from the same plans.

| file | concept |
|---|---|
| `choice.py` | which products have a plan, which sums stay in registers, which loads run ahead |
| `staging.py` | factors on their way into shared memory, 16 bytes at a time where memory allows |
| `reading.py`, `multiplying.py` | registers of an instruction from shared memory; the instructions |
| `warpgroups.py` | instructions of groups of warps, which read shared memory by themselves |
| `lowering.py` | a product, and loops whose loads run ahead |
| `fragments.py` | tiles in the registers that a layout says: computed, spilt, stored |
"""
