"""From text to artefact: read, verify, run the language's and the target's passes, generate code."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from itertools import takewhile
from typing import TYPE_CHECKING

from tilewright.compile_options import CompileOptions
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.binary import Binary
from tilewright.dialects.builtin import Module
from tilewright.ir.collection import uncollected
from tilewright.ir.core import Operation
from tilewright.ir.deep_stack import deep_stack
from tilewright.ir.passes import Pass, PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.ir.schedules import Offers
from tilewright.languages import ReadOptions, language_of
from tilewright.numerics.precision import Precision
from tilewright.plugins import plugins

if TYPE_CHECKING:
    from tilewright.artifacts.artifact import Artifact
    from tilewright.languages.language import Language
    from tilewright.targets.target import ExplainingTarget, Explanation, Target


@contextmanager
def stack_suffices(module: Operation, report: Report) -> Generator[None]:
    """Passes and code generation descend into regions by recursion: that these are too deep is told as an error."""
    try:
        with deep_stack():
            yield
    except RecursionError:
        report.error("T007", module.location, "regions are nested too deeply to be compiled")
        report.raise_if_errors()


@uncollected()
@deep_stack()
def read_source(source: Source | Binary, report: Report, options: ReadOptions | None = None) -> Module:
    """Read and verify a program in its language's own dialects; warnings stay in `report`. Raises `CompileError`."""
    options = options or ReadOptions()
    return language_of(source, options.std).read(source, report, options)


def read_module(
    source: Source | Binary, report: Report, options: ReadOptions | None = None, verify_each: bool = False
) -> Module:
    """Read and verify a program, and bring it to the dialects that all targets know; warnings stay in `report`.

    With `verify_each` passes are held to what they promise. Raises `CompileError` if it is invalid.
    """
    options = options or ReadOptions()
    module = read_source(source, report, options)
    _run(PassManager(language_of(source, options.std).passes(), verify_each), module, report)
    return module


def pipeline(source: Source | Binary, target: Target, options: CompileOptions) -> list[Pass]:
    """All passes from what `read_source` gives to what the target generates code from."""
    return [*language_of(source, options.std).passes(), *target_passes(target, options)]


def manager_of(source: Source | Binary, target: Target, options: CompileOptions) -> PassManager:
    """What runs all passes over what `read_source` gives, and can make it again."""

    def remake() -> Module:
        return read_source(source, Report(), options.reading)

    return PassManager(pipeline(source, target, options), options.verify_each, remake=remake)


@uncollected()
def text_before(name: str, source: Source | Binary, target: Target, options: CompileOptions, report: Report) -> str:
    """The program's IR as the pass of that name finds it; warnings stay in `report`. Raises `CompileError`."""
    module = read_source(source, report, options.reading)
    manager = manager_of(source, target, options)
    manager.passes = list(takewhile(lambda step: step.name != name, manager.passes))
    _run(manager, module, report)
    with deep_stack():
        return print_op(module)


def target_passes(target: Target, options: CompileOptions) -> list[Pass]:
    """The passes from the dialects that all targets know, and those of plug-ins, to what code is generated from."""
    lowerings = [lowering() for plugin in plugins().values() for lowering in plugin.lowerings]
    passes = [*lowerings, *target.passes(options.level, options.checked, options.precision)]
    passes = passes if options.reorder_sums else [step.keeping_order() for step in passes]
    return _with_precision(passes, options.precision)


def _with_precision(passes: list[Pass], precision: Precision) -> list[Pass]:
    """Passes that make products less exact as soon as there are tiles, if that is allowed."""
    if precision is Precision.EXACT:
        return passes
    from tilewright.transforms.coarse_sums import CoarseSums
    from tilewright.transforms.lower_collectives import LowerCollectives
    from tilewright.transforms.round_factors import RoundFactors

    allowed = CoarseSums() if precision is Precision.FAST else RoundFactors(precision)
    return [each for step in passes for each in ((step, allowed) if isinstance(step, LowerCollectives) else (step,))]


def lower_to_tiles(
    module: Module, language: Language, precision: Precision, report: Report, terms: int | None = None
) -> None:
    """Lower a verified program to tiles of no machine, whose products multiply as `precision` says.

    Those of matrices sum so many `terms` at a time, if that is told.
    """
    from tilewright.transforms.generic_policies import GenericTeamPolicy, GenericTilePolicy
    from tilewright.transforms.pipeline import lowering

    policy = GenericTilePolicy() if terms is None else GenericTilePolicy(depth=terms)
    passes = [*language.passes(), *lowering(GenericTeamPolicy(), policy)]
    _run(PassManager(_with_precision(passes, precision)), module, report)


def lower_module(
    module: Module,
    target: Target,
    options: CompileOptions,
    report: Report,
    print_after: Callable[[str, str], None] | None = None,
) -> PassManager:
    """Run the target's passes over a verified program in place; the pass manager, for its timings."""
    manager = PassManager(target_passes(target, options), options.verify_each, print_after)
    _run(manager, module, report)
    return manager


def _run(manager: PassManager, module: Module, report: Report) -> None:
    with stack_suffices(module, report):
        manager.run(module, PassContext(report))


def compile_source(source: Source | Binary, target: Target, options: CompileOptions, report: Report) -> Artifact:
    """Code for a program; warnings stay in `report`. Raises `CompileError`."""
    with uncollected():
        module = read_source(source, report, options.reading)
        _run(manager_of(source, target, options), module, report)
        return _generate(module, target, options, report)


def explain_source(
    source: Source | Binary, target: ExplainingTarget, options: CompileOptions, artifact: Artifact
) -> Mapping[str, Explanation]:
    """What the kernels of a program do with the machine, by name; `artifact` is what was made of it."""
    with uncollected():
        report = Report()
        module = read_source(source, report, options.reading)
        _run(manager_of(source, target, options), module, report)
        with stack_suffices(module, report):
            return target.explain(module, artifact)


def offers_of(source: Source | Binary, target: Target, options: CompileOptions, report: Report) -> Offers:
    """What the target could choose for the kernels of a program instead of what it does. Raises `CompileError`."""
    offers = Offers()
    with uncollected():
        module = read_source(source, report, options.reading)
        with stack_suffices(module, report):
            manager_of(source, target, options).run(module, PassContext(report, offers))
    return offers


def compile_module(module: Module, target: Target, options: CompileOptions, report: Report) -> Artifact:
    """As `compile_source`, for a verified program in the dialects that all targets know."""
    with uncollected():
        lower_module(module, target, options, report)
        return _generate(module, target, options, report)


def _generate(module: Module, target: Target, options: CompileOptions, report: Report) -> Artifact:
    with stack_suffices(module, report):
        artifact = target.generate(module, report, options.level)
        report.raise_if_errors()
        return artifact
