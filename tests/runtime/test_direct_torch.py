"""Direct calls with CPU tensors of torch: recognised ones run as by the long way, others end as by the long way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from runtime.hand_written import AXPBY, AXPBY_PARAMETERS, ECHO, bind, matrix
from runtime.python_run import CHECKS, python_run
from runtime.test_direct import TARGET, axpby_artifact, outcome, references_per_call, warmed
from tilewright.artifacts.artifact import MemrefParameter, PointerParameter, ScalarParameter
from tilewright.runtime import torch_functions
from tilewright.runtime.arrays import UnusableArray, view
from tilewright.runtime.launch import bind_artifact
from tilewright.runtime.pool import Pool

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch_functions.tensor_functions(), reason="this torch has no C interface")


def test_python_has_no_part_in_calls_with_recognised_tensors() -> None:
    kernel = bind_artifact(axpby_artifact(), pool=Pool(1))["axpby"]
    x, y = torch.zeros(3, 5).T, torch.zeros(3, 5).T
    call = warmed(kernel, 3, 1.0, x, 0.0, y)
    values, whole = torch.randn(3, 5).T, torch.randn(4, 5)
    with python_run() as run:
        call(-1.0, values, 0, y)
    assert torch.equal(y, -values)
    assert run == []
    part = whole[1:].T
    with python_run() as run:
        call(2.0, part, 0, y)
    assert torch.equal(y, 2 * part)
    assert run == []
    with python_run() as run:
        call(2.0, values, 0.0, y[:, :2])
    assert CHECKS in run


def _misaligned() -> object:
    return torch.frombuffer(bytearray(64), dtype=torch.uint8)[2:62].view(torch.int16).view(3, 10)[:, :5].T


def _negative() -> object:
    return torch.complex(torch.ones(3, 5), torch.ones(3, 5)).conj().imag.T


def _without_history() -> object:
    with torch.inference_mode():
        return torch.ones(3, 5).T


class Refusing(torch.Tensor):  # pyright: ignore[reportUntypedBaseClass]
    """A class of the user, which has its own mind."""

    def __dlpack__(self, **options: object) -> object:
        raise BufferError("not mine")


FLAWS: dict[str, Callable[[], object]] = {
    "good": lambda: torch.ones(3, 5).T,
    "window": lambda: torch.ones(6, 9)[2:5, 3:8].T,
    "row-major": lambda: torch.ones(5, 3),
    "shape": lambda: torch.ones(3, 6).T,
    "rank": lambda: torch.ones(5),
    "empty": lambda: torch.ones(3, 0).T,
    "expanded": lambda: torch.ones(5).expand(3, 5).T,
    "dtype": lambda: torch.ones(3, 5, dtype=torch.float64).T,
    "int32": lambda: torch.ones(3, 5, dtype=torch.int32).T,
    "complex": lambda: torch.ones(3, 5, dtype=torch.complex64).T,
    "gradient": lambda: torch.ones(3, 5, requires_grad=True).T,
    "result with gradient": lambda: (torch.ones(3, 5, requires_grad=True) * 2).T,
    "detached": lambda: torch.ones(3, 5, requires_grad=True).detach().T,
    "to be negated": lambda: torch._neg_view(torch.ones(3, 5)).T,
    "imaginary part of a conjugate": _negative,
    "resolved": lambda: _negative().resolve_neg().T.contiguous().T,  # type: ignore[attr-defined]  # pyright: ignore
    "parameter": lambda: torch.nn.Parameter(torch.ones(3, 5).T, requires_grad=False),
    "of a derived class": lambda: torch.ones(3, 5).T.as_subclass(Refusing),
    "sparse": lambda: torch.ones(5, 3).to_sparse(),
    "on no device": lambda: torch.ones(3, 5, device="meta").T,
    "without memory": lambda: torch._efficientzerotensor((3, 5)).T,
    "of NumPy": lambda: np.ones((5, 3), np.float32, order="F"),
    "none": lambda: None,
    "half": _misaligned,
    "to be copied when written": lambda: torch._lazy_clone(torch.ones(3, 5)).T,
    "without history": _without_history,
    "one of a batch": lambda: torch._C._functorch._add_batch_dim(torch.ones(2, 5, 3).mT, 0, 1),
}


@pytest.mark.parametrize("flaw", FLAWS)
@pytest.mark.parametrize("place", [1, 3])
def test_tensors_end_as_by_the_long_way(flaw: str, place: int) -> None:
    kernel = bind("axpby", AXPBY, AXPBY_PARAMETERS)
    arguments: list[object] = [1.0, torch.zeros(3, 5).T, 0.0, torch.zeros(3, 5).T]
    call = warmed(kernel, 0, *arguments)
    arguments[place] = FLAWS[flaw]()
    for _ in range(3):
        assert outcome(call, *arguments) == outcome(lambda *given: kernel.launch(0, given), *arguments)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_conjugates_are_not_taken_for_numbers(dtype: str) -> None:
    memref = MemrefParameter("z", {"complex64": "c32", "complex128": "c64"}[dtype], (None,), (1,))
    kernel = bind("echo", ECHO.replace("SIZE", "16"), (memref, TARGET))
    values = torch.ones(4, dtype=getattr(torch, dtype)) * 1j
    call = warmed(kernel, 1, values, np.zeros(8, np.int64))
    target = np.zeros(8, np.int64)
    call(values, target)
    assert target[:2].tolist() == [values.data_ptr(), 4]
    assert "conjugate bit" in outcome(call, values.conj(), target)


def test_what_becomes_of_a_tensor_is_seen() -> None:
    """The same object, changed between calls."""
    kernel = bind("axpby", AXPBY, AXPBY_PARAMETERS)
    x, y = torch.zeros(3, 5).T, torch.zeros(3, 5).T
    call = warmed(kernel, 3, 1.0, x, 0.0, y)
    x.requires_grad_(True)
    assert "require gradient" in outcome(call, 1.0, x, 0.0, y)
    x.requires_grad_(False)
    x.set_(torch.full((3, 5), 7.0).T)
    call(1.0, x, 0.0, y)
    assert torch.all(y == 7)
    y.resize_(2, 2)
    assert "LaunchError" in outcome(call, 1.0, x, 0.0, y)


def test_alignment_is_looked_at() -> None:
    parameters = (AXPBY_PARAMETERS[0], matrix("X", written=False, alignment=16), *AXPBY_PARAMETERS[2:])
    kernel = bind("axpby", AXPBY, parameters)
    memory = torch.zeros(64)
    call = warmed(kernel, 0, 1.0, memory[:15].view(3, 5).T, 0.0, torch.zeros(3, 5).T)
    for start in range(9):
        arguments = (1.0, memory[start : start + 15].view(3, 5).T, 0.0, torch.zeros(3, 5).T)
        assert outcome(call, *arguments) == outcome(lambda *given: kernel.launch(0, given), *arguments), start


def test_promised_not_to_overlap(rng: np.random.Generator) -> None:
    x = matrix("X", written=False, noalias=True)
    kernel = bind("axpby", AXPBY, (AXPBY_PARAMETERS[0], x, *AXPBY_PARAMETERS[2:]))
    memory = torch.zeros(200)

    def cut(start: int) -> object:
        return memory[start : start + 15].view(3, 5).T

    call = warmed(kernel, 0, 1.0, cut(0), 0.0, cut(100))
    for start in [*rng.integers(60, 140, 40), 85, 86, 99, 100, 101, 114, 115]:
        arguments = (1.0, cut(int(start)), 0.0, cut(100))
        assert outcome(call, *arguments) == outcome(lambda *given: kernel.launch(0, given), *arguments), start


def test_pointers_of_tile_ir() -> None:
    parameters = (PointerParameter("p", "f32"), ScalarParameter("n", "i64"), TARGET)
    kernel = bind("echo", ECHO.replace("SIZE", "16"), parameters)
    for tensor in (torch.zeros(3, 5), np.zeros((3, 5), np.float32)):
        call, target = warmed(kernel, 1, tensor, 3, np.zeros(8, np.int64)), np.zeros(8, np.int64)
        call(tensor, 4, target)
        assert target[:2].tolist() == [view(tensor).address, 4]
    for other in (torch.zeros(15), torch.zeros(3, 5, dtype=torch.int32), torch.ones(3, 5, requires_grad=True)):
        given = (other, 5, target)
        assert outcome(call, *given) == outcome(lambda *again: kernel.launch(1, again), *given)


def test_elements_still_to_be_negated_are_refused() -> None:
    with pytest.raises(UnusableArray, match="resolve_neg"):
        view(_negative())


class Unanswering(torch.Tensor):  # pyright: ignore[reportUntypedBaseClass]
    """A class of the user whose method is wrong."""

    def is_neg(self) -> bool:
        raise ZeroDivisionError("oops")


def test_tensors_that_do_not_say_whether_elements_are_to_be_negated() -> None:
    with pytest.raises(UnusableArray, match=r"its state cannot be asked for \(ZeroDivisionError: oops\)"):
        view(torch.ones(3).as_subclass(Unanswering))


def test_what_only_says_that_it_is_a_tensor() -> None:
    tensor = torch.ones(3)
    members = {"__class__": property(lambda _: torch.Tensor), "__dlpack__": staticmethod(tensor.__dlpack__)}
    assert view(type("Impostor", (), members)()).address == tensor.data_ptr()


def test_nothing_leaks() -> None:
    kernel = bind("axpby", AXPBY, AXPBY_PARAMETERS)
    x, y, bad = torch.zeros(3, 5).T, torch.zeros(3, 5).T, torch.zeros(3, 5, requires_grad=True).T
    call = warmed(kernel, 0, 1.0, x, 0.0, y)
    things = (x, y, bad, torch.Tensor, True, False, None)

    def both() -> None:
        call(1.0, x, 0.0, y)
        outcome(call, 1.0, bad, 0.0, y)

    assert references_per_call(both, things) == [0] * len(things)


class OnDevice(torch.Tensor):
    """A tensor that says of itself what those on a CUDA device do, whatever state it is in."""

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        return {"shape": (4,), "typestr": "<c8", "data": (4096, False), "strides": None, "version": 3}


@pytest.mark.parametrize(
    ("flaw", "said"), [("_neg_view", "resolve_neg"), ("conj", "conjugate bit is set.*resolve_conj"), ("detach", None)]
)
def test_states_that_the_cuda_interface_does_not_tell(flaw: str, said: str | None) -> None:
    flawed = getattr(torch, flaw)(torch.ones(4, dtype=torch.complex64)).as_subclass(OnDevice)
    if said is None:
        assert view(flawed).address == 4096
        return
    with pytest.raises(UnusableArray, match=said):
        view(flawed)
