"""Stage 16, complete_latency_hiding: what a thread fetches for the next step waits in registers while it multiplies.

before:  for %k { barrier; for %t { load, keep in own memory }; for %kk { .. }; barrier; for %t { load, store } }
after:   for %k { barrier; all loads of A and B; for %kk { .. }; barrier; all stores to shared memory }
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, arith, gpu, memref, vector
from tilewright.ir.affine import AffineMap
from tilewright.ir.core import Value
from tilewright.transforms.matmul_stages.copies import is_shared, stored_by
from tilewright.transforms.matmul_stages.index_values import with_numbers
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.nests import inside, numbers, stands_before, variable
from tilewright.transforms.matmul_stages.s15_map_to_gpu import WARP, check_launch, check_mapped
from tilewright.transforms.matmul_stages.thread_copies import check_thread_copies

NAME = "complete_latency_hiding"
WHAT = "latency hiding"
_Places = dict[tuple[AffineMap, tuple[Value, ...]], Value]
_Registers = dict[tuple[Value, int], Value]
"""What memory of a thread holds at each place."""


def apply(matmul: Matmul) -> str:
    """Unroll the copies in a step along k, and keep what they fetch in registers."""
    k, kk = matmul.loop("k", NAME), matmul.loop("kk", NAME)
    registers: _Registers = {}
    places: _Places = {}
    for loop in [op for op in inside(k) if isinstance(op, affine.For) and op is not kk]:
        _unroll(matmul, loop, registers, places)
    own = {memory for memory, _ in registers}
    for memory in own:
        if memory.defining_op is not None:
            memory.defining_op.erase()
    names = {value.name for value in registers.values()}
    return f"{len(names)} loads of each thread in front of the products of a step, as many stores behind them"


def _unroll(matmul: Matmul, loop: affine.For, registers: _Registers, places: _Places) -> None:
    """One copy: what it stores to memory of the thread is in `registers`, and read from there.

    Where a thread copies is computed once: `places` are known.
    """
    trips = numbers(loop)
    assert trips is not None, "threads copy equally often"
    build = Builder.before_op(loop)
    for trip in trips:
        mapping: dict[Value, Value] = {}
        for op in inside(loop):
            match op:
                case affine.Apply():
                    map_, values = with_numbers(op.map, op.values, {variable(loop): trip})
                    operands = tuple(mapping.get(v, v) for v in values)
                    if (map_, operands) not in places:
                        places[map_, operands] = build(affine.Apply(list(operands), map_)).out
                        places[map_, operands].name = op.out.name
                    mapping[op.out] = places[map_, operands]
                case arith.Constant():
                    pass  # a place in memory of the thread, which is none any more
                case vector.Store() if not is_shared(op.base):
                    value = mapping[op.valueToStore]
                    value.name = f"{_matrix_name(matmul, value)}_next_{trip}"
                    registers[op.base, trip] = value
                case vector.Load() if (op.base, trip) in registers:
                    mapping[op.out] = registers[op.base, trip]
                case _:
                    build(op.clone(mapping))
    loop.erase()


def _matrix_name(matmul: Matmul, value: Value) -> str:
    load = value.defining_op
    return "a" if isinstance(load, vector.Load) and load.base is matmul.a.memref else "b"


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """All loads stand right behind the barrier at the head, all stores last, and no memory of threads is left."""
    launch = check_launch(matmul)
    _check_order(matmul, launch)
    check_thread_copies(matmul, launch)
    check_mapped(matmul, launch)


def _check_order(matmul: Matmul, launch: gpu.Launch) -> None:
    left = next((op for op in launch.walk() if isinstance(op, memref.Alloca)), None)
    if left is not None:
        raise Broken(WHAT, left, f"%{left.memref.name} is not in registers")
    k, kk = matmul.loop("k", WHAT), matmul.loop("kk", WHAT)
    loop = next((op for op in inside(k) if op is not kk and op.regions), None)
    if loop is not None:
        raise Broken(WHAT, loop, "a copy in the step along k is not unrolled")
    ops = list(inside(k))
    barriers = [op for op in ops if isinstance(op, gpu.Barrier)]
    if not barriers or ops[0] is not barriers[0] or len(barriers) != 2 or not stands_before(kk, barriers[1]):
        raise Broken(WHAT, k, "a step does not begin with a barrier and have another one behind the products")
    for op in ops:
        if isinstance(op, vector.Load) and not stands_before(op, kk):
            raise Broken(WHAT, op, "a tile is fetched behind the products that should hide it")
        if isinstance(op, vector.Store) and not stands_before(barriers[1], op):
            raise Broken(WHAT, op, f"%{op.base.name} is written before the step has read it")
        if isinstance(op, vector.Store) and stored_by(op).defining_op not in ops:
            raise Broken(WHAT, op, "what is stored was not fetched in the same step")
    for matrix in (matmul.a, matmul.b):
        rows = math.prod(matrix.of(matmul.block)) // matmul.schedule.vector
        wanted = rows // (matmul.schedule.warps * WARP)
        found = sum(isinstance(op, vector.Load) and op.base is matrix.memref for op in ops)
        if found != wanted:
            raise Broken("loads a thread", k, f"{found} loads of %{matrix.memref.name} in a step, not {wanted}")
