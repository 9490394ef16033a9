"""`cutile.launch`: arguments, refusals, programs kept, diagnostics in Python lines."""

from __future__ import annotations

import sys
from collections.abc import Sized
from enum import Enum, IntEnum
from importlib import import_module, util
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright import KernelError, config
from tilewright.diagnostics import CompileError
from tilewright.interop import cutile
from tilewright.interop.cutile import launcher
from tilewright.interop.cutile.front_end import FrontEnd
from tilewright.runtime.errors import LaunchError, LaunchTypeError

Array = NDArray[Any]

pytest.importorskip("cuda.tile")

_FILE: Final = Path(__file__).with_name("kernels.py")
_SPEC: Final = util.spec_from_file_location("cutile_test_kernels", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
kernels: Final = util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(kernels)


def numbers(length: int = 100) -> Array:
    return np.random.default_rng().standard_normal(length).astype(np.float32)


def program_count(kernel: Any) -> int:
    return len(cast("Sized", vars(kernel)["_tilewright_programs"]))


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_types_of_arrays(target: str) -> None:
    for dtype in (np.uint16, np.float64, ml_dtypes.float8_e5m2):
        x = np.arange(50).astype(dtype)
        y = np.zeros_like(x)
        cutile.launch(4, kernels.scale, (x, y, 2.0, 16), target=target)
        assert np.array_equal(y, (x.astype(np.float32) * 2).astype(dtype)), dtype


def test_the_units_in_force_choose_the_program() -> None:
    kernel, out = vars(kernels)["scale"].replace_hints(), np.empty(64, np.float32)
    arguments = (numbers(64), out, 3.0, 16)
    usual = cutile.compile(kernel, arguments)
    with config(units="vector"):
        assert cutile.compile(kernel, arguments) is not usual
    assert cutile.compile(kernel, arguments) is usual


def test_strides_and_alignment_choose_the_program() -> None:
    memory = numbers(400)
    out = np.empty(64, np.float32)
    kernel = vars(kernels)["scale"].replace_hints()
    layouts = [(memory[:64], 1), (memory[64:128], 1), (memory[1:65], 2), (memory[:128:2], 3), (memory[:63], 4)]
    for x, programs in layouts:
        cutile.launch((4,), kernel, (x, out, 3.0, 16))
        assert np.array_equal(out[: len(x)], x * np.float32(3)), x.strides
        assert program_count(kernel) == programs
    cutile.launch((4, 1, 1), kernel, (memory[:64], out, -1.5, 16))
    assert program_count(kernel) == 4
    cutile.launch(2, kernel, (memory[:64], out, -1.5, 32))
    assert program_count(kernel) == 5


def test_the_oldest_program_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "MOST_PROGRAMS", 2)
    kernel = vars(kernels)["choose"].replace_hints()
    x = numbers(64)
    for length in (16, 17, 64, 17):
        cutile.launch(1, kernel, (x[:length], x[::2][:length], False), target="interpreter")
    assert program_count(kernel) == 2


def test_numbers_and_annotations() -> None:
    x = np.arange(24, dtype=np.int64)
    y = np.zeros_like(x)
    cutile.launch(2, kernels.scale_wide, (x, y, 1 << 40))
    assert np.array_equal(y, x << 40)
    cutile.launch(2, kernels.scale_static, (x, y), target="interpreter")
    assert np.array_equal(y, 2 * x)
    f = numbers(16)
    for negate in (True, False):
        out = np.zeros_like(f)
        cutile.launch(1, kernels.choose, (f, out, negate))
        assert np.array_equal(out, -f if negate else f)


def test_lists_and_tuples() -> None:
    arrays = [numbers(99), numbers(198)[::2], numbers(100)[1:]]
    for target in ("cpu", "interpreter"):
        out = np.empty(99, np.float32)
        cutile.launch(4, kernels.add_all, (arrays, out, 32), target=target, checked=target == "interpreter")
        assert np.array_equal(out, arrays[0] + arrays[1] + arrays[2])
    with pytest.raises(LaunchError, match=r"argument arrays\[1\]: the array is read-only"):
        cutile.launch(1, kernels.add_all, ([X, FIXED], X, 16), target="interpreter")
    rows = numbers(30).reshape(3, 10)
    result = np.empty_like(rows)
    cutile.launch(2, kernels.add_pair, ((rows, 2.5), (2, 16), result))
    assert np.array_equal(result, rows + np.float32(2.5))


def test_grids() -> None:
    out = np.full((2, 3, 4), -1, np.int32)
    cutile.launch((4, 3, 2), kernels.where_in_grid, (out,))
    assert np.array_equal(out, sum(np.ogrid[0:200:100, 0:30:10, 0:4]))
    cutile.launch(0, kernels.where_in_grid, (out,))
    one = np.full((1, 1, 1), -1, np.int32)
    cutile.launch((), kernels.where_in_grid, (one,))
    assert one.item() == 0
    with pytest.raises(LaunchError, match="one to three extents, not 0"):
        cutile.launch([], kernels.where_in_grid, (one,))


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_arrays_without_elements(target: str, checked: bool) -> None:
    out = np.zeros(16, np.float32)
    cutile.launch(1, kernels.ignores, (np.zeros(0, np.float32), out), target=target, checked=checked)
    assert (out == 1).all()


def test_what_the_front_end_says_that_is_not_so() -> None:
    """Strides along extents of 1 are multiples of 16 bytes, and quotients of unsigned numbers are rounded down."""
    x = np.random.default_rng().integers(0, 1 << 32, (5, 1), np.uint32, endpoint=False)
    for target in ("cpu", "interpreter"):
        y = np.zeros_like(x)
        cutile.launch(5, kernels.halve_rows, (x, y), target=target, checked=target == "interpreter")
        assert np.array_equal(y, x // 2)


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch")
    x = torch.arange(200, dtype=torch.bfloat16)[::2]
    y = torch.zeros(100, dtype=torch.bfloat16)
    cutile.launch(7, kernels.scale, (x, y, 2.0, 16))
    assert bool((y == x * 2).all())


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_every_type_of_torch(target: str) -> None:
    torch = pytest.importorskip("torch")
    names = ["bool", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
    names += ["uint8", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"]
    for name in names:
        dtype = getattr(torch, name)
        # every byte is a number of each type but bool; the copy is of bits, NaNs have theirs
        raw = np.random.default_rng().integers(0, 2 if name == "bool" else 256, 20 * dtype.itemsize, np.uint8)
        x = torch.from_numpy(raw).view(dtype)
        y = torch.zeros(20 * dtype.itemsize, dtype=torch.uint8).view(dtype)
        cutile.launch(2, kernels.copy, (x, y, 16), target=target)
        assert np.array_equal(y.view(torch.uint8).numpy(), raw), name
    small = torch.arange(8, dtype=torch.float32).to(torch.float8_e4m3fn)
    result = torch.zeros(8, dtype=torch.uint8)
    cutile.launch(1, kernels.scale, (small, result, 3.0, 8), target=target)
    assert result.tolist() == [0, 3, 6, 9, 12, 15, 18, 21]


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_tensors_with_gradients_are_read_and_written_outside_of_their_graph(target: str) -> None:
    torch = pytest.importorskip("torch")
    weight = torch.nn.Parameter(torch.arange(16, dtype=torch.float32))
    y = torch.zeros(16, requires_grad=True)
    address = y.data_ptr()
    cutile.launch(1, kernels.scale, (weight, y, 2.0, 16), target=target)
    assert y.data_ptr() == address
    assert y.tolist() == [2 * k for k in range(16)]
    assert (y.requires_grad, y.grad_fn, weight.grad_fn) == (True, None, None)
    total = torch.zeros(16)
    cutile.launch(1, kernels.add_all, ([weight, weight * 2], total, 16), target=target)
    assert total.tolist() == [3 * k for k in range(16)]
    assert not total.requires_grad


class OnDevice:
    """An array in the memory of a GPU."""

    __cuda_array_interface__: Final = {
        "data": (4096, False),
        "shape": (16,),
        "strides": None,
        "typestr": "<f4",
        "version": 3,
    }


X: Final = np.zeros(16, np.float32)
FIXED: Final = np.zeros(16, np.float32)
FIXED.flags.writeable = False


class Pair(NamedTuple):
    """What NVIDIA's launcher takes for no tuple."""

    first: object
    second: object


REFUSED: Final[list[tuple[tuple[object, ...], str]]] = [
    ((X, X, 2.0), r"kernel scale takes 4 arguments \(x, y, factor, tile\), 3 were given"),
    ((X, FIXED, 2.0, 16), "kernel scale, argument y: the array is read-only"),
    ((X, X, np.float32(2), 16), r"argument factor: numbers are bool, int and float .* pass its .item\(\)"),
    ((Pair(X, X), X, 2.0, 16), r"argument x: Pair is a subclass of tuple, only plain tuples .* pass tuple\(\.\.\)"),
    ((X, X, 2.0, Pair(1, 2)), "argument tile: Pair is a subclass of tuple"),
    ((X, X, 1 << 31, 16), "argument factor: 2147483648 does not fit int32; annotate the parameter as ScalarInt64"),
    ((X, X, 1e39, 16), "argument factor: 1e.39 is beyond the range of float32"),
    ((X, X, 2.0, X), "argument tile: it is a constant of the kernel, .* ndarray was given"),
    ((X, X, 2.0, 1 << 70), "argument tile: .* has more than 64 bits"),
    ((None, X, 2.0, 16), "argument x: NoneType is no array: .* an array, number, list of arrays or tuple"),
    ((X.astype(complex), X, 2.0, 16), "argument x: its dtype is complex128, which the front end does not have"),
    ((X[::-1], X, 2.0, 16), r"argument x: its strides in elements, \(-1,\), are negative"),
    ((X.astype(">f4"), X, 2.0, 16), "argument x: its elements are in the other byte order"),
    ((OnDevice(), X, 2.0, 16), "argument x: the array lies on cuda"),
    (([], X, 2.0, 16), "argument x: an empty list"),
    (([X, X.astype(np.int8)], X, 2.0, 16), r"argument x\[1\]: an array of int8 of rank 1 among those of float32"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_refused_arguments(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        cutile.launch(1, kernels.scale, arguments)


WIDE: Final = np.lib.stride_tricks.as_strided(X, (1, 1), (1 << 33, 4))
"""One element; what lies between rows does not fit 32 bits."""

TOO_LARGE: Final[list[tuple[tuple[object, ...], str]]] = [
    ((X, X, -(1 << 31) - 1, 16), "argument factor: -2147483649 does not fit int32"),
    ((X, X, -1e39, 16), "argument factor: -1e.39 is beyond the range of float32"),
    ((X, X, 2.0, -(1 << 63) - 1), "argument tile: -9223372036854775809 has more than 64 bits"),
    (
        (WIDE, X, 2.0, 16),
        r"argument x: its strides in elements, \(2147483648, 1\), do not fit int32; .*IndexedWithInt64",
    ),
    (([X.reshape(1, 16), WIDE], X, 2.0, 16), r"argument x\[1\]: its strides in elements"),
    ((np.broadcast_to(X[:1], (1 << 31,)), X, 2.0, 16), r"argument x: its shape, \(2147483648,\), do not fit int32"),
]


@pytest.mark.parametrize(("arguments", "message"), TOO_LARGE)
def test_too_large_numbers_and_layouts_are_overflows(arguments: tuple[object, ...], message: str) -> None:
    """The class that NVIDIA's launcher raises, and ours."""
    with pytest.raises(OverflowError, match=message) as caught:
        cutile.launch(1, kernels.scale, arguments)
    assert isinstance(caught.value, LaunchError)


def test_wrong_kinds_are_type_errors() -> None:
    for x in (Pair(X, X), [], [X, X.astype(np.int8)], [X, X.reshape(4, 4)], None):
        with pytest.raises(TypeError):
            cutile.launch(1, kernels.scale, (x, X, 2.0, 16))


class Tracked:
    """A class like that of tensors, which may be part of a graph of gradients."""

    requires_grad = True

    def detach(self) -> object:
        return X


def test_classes_are_no_arrays() -> None:
    for given in (Tracked, np.ndarray):
        with pytest.raises(LaunchTypeError, match="argument x: it is a class, no array; an array, number"):
            cutile.launch(1, kernels.scale, (given, X, 2.0, 16))


def test_annotated_axes() -> None:
    with pytest.raises(LaunchError, match="argument x: static_stride_dims names axis -1 of an array of rank 1 twice"):
        cutile.launch(1, kernels.scale_stepped, (X, np.empty_like(X)))
    out = np.empty(16, np.float32)
    cutile.launch(1, kernels.sum_static, ([np.full(16, 1, np.float32), np.full(16, 2, np.float32)], out))
    assert out.tolist() == [3] * 16
    with pytest.raises(LaunchError, match=r"arrays: Arrays in list vary in static shape at axis 0 \(16 vs 17\)"):
        cutile.launch(1, kernels.sum_static, ([X, X, np.zeros(17, np.float32)], out))


def test_numbers_of_derived_classes() -> None:
    class Factor(IntEnum):
        THREE = 3

    class Tile(int, Enum):
        SIXTEEN = 16

    x, y = np.arange(16, dtype=np.float32), np.empty(16, np.float32)
    for factor in (Factor.THREE, np.float64(3)):
        cutile.launch(1, kernels.scale, (x, y, factor, Tile.SIXTEEN))
        assert np.array_equal(y, 3 * x)


def test_other_refusals() -> None:
    with pytest.raises(LaunchTypeError, match=r"a function decorated with cuda.tile.kernel is wanted, not function"):
        cutile.launch(1, numbers, ())
    with pytest.raises(LaunchError, match="on cpu, interpreter, nvidia here, not on spirv"):
        cutile.launch(1, kernels.scale, (X, X, 2.0, 16), target="spirv")
    with pytest.raises(ValueError, match="one to three extents"):
        cutile.launch((1, 1, 1, 1), kernels.scale, (X, X, 2.0, 16))


def test_what_the_front_end_refuses_names_the_line() -> None:
    with pytest.raises(Exception, match="power of two") as caught:
        cutile.launch(1, kernels.tile_of_three, (X, X))
    assert "kernels.py" in str(caught.value)


def test_diagnostics_point_at_python() -> None:
    with pytest.raises(CompileError) as caught:
        cutile.launch(1, kernels.reads_beyond, (X, np.empty_like(X), 8), target="interpreter", checked=True)
    where = caught.value.diagnostics[0].location.primary
    assert where is not None
    assert where.source.name == str(_FILE)
    assert where.source.text[where.start : where.end].startswith("ct.gather(x,")
    assert "called here" in str(caught.value)
    assert "tile=beyond(x, first)" in str(caught.value)


def test_checked_code_of_the_cpu_points_at_python() -> None:
    with pytest.raises(KernelError, match=r"bytes 32 to 95 of %arg0 are accessed, which has 64") as caught:
        cutile.launch(1, kernels.reads_beyond, (X, np.empty_like(X), 8), checked=True)
    where = caught.value.diagnostics[0].location.primary
    assert where is not None
    assert where.source.name == str(_FILE)
    assert where.source.text[where.start : where.end].startswith("ct.gather(x,")


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_newer_bytecode_where_the_kernel_needs_it(target: str) -> None:
    x, y = np.full(16, 7, np.int32), np.zeros(16, np.int32)
    cutile.launch(1, kernels.put, (x, y), target=target)
    assert y.tolist() == [7] * 4 + [1] * 4 + [7] * 8


def test_the_program_can_be_looked_at() -> None:
    program = cutile.compile(kernels.scale, (X, X, 2.0, 16))
    assert "make_tensor_view" in program.text("source")
    assert "define" in next(iter(program)).llvm


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("cuda.tile"), "__version__", "1.6.0")
    with pytest.raises(cutile.FrontEndMissing, match=r"cuda-tile 1.6.0 is installed, .* works with 1.7"):
        FrontEnd()
    monkeypatch.setitem(sys.modules, "cuda.tile", None)
    with pytest.raises(cutile.FrontEndMissing, match=r"pip install 'tilewright\[cutile\]'"):
        FrontEnd()
