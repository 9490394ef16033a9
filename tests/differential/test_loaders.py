"""Whoever links a kernel's object, our own loader or LLVM's linker, the kernel does the same to the last bit."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators.arguments import Argument, Generated, arrays
from generators.kernels import generate
from tilewright.artifacts.artifact import Artifact
from tilewright.machine import native
from tilewright.machine.elf import read_object
from tilewright.machine.llvm_linker import link_with_llvm
from tilewright.machine.loaded import LoadedObject
from tilewright.machine.loader import link
from tilewright.machine.relocations import rule_of
from tilewright.runtime import launch
from tilewright.runtime.launch import BoundKernel, bind_artifact
from tilewright.runtime.pool import Pool

KERNELS = count("RANDOM_LINKED_KERNELS", 25, 300)
EXAMPLES = Path(__file__).parents[2] / "examples"

Linker = Callable[[bytes, Iterable[str], Mapping[str, int]], LoadedObject]


def _link(data: bytes, exports: Iterable[str], addresses: Mapping[str, int]) -> LoadedObject:
    return link(read_object(data), exports, addresses)


@pytest.fixture
def linked_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Linker, Artifact], BoundKernel]:
    """The first kernel of an artefact, whose object that linker has linked."""

    def bound(linker: Linker, artifact: Artifact) -> BoundKernel:
        used: list[str] = []

        def load(data: bytes, exports: Iterable[str], *, symbols: Mapping[str, int], process_symbols: bool) -> object:
            used.append("")
            return linker(data, exports, {**native.addresses_outside(read_object(data), symbols), **symbols})

        monkeypatch.setattr(launch, "load_object", load)
        kernel = next(iter(bind_artifact(artifact, pool=Pool(1)).values()))
        monkeypatch.undo()
        assert used
        return kernel

    return bound


def _bytes(arguments: Sequence[Argument]) -> list[bytes]:
    """What is in all arrays, those of groups among them."""
    return [array.tobytes() for _, array in arrays(arguments)]


def _after(kernel: BoundKernel, generated: Generated) -> list[bytes]:
    arguments = generated.copy_arguments()
    kernel(generated.grid, arguments)
    return _bytes(arguments)


def test_random_kernels(linked_by: Callable[[Linker, Artifact], BoundKernel], ran: Ran) -> None:
    changed = 0
    for seed in range(SEED, SEED + KERNELS):
        generated = generate(random.Random(seed))
        artifact = tw.compile(generated.text, std="new", cache=False).artifact
        ours, llvms = (_after(linked_by(linker, artifact), generated) for linker in (_link, link_with_llvm))
        assert ours == llvms, f"seed {seed}\n{generated.text}"
        changed += ours != _bytes(generated.copy_arguments())
    assert changed > KERNELS // 2
    ran(KERNELS, "kernels linked in two ways")


@pytest.mark.parametrize("features", ["cpu", "cpu:generic"])
@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in (".tl", ".tileir")))
def test_examples_ask_for_nothing_unknown(name: str, features: str) -> None:
    found = read_object(tw.compile(EXAMPLES / name, target=features).artifact.payload)
    assert {rule_of(relocation.kind).name for relocation in found.relocations()} <= {"R_X86_64_PC32", "R_X86_64_PLT32"}
