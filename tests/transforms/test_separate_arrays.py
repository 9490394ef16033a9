"""Second forms for arrays that lie apart: who has one, and that both forms say what the interpreter says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import tilewright as tw
from effort import Ran, count
from frontends.tlx.kernels import function, load, store, typeinfo
from targets.nvidia.launching import program_of_text
from tilewright.artifacts.artifact import Artifact, ArtifactError
from tilewright.ir.passes import PassContext, PassManager
from tilewright.runtime.apart import takes_apart
from tilewright.runtime.code_checks import check_object
from tilewright.runtime.header import emit_header
from tilewright.runtime.nvidia.code_checks import check_ptx
from tilewright.targets.cpu import generation
from tilewright.transforms.separate_arrays import SeparateArrays
from transforms.support import parse

PLACES = count("RANDOM_PLACES_OF_ARRAYS", 12, 400)
_N = 8
_SIZE = _N * _N

_MATRIX = f"memref<i32x{_N}x{_N}>"


def _loops(body: str, depth: str) -> str:
    for index in reversed(depth):
        body = f"for %{index} = %zero, %n {{ {body} }}"
    return f"%zero = constant 0 : index\n%n = constant {_N} : index\n{body}"


_UPDATE = """
%a = load %A[%i,%k] : i32
%b = load %B[%k,%j] : i32
%c = load %C[%i,%j] : i32
%p = mul %a, %b : i32
%s = add %c, %p : i32
store %s, %C[%i,%j]"""

_EPILOGUE = """
%c = load %C[%i,%j] : i32
%d = load %D[%j,%i] : i32
%s = max %c, %d : i32
store %s, %E[%i,%j]"""

_GEMM = f"%one = constant 1 : i32\n%none = constant 0 : i32\ngemm %one, %A, %B, %none, %C\n{_loops(_EPILOGUE, 'ij')}"


def _func(names: str, body: str, attributes: str = "") -> str:
    parameters = ", ".join(f"%{name}: {_MATRIX}{attributes}" for name in names)
    return f"func @k({parameters}) {{\n{body}\n}}"


def _sums() -> str:
    vector = f"<{_SIZE} x i32>"
    return function(
        f"%ta = {load('%a', 'i32', [_N, _N])}",
        f"%tb = {load('%b', 'i32', [_N, _N])}",
        f"%v = call {vector} @llvm.tensor.matmul(token %ta, token %tb)",
        f"%tc = {typeinfo(f'{vector} %v', [_N, _N])}",
        store("%c", "%tc", [0, 0]),
    )


TLX = _sums()
LOOPS, FUSED = _func("ABC", _loops(_UPDATE, "ijk")), _func("AEDBC", _GEMM)
PROGRAMS: dict[str, tuple[str, int, int]] = {"loops": (LOOPS, 3, 3), "epilogue": (FUSED, 5, 3), "TLX": (TLX, 3, 3)}
"""Texts, how many arrays they take, and how many of the first lie anywhere: an instruction's own may not overlap."""


_CERTAIN = ([0, _SIZE, 2 * _SIZE], [0, _SIZE - 1, 2 * _SIZE])
"""Where arrays surely lie in some launches: beside each other, and on the end of another."""


def _arrays(name: str, memory: Any, rng: np.random.Generator, number: int) -> list[Any]:
    """Matrices in one piece of memory: some anywhere, often beside each other or an element less, others behind."""
    _, total, free = PROGRAMS[name]
    near = [0, _SIZE, 2 * _SIZE, 1, _SIZE - 1, 2 * _SIZE - 1, 2 * _SIZE + 1]
    drawn = _CERTAIN[number] if number < len(_CERTAIN) else rng.choice(near, free).tolist()
    starts = [*drawn, *(_SIZE * (4 + k) for k in range(total - free))]
    return [memory[start : start + _SIZE].reshape(_N, _N, order="C" if name == "TLX" else "F") for start in starts]


def _as_the_interpreter(program: tw.Program, name: str, rng: np.random.Generator, places: int) -> set[bool]:
    """Which forms launches took, whose memory was as behind the interpreter's afterwards."""
    text, total, _ = PROGRAMS[name]
    meant, found = tw.compile(text, target="interpreter"), set[bool]()
    for number in range(places):
        memory = rng.integers(-9, 10, (4 + total) * _SIZE).astype(np.int32)
        state, wanted = rng.bit_generator.state, memory.copy()
        given = _arrays(name, memory, rng, number)
        rng.bit_generator.state = state
        meant.k[1](*_arrays(name, wanted, rng, number))
        program.k[1](*given)
        assert np.array_equal(memory, wanted), [(each.ctypes.data - memory.ctypes.data) // 4 for each in given]
        found.add(takes_apart(program.k.info, given))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_forms_on_the_cpu(rng: np.random.Generator, name: str, ran: Ran) -> None:
    program = tw.compile(PROGRAMS[name][0], target="cpu", cache=False)
    found = _as_the_interpreter(program, name, rng, PLACES)
    assert found == ({False} if name == "TLX" else {False, True}), "TLX tests by itself where its arrays lie"
    ran(PLACES, "launches of kernels in two forms")


@pytest.mark.parametrize("name", ["loops", "epilogue"])
def test_both_forms_on_the_emulated_device(rng: np.random.Generator, name: str) -> None:
    assert _as_the_interpreter(program_of_text(PROGRAMS[name][0]), name, rng, 3 + PLACES // 20)


COPY = "%a = load %A[%i] : i32\nstore %a, %B[%i]"
NONE: dict[str, str] = {
    "arrays that are promised to lie apart": _func("ABC", _loops(_UPDATE, "ijk"), ' {"noalias"=true}'),
    "one array": _func("C", _loops(_UPDATE.replace("%A", "%C").replace("%B", "%C"), "ijk")),
    "sums of what is added to": _func("AC", _loops(_UPDATE.replace("%B", "%C"), "ijk")),
    "nothing is written": _func("AC", _loops("%c = load %C[%i,%j] : i32", "ij")),
    "an instruction": _func("ABC", "%one = constant 1 : i32\ngemm %one, %A, %B, %one, %C"),
    "groups": f"""func @k(%G: group<{_MATRIX}x?>, %B: {_MATRIX}, %C: {_MATRIX}) {{
        %g = group_id.x : index
        %A = load %G[%g] : {_MATRIX}
        {_loops(_UPDATE, "ijk")}
    }}""",
}


@pytest.mark.parametrize("why", NONE)
@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_80"])
def test_kernels_of_one_form(why: str, target: str) -> None:
    assert tw.compile(NONE[why], target=target, cache=False).k.info.apart is None


def test_what_is_checked_takes_the_careful_way() -> None:
    assert tw.compile(LOOPS, target="cpu", cache=False, checked=True).k.info.apart is None


def test_what_arrays_do_not_hold_up_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    floats = LOOPS.replace("i32", "f32")
    assert tw.compile(floats, target="cpu", cache=False).k.info.apart is not None

    def again(*_: object) -> None:
        raise AssertionError("the program is made again")

    monkeypatch.setattr(PassManager, "_again", again)
    assert tw.compile(floats, target="cpu", cache=False, reorder_sums=False).k.info.apart is None
    for why in ("arrays that are promised to lie apart", "one array", "nothing is written", "an instruction"):
        tw.compile(NONE[why], target="nvidia:sm_80", cache=False)


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_80"])
def test_code_of_both_forms_is_that_of_the_header(target: str) -> None:
    artifact = tw.compile(LOOPS, target=target, cache=False).artifact
    (info,) = artifact.kernels
    assert info.apart is not None
    check = check_object if target == "cpu" else check_ptx
    check(artifact)
    assert Artifact.from_bytes(artifact.to_bytes()) == artifact
    symbol = info.apart.symbol.encode()
    for old, new in ((symbol, b"x" * len(symbol)), (symbol + b"$", symbol + b"x")):
        with pytest.raises(ArtifactError, match=r"kernel k\.apart"):
            check(replace(artifact, payload=artifact.payload.replace(old, new)))
    with pytest.raises(ArtifactError, match=r"kernel k: .* another signature"):
        check(replace(artifact, kernels=(replace(info, apart=replace(info.apart, local_bytes=1 << 10)),)))


def test_a_kernel_has_no_third_form() -> None:
    """Where another pass is held up in a kernel that has two forms, or in one of its steps, nothing is made again."""
    head = 'subgroup_size = 16, work_group_size = [16, 1], held_up = {"pack-items" = 1}'
    module = parse(
        "builtin.module {\n"
        + "\n".join(
            f"builtin.kernel {{{head}, {said}}} (%a: memref<f32x4>, %b: memref<f32x4>) {{}}"
            for said in ('sym_name = "f"', 'sym_name = "f.0", step_of = "f"', 'sym_name = "f.apart", apart_of = "f"')
        )
        + "\n}"
    )

    def again(_: object) -> None:
        raise AssertionError("the program is made again")

    assert SeparateArrays().run(module, PassContext(again=again))
    assert not any(kernel.held_up for kernel in module.kernels)


def test_long_programs_have_one_form(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tw.compile(LOOPS, target="cpu", cache=False).k.info.apart is not None
    monkeypatch.setattr(generation, "WELL_OPTIMISED", 200)
    assert tw.compile(LOOPS, target="cpu", cache=False).k.info.apart is None


def test_c_programs_have_the_form_for_any_arrays() -> None:
    header = emit_header(tw.compile(LOOPS, target="cpu", cache=False).artifact)
    assert '__asm__("tw_k")' in header
    assert "apart" not in header


def test_a_schedule_is_that_of_arrays_that_lie_apart() -> None:
    """The careful form takes of it what fits, and is not refused for the rest."""
    text = TLX.replace(str(_SIZE), str(1 << 20)).replace(f"i32 {_N}", "i32 1024")
    program = tw.compile(text, target="nvidia:sm_80", cache=False, schedule="spread=yes threads=128")
    assert program.k.schedule.startswith("lanes threads=128")
    alone = tw.compile(text, target="nvidia:sm_80", cache=False, schedule="k: spread=no")
    assert alone.k.info.apart is None
    with pytest.raises(tw.CompileError, match="does not fit kernel k:"):
        tw.compile(text, target="nvidia:sm_80", cache=False, schedule="pingpong=yes")
