"""Launching kernels of NVIDIA's front end: one program for each specialisation, kept on the kernel."""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from tilewright.api import compile as compile_kernel
from tilewright.artifacts.parameters import Parameter, PointerParameter
from tilewright.interop.cutile.annotations import KernelParameter
from tilewright.interop.cutile.arguments import PassedArray, PassedTable, Value, read_arguments
from tilewright.interop.cutile.front_end import FrontEnd, front_end
from tilewright.interop.cutile.locations import in_python
from tilewright.interop.cutile.specialisation import Facts
from tilewright.program import Kernel, Program
from tilewright.runtime.addresses import MemoryAt
from tilewright.runtime.arrays import ArrayView
from tilewright.runtime.dtypes import AnyDtype, numpy_dtype
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.grid import Extents, Grid, grid_extents
from tilewright.settings.config import current

if TYPE_CHECKING:
    from tilewright.interpreter.tile_ir.memory import AddressTable
    from tilewright.runtime.nvidia.tables import AddressWords

MOST_PROGRAMS: Final = 128
"""How many programs a kernel keeps; the one that was not used for longest goes first."""

_KEPT_AS: Final = "_tilewright_programs"

_KINDS: Final = {"cpu": "cpu", "interpreter": "cpu", "nvidia": "cuda"}
"""The kind of the device on which the arrays of a launch lie, by target."""

Key = tuple[tuple[Facts, ...], str, bool, str | None]
"""What a kernel is compiled for: of its arguments, target, whether checked, and product units."""
Array = NDArray[Any]


class Programs:
    """The programs of one kernel of the front end, which holds them."""

    def __init__(self, front: FrontEnd, kernel: object) -> None:
        self.name = front.name(kernel)
        self.parameters: tuple[KernelParameter, ...] = front.parameters(kernel)
        self._lock = Lock()
        self._programs: OrderedDict[Key, Program] = OrderedDict()

    def __len__(self) -> int:
        return len(self._programs)

    def find(self, key: Key) -> Program | None:
        """A program that was compiled before."""
        with self._lock:
            program = self._programs.get(key)
            if program is not None:
                self._programs.move_to_end(key)
            return program

    def keep(self, key: Key, program: Program) -> None:
        """Remember a program."""
        with self._lock:
            self._programs[key] = program
            while len(self._programs) > MOST_PROGRAMS:
                self._programs.popitem(last=False)


def launch(
    grid: Grid, kernel: object, args: Sequence[object] = (), *, target: str = "cpu", checked: bool = False
) -> None:
    """Run a kernel decorated with `cuda.tile.kernel` on a grid of tile blocks.

    Arguments are those of `cuda.tile.launch`: arrays (NumPy, PyTorch, CuPy, anything with DLPack, the buffer protocol
    or `__cuda_array_interface__`), Python's numbers, lists of arrays, tuples. The kernel is compiled for what they have
    in common with others: types, ranks, constants, alignment, extents and strides that are 1 or multiples of 16.
    `target` is `cpu` (or `cpu:avx512`, `cpu:avx2`, `cpu:generic`) or `interpreter` for arrays in host memory, `nvidia`
    (or `nvidia:sm_80`, ..) for those on a GPU: the kernel is enqueued on the current stream of their framework.
    `checked` stops at accesses outside of the arrays, and in the interpreter at all that the specification leaves
    undefined.

    Raises `LaunchError` for arguments that do not fit, the front end's own exceptions for what it does not accept,
    `CompileError` for what the target cannot run, `FrontEndMissing` without the extra `cutile`.
    """
    extents = _extents(grid)
    programs, facts, values = _read(kernel, args, _kind(target))
    found = _entry(_program(kernel, programs, facts, target, checked))
    table = _TABLES[_family(target)]
    passed = [_pass(parameter, value, table) for parameter, value in zip(found.info.parameters, values, strict=True)]
    with in_python(lambda: front_end().bytecode(kernel, facts)):
        found[extents](*passed)


def _family(target: str) -> str:
    return target.partition(":")[0]


def _kind(target: str) -> str:
    """The kind of the device on which the arrays of a launch lie."""
    found = _KINDS.get(_family(target))
    if found is None:
        raise LaunchError(f"kernels of NVIDIA's front end are launched on {', '.join(_KINDS)} here, not on {target}")
    return found


def _extents(grid: Grid) -> Extents:
    """As of every launch; `()` is a grid of no dimensions, which has one tile block."""
    return grid_extents(1 if isinstance(grid, tuple) and not grid else grid)


def compile(kernel: object, args: Sequence[object] = (), *, target: str = "cpu", checked: bool = False) -> Program:
    """The program that a launch with these arguments would run: one entry, to look at its stages and to save.

    Raises what `launch` raises before it runs anything.
    """
    programs, facts, _ = _read(kernel, args, _kind(target))
    return _program(kernel, programs, facts, target, checked)


def bytecode(kernel: object, args: Sequence[object] = ()) -> bytes:
    """The Tile IR that NVIDIA's front end makes of a kernel for these arguments, as bytecode for `tilewright.compile`.

    Raises `LaunchError` for arguments that do not fit, `FrontEndMissing` without the extra `cutile`, and the front
    end's own exceptions for what it does not accept.
    """
    _, facts, _ = _read(kernel, args, None)
    return front_end().bytecode(kernel, facts)


def _read(kernel: object, args: Sequence[object], kind: str | None) -> tuple[Programs, tuple[Facts, ...], list[Value]]:
    attributes = cast("dict[str, object]", getattr(kernel, "__dict__", {}))
    programs = attributes.get(_KEPT_AS)
    if not isinstance(programs, Programs):
        front = front_end()
        if not front.is_kernel(kernel):
            raise LaunchTypeError(f"a function decorated with cuda.tile.kernel is wanted, not {type(kernel).__name__}")
        programs = attributes.setdefault(_KEPT_AS, Programs(front, kernel))
        assert isinstance(programs, Programs)
    facts, values = read_arguments(programs.name, programs.parameters, args, kind)
    return programs, facts, values


def _program(kernel: object, programs: Programs, facts: tuple[Facts, ...], target: str, checked: bool) -> Program:
    key = (facts, target, checked, current().units)
    program = programs.find(key)
    if program is None:
        made = front_end().bytecode(kernel, facts)
        with in_python(lambda: made):
            program = compile_kernel(made, target=target, checked=checked)
        programs.keep(key, program)
    return program


def _entry(program: Program) -> Kernel:
    return next(iter(program))


def _pass(parameter: Parameter, value: Value, table: Callable[[PassedTable], object]) -> object:
    """A value as the entry's parameter takes it."""
    match value:
        case PassedArray():
            _check_written(parameter, value)
            assert isinstance(parameter, PointerParameter)
            return _memory(value.view, numpy_dtype(parameter.dtype))
        case PassedTable():
            for member in value.members:
                _check_readable(member)
            return table(value)
        case _:
            return value


def _check_written(parameter: Parameter, array: PassedArray) -> None:
    if isinstance(parameter, PointerParameter) and parameter.written and array.view.readonly:
        raise LaunchError(f"{array.where}: the array is read-only and the kernel writes to it; pass a writable array")


def _check_readable(array: PassedArray) -> None:
    if array.view.readonly:
        raise LaunchError(
            f"{array.where}: the array is read-only; whether a kernel writes to arrays of a list is not known"
        )


def _table(value: PassedTable) -> AddressTable:
    """The table with the arrays, which have other addresses in the interpreter. Each takes as many words."""
    from tilewright.interpreter.tile_ir.memory import AddressTable

    words = len(value.words) // len(value.members)
    arrays = ((k * words, _reachable(member.view)) for k, member in enumerate(value.members))
    return AddressTable(value.words, {position: array for position, array in arrays if array is not None})


def _words(value: PassedTable) -> object:
    return value.words


def _device_words(value: PassedTable) -> AddressWords:
    """The words are copied to the device, and so is nothing that they point to."""
    from tilewright.runtime.nvidia.tables import AddressWords

    views = [member.view for member in value.members]
    addresses = tuple(view.address for view in views if 0 not in view.shape)
    return AddressWords(value.words, addresses, tuple(owner for view in views for owner in _owners(view)))


_TABLES: Final[Mapping[str, Callable[[PassedTable], object]]] = {
    "cpu": _words,
    "interpreter": _table,
    "nvidia": _device_words,
}
"""What a list of arrays is passed as, by target."""


def _owners(view: ArrayView) -> tuple[object, ...]:
    owner = view.owner
    return cast("tuple[object, ...]", owner) if isinstance(owner, tuple) else (owner,)


def _memory(array: ArrayView, dtype: AnyDtype) -> MemoryAt | ArrayView:
    """All memory from an array's first element to its last; the kernel is told the strides."""
    if 0 in array.shape:
        return ArrayView(0, dtype, (0,), (1,), array.readonly, array.device, array.owner)
    return MemoryAt(array.address, _nbytes(array), array.readonly, _owners(array))


def _nbytes(array: ArrayView) -> int:
    """Bytes from the first element to the last; strides are not negative in this front end."""
    count = 1 + sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True))
    return count * array.dtype.itemsize


def _reachable(array: ArrayView) -> Array | None:
    """All memory from an array's first element to its last, as elements."""
    if 0 in array.shape:
        return None
    raw = (ctypes.c_uint8 * _nbytes(array)).from_address(array.address)
    memory: Array = np.frombuffer(memoryview(raw), array.dtype)
    memory.flags.writeable = not array.readonly
    return memory
