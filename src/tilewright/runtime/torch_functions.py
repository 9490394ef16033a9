"""Functions of torch's libraries that machine code asks about a tensor in a nanosecond or two, without Python.

What a tensor has they tell by torch's stable C interface (`torch/csrc/inductor/aoti_torch/c/shim.h`), which takes the
C++ tensor that is a member of the Python object; what that interface leaves out, whether a gradient is wanted and
elements wait to be negated or conjugated, by functions of C++ under their names of the Itanium ABI. Python's own
methods for these take a hundred times as long, and let go of the GIL meanwhile. Where the member lies, and that the
functions say what Python's methods say, is tried out on tensors of several kinds before any of it is relied upon.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Sequence
from ctypes import c_bool, c_int32, c_int64, c_void_p
from functools import partial
from typing import Final, Protocol, cast

from msgspec import Struct

from tilewright.once import once
from tilewright.runtime import direct_layout as at
from tilewright.runtime.torch_tensors import is_tensor

STATES: Final = (
    "_ZNK3c1010TensorImpl13requires_gradEv",
    "_ZN2at6native6is_negERKNS_6TensorE",
    "_ZN2at6native7is_conjERKNS_6TensorE",
)
"""bool c10::TensorImpl::requires_grad() const, at::native::is_neg(const at::Tensor &), at::native::is_conj: true of
tensors of which the memory is not all."""
KINDS: Final = (
    "aoti_torch_get_dtype",
    "aoti_torch_get_layout",
    "aoti_torch_get_device_type",
    "aoti_torch_get_device_index",
)
"""int get(at::Tensor *, int32_t *): what tensors of one kind have in common."""
SIZES: Final = (
    "aoti_torch_get_dim",
    "aoti_torch_get_data_ptr",
    "aoti_torch_get_sizes",
    "aoti_torch_get_strides",
)
"""int get(at::Tensor *, ..): rank, address, and where extents and strides stand, in elements. For strided layouts."""

_WORD: Final = 8
_NOT_FOUND: Final = 0
_MOST_ATTEMPTS: Final = 16


class _Tensor(Protocol):
    _cdata: int
    shape: tuple[int, ...]
    requires_grad: bool
    T: _Tensor

    def stride(self) -> tuple[int, ...]: ...
    def data_ptr(self) -> int: ...
    def is_neg(self) -> bool: ...
    def is_conj(self) -> bool: ...
    def conj(self) -> _Tensor: ...


class _Type(Protocol):
    __basicsize__: int


class _Torch(Protocol):
    Tensor: _Type
    complex64: object
    int8: object

    def zeros(
        self, *shape: int, dtype: object = None, device: str | None = None, requires_grad: bool = False
    ) -> _Tensor: ...
    def _neg_view(self, tensor: _Tensor) -> _Tensor: ...


class TensorFunctions(Struct, frozen=True):
    """The functions' addresses, in the order of the names above, and where an object has its C++ tensor."""

    place: int
    addresses: tuple[int, ...]

    @property
    def words(self) -> list[int]:
        """As machine code reads them (`direct_layout`)."""
        return [self.place, *self.addresses]

    def kind(self, tensor: object) -> tuple[int, ...] | None:
        """Element type, layout, kind of device and which one, as torch numbers them; None if it is not told."""
        found = c_int32()
        kinds: list[int] = []
        for address in self.addresses[len(STATES) : len(STATES) + len(KINDS)]:
            if _asked(address, self._handle(tensor), found):
                return None
            kinds.append(found.value)
        return tuple(kinds)

    def _handle(self, tensor: object) -> int:
        return id(tensor) + self.place

    def says_as_python(self, tensor: _Tensor) -> bool:
        """Whether all that is asked of a strided tensor is what its own methods tell."""
        handle = self._handle(tensor)
        gradient, negative, conjugate, *_ = self.addresses
        has_state = ctypes.PYFUNCTYPE(c_bool, c_void_p)
        states = has_state(gradient)(_implementation(tensor)), has_state(negative)(handle), has_state(conjugate)(handle)
        if states != (tensor.requires_grad, tensor.is_neg(), tensor.is_conj()):
            return False
        numbers = [c_int64() for _ in SIZES]
        if any(_asked(a, handle, n) for a, n in zip(self.addresses[-len(SIZES) :], numbers, strict=True)):
            return False
        rank, data, extents, strides = (number.value for number in numbers)
        if (rank, data) != (len(tensor.shape), tensor.data_ptr()):
            return False
        sizes = c_int64 * rank
        found = tuple(sizes.from_address(extents)), tuple(sizes.from_address(strides))
        return found == (tuple(tensor.shape), tensor.stride())


def _asked(address: int, handle: int, out: c_int32 | c_int64) -> int:
    return cast("int", ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_void_p)(address)(handle, ctypes.addressof(out)))


def tensor_functions() -> TensorFunctions | None:
    """The functions of this process's torch, which has been imported; None if one is missing or says something else."""
    return _search().result()


class Search:
    """Functions at these addresses, looked at again after a failure, but not for ever.

    torch may be in a state in which new tensors are not what they seem: within a function that it differentiates, say.
    """

    def __init__(self, addresses: tuple[int, ...]) -> None:
        self._addresses = addresses
        self._attempts = _MOST_ATTEMPTS if addresses else 0
        self._found: TensorFunctions | None = None

    def result(self) -> TensorFunctions | None:
        """The functions, if they are known to say what Python's methods do."""
        if self._found is None and self._attempts:
            self._attempts -= 1
            try:
                self._found = checked_functions(self._addresses)
            except Exception:
                # of a mode that somebody has written: launches take the long way
                return None
        return self._found


@once
def _search() -> Search:
    return Search(_addresses(getattr(sys.modules.get("torch._C"), "__file__", None)))


def checked_functions(addresses: tuple[int, ...]) -> TensorFunctions | None:
    """Functions at these addresses, unless they say of a tensor what Python's methods do not."""
    torch = cast("_Torch", sys.modules["torch"])
    # not where new tensors go by default
    zeros = partial(torch.zeros, device="cpu")
    numbers = zeros(2, 3, dtype=torch.complex64)
    tensors = [numbers, numbers.conj(), numbers.T, zeros(*[2] * 7), zeros(0, 3)]
    negated = torch._neg_view(zeros(2))  # pyright: ignore[reportPrivateUsage]
    tensors += [negated, zeros(3, requires_grad=True), zeros(3, dtype=torch.int8)]
    place = _place(torch.Tensor.__basicsize__, tensors)
    if not addresses or place == _NOT_FOUND or not all(map(is_tensor, tensors)):
        return None
    found = TensorFunctions(place, addresses)
    if not all(map(found.says_as_python, tensors)):
        return None
    kinds = {found.kind(tensor) for tensor in (*tensors, torch.zeros(3, device="meta"))}
    # numbers, complex numbers, bytes, and numbers on no device
    return found if len(kinds) == 4 and None not in kinds else None


def _addresses(path: object) -> tuple[int, ...]:
    """Where the functions are; nothing if one is missing."""
    if not isinstance(path, str):
        return ()
    # a library that is loaded already, whose dependencies are searched as well
    library = ctypes.CDLL(path)
    try:
        return tuple(ctypes.cast(library[name], c_void_p).value or 0 for name in (*STATES, *KINDS, *SIZES))
    except AttributeError:
        return ()


def _implementation(tensor: _Tensor) -> int:
    """What the C++ tensor points to."""
    return tensor._cdata  # pyright: ignore[reportPrivateUsage]


def _place(size: int, tensors: Sequence[_Tensor]) -> int:
    """The only offset at which the objects have the addresses of what they stand for; 0 if there is none."""
    places = [place for place in range(at.OBJECT_TYPE + _WORD, size, _WORD) if all(_pointing(tensors, place))]
    return places[0] if len(places) == 1 else _NOT_FOUND


def _pointing(tensors: Sequence[_Tensor], place: int) -> Iterable[bool]:
    return (ctypes.c_uint64.from_address(id(tensor) + place).value == _implementation(tensor) for tensor in tensors)
