"""How a kernel slides over an input: extents, rules, and the patches that it meets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilewright.diagnostics import Report
from tilewright.dialects.tlx import rules
from tilewright.dialects.tlx.base import TensorOperation, tensor_of
from tilewright.dialects.tlx.types import Dim
from tilewright.ir.core import Value
from tilewright.numerics.later import Array, np

_SPATIAL = 2


class Window(Struct, frozen=True):
    """One dimension: extents of input and kernel, the stride, and dilations of at least 1."""

    size: int
    kernel: int
    stride: int
    input_dilation: int
    kernel_dilation: int

    @property
    def spread(self) -> tuple[int, int]:
        """Extents of input and kernel with the gaps of their dilations."""
        return (self.size - 1) * self.input_dilation + 1, (self.kernel - 1) * self.kernel_dilation + 1

    @property
    def extent(self) -> int:
        """Extent of the result; not positive if the kernel is larger than the input."""
        size, kernel = self.spread
        return (size - kernel) // self.stride + 1

    @property
    def dim(self) -> Dim:
        """The dimension of the result."""
        return Dim(self.extent)


def fits(op: TensorOperation, report: Report, source: Value, kernel: Value, steps: Mapping[str, Sequence[int]]) -> bool:
    """Ranks 2 or 4, equal channels, positive strides, dilations that are not negative, a kernel within the input."""
    a, b = tensor_of(source), tensor_of(kernel)
    place = rules.place_of(op, kernel)
    if a.rank != b.rank or a.rank not in (_SPATIAL, 4):
        message = f"input and kernel have rank 2 or rank 4, not {a.rank} and {b.rank}"
        rules.error(op, report, "TLX313", place, message)
        return False
    found = rules.lengths(op, report, _SPATIAL, dict(steps))
    if a.rank == 4 and a.shape[1] != b.shape[1]:
        rules.error(op, report, "TLX313", place, f"channels {a.shape[1]} of the input and {b.shape[1]} of the kernel")
        found = False
    for name, least in (("strides", 1), ("input_dilations", 0), ("kernel_dilations", 0)):
        for entry in steps[name]:
            if entry < least:
                rules.error(op, report, "TLX313", name, f"{name[:-1].replace('_', ' ')} {entry} is less than {least}")
                found = False
    return found and _within(op, report, kernel, a.shape[-2:], b.shape[-2:], steps)


def _within(
    op: TensorOperation,
    report: Report,
    place: Value,
    sizes: Sequence[int],
    kernels: Sequence[int],
    steps: Mapping[str, Sequence[int]],
) -> bool:
    found = True
    dilations = zip(steps["input_dilations"], steps["kernel_dilations"], strict=True)
    for size, kernel, (d, e) in zip(sizes, kernels, dilations, strict=True):
        wide, large = Window(size, kernel, 1, max(d, 1), max(e, 1)).spread
        if large > wide:
            said = "" if (wide, large) == (size, kernel) else " with dilations"
            message = f"kernel extent {large} exceeds input extent {wide}{said}"
            rules.error(op, report, "TLX313", rules.place_of(op, place), message)
            found = False
    return found


def patches(source: Array, windows: Sequence[Window]) -> Array:
    """The input elements that each kernel element meets: [.., H', W', kernel H, kernel W], zero in dilation's gaps."""
    dilations = tuple(w.input_dilation for w in windows)
    spread = np.zeros((*source.shape[:-2], *(w.spread[0] for w in windows)), source.dtype)
    spread[..., :: dilations[0], :: dilations[1]] = source
    rows, columns = (np.arange(w.extent)[:, None] * w.stride + np.arange(w.kernel) * w.kernel_dilation for w in windows)
    return spread[..., rows[:, None, :, None], columns[None, :, None, :]]
