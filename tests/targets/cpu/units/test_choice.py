"""Which unit is the best one for products of some types, on a machine that has none."""

from __future__ import annotations

import pytest

from tilewright.ir.types import BF16, F16, F32, F64, I8, I16, I32, I64, ScalarType
from tilewright.machine.processor import FeatureSet
from tilewright.targets.cpu.machine import machine_of
from tilewright.targets.cpu.units.choice import choose
from tilewright.targets.cpu.units.unit import Factor

SIGNED, UNSIGNED = True, False


@pytest.mark.parametrize(
    ("vectors", "scalars", "accumulator", "units"),
    [
        *(
            (Factor(I8, a), Factor(I8, b), I32, ["amx-int8", "vnni"])
            for a in (SIGNED, UNSIGNED)
            for b in (SIGNED, UNSIGNED)
        ),
        *((Factor(I16), Factor(I8, sign), I32, ["vnni"]) for sign in (SIGNED, UNSIGNED)),
        (Factor(I8, UNSIGNED), Factor(I16), I32, ["vnni"]),
        (Factor(I16), Factor(I16), I32, ["vnni"]),
        (Factor(I16, UNSIGNED), Factor(I16), I32, []),
        (Factor(I16), Factor(I16, UNSIGNED), I32, []),
        (Factor(I16, UNSIGNED), Factor(I8), I32, []),
        (Factor(I32), Factor(I8), I32, []),
        (Factor(I8), Factor(I8), I64, []),
        (Factor(I8), Factor(I8), F32, []),
        (Factor(BF16), Factor(BF16), F32, ["amx-bf16", "bf16"]),
        (Factor(BF16), Factor(BF16), F64, []),
        (Factor(BF16), Factor(BF16), BF16, []),
        (Factor(BF16), Factor(F32), F32, []),
        (Factor(F16), Factor(F16), F32, ["amx-f16"]),
        (Factor(F16), Factor(BF16), F32, []),
        (Factor(F32), Factor(F32), F32, []),
    ],
)
def test_units_that_the_machine_lacks_are_named(
    vectors: Factor, scalars: Factor, accumulator: ScalarType, units: list[str]
) -> None:
    found = choose(machine_of(FeatureSet.GENERIC), vectors, scalars, accumulator, (512, 512, 512))
    assert not found.better
    assert found.unit.name == "vector"
    assert [said.partition(":")[0] for said in found.refused] == units
