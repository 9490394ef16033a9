"""What a compilation leaves behind: code with everything that is needed to launch it, as one immutable value.

An artefact knows nothing of the IR it came from. The compiler writes it, the cache stores its bytes, the launcher reads
it. `slot_layout` is the one statement of the calling convention that compiler and launcher share.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct, field

from tilewright.artifacts.artifact_codec import kernel_from_json, kernel_to_json
from tilewright.artifacts.json_fields import ArtifactError, Fields
from tilewright.artifacts.parameters import (
    REPORTS,
    GroupParameter,
    KernelInfo,
    LaunchPlan,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.artifacts.tensor_maps import MAP_ALIGNMENT, MAP_BYTES
from tilewright.diagnostics.binary import bytes_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = [
    "ARTIFACT_FORMAT",
    "BLOCK_ALIGNMENT",
    "Artifact",
    "ArtifactError",
    "GroupParameter",
    "KernelInfo",
    "LaunchPlan",
    "MemrefParameter",
    "Parameter",
    "PointerParameter",
    "Role",
    "ScalarParameter",
    "Slot",
    "block_alignment",
    "block_size",
    "device_block_size",
    "grid_slots",
    "memory_slot",
    "report_slots",
    "scratch_slots",
    "slot_layout",
]

BLOCK_ALIGNMENT: Final = 16
SCRATCH_SLOTS: Final = 2
REPORT_SLOTS: Final = 2
_SLOT_BYTES: Final = 8
_C64_BYTES: Final = 16

SimpleRole: TypeAlias = Literal["value", "pointer", "bytes", "table", "size", "offset"]
IndexedRole: TypeAlias = Literal["extent", "stride", "extent_array", "stride_array"]
Role: TypeAlias = SimpleRole | tuple[IndexedRole, int]


class Slot(Struct, frozen=True):
    """One entry of the parameter block: whose it is, what it says, where it lies and how many bytes of it count.

    `dtype` is the scalar's element type, "ptr" for addresses and "i64" for extents, strides, sizes and offsets.
    """

    parameter: str
    role: Role
    offset: int
    dtype: str


def slot_layout(parameters: tuple[Parameter, ...]) -> tuple[Slot, ...]:
    """The parameter block of a kernel: 8 bytes a slot, 16 for a c64, in the order of the calling convention.

    Slots begin at multiples of 8, those of c64 too: so C places two doubles, and the structures of `runtime/header.py`.
    """
    slots: list[Slot] = []
    offset = 0
    for parameter in parameters:
        for role, dtype in _roles(parameter):
            slots.append(Slot(parameter.name, role, offset, dtype))
            offset += _C64_BYTES if dtype == "c64" else _SLOT_BYTES
    return tuple(slots)


def block_size(
    parameters: tuple[Parameter, ...],
    *,
    has_scratch: bool = False,
    has_reports: bool = False,
    grid_words: int = 0,
    has_memory: bool = False,
    maps: int = 0,
) -> int:
    """Bytes of the parameter block, a multiple of its alignment; maps of tensors are at its end."""
    hidden = SCRATCH_SLOTS * has_scratch + REPORT_SLOTS * has_reports + grid_words + has_memory
    alignment = block_alignment(maps)
    return -(-(_used(parameters) + hidden * _SLOT_BYTES) // alignment) * alignment + maps * MAP_BYTES


def block_alignment(maps: int) -> int:
    """What divides the address of a parameter block with so many maps of tensors."""
    return MAP_ALIGNMENT if maps else BLOCK_ALIGNMENT


def device_block_size(kernel: KernelInfo) -> int:
    """Bytes of the parameter block of a kernel for a device."""
    has_reports, plan = REPORTS in kernel.facts, kernel.launch
    if plan is None:
        return block_size(kernel.parameters, has_reports=has_reports)
    return block_size(
        kernel.parameters,
        has_scratch=plan.scratch_bytes > 0,
        has_reports=has_reports,
        grid_words=plan.grid_words,
        has_memory=plan.group_bytes > 0,
        maps=len(plan.maps),
    )


def scratch_slots(parameters: tuple[Parameter, ...]) -> tuple[int, ...]:
    """Where a parameter block says, behind the parameters, where scratch memory lies and how much of it a block has."""
    return tuple(_used(parameters) + _SLOT_BYTES * k for k in range(SCRATCH_SLOTS))


def report_slots(parameters: tuple[Parameter, ...], *, has_scratch: bool) -> tuple[int, ...]:
    """Where a parameter block says, behind scratch memory, where a report's records go and how many words they have."""
    first = _used(parameters) + SCRATCH_SLOTS * _SLOT_BYTES * has_scratch
    return tuple(first + _SLOT_BYTES * k for k in range(REPORT_SLOTS))


def grid_slots(
    parameters: tuple[Parameter, ...], words: int, *, has_scratch: bool = False, has_reports: bool = False
) -> tuple[int, ...]:
    """Where a parameter block says in so many words what `LaunchPlan.grid_words` are, behind scratch memory and
    reports."""
    first = _used(parameters) + _SLOT_BYTES * (SCRATCH_SLOTS * has_scratch + REPORT_SLOTS * has_reports)
    return tuple(first + _SLOT_BYTES * k for k in range(words))


def memory_slot(
    parameters: tuple[Parameter, ...], *, has_scratch: bool = False, has_reports: bool = False, grid_words: int = 0
) -> int:
    """Where a parameter block says where the memory begins that work-groups keep between launches."""
    hidden = SCRATCH_SLOTS * has_scratch + REPORT_SLOTS * has_reports + grid_words
    return _used(parameters) + _SLOT_BYTES * hidden


def _used(parameters: tuple[Parameter, ...]) -> int:
    return sum(_C64_BYTES if dtype == "c64" else _SLOT_BYTES for p in parameters for _, dtype in _roles(p))


def _roles(parameter: Parameter) -> list[tuple[Role, str]]:
    roles: list[tuple[Role, str]] = []
    match parameter:
        case ScalarParameter():
            roles.append(("value", parameter.dtype))
        case MemrefParameter():
            # work-group memory is not the host's to give: its pointer comes from the launch's scratch
            if parameter.space == "global":
                roles.append(("pointer", "ptr"))
            roles.extend((("extent", k), "i64") for k in _unknown(parameter.shape))
            roles.extend((("stride", k), "i64") for k in _unknown(parameter.strides))
        case PointerParameter():
            roles.append(("pointer", "ptr"))
            if parameter.measured:
                roles.append(("bytes", "i64"))
        case GroupParameter():
            roles.append(("table", "ptr"))
            roles.extend((("extent_array", k), "ptr") for k in _unknown(parameter.memref.shape))
            roles.extend((("stride_array", k), "ptr") for k in _unknown(parameter.memref.strides))
            if parameter.size is None:
                roles.append(("size", "i64"))
            if parameter.offset is None:
                roles.append(("offset", "i64"))
    return roles


def _unknown(sizes: tuple[int | None, ...]) -> list[int]:
    return [k for k, size in enumerate(sizes) if size is None]


def _no_texts() -> Mapping[str, str]:
    return {}


_MAGIC: Final = b"TWARTF\x00\x01"
_PREFIX: Final = struct.Struct("<8sQ")
_DIGEST_BYTES: Final = 32
ARTIFACT_FORMAT: Final = 21
"""Grows with every change of what the bytes mean and of the calling convention; others are not read."""


class Artifact(Struct, frozen=True):
    """Compiled kernels of one target.

    `payload` is object code on the CPU and PTX text on NVIDIA devices; `texts` holds the stages that a user may want to
    read, by name ("tile", "llvm", "asm", "ptx"); `features` is the feature string the code was generated for.
    """

    target: str
    kernels: tuple[KernelInfo, ...]
    payload: bytes
    texts: Mapping[str, str] = field(default_factory=_no_texts)
    features: str = ""

    def kernel(self, name: str) -> KernelInfo:
        """The kernel of that name; KeyError lists those there are."""
        for kernel in self.kernels:
            if kernel.name == name:
                return kernel
        raise KeyError(f"no kernel {name!r}; there are {', '.join(k.name for k in self.kernels) or 'none'}")

    def to_bytes(self) -> bytes:
        """Serialise: magic, length, JSON header, payload, texts, and the SHA-256 of all that."""
        texts = {name: text.encode() for name, text in self.texts.items()}
        header = json.dumps(
            {
                "format": ARTIFACT_FORMAT,
                "target": self.target,
                "features": self.features,
                "kernels": [kernel_to_json(kernel) for kernel in self.kernels],
                "payload": len(self.payload),
                "texts": {name: len(text) for name, text in texts.items()},
            },
            separators=(",", ":"),
        ).encode()
        body = b"".join([_PREFIX.pack(_MAGIC, len(header)), header, self.payload, *texts.values()])
        return body + hashlib.sha256(body).digest()

    @staticmethod
    def from_bytes(data: ReadableBuffer) -> Artifact:
        """Read back what `to_bytes` wrote, in any buffer; anything else, be it one bit, is an `ArtifactError`.

        Raises TypeError for what is no buffer.
        """
        data = bytes_of(data, "an artefact")
        if len(data) < _PREFIX.size + _DIGEST_BYTES or not data.startswith(_MAGIC):
            raise ArtifactError("not a tilewright artefact, or cut off")
        body = memoryview(data)[:-_DIGEST_BYTES]
        if hashlib.sha256(body).digest() != data[-_DIGEST_BYTES:]:
            raise ArtifactError("the artefact's checksum does not match its contents")
        header_size = int(_PREFIX.unpack_from(data)[1])
        sections = body[_PREFIX.size :]
        if header_size > len(sections):
            raise ArtifactError("the artefact's header is longer than the artefact")
        return _decode(bytes(sections[:header_size]), sections[header_size:])


def _decode(header: bytes, sections: memoryview) -> Artifact:
    # A valid checksum proves that nobody damaged the bytes, not that we wrote them: every field is still checked.
    try:
        value: object = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise ArtifactError(f"the artefact's header is not JSON: {error}") from None
    fields = Fields(value)
    version = fields.integer("format")
    if version != ARTIFACT_FORMAT:
        raise ArtifactError(
            f"the artefact is of another format version, {version}, and this tilewright reads {ARTIFACT_FORMAT}; "
            f"compile it again"
        )
    texts = fields.child("texts")
    names = texts.names()
    sizes = [fields.integer("payload"), *(texts.integer(name) for name in names)]
    if any(size < 0 for size in sizes) or sum(sizes) != len(sections):
        raise ArtifactError("the sections of the artefact do not fill it")
    payload, *raw_texts = _split(sections, sizes)
    return Artifact(
        fields.text("target"),
        tuple(kernel_from_json(kernel) for kernel in fields.items("kernels")),
        payload,
        {name: _text(raw) for name, raw in zip(names, raw_texts, strict=True)},
        fields.text("features"),
    )


def _split(sections: memoryview, sizes: list[int]) -> list[bytes]:
    parts: list[bytes] = []
    start = 0
    for size in sizes:
        parts.append(bytes(sections[start : start + size]))
        start += size
    return parts


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ArtifactError(f"a text of the artefact is not UTF-8: {error}") from None
