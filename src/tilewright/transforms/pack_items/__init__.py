"""Several small work-groups by one block of threads: what an item is, how it is packed, and its code on the lane level.

| file | concept |
|---|---|
| `items.py` | what a kernel does with each item; what keeps it from being packed |
| `batches.py` | how far the memory of an item lies from that of the next one |
| `tilings.py` | who holds which elements of a tile |
| `costs.py`, `plan.py` | what accesses and products cost with them; how many items, threads and bytes that makes best |
| `slabs.py` | shared memory of the items of a chunk: one slab a tile, the bytes of those that are dead used again |
| `threads.py` | who a thread is: its crew, its team, its item; the program's scalars and views for an item |
| `shares.py` | which threads move an item that does not lie in a row |
| `copies.py` | between global memory and slabs: whole chunks as they lie, or item by item |
| `slots.py`, `products.py` | tiles in registers: what is read from slabs and written to them; products |
| `unit_factors.py`, `units.py` | products by matrix instructions: how a lane reads their factors, and the code |
| `packing.py` | the pass |
"""
