"""lower-cooperative-matrices: operations, types of carried values, checks and transposes."""

from __future__ import annotations

from tilewright.transforms.lower_cooperative_matrices import LowerCooperativeMatrices
from transforms.support import filecheck, kernel, run


def lowered(parameters: str, body: str) -> str:
    text = run(kernel(parameters, f"team.spmd {{ {body} }}"), LowerCooperativeMatrices())
    assert "coop" not in text
    return text


VIEW = "%A: memref<f32x?x?>, %x: index, %y: index"


def test_transposed_checked_load_swaps_view_and_indices() -> None:
    text = lowered(
        VIEW,
        """%a = tl.cooperative_matrix_load %A, %x, %y {transpose = true, checked = "rows_checked"}
             -> coopmatrix<f32x16x4,matrix_a>
           tl.cooperative_matrix_store %a, %A, %x, %y""",
    )
    filecheck(
        text,
        """
        memref.permute %A {order = [1, 0]}
        tile.load {{%\\w+}}, %y, %x {check = [true, false]} -> tile<16x4xf32>
        tile.store {{%\\w+}}, %A, %x, %y
        """,
    )


def test_carried_matrices_constants_and_products() -> None:
    text = lowered(
        "%A: memref<f16x?x?>, %n: index, %x: index",
        """%c = arith.constant {value = 0.0} -> coopmatrix<f16x16x8,matrix_acc>
           %r = scf.for %x, %n, %c {operand_segments = [1, 1, 0, 1]} -> coopmatrix<f16x16x8,matrix_acc>
             (%i: index, %s: coopmatrix<f16x16x8,matrix_acc>) {
             %a = tl.cooperative_matrix_load %A, %x, %i -> coopmatrix<f16x16x4,matrix_a>
             %b = tl.cooperative_matrix_load %A, %i, %x -> coopmatrix<f16x4x8,matrix_b>
             %p = tl.cooperative_matrix_mul_add %a, %b, %s -> coopmatrix<f16x16x8,matrix_acc>
             scf.yield %p }
           %q = tl.cooperative_matrix_reduce %r {kind = "add", row = true} -> coopmatrix<f16x16x1,matrix_acc>
           tl.cooperative_matrix_atomic_store %q, %A, %x, %x""",
    )
    filecheck(
        text,
        """
        arith.constant {value = 0.0} -> tile<16x8xf16>
        scf.for {{.*}} -> tile<16x8xf16>
        arith.cast %s -> tile<16x8xf32>
        tile.mma
        arith.cast {{.*}} -> tile<16x8xf16>
        scf.yield
        arith.cast %r -> tile<16x8xf32>
        tile.reduce {{.*}} dim = 1{{.*}} -> tile<16xf32>
        arith.cast {{.*}} -> tile<16xf16>
        tile.reshape {{.*}} -> tile<16x1xf16>
        tile.atomic_store
        """,
    )


def test_apply_share_and_scale() -> None:
    text = lowered(
        f"{VIEW}, %s: f32",
        """%a = tl.cooperative_matrix_construct %s -> coopmatrix<f32x16x4,matrix_acc>
           %b = tl.cooperative_matrix_scale %s, %a -> coopmatrix<f32x16x4,matrix_acc>
           %c = tl.cooperative_matrix_apply %b -> coopmatrix<f32x16x4,matrix_acc> (%i: i32, %j: i32, %v: f32) {
             %w = arith.add %v, %v -> f32  scf.yield %w }
           %d = tl.cooperative_matrix_extract %c {index = 1} -> f32
           %e = tl.cooperative_matrix_insert %d, %c {index = 0} -> coopmatrix<f32x16x4,matrix_acc>
           %f = tl.cooperative_matrix_atomic_rmw %e, %A, %x, %y {kind = "add", scope = "device"}
             -> coopmatrix<f32x16x4,matrix_acc>
           tl.cooperative_matrix_prefetch %A, %x, %y {level = 1, rows = 8, columns = 2}""",
    )
    filecheck(
        text,
        """
        tile.splat %s
        tile.splat %s
        arith.mul
        tile.map
        (%i: i32, %j: i32, %v: f32)
        tile.share_extract
        tile.share_insert
        tile.atomic_rmw {{.*}}kind = "add"{{.*}}scope = "device"
        tile.prefetch {{.*}} shape = [8, 2]
        """,
    )
