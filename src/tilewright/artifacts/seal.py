"""What the code of a kernel says of its own signature, so that a header that tells something else is noticed.

Beside each entry lies a constant: the SHA-256 of target, features and what the header says of the kernel, but for where
in a source its constraints come from, and what its products run on. That is no signature in the sense of cryptography:
whoever can write code can write the constant as well.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

from msgspec.structs import replace

from tilewright.artifacts.artifact_codec import kernel_to_json
from tilewright.artifacts.constraints import without_words
from tilewright.artifacts.parameters import SCHEDULE, KernelInfo

SEAL_BYTES: Final = 32


def seal_symbol(entry: str) -> str:
    """The constant's symbol; `$` is in no entry's."""
    return f"{entry}$signature"


def seal_of(target: str, features: str, kernel: KernelInfo) -> bytes:
    """The constant's content."""
    said = json.dumps([target, features, kernel_to_json(_sealed(kernel))], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(said.encode("utf-8", errors="surrogatepass")).digest()


def _sealed(kernel: KernelInfo) -> KernelInfo:
    """What a seal says of a kernel and of those that may take its place."""
    constraints = tuple(map(without_words, kernel.constraints))
    facts = {name: fact for name, fact in kernel.facts.items() if name != SCHEDULE}
    steps = kernel.steps
    if steps is not None:
        steps = replace(steps, kernels=tuple(map(_sealed, steps.kernels)))
    apart = None if kernel.apart is None else _sealed(kernel.apart)
    return replace(kernel, constraints=constraints, facts=facts, steps=steps, apart=apart)
