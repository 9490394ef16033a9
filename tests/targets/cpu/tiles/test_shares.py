"""Shares of work-items in a cooperative matrix: which element is which component, by the language reference (1.11)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from generators.element_types import DTYPES
from targets.cpu.collective import available_levels
from tilewright.machine.processor import FeatureSet

SHAPES: Final = [
    (16, 8, 6),
    (16, 32, 3),
    (16, 64, 5),
    (16, 4, 3),
    (16, 16, 4),
    (8, 32, 2),
    (4, 2, 7),
    (1, 4, 2),
    (2, 8, 1),
]
"""Work-items of the subgroup, rows, columns."""
LEVELS: Final = sorted({available_levels()[0], available_levels()[-1]}, key=lambda level: level.name)


def owned(size: int, rows: int, columns: int) -> dict[tuple[int, int], tuple[int, int]]:
    """Work-item and component of each element."""
    high = min(rows, size)
    wide = -(-high * columns // size) * size // high
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for item in range(size):
        for k in range(rows // high):
            for u in range(high * wide // size):
                at = (item % high + k * high, item // high + u * (size // high))
                if at[1] < columns:
                    found[at] = (item, u + k * high * wide // size)
    assert len(found) == rows * columns
    return found


def kernel(dtype: str, size: int, rows: int, columns: int, components: int) -> str:
    """`%E` gets the components of each work-item of `%A`, then those of `%V` take their place in `%B`."""
    matrix = f"coopmatrix<{dtype}x{rows}x{columns},matrix_acc>"
    lines = [f"%m0 = cooperative_matrix_load %A[%z,%z] : {matrix}"]
    for v in range(components):
        lines += [
            f"%k{v} = constant {v} : index",
            f"%e{v} = cooperative_matrix_extract %m0[{v}] : {dtype}",
            f"store %e{v}, %E[%i,%k{v}]",
            f"%n{v} = load %V[%i,%k{v}] : {dtype}",
            f"%m{v + 1} = cooperative_matrix_insert %n{v}, %m{v}[{v}] : {matrix}",
        ]
    lines.append(f"cooperative_matrix_store %m{components}, %B[%z,%z]")
    body = "\n".join(lines)
    shape, share = f"memref<{dtype}x{rows}x{columns}>", f"memref<{dtype}x{size}x{components}>"
    return f"""func @k(%A: {shape}, %B: {shape}, %E: {share}, %V: {share})
        attributes{{subgroup_size={size}, work_group_size=[{size},1]}} {{
      %z = constant 0 : index
      parallel {{
        %lane = subgroup_local_id : i32
        %i = cast %lane : index
        {body}
      }}
    }}"""


@pytest.mark.covering(2)
@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.value)
@pytest.mark.parametrize("dtype", ["f32", "i8", "c64"])
@pytest.mark.parametrize(("size", "rows", "columns"), SHAPES)
def test_components(
    size: int, rows: int, columns: int, dtype: str, level: FeatureSet, rng: np.random.Generator
) -> None:
    places = owned(size, rows, columns)
    components = 1 + max(component for _, component in places.values())

    def numbers(*shape: int) -> NDArray[Any]:
        found = rng.integers(-99, 99, shape) + (1j * rng.integers(-99, 99, shape) if dtype == "c64" else 0)
        return np.asfortranarray(found.astype(DTYPES[dtype]))

    a, b, e, v = numbers(rows, columns), numbers(rows, columns), numbers(size, components), numbers(size, components)
    extracted, inserted = np.zeros_like(e), np.empty_like(b)
    for at, place in places.items():
        extracted[place], inserted[at] = a[at], v[place]
    tw.compile(kernel(dtype, size, rows, columns, components), target=f"cpu:{level.value}").k[1](a, b, e, v)
    np.testing.assert_array_equal(e, extracted)
    np.testing.assert_array_equal(b, inserted)
