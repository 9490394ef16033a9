"""raise-contractions: loops over single elements become the collective instructions that they amount to.

before:  scf.for %i .. { scf.for %j .. { scf.for %k .. {
             %c = memref.load %C[%i, %j]   ..   memref.store %c_plus_a_times_b, %C[%i, %j] } } }
after:   tl.gemm %one, %A, %B, %one, %C

What counts is what is computed: the updates `C[f(i)] += A[g(i)] B[h(i)]` of a nest, whatever its loops, are taken as
a set and compared with those of an instruction. So the order of loops, tiles with remainders, unrolling, accumulators
that loops carry and statements in front of the product or behind it make no difference (`updates`, `progressions`,
`boxes`). A nest of several statements is taken apart where dependences allow it; those that are no such sum keep loops.

Sums are reordered, and computed in acc(T) of the element type T of the target with one rounding at the end, as the
instructions say; integers give the same bits. With the compile option `reorder_sums=False` only sums of integers are
taken. Sources share no memory with the target, as far as allocations, `noalias` and address spaces tell; else loops
stay. Memory of one mode that is accessed as if it had more (`i * N + j`) is taken as such (`delinearisation`,
`split_copies`). What lengths have to be for boxes to lie beside each other is tested at run time; the loops are the
other case. Loops that count several others at once (`coalesced`) are those. Of stores to one place the last one counts
(`overwritten`).
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import memref, scf
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext


class RaiseContractions(Pass, frozen=True):
    """Find collective instructions in loops of collective regions."""

    name: ClassVar[str] = "raise-contractions"
    floats: bool = True

    def keeping_order(self) -> RaiseContractions:
        return RaiseContractions(floats=False)

    def run(self, module: Module, context: PassContext) -> bool:
        kernels = [kernel for kernel in module.kernels if _stores_in_loops(kernel)]
        if not kernels:
            return False
        # 14 files, for what few programs have
        from tilewright.transforms.raise_contractions.runs import raise_in

        changes = [raise_in(kernel, self.floats) for kernel in kernels]
        return any(changes)


def _stores_in_loops(kernel: Kernel) -> bool:
    loops = [op for op in kernel.walk() if isinstance(op, scf.For)]
    return any(isinstance(op, memref.Store) for loop in loops for op in loop.body.entry)
