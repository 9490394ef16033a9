"""The processor at hand, as LLVM describes it: asked once, and known to later processes without LLVM.

Loading LLVM takes longer than all else that a compiled program needs. What it said is kept beside the artefacts, under
a key of all that it depends on: LLVM's version, and what the processor says of itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import cast

from msgspec import Struct

from tilewright.kept.by_products import kept
from tilewright.machine.cpuid import processor_words
from tilewright.machine.llvm_binding import binding


class Host(Struct, frozen=True):
    """As LLVM tells: the triple of this process, the name of the processor, all features and whether they are there."""

    triple: str
    cpu: str
    features: Mapping[str, bool]


@cache
def host() -> Host:
    """This machine."""
    words = processor_words()
    if words is None:
        return _asked()
    return _decoded(kept("host", [llvm_version(), *map(str, words)], lambda: _encoded(_asked()))) or _asked()


def llvm_version() -> str:
    """The version of llvmlite, which has LLVM in it; LLVM is not loaded for that."""
    import llvmlite

    return llvmlite.__version__


def _asked() -> Host:
    llvm = binding()
    return Host(llvm.get_process_triple(), llvm.get_host_cpu_name(), dict(llvm.get_host_cpu_features().items()))


def _encoded(found: Host) -> bytes:
    return json.dumps([found.triple, found.cpu, found.features]).encode()


def _decoded(data: bytes) -> Host | None:
    """None for what `_encoded` does not write: the hash of an entry says that it is whole, not that it is ours."""
    try:
        triple, cpu, features = json.loads(data)
    except (ValueError, TypeError):
        return None
    if not isinstance(triple, str) or not isinstance(cpu, str) or not isinstance(features, dict):
        return None
    flags = cast("dict[str, object]", features)
    return Host(triple, cpu, {name: present is True for name, present in flags.items()})
