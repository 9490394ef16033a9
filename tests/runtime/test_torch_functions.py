"""What a direct call asks a tensor of torch, with functions of the test's own: a stand-in answers as it is told to."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Sequence
from ctypes import c_bool, c_int, c_int32, c_int64, c_void_p
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tilewright.artifacts.artifact import MemrefParameter
from tilewright.runtime import direct_arguments, torch_functions
from tilewright.runtime import direct_layout as at
from tilewright.runtime.direct import AcceptedCalls, call_site, recognisable
from tilewright.runtime.direct_arguments import Words
from tilewright.runtime.pool_layout import FRAME_SLOTS
from tilewright.runtime.torch_functions import KINDS, SIZES, STATES, Search, TensorFunctions

ADDRESS = 1 << 40
PARAMETERS = tuple(MemrefParameter(name, "f32", (None, None), (1, None), alignment=16) for name in "xy")
ANSWERS: dict[str, Any] = {
    **dict.fromkeys(STATES, False),
    **dict.fromkeys(KINDS, 0),
    **dict(zip(SIZES, (2, ADDRESS, (4, 3), (1, 4)), strict=True)),
}


class Tensor:
    """Its first member is an object that has the answers, as those of torch have a C++ tensor there."""

    __slots__ = ("answers",)

    def __init__(self, **other: Any) -> None:
        self.answers = SimpleNamespace(words=[], **{**ANSWERS, **other})

    shape = property(lambda self: getattr(self.answers, SIZES[2]))

    def stride(self) -> tuple[int, ...]:
        return getattr(self.answers, SIZES[3])

    def element_size(self) -> int:
        return 4


LARGER = Tensor(**{SIZES[2]: (8, 3), SIZES[3]: (1, 8)})


def answering(name: str) -> Any:
    """The function of that name, for stand-ins. Refuses where the answer is None."""

    def state(place: int) -> bool:
        # the answers themselves are in the place of what the C++ tensor points to
        is_inner = name == STATES[0]
        answers = ctypes.cast(place, ctypes.py_object) if is_inner else ctypes.py_object.from_address(place)
        return getattr(answers.value, name)

    def tell(place: int, out: int) -> int:
        answers = ctypes.py_object.from_address(place).value
        answer: int | Sequence[int] | None = getattr(answers, name)
        if answer is None:
            return 1
        if not isinstance(answer, int):
            answers.words.append(Words(answer))
        number = answer if isinstance(answer, int) else answers.words[-1].address
        (c_int32 if name in KINDS else c_int64).from_address(out).value = number
        return 0

    if name in STATES:
        return ctypes.PYFUNCTYPE(c_bool, c_void_p)(state)
    return ctypes.PYFUNCTYPE(c_int, c_void_p, c_void_p)(tell)


def _is_stand_in(value: object) -> bool:
    return type(value) is Tensor


class Runner(NamedTuple):
    """What is called needs nothing."""

    place: int


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Callable[[Tensor], int | None]:
    """A call that knows tensors like the plain one and larger ones, behind one of another address: that of the tensor
    which was launched with, None by the long way."""
    if not recognisable(PARAMETERS):
        pytest.skip("nothing is recognised here")
    asked = [answering(name) for name in (*STATES, *KINDS, *SIZES)]
    functions = TensorFunctions(at.OBJECT_TYPE + 8, tuple(ctypes.cast(f, c_void_p).value or 0 for f in asked))
    monkeypatch.setattr(direct_arguments, "tensor_functions", lambda: functions)
    monkeypatch.setattr(direct_arguments, "is_tensor", _is_stand_in)
    launched: list[int | None] = []
    kept: list[object] = [asked]

    def launch(_control: int, frame: int) -> int:
        places = [c_int64.from_address(frame + FRAME_SLOTS + offset).value for offset in (0, len(slots) // 2)]
        assert places[0] == first.answers.address
        launched.append(places[1])
        return 0

    kept.append(machine_code := ctypes.PYFUNCTYPE(c_int, c_void_p, c_void_p)(launch))
    accepted, slots, word = AcceptedCalls(PARAMETERS), bytes(64), Words([0])
    first = Tensor(**{SIZES[1]: ADDRESS + 1024, "address": ADDRESS + 1024})
    for tensor in (Tensor(), Tensor(), LARGER, LARGER):
        accepted.saw((first, tensor), slots, (), Runner(word.address))
    header = Words([0, 1, 0, 1, 1, 1])
    place = ctypes.cast(machine_code, c_void_p).value or 0

    def slow(_first: Tensor, _tensor: Tensor) -> None:
        launched.append(None)

    site = call_site(accepted, place, bytes(header.words), FRAME_SLOTS + len(slots), ["x", "y"], slow)

    def launched_with(tensor: Tensor) -> int | None:
        assert kept, "what machine code calls has to be there"
        site(first, tensor)
        return launched.pop()

    return launched_with


def test_tensors_like_earlier_ones(call: Callable[[Tensor], int | None]) -> None:
    assert call(Tensor()) == ADDRESS
    assert call(Tensor(**{SIZES[1]: ADDRESS + 64})) == ADDRESS + 64
    assert call(LARGER) == ADDRESS


OTHERS: list[dict[str, Any]] = [
    *({name: True} for name in STATES),
    *({name: answer} for name in KINDS for answer in (ANSWERS[name] + 1, None)),
    *({SIZES[0]: rank} for rank in (0, 1, 3)),
    *({SIZES[1]: address} for address in (ADDRESS + 4, 0)),
    *({SIZES[2]: answer} for answer in ((5, 3), (4, 2))),
    *({SIZES[3]: answer} for answer in ((2, 4), (1, 5))),
    *({name: None} for name in SIZES),
]


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_other_tensors_go_the_long_way(call: Callable[[Tensor], int | None], other: dict[str, Any]) -> None:
    assert call(Tensor(**other)) is None
    assert call(Tensor()) == ADDRESS


@pytest.mark.parametrize("state", ["inference_mode", "no_grad", "meta", "float64"])
def test_functions_are_found_in_any_state_of_torch(state: str) -> None:
    torch = pytest.importorskip("torch")
    found = torch_functions.tensor_functions()
    if found is None:
        pytest.skip("this torch has no C interface")
    with contextlib.ExitStack() as within:
        if state == "float64":
            within.callback(torch.set_default_dtype, torch.get_default_dtype())
            torch.set_default_dtype(torch.float64)
        else:
            within.enter_context(torch.device("meta") if state == "meta" else getattr(torch, state)())
        assert torch_functions.checked_functions(found.addresses) == found


def test_functions_are_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless they are missing, and not with every launch for ever."""
    found = TensorFunctions(16, (1, 2))
    answers: list[TensorFunctions | None] = []

    def checked(_addresses: tuple[int, ...]) -> TensorFunctions | None:
        answer = answers.pop()
        if answer is None and len(answers) % 2:
            raise ZeroDivisionError("of a mode of torch")
        return answer

    monkeypatch.setattr(torch_functions, "checked_functions", checked)
    search = Search((1, 2))
    answers += [found, None, None]
    assert [search.result() for _ in range(4)] == [None, None, found, found]
    search = Search((1, 2))
    answers += [None] * 100
    assert [search.result() for _ in range(100)] == [None] * 100
    assert len(answers) > 50, "there is an end to it"
    assert Search(()).result() is None


def test_functions_are_found_after_a_state_in_which_they_are_not() -> None:
    torch = pytest.importorskip("torch")
    found = torch_functions.tensor_functions()
    if found is None:
        pytest.skip("this torch has no C interface")
    search, seen = Search(found.addresses), list[object]()

    def within(tensor: Any) -> Any:
        seen.append(search.result())
        return tensor.sum()

    torch.func.grad(within)(torch.zeros(3))
    assert (*seen, search.result()) == (None, found)


def test_functions_that_say_something_else_are_not_used() -> None:
    pytest.importorskip("torch")
    found = torch_functions.tensor_functions()
    if found is None:
        pytest.skip("this torch has no C interface")
    states, sizes = range(len(STATES)), range(len(STATES) + len(KINDS), len(found.addresses))
    for group in (states, sizes):
        for left, right in ((k, n) for k in group for n in group if k < n):
            swapped = [*found.addresses]
            swapped[left], swapped[right] = swapped[right], swapped[left]
            if 0 in (left, right):
                # takes another pointer than the others
                continue
            assert torch_functions.checked_functions(tuple(swapped)) is None, (left, right)
    blind = (*found.addresses[:3], *[found.addresses[6]] * 4, *found.addresses[7:])
    assert torch_functions.checked_functions(blind) is None, "element types and devices are not told apart"
    assert torch_functions.checked_functions(()) is None
    assert torch_functions.checked_functions(found.addresses) == found
