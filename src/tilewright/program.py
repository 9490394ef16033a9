"""Compiled programs as Python sees them: kernels that are launched on arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final, Self

from msgspec import Struct

from tilewright.artifacts.artifact import Artifact
from tilewright.artifacts.parameters import (
    SCHEDULE,
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
    made_extents,
)
from tilewright.diagnostics.caller_error import CallerError
from tilewright.runtime.grid import Extents, Grid, grid_extents
from tilewright.runtime.keywords import in_order
from tilewright.runtime.launcher import DeviceLauncher, KernelResources, Launcher, PreparedLauncher

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from tilewright.diagnostics import Diagnostic
    from tilewright.targets.target import Explanation

_REMEMBERED_GRIDS: Final = 64


class PassChange(Struct, frozen=True):
    """A pass (its `name`) that changed the IR, and how: `text` is a unified diff, or the new text where that is too
    long to compare."""

    name: str
    text: str


class NotExplained(CallerError, ValueError):
    """There is nothing that could be told of what kernels do with the machine."""


class NothingCompiled(CallerError, ValueError):
    """A program without compiled code was to be kept as bytes."""


def spell_parameter(parameter: Parameter) -> str:
    """The parameter as the tensor language writes it."""
    match parameter:
        case ScalarParameter():
            return f"%{parameter.name}: {parameter.dtype}"
        case MemrefParameter():
            return f"%{parameter.name}: {_memref(parameter)}"
        case PointerParameter():
            return f"%{parameter.name}: ptr<{parameter.dtype}>"
        case GroupParameter():
            size = "?" if parameter.size is None else str(parameter.size)
            offset = {None: ", offset: ?", 0: ""}.get(parameter.offset, f", offset: {parameter.offset}")
            return f"%{parameter.name}: group<{_memref(parameter.memref)}x{size}{offset}>"


def _memref(parameter: MemrefParameter) -> str:
    from tilewright.ir.types import SCALARS, AddressSpace, memref
    from tilewright.runtime.memref_fit import type_text

    if parameter.dimensions:
        return type_text(parameter)
    space = AddressSpace(parameter.space)
    return str(memref(SCALARS[parameter.dtype], parameter.shape, parameter.strides, space))


class Kernel:
    """One kernel of a program: `kernel[grid](*arguments)` launches it.

    Arguments follow the signature, by position or by name: numbers for scalars, arrays (NumPy, PyTorch, anything with
    DLPack or the buffer protocol, where the kernel runs) for memrefs with their strides as they are, a list of arrays
    or a `PointerArray` for groups. Nothing is copied; arrays that the kernel writes change in place.

    `grid` is the number of work-groups (tile blocks of CUDA Tile IR): an integer, or up to three of them. A launch
    returns when all of them have run; on a GPU it returns when they are enqueued on the current stream of the arrays'
    framework. It raises `LaunchError` before anything runs if arguments or grid do not fit
    the kernel, and `KernelError` from checked code and the interpreter. `info` holds the signature as records.
    """

    def __init__(self, program: Program, info: KernelInfo, launcher: Callable[[], Launcher]) -> None:
        self._program = program
        self._make_launcher = launcher
        self._launcher: Launcher | None = None
        self._prepared: dict[int | Extents, Callable[..., None]] = {}
        self.info = info

    @property
    def name(self) -> str:
        """The function's name."""
        return self.info.name

    @property
    def signature(self) -> str:
        """The parameters as the tensor language writes them."""
        return f"@{self.name}({', '.join(spell_parameter(p) for p in self.info.parameters if not made_extents(p))})"

    @property
    def work_group_size(self) -> tuple[int, int]:
        """Work-items of a work-group along rows and columns."""
        return self.info.work_group_size

    @property
    def subgroup_size(self) -> int:
        """Work-items of a subgroup."""
        return self.info.subgroup_size

    @property
    def schedule(self) -> str:
        """How the kernel runs, in words. Empty for targets that do not tell.

        On a GPU one line, which `compile` takes as `schedule`: the way that its tiles take, threads of a block, tile,
        instruction, warps and stages of products, and behind `#` why it is not the better way. On the CPU what its
        matrix products run on, one line a product: its place in the source, extents of the tiles, types, the unit
        (`units` of `compile`), the shape of the code, and what keeps it from better units. Where launches whose arrays
        overlap take other code than the others, it tells of the others first, and behind `#` how those run.
        """
        careful, apart = self.info.facts.get(SCHEDULE, ""), self.info.apart
        if apart is None:
            return careful
        from tilewright.ir.schedules import with_note

        said = f"where an array overlaps one that is written: {careful or 'as it was written'}"
        return with_note(apart.facts.get(SCHEDULE, ""), said)

    def explain(self) -> Explanation:
        """What the kernel does with the GPU that it was compiled for; print it.

        For each access to memory its place in the source, bytes that a thread moves at once, sectors or passes over
        banks that a warp takes, and the least for as many bytes; conflicts of each shared buffer; what each barrier
        waits for; registers, spills and blocks a multiprocessor where ptxas is on this machine. Compiles once more.
        Raises `NotExplained` for other targets, and for programs whose source is not known.
        """
        return self._program.explanations()[self.name]

    @property
    def resources(self) -> KernelResources | None:
        """What the kernel takes of the GPU that it was compiled for; None on the CPU and in the interpreter.

        Loads the kernel. Raises what a launch does where there is no such GPU.
        """
        launcher = self._loaded()
        return launcher.resources() if isinstance(launcher, DeviceLauncher) else None

    def ir(self, stage: str = "tile") -> str:
        """The program's text at one of its `stages`: `tile`, on a GPU also `gpu` (tiles with layouts), `lanes` (what a
        thread does) and `ptx`. Raises KeyError for any other."""
        return self._program.text(stage)

    @property
    def llvm(self) -> str:
        """LLVM IR of the program."""
        return self.ir("llvm")

    @property
    def asm(self) -> str:
        """Assembly of the program."""
        return self.ir("asm")

    def __getitem__(self, grid: Grid) -> Callable[..., None]:
        """The launch on `grid` work-groups, to be called with the arguments. Raises `LaunchError` for no such grid."""
        # True and 1.0 would find the entry of 1
        key = grid if type(grid) is int else grid_extents(grid)
        prepared = self._prepared.get(key)
        if prepared is None:
            prepared = self._prepare(grid_extents(grid, self.info.max_groups))
            if len(self._prepared) >= _REMEMBERED_GRIDS:
                self._prepared.clear()
            self._prepared[key] = prepared
        return prepared

    def site(self, grid: Grid = 1) -> Callable[..., None]:
        """A launch like `kernel[grid]` that remembers the layouts of its own calls, for who makes one for each layout.

        Raises `LaunchError` for no such grid.
        """
        return self._prepare(grid_extents(grid, self.info.max_groups))

    def _prepare(self, extents: Extents) -> Callable[..., None]:
        launcher = self._loaded()
        if isinstance(launcher, PreparedLauncher):
            return launcher.prepare(extents)
        return lambda *arguments, **named: launcher(extents, in_order(self.info, arguments, named))

    def _loaded(self) -> Launcher:
        if self._launcher is None:
            self._launcher = self._make_launcher()
        return self._launcher

    def __call__(self, *arguments: object, grid: Grid = 1, **named: object) -> None:
        """Launch on `grid` work-groups; the same as `kernel[grid](*arguments, **named)`."""
        self[grid](*arguments, **named)

    def __reduce__(self) -> tuple[Callable[[Program, str], Kernel], tuple[Program, str]]:
        return Program.__getitem__, (self._program, self.name)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        m, n = self.work_group_size
        return f"<kernel {self.signature} for {self._program.target}, work-group {m}x{n}>"

    def _repr_html_(self) -> str:
        """Signature, stages and what each pass changed as folded sections, for notebooks."""
        from html import escape

        stages = "".join(
            f"<details><summary>{stage}</summary><pre>{escape(self._program.text(stage))}</pre></details>"
            for stage in self._program.stages
        )
        passes = "".join(
            f"<details><summary>{escape(change.name)}</summary><pre>{_coloured(change.text)}</pre></details>"
            for change in self._program.pass_changes()
        )
        if passes:
            passes = f"<details><summary>what each pass changed</summary>{passes}</details>"
        head = f"<b><code>{escape(self.signature)}</code></b> for {escape(self._program.target)}"
        return f"{head}{stages}{passes}"


def _coloured(difference: str) -> str:
    """A unified diff in HTML."""
    from html import escape

    colours = {"+": "#1a7f37", "-": "#cf222e", "@": "#8250df"}
    lines: list[str] = []
    for line in difference.split("\n"):
        colour = colours.get(line[:1])
        text = escape(line)
        lines.append(text if colour is None else f'<span style="color:{colour}">{text}</span>')
    return "\n".join(lines)


class Program:
    """Named kernels, compiled for one target; attributes and items are `Kernel`s.

    `program.axpby` and `program["axpby"]` are the kernel of that name (AttributeError, KeyError if there is none); a
    program is iterated over its kernels, and `in` knows their names. Programs can be pickled, as compiled code; those
    of the interpreter have none.
    """

    def __init__(
        self,
        artifact: Artifact,
        launchers: Callable[[KernelInfo], Launcher],
        texts: Mapping[str, Callable[[], str]],
        warnings: Callable[[], tuple[Diagnostic, ...]] | None = None,
        changes: Callable[[], tuple[PassChange, ...]] | None = None,
        explanations: Callable[[], Mapping[str, Explanation]] | None = None,
    ) -> None:
        self._artifact = artifact
        self._changes = changes
        self._explanations = explanations
        self._texts = texts
        self._warnings = warnings
        self._kernels = {info.name: Kernel(self, info, lambda info=info: launchers(info)) for info in artifact.kernels}
        # found without `__getattr__`, unless they are called like something that a program has
        own = {*self.__dict__, *dir(Program)}
        self.__dict__.update((name, kernel) for name, kernel in self._kernels.items() if name not in own)

    @property
    def target(self) -> str:
        """What the program was compiled for."""
        return self._artifact.target

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that `text` can show, such as `source`, `tile`, `llvm` and `asm`; targets differ.

        `source` and, on a GPU, `tile` and `gpu` are made from the source: programs from bytes have none of them.
        """
        return tuple(self._texts)

    def text(self, stage: str) -> str:
        """The program at a stage. Raises KeyError for one that this target does not have."""
        if stage not in self._texts:
            raise KeyError(f"there is no stage {stage!r}; there are {', '.join(self._texts)}")
        return self._texts[stage]()

    @cached_property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What reading the program found that is probably not meant; none if its source is not known.

        The source of a program that came from the cache is read for it.
        """
        return () if self._warnings is None else self._warnings()

    def pass_changes(self) -> tuple[PassChange, ...]:
        """The passes that changed the IR, with their diffs; none if the program's source is not known."""
        return () if self._changes is None else self._changes()

    def explanations(self) -> Mapping[str, Explanation]:
        """What `Kernel.explain` tells, of all kernels by name. Raises `NotExplained`."""
        if self._explanations is None:
            raise NotExplained(
                f"what kernels do with the machine is told of those compiled for GPUs from their source, not of this "
                f"program for {self.target}"
            )
        return self._explanations()

    def __getattr__(self, name: str) -> Kernel:
        kernels = self.__dict__.get("_kernels", {})
        if name in kernels:
            return kernels[name]
        raise AttributeError(self._absent(name))

    def _absent(self, name: str) -> str:
        return f"the program has no kernel {name!r}; it has {', '.join(self.__dict__.get('_kernels', {})) or 'none'}"

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of that name. Raises KeyError if there is none."""
        if name not in self._kernels:
            raise KeyError(self._absent(name))
        return self._kernels[name]

    def __contains__(self, kernel: object) -> bool:
        return any(kernel in (found.name, found) for found in self)

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self._kernels.values())

    def __len__(self) -> int:
        return len(self._kernels)

    def __dir__(self) -> list[str]:
        """The public names, each once."""
        own = (name for name in super().__dir__() if not name.startswith("_"))
        return sorted({*own, *self._kernels})

    @property
    def artifact(self) -> Artifact:
        """The compiled code with its launch signatures."""
        return self._artifact

    def to_bytes(self) -> bytes:
        """The compiled program for `from_bytes`, without need of the compiler.

        Raises `NothingCompiled` for one that the interpreter runs.
        """
        if not self._artifact.payload:
            raise NothingCompiled(f"a program for the {self.target} has no compiled code; keep its source instead")
        return self._artifact.to_bytes()

    @staticmethod
    def from_bytes(data: ReadableBuffer) -> Program:
        """A program from `to_bytes`, as bytes or in any other buffer.

        Raises ValueError if the bytes are damaged, if code and signatures in them do not belong together, or if they
        are for a machine that this is not, TypeError for what is no buffer. What the code does cannot be checked.
        """
        from tilewright.targets import read_artifact

        return load_artifact(read_artifact(data))

    def __reduce__(self) -> tuple[Callable[[bytes], Program], tuple[bytes]]:
        """Pickled programs, those sent to other processes for instance, are the bytes of `to_bytes`."""
        return Program.from_bytes, (self.to_bytes(),)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        hidden = [f'program["{name}"]' for name, kernel in self._kernels.items() if self.__dict__.get(name) != kernel]
        note = f"; programs have attributes of that name, so write {', '.join(hidden)}" if hidden else ""
        return f"<program for {self.target}: {', '.join(self._kernels) or 'no kernels'}{note}>"


def load_artifact(
    artifact: Artifact,
    source: Callable[[], str] | None = None,
    changes: Callable[[], tuple[PassChange, ...]] | None = None,
    warnings: Callable[[], tuple[Diagnostic, ...]] | None = None,
    levels: Mapping[str, Callable[[], str]] | None = None,
    explanations: Callable[[], Mapping[str, Explanation]] | None = None,
) -> Program:
    """A program whose kernels run on this machine; `source` gives its text when somebody wants to read it, `changes`
    what the passes did, `warnings` what reading it found, `levels` the IR on its way to the artefact's texts,
    `explanations` what kernels do with the machine.

    Raises ValueError if this machine cannot run the artefact's code.
    """
    from tilewright.targets import launchers_of

    load = launchers_of(artifact)
    loaded: dict[str, Launcher] = {}

    def launcher(info: KernelInfo) -> Launcher:
        if not loaded:
            loaded.update(load())
        return loaded[info.name]

    return Program(artifact, launcher, _texts(artifact, source, levels or {}), warnings, changes, explanations)


def _texts(
    artifact: Artifact, source: Callable[[], str] | None, levels: Mapping[str, Callable[[], str]]
) -> Mapping[str, Callable[[], str]]:
    texts: dict[str, Callable[[], str]] = {}
    if source is not None:
        texts["source"] = source
    texts |= levels
    for stage, text in artifact.texts.items():
        texts[stage] = lambda text=text: text
    if "ptx" in artifact.texts:
        texts["asm"] = texts["ptx"]
    elif "llvm" in artifact.texts:
        texts["asm"] = lambda: _assembly(artifact)
    return texts


def _assembly(artifact: Artifact) -> str:
    """Assembly is made when somebody wants to read it."""
    from msgspec.structs import replace

    from tilewright.machine.native import assembly_of
    from tilewright.machine.processor import machine

    target = replace(machine(), features=artifact.features)
    return assembly_of(artifact.texts["llvm"], target)
