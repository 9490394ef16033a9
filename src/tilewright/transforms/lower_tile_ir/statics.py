"""Globals, and large constants, which become globals that nobody writes."""

from __future__ import annotations

from msgspec import Struct, field

from tilewright.dialects.builder import Builder
from tilewright.dialects.cuda_tile.attributes import Dense
from tilewright.dialects.cuda_tile.core import Global as CudaGlobal
from tilewright.dialects.cuda_tile.types import F4E2M1FN, I1, TF32
from tilewright.dialects.statics import Global

_TF32_SHIFT = 13


def memory_image(value: Dense) -> bytes:
    """The bytes of constant elements as they lie in memory."""
    element = value.element
    if element is F4E2M1FN:
        codes = [value.bits(index) for index in range(value.count)]
        codes += [0] * (len(codes) % 2)
        return bytes(low | high << 4 for low, high in zip(codes[::2], codes[1::2], strict=True))
    if element is I1:
        return bytes(value.bits(index) for index in range(value.count))
    if element is TF32:
        words = (value.bits(index) << _TF32_SHIFT for index in range(value.count))
        return b"".join(word.to_bytes(4, "little") for word in words)
    return value.data * value.count if value.splat else value.data


def lower_global(b: Builder, op: CudaGlobal) -> None:
    """A global of the module."""
    data = memory_image(op.value).hex()
    b(Global(op.sym_name, data, alignment=max(op.alignment, 16), constant=op.is_constant, location=op.location))


class Statics(Struct):
    """The constants of a module that lie in memory: equal ones once. `b` inserts in front of the kernels."""

    b: Builder
    _symbols: dict[bytes, str] = field(default_factory=dict[bytes, str])

    def symbol(self, value: Dense) -> str:
        """The global that holds the elements, row-major; its name is none that a module can use."""
        data = memory_image(value)
        known = self._symbols.get(data)
        if known is None:
            known = self._symbols[data] = f"%{len(self._symbols)}"
            self.b(Global(known, data.hex(), alignment=64, constant=True))
        return known
