"""An emulator of NVIDIA blocks for the LLVM text that the target prints: what a GPU does with it, without a GPU.

It runs the threads of a block by their own program counters, many at a time where they stand at the same place.
Segments of warps may be on different paths; shuffles, warp and block barriers wait for whom they name. Each access is
checked: inside of memory that exists, aligned as the instruction promises, in no race with another thread or block.

| file | concept |
|---|---|
| `text.py` | the text of a module: functions, blocks, instructions, operands |
| `numbers.py`, `directed.py` | arithmetic on arrays with one entry a thread, rounded as the machine does |
| `matrices.py`, `groups.py`, `copies.py` | products and loads by whole warps, by groups of warps; asynchronous copies |
| `memory.py`, `races.py` | memory of all spaces; who accessed what between two barriers |
| `accesses.py`, `barriers.py` | memory as the threads of a block see it; barriers that count copies |
| `readers.py` | who has read what before others let it be copied over |
| `frame.py`, `instructions.py` | registers of the threads; what each instruction does |
| `arithmetic.py`, `calls.py` | what casts and intrinsics compute; calls, also those that wait for others |
| `lanes.py` | which lanes of a warp take part and have arrived; what a shuffle reads |
| `clusters.py` | blocks that run together, and whose shared memory an address lies in |
| `team.py` | scheduling, barriers, exchanges of the threads of a block |
| `program.py`, `machine.py` | code; launching a kernel |

What the target does not print (other vectors than pairs of halves, switches, `alloca`) is refused, never guessed.
"""
