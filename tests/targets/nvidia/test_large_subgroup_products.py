"""Products of a subgroup that are too long for one: part by part, with the answers of the interpreter's language."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import memref, scf, tile
from tilewright.dialects.builtin import Module
from tilewright.ir.types import MemrefType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.tile_values import tile_type

from .case import Case, Launch, faults
from .emulated import compiled

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "i8": np.int8}


def text(element: str, m: int, n: int, k: int, subgroups: int = 2) -> str:
    """Each subgroup multiplies matrices of its own."""
    return f"""func @f(%A: memref<{element}x{m}x{k}x{subgroups}>, %B: memref<{element}x{k}x{n}x{subgroups}>,
        %C: memref<{element}x{m}x{n}x{subgroups}>)
        attributes{{subgroup_size=32, work_group_size=[{32 * subgroups},1]}} {{
    parallel {{
        %0 = constant 0 : index
        %number = subgroup_linear_id : i32
        %s = cast %number : index
        %A0 = subview %A[0:{m}, 0:{k}, %s] : memref<{element}x{m}x{k}>
        %B0 = subview %B[0:{k}, 0:{n}, %s] : memref<{element}x{k}x{n}>
        %C0 = subview %C[0:{m}, 0:{n}, %s] : memref<{element}x{m}x{n}>
        %a = cooperative_matrix_load %A0[%0,%0] : coopmatrix<{element}x{m}x{k},matrix_a>
        %b = cooperative_matrix_load %B0[%0,%0] : coopmatrix<{element}x{k}x{n},matrix_b>
        %c = cooperative_matrix_load %C0[%0,%0] : coopmatrix<{element}x{m}x{n},matrix_acc>
        %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<{element}x{m}x{n},matrix_acc>
        cooperative_matrix_store %d, %C0[%0,%0]
    }}
}}
"""


def product(element: str, m: int, n: int, k: int) -> Case:
    """With small whole numbers, whose sums are exact."""

    def prepare(rng: np.random.Generator) -> Launch:
        a, b, c = (rng.integers(-2, 3, (*shape, 2)).astype(DTYPES[element]) for shape in ((m, k), (k, n), (m, n)))
        whole = np.einsum("mks,kns->mns", a.astype(np.int64), b.astype(np.int64)) + c.astype(np.int64)
        wanted = whole.astype(np.int8 if element == "i8" else np.float32).astype(c.dtype)
        return Launch([np.asfortranarray(array) for array in (a, b, c)], {2: wanted})

    return Case(f"long product of {element}", text(element, m, n, k), prepare, language=True)


LONG_PRODUCTS = [
    product("f32", 64, 128, 64),
    product("f16", 64, 64, 96),
    product("bf16", 32, 128, 96),
    product("i8", 64, 128, 64),
    product("f64", 32, 96, 96),
]


@pytest.mark.covering(0)
@pytest.mark.parametrize("case", LONG_PRODUCTS, ids=lambda case: case.name)
def test_right_answers(case: Case, rng: np.random.Generator) -> None:
    found = faults(launch := case.prepare(rng), compiled(case.text).run(launch))
    assert not found, "; ".join(found)


def lowered(element: str, m: int, n: int, k: int) -> Module:
    module, report = read_module(Source("k", text(element, m, n, k)), Report()), Report()
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), report)
    return module


@pytest.mark.parametrize(("n", "k", "part"), [(128, 32, None), (128, 64, 8), (96, 96, 8), (1024, 32, 1)])
def test_parts_divide_what_is_summed(n: int, k: int, part: int | None) -> None:
    """Of 64 x 128 with 32 lanes one term of each sum is 256 steps; 8,192 are not split, parts have 2,048 at most."""
    module = lowered("f32", 64, n, k)
    loops = [op for op in module.walk() if isinstance(op, scf.For)]
    assert len(loops) == (part is not None)
    for loop in loops:
        (product,) = [op for op in loop.walk() if isinstance(op, tile.Mma)]
        assert tile_type(product.lhs).shape == (64, part)
        types = [op.out.type for op in module.walk() if isinstance(op, memref.Alloca)]
        shapes = [type_.shape for type_ in types if isinstance(type_, MemrefType)]
        assert shapes == [(64, 2 * k), (k, 2 * n)]
