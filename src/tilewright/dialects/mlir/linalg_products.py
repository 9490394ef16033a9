"""Operations of linalg that add products: of matrices, of a matrix and a vector, of two vectors, and by any maps."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import fail
from tilewright.dialects.mlir.linalg import Named
from tilewright.ir.affine import AffineMap, Dimension


class Structure(Struct, frozen=True):
    """What a name says: the indices of each operand as letters, and which of them are summed."""

    letters: tuple[str, ...]
    summed: str


class Product(Named):
    """The sum of products, over loops that follow from the name."""

    structure: ClassVar[Structure]

    @property
    def loops(self) -> str:
        """The letters of the loops, in order."""
        *_, out = self.structure.letters
        return "".join(dict.fromkeys(out + self.structure.summed))

    @property
    def usual_maps(self) -> list[AffineMap]:
        order = self.loops
        return [
            AffineMap(len(order), 0, tuple(Dimension(order.index(c)) for c in letters))
            for letters in self.structure.letters
        ]

    @property
    def iterators(self) -> list[str]:
        return ["reduction" if c in self.structure.summed else "parallel" for c in self.loops]


class Matmul(Product, name="linalg.matmul", assembly="<structured>"):
    """`C += A B`."""

    structure = Structure(("mk", "kn", "mn"), "k")


class MatmulTransposeA(Product, name="linalg.matmul_transpose_a", assembly="<structured>"):
    """`C += A^T B`."""

    structure = Structure(("km", "kn", "mn"), "k")


class MatmulTransposeB(Product, name="linalg.matmul_transpose_b", assembly="<structured>"):
    """`C += A B^T`."""

    structure = Structure(("mk", "nk", "mn"), "k")


class BatchMatmul(Product, name="linalg.batch_matmul", assembly="<structured>"):
    """`C[b] += A[b] B[b]`."""

    structure = Structure(("bmk", "bkn", "bmn"), "k")


class BatchMatmulTransposeA(Product, name="linalg.batch_matmul_transpose_a", assembly="<structured>"):
    """`C[b] += A[b]^T B[b]`."""

    structure = Structure(("bkm", "bkn", "bmn"), "k")


class BatchMatmulTransposeB(Product, name="linalg.batch_matmul_transpose_b", assembly="<structured>"):
    """`C[b] += A[b] B[b]^T`."""

    structure = Structure(("bmk", "bnk", "bmn"), "k")


class BatchReduceMatmul(Product, name="linalg.batch_reduce_matmul", assembly="<structured>"):
    """`C += sum over b of A[b] B[b]`."""

    structure = Structure(("bmk", "bkn", "mn"), "bk")


class Matvec(Product, name="linalg.matvec", assembly="<structured>"):
    """`y += A x`."""

    structure = Structure(("mk", "k", "m"), "k")


class Vecmat(Product, name="linalg.vecmat", assembly="<structured>"):
    """`y += x A`."""

    structure = Structure(("k", "kn", "n"), "k")


class BatchMatvec(Product, name="linalg.batch_matvec", assembly="<structured>"):
    """`y[b] += A[b] x[b]`."""

    structure = Structure(("bmk", "bk", "bm"), "k")


class BatchVecmat(Product, name="linalg.batch_vecmat", assembly="<structured>"):
    """`y[b] += x[b] A[b]`."""

    structure = Structure(("bk", "bkn", "bn"), "k")


class Dot(Product, name="linalg.dot", assembly="<structured>"):
    """`s += x . y`."""

    structure = Structure(("k", "k", ""), "k")


class Contract(Named, name="linalg.contract", assembly="<structured>"):
    """`C += A B` over loops that the maps name: those of C, and those that only A and B have, which are summed."""

    @property
    def usual_maps(self) -> list[AffineMap]:
        return []

    @property
    def iterators(self) -> list[str]:
        if len(self.given_maps) != 3:
            return []
        kept = _loops(self.given_maps[2])
        return ["parallel" if k in kept else "reduction" for k in range(self.given_maps[2].dimensions)]

    def verify(self, report: Report) -> None:
        maps = self.given_maps
        if len(maps) != 3 or len(self.inputs) != 2 or len(self.outputs) != 1:
            fail(self, report, "takes two factors, an output, and a map for each of them")
            return
        for index, map_ in enumerate(maps):
            if len(_loops(map_)) != len(map_.results):
                fail(self, report, f"{map_} is no choice of different loops", index)
                return
        x, y, out = map(_loops, maps)
        for loop in range(maps[2].dimensions):
            if sum(loop in letters for letters in (x, y, out)) < 2:
                fail(self, report, f"loop {loop} is none of two of the three operands")
                return
        if not x & y - out:
            fail(self, report, "no loop of both factors is missing in the output: nothing is summed")
            return
        super().verify(report)


def _loops(map_: AffineMap) -> set[int]:
    return {e.position for e in map_.results if isinstance(e, Dimension)}
