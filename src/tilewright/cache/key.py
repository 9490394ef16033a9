"""The name of an artefact in the cache."""

from __future__ import annotations

import hashlib
import json

from tilewright import plugins
from tilewright.artifacts.artifact import ARTIFACT_FORMAT
from tilewright.compile_options import CompileOptions
from tilewright.diagnostics import Source
from tilewright.diagnostics.binary import Binary
from tilewright.targets.target import Target
from tilewright.version import __version__


def cache_key(source: Source | Binary, target: Target, options: CompileOptions, taken: str = "") -> str:
    """SHA-256 over all that the artefact depends on; `taken` is what else was found to compile by."""
    facts = [
        __version__,
        ARTIFACT_FORMAT,
        target.name,
        target.fingerprint(),
        options.level,
        sorted(options.definitions.items()),
        options.std,
        options.checked,
        options.reorder_sums,
        options.precision.value,
        sorted(options.chosen.items()),
        plugins.fingerprint(),
        taken,
    ]
    digest = hashlib.sha256(json.dumps(facts).encode())
    digest.update(b"\0")
    if isinstance(source, Binary):
        digest.update(source.data)
    else:
        digest.update(source.text.encode("utf-8", errors="surrogatepass"))
    return digest.hexdigest()
