"""Products of tiles of the work-group, on the units that multiply matrices.

| file | concept |
|---|---|
| `plan.py`, `factors.py` | the instruction, warps and sums of a product; how a factor lies in shared memory |
| `choice.py` | which products go this way, why others do not; which sums stay in registers, which loads run ahead |
| `staging.py` | factors on their way into shared memory, 16 bytes at a time where memory allows |
| `reading.py`, `multiplying.py` | registers of an instruction from shared memory; the instructions |
| `warpgroups.py` | instructions of groups of warps, which read shared memory by themselves |
| `lowering.py` | a product, and loops whose loads run ahead |
| `fragments.py` | tiles in the registers that a layout says: computed, spilt, stored |
"""
