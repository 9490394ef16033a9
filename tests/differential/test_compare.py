"""What the comparison of results notices."""

from __future__ import annotations

import numpy as np
import pytest

from generators.arguments import Array, Generated, arrays, place, spilled
from tilewright.machine.processor import FeatureSet

from .compare import difference, differences, disagreements
from .variants import Variant, rotation

HOST = [Variant(FeatureSet.HOST, 2)]
STORE = "func @k(%x: memref<f32x4,strided<?>>) {{ %i = constant {} : index %a = constant 1.0 : f32 store %a, %x[%i] }}"


def strided() -> Array:
    """Four elements with two between each."""
    return place(np.arange(4, dtype=np.float32), [3], 4)


@pytest.mark.parametrize("at", [-4, 1, 8, 10, 40])
def test_a_byte_around_an_array_or_in_its_gaps(at: int) -> None:
    want, have = strided(), strided()
    assert spilled(have) == 0
    memory = have.base
    assert isinstance(memory, np.ndarray)
    first = int(have.ctypes.data - memory.ctypes.data) // 4
    memory.view(np.uint8)[4 * (first + at)] ^= 1
    kernel = Generated("", [], exact=True)
    assert list(differences(kernel, [want], [have])) == ["argument 0: 1 bytes around it are written"]


def test_copies_are_guarded_and_lie_alike() -> None:
    whole = place(np.arange(6, dtype=np.int16).reshape(2, 3), [2, 5], 2)
    kernel = Generated("", [whole, [whole, None]], exact=True)
    found = list(arrays(kernel.copy_arguments()))
    assert [name for name, _ in found] == ["argument 0", "element 0 of argument 1"]
    for _, array in found:
        assert np.array_equal(array, whole)
        assert array.strides == whole.strides
        assert (array.ctypes.data - whole.ctypes.data) % 128 == 0
        assert array.ctypes.data != whole.ctypes.data
        assert spilled(array) == 0


def test_signs_of_zeros_and_what_are_no_numbers() -> None:
    zeros, others = np.array([0.0, np.nan, np.inf]), np.array([-0.0, -np.nan, np.inf])
    assert "first (0,): 0.0 expected, got -0.0" in difference(zeros, others, exact=True)
    assert not difference(zeros, others, exact=True, signs=False)
    assert difference(zeros, np.array([0.0, np.nan, -np.inf]), exact=True, signs=False)
    assert difference(zeros, np.array([0.0, 1.0, np.inf]), exact=False)
    assert difference(np.array([1 + 0j]), np.array([complex(1, -0.0)]), exact=True)


def test_races_are_found_where_they_are_and_nowhere_else() -> None:
    racing = """func @k(%x: memref<i32x1>) attributes{subgroup_size=16,work_group_size=[16,1]} {
        parallel { %l = subgroup_local_id : i32 %i = constant 0 : index store %l, %x[%i] } }"""
    arguments = [place(np.zeros(1, np.int32), [1], 4)]
    assert disagreements(Generated(racing, list(arguments), True, races=True), HOST) == []
    assert disagreements(Generated(racing, list(arguments), True), HOST) == ["the interpreter finds a race"]
    sound = STORE.format(1)
    assert disagreements(Generated(sound, [strided()], True), HOST) == []
    assert disagreements(Generated(sound, [strided()], True, races=True), HOST) == ["the interpreter finds no race"]


def test_each_set_of_features_is_compiled_for_at_each_level() -> None:
    every = {variant for number in range(6) for variant in rotation(number)}
    sets = {variant.features for variant in every}
    assert FeatureSet.GENERIC in sets
    assert every == {Variant(features, level) for features in sets for level in (0, 2)}
