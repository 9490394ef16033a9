"""`tilewright.compile`: the front door."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tilewright.compiler import CompileOptions, Std, cache_key, compile_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.loading import load_artifact
from tilewright.program import Program
from tilewright.targets import find_target
from tilewright.targets.artifact import Artifact

KernelSource = str | os.PathLike[str] | Source


def source_of(kernel: KernelSource) -> Source:
    """The text of a kernel: given as such, or read from a path (an object, or a string without line break and brace).

    Raises OSError if the file cannot be read.
    """
    if isinstance(kernel, Source):
        return kernel
    if isinstance(kernel, str) and ("\n" in kernel or "{" in kernel or not kernel.strip()):
        return Source("<string>", kernel)
    path = Path(kernel)
    return Source(str(path), path.read_text(encoding="utf-8-sig", errors="replace"))


def compile(
    kernel: KernelSource,
    *,
    target: str = "cpu",
    level: int = 2,
    definitions: Mapping[str, str] | None = None,
    checked: bool = False,
    cache: bool = True,
    std: Std = "auto",
) -> Program:
    """Compile a kernel text or file for a target.

    `target`: `cpu` (or `cpu:avx512`, `cpu:avx2`, `cpu:generic`), or `interpreter`. `level`: 0 lowers only, 2 optimises.
    `definitions` give values to `$name`s of the text. `checked` (interpreter only) finds races, reads of memory never
    written and divergent barriers. `cache=False` neither reads nor writes the artefact cache.
    `std` says which tensor language the text is in: `old` (before its redesign), `new`, or `auto`, which recognises it.

    Raises `CompileError` with located diagnostics, OSError for an unreadable file, ValueError for an unknown target.
    """
    source = source_of(kernel)
    values = dict(definitions or {})
    if target == "interpreter":
        from tilewright.interpreter.program import interpreted

        return interpreted(source, values, checked, std)
    if checked:
        raise ValueError("checked runs are those of the interpreter: use target='interpreter'")
    machine = find_target(target)
    options = CompileOptions(level, values, std=std)
    if cache:
        from tilewright.runtime.cache import cached_artifact

        artifact = cached_artifact(cache_key(source, machine, options), lambda: _artifact(source, target, options))
    else:
        artifact = _artifact(source, target, options)
    return load_artifact(artifact, source.text)


def _artifact(source: Source, target: str, options: CompileOptions) -> Artifact:
    report = Report()
    module = read_module(source, report, options.definitions, options.std)
    return compile_module(module, find_target(target), options, report)
