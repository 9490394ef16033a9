"""From an artefact to launchable kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tilewright.program import Launcher, Program
from tilewright.targets import launchers_of
from tilewright.targets.artifact import Artifact
from tilewright.targets.parameters import KernelInfo

if TYPE_CHECKING:
    from tilewright.pass_changes import PassChange


def load_artifact(
    artifact: Artifact,
    source: Callable[[], str] | None = None,
    changes: Callable[[], tuple[PassChange, ...]] | None = None,
) -> Program:
    """A program whose kernels run on this machine; `source` gives its text when somebody wants to read it, `changes`
    what the passes did.

    Raises ValueError if this machine cannot run the artefact's code.
    """
    load = launchers_of(artifact)
    loaded: dict[str, Launcher] = {}

    def launcher(info: KernelInfo) -> Launcher:
        if not loaded:
            loaded.update(load())
        return loaded[info.name]

    return Program(artifact, launcher, _texts(artifact, source), changes=changes)


def _texts(artifact: Artifact, source: Callable[[], str] | None) -> Mapping[str, Callable[[], str]]:
    texts: dict[str, Callable[[], str]] = {}
    if source is not None:
        texts["source"] = source
    for stage, text in artifact.texts.items():
        texts[stage] = lambda text=text: text
    if "ptx" in artifact.texts:
        texts["asm"] = texts["ptx"]
    elif "llvm" in artifact.texts:
        texts["asm"] = lambda: _assembly(artifact)
    return texts


def _assembly(artifact: Artifact) -> str:
    """Assembly is made when somebody wants to read it."""
    from dataclasses import replace

    from tilewright.runtime.machine import machine
    from tilewright.runtime.native import assembly_of

    target = replace(machine(), features=artifact.features)
    return assembly_of(artifact.texts["llvm"], target)
