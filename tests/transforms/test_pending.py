"""What is pending where two paths meet."""

from __future__ import annotations

import itertools

from tilewright.dialects import memref, scf
from tilewright.ir.types import AddressSpace
from tilewright.transforms.aliasing import accesses
from tilewright.transforms.pending import Pending
from transforms.support import kernel

NEST = """
    %zero = arith.constant {value = 0} -> index
    scf.for %zero, %n (%i: index) { scf.for %zero, %n (%j: index) { memref.store %x, %A, %j  scf.yield } scf.yield }"""


def test_of_two_paths_the_outermost_loop_counts() -> None:
    module = kernel("%A: memref<f32x?>, %n: index, %x: f32", NEST)
    outer, inner = (op for op in module.walk() if isinstance(op, scf.For))
    (store,) = (op for op in module.walk() if isinstance(op, memref.Store))
    (access,) = accesses(store)
    now = Pending()
    now.add([access])
    states = {0: now, 1: now.around(inner), 2: now.around(outer)}
    for one, other in itertools.product(states, repeat=2):
        met = states[one].copy()
        met.join(states[other])
        (group,) = met.accesses[AddressSpace.GLOBAL].values()
        assert group == {access: (None, inner, outer)[max(one, other)]}
