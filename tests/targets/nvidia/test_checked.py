"""Checked code on the emulated device finds every access out of bounds, touches nothing there, and ends.

The emulator's own faults would show an access that no check came before.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

import tilewright as tw
from differential.test_checked import BOUNDS, cut, out_of_bounds, verdict
from effort import SEED, Ran, count
from generators.arguments import Argument as Passed
from generators.faults import faulty
from generators.kernels import generate
from generators.tile_ir import generate as generate_tile_ir
from generators.tile_ir import module_of
from runtime.checked.checking import LOOP, fault, guarded
from runtime.checked.test_accesses import CASES, GROUP, Case, found_and_not_touched
from runtime.checked.test_tile_ir import POINTERS, VIEW
from tilewright import KernelError
from tilewright.artifacts.report_sites import device_words, read_sites
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, read_module
from tilewright.diagnostics import CompileError, Report, Source, SourceRange
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.argument_checks import ArgumentChecks
from tilewright.targets.nvidia.ptx import assemble
from tilewright.targets.nvidia.target import NvidiaTarget

from .against_interpreter import disagreements, on_device
from .case import GroupArgument, Launch
from .emulated import Emulated, compiled
from .launching import program_of
from .test_ptx import needs_ptxas

KERNELS = count("RANDOM_DEVICE_FAULTS", 10, 2000)
SOUND = count("RANDOM_CHECKED_DEVICE_KERNELS", 6, 500)
TILE_KERNELS = count("RANDOM_DEVICE_TILE_FAULTS", 5, 300)


def checked(text: str, level: int = 2) -> tw.Program:
    """For the emulated device; kernels with a fault may race."""
    return program_of(compiled(text, level, checked=True), races=False)


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_is_out_of_bounds_is_found_and_not_touched(case: Case, level: int) -> None:
    found_and_not_touched(case, checked(case.text, level).f[1])


def test_an_error_names_kernel_argument_index_extent_and_place() -> None:
    program = checked(LOOP)
    array, _ = guarded(10)
    with pytest.raises(KernelError) as found:
        program.f[3](array, 12)
    (diagnostic,) = found.value.diagnostics
    assert "kernel f: indices [0 to 11] reach outside of %A, which has 10 elements here (work-group" in str(diagnostic)
    place = diagnostic.location
    assert isinstance(place, SourceRange)
    assert place.source.text[place.start : place.end] == "%v = load %A[%i] : f32"
    program.f[1](array, 10)
    assert (array == 1).all(), "the program runs on as before"


def test_groups() -> None:
    found = compiled(GROUP, checked=True)

    def launch(grid: int, holes: bool, force: bool) -> None:
        arrays = [np.ones(4, np.float32), None if holes else np.ones(4, np.float32), np.ones(4, np.float32)]
        arguments = [GroupArgument(arrays), np.zeros(4, np.float32), np.bool_(force)]
        found.run(Launch(arguments, {}, (grid, 1, 1)), races=False)

    launch(3, holes=False, force=True)
    assert "index 3 is outside of group %G of 3 elements" in fault(lambda: launch(4, holes=False, force=True))
    assert "through %G[1], which is null (work-group 1, 0, 0)" in fault(lambda: launch(3, holes=True, force=True))
    launch(3, holes=True, force=False)


@pytest.mark.parametrize("level", [0, 2])
def test_pointers_of_tile_ir(level: int) -> None:
    program = checked(POINTERS, level)
    kernel, array = program.f[1], np.zeros(20, np.float32)
    assert "lanes" in program.f.schedule
    kernel(array, 4, 100)
    assert array.tolist() == [0] * 4 + [1] * 16
    kernel(array, 1000, 20)
    assert "bytes 20 to 83 of %a are accessed, which has 80" in fault(lambda: kernel(array, 5, 100))
    assert "bytes -4 to 59 of %a are accessed, which has 80" in fault(lambda: kernel(array, -1, 100))
    assert array.tolist() == [0] * 4 + [1] * 16
    part = np.zeros(40, np.float32)
    assert "which has 80" in fault(lambda: kernel(part[10:30], 5, 100))


@pytest.mark.parametrize("level", [0, 2])
def test_views_of_tile_ir(level: int) -> None:
    kernel, array = checked(VIEW, level).f[1], np.zeros(40, np.float32)
    for row in range(3):
        kernel(array, 5, row)
    assert (array == 1).all()
    assert "bytes 128 to 191 of %a are accessed, which has 160" in fault(lambda: kernel(array, 6, 2))
    assert "bytes 192 to 223 of %a are accessed, which has 160" in fault(lambda: kernel(array, 7, 3))


ENDS = """func @f(%A: memref<i32x?>, %O: memref<i32x64>, %S: memref<i32x64>)
    attributes{subgroup_size=32,work_group_size=[64,1]} {
    %far = constant 100 : index  %zero = constant 0 : index  %wait = constant 40 : index
    %one = constant 1 : i32  %t = alloca : memref<i32x64,local>
    parallel {
        %l = subgroup_local_id : i32  %i = cast %l : index
        %s = subgroup_linear_id : i32  %j = cast %s : index
        %w = constant 32 : index
        %k0 = mul %j, %w : index  %k = add %k0, %i : index
        %bad = load %S[%k] : i32
        %b = cast %bad : index
        %v = load %A[%b] : i32
        store %v, %t[%k]
        barrier.local
        %m0 = constant 63 : index  %m = sub %m0, %k : index
        %u = load %t[%m] : i32
        %sum = subgroup_reduce_add %u : i32
        store %sum, %O[%k]
    }
}"""


@pytest.mark.parametrize("seed", range(6))
def test_the_others_of_a_work_group_do_not_go_past_a_barrier(seed: int) -> None:
    """Some work-items fail; the others do not wait for them, and compute nothing from what these have not stored."""
    rnd = random.Random(seed)
    where = np.zeros(64, np.int32)
    where[rnd.sample(range(64), rnd.choice([1, 5, 31]))] = 9
    found = compiled(ENDS, rnd.choice([0, 2]), checked=True)
    arguments = [np.ones(4, np.int32), np.full(64, 77, np.int32), where]
    with pytest.raises(KernelError, match=r"index \[9\] is outside of %A, which has 4") as caught:
        found.run(Launch(arguments, {}), schedule=rnd, races=False)
    assert len(caught.value.diagnostics) == 1
    assert not hasattr(caught.value, "__notes__"), "of many faults one is told, and none is missed"
    out = arguments[1].copy()
    fine = [np.ones(4, np.int32), out, np.zeros(64, np.int32)]
    results = found.run(Launch(fine, {}), schedule=rnd)
    assert np.array_equal(np.asarray(results[1]), np.full(64, 32))


def test_what_a_barrier_ends_is_not_stored() -> None:
    program = checked(ENDS)
    out = np.full(64, 77, np.int32)
    where = np.zeros(64, np.int32)
    where[3] = 9
    fault(lambda: program.f[1](np.ones(4, np.int32), out, where))
    assert (out == 77).all()


def verdict_of(kernels: Emulated, arguments: Sequence[Passed], grid: int) -> KernelError | None:
    """What a launch ends with, by its own checks or those of the code."""
    shape = (grid, 1, 1)
    try:
        ArgumentChecks(kernels.kernels[0]).values(arguments, shape)
        # views may begin where their array has no element, but memory: that is no fault
        kernels.run(Launch([on_device(a) for a in arguments], {}, shape), races=False, between=False)
    except KernelError as error:
        return error
    return None


def test_faults_are_those_of_the_interpreter(ran: Ran) -> None:
    for seed in range(SEED, SEED + KERNELS):
        kernel = faulty(random.Random(seed))
        try:
            reference = tw.compile(kernel.text, target="interpreter", std="new")
        except CompileError:
            continue  # what is static is refused
        wanted = verdict(reference, kernel)
        level = random.Random(seed).choice([0, 2])
        had = verdict_of(compiled(kernel.text, level, checked=True), kernel.copy_arguments(), kernel.grid)
        text = f"seed {seed} -O{level}: {wanted} expected, got {had}\n{kernel.text}"
        assert (wanted is None) == (had is None), text
        assert had is None or had.diagnostics[0].code in BOUNDS, text
    ran(KERNELS, "kernels with accesses out of bounds on the emulated device")


def test_sound_kernels_compute_the_same(ran: Ran) -> None:
    for seed in range(SEED, SEED + SOUND):
        kernel = generate(random.Random(seed))
        found = compiled(kernel.text, random.Random(seed).choice([0, 2]), checked=True)
        wrong = disagreements(kernel, lambda launch, number, k=found: k.run(launch, number))
        assert not wrong, f"seed {seed}: {'; '.join(wrong)}\n{kernel.text}"
    ran(SOUND, "checked kernels without a fault on the emulated device")


def test_faults_of_tile_ir_are_those_of_the_interpreter(ran: Ran) -> None:
    for seed in range(SEED, SEED + TILE_KERNELS):
        kernel = generate_tile_ir(random.Random(seed), f"seed_{seed}", host=0.3)
        text = module_of([kernel])
        reference = tw.compile(text, target="interpreter")
        level = random.Random(seed).choice([0, 2])
        program = checked(text, level)
        for number in range(2):
            rnd = f"{kernel.name} {number}"
            wanted = out_of_bounds(reference, kernel, cut(kernel, random.Random(rnd)))
            had = out_of_bounds(program, kernel, cut(kernel, random.Random(rnd)))
            message = f"{kernel.name} -O{level}: {wanted} expected, got {had}\n{kernel.text}"
            assert (wanted is None) == (had is None), message
    ran(TILE_KERNELS, "kernels of Tile IR on arrays that are too short, on the emulated device")


def test_a_launch_reserves_little_for_checks() -> None:
    """Only the first check that fails leaves a record."""
    found = read_sites(checked(LOOP).f.info.facts)
    assert found is not None
    assert device_words(found[1]) <= 8


@needs_ptxas
@pytest.mark.covering(1)
@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
@pytest.mark.parametrize("text", [LOOP, ENDS, POINTERS, VIEW, *(case.text for case in CASES.values())])
def test_ptxas_accepts(text: str, architecture: Architecture) -> None:
    options = CompileOptions(checked=True)
    artifact = compile_module(read_module(Source("k", text), Report()), NvidiaTarget(architecture), options, Report())
    ptx = artifact.payload.decode()
    assert "exit;" in ptx
    assert "trap" not in ptx, "a context that has trapped takes no more work"
    assert assemble(ptx, architecture).kernels
