"""What reading and checking takes of the processor: TLX, MLIR, and all passes where no product is to be found.

    python benchmarks/parse_time.py [--quick]

TLX: one function of 500 lines, nearly all of them intrinsics, as `tilewright translate` prints and as the RFC writes
them. MLIR: a module of 200 lines in the generic form. Passes: 504 operations of loops over a vector, through all that
stands in front of code generation, verified behind each; nothing there is a product, which `raise-contractions` has to
find out. CPU time of this process, so that other programs disturb little; medians with quartiles, in milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from time import process_time

from msgspec import Struct

import figures
from compile_time import count, large_kernel
from parse import checked, mlir
from spread import Spread
from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module, read_module, read_source
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tlx.printer import print_module
from tilewright.frontends.tlx.reading import read_tlx
from tilewright.ir.collection import uncollected
from tilewright.targets import find_target
from timing import Timer, in_turn, timers
from tlx_texts import Tensor, Writer, integers

_WARM = 0.03
_FRAME = 6
"""Lines of a function that are not in a group: its head, its end, and what is stored last."""


class Row(Struct, frozen=True):
    """Milliseconds of the processor that one thing takes, and what it may take."""

    name: str
    milliseconds: Spread
    bar: str


def tensor_program(lines: int) -> str:
    """A function of about that many lines: products, relaid, functions of elements, sums of rows."""
    write, square = Writer("f32"), Tensor((16, 16))
    column = Tensor((16, 16), (1, 0))
    x, y = (write.load(name, square) for name in "ab")
    kinds = cycle(("matmul", "transpose", "relu", "fadd", "reduce.max"))
    while write.lines < lines - _FRAME:
        match kind := next(kinds):
            case "matmul":
                found = write.typed(write.call(kind, square, f"token {x}", f"token {y}"), square)
            case "transpose":
                found = write.typed(write.call(kind, column, f"token {x}", integers((1, 0))), column)
            case "fadd":
                parts = (write.call("tovector", square, f"token {token}") for token in (x, y))
                found = write.typed(write.binary(kind, square, *parts), square)
            case "reduce.max":
                rows = Tensor((16, 1))
                window = f"token {x}", integers((16,)), integers((1,))
                sums = write.typed(write.call(kind, rows, *window), rows)
                found = write.typed(write.call("pad", square, f"token {sums}", "float 0.0", integers((0, 15))), square)
            case _:
                found = write.typed(write.call(kind, square, f"token {x}"), square)
        x, y = y, found
    return write.text(write.call("tovector", square, f"token {y}"), square)


def canonical(text: str) -> str:
    """The same as `tilewright translate` prints it, declarations and all."""
    return print_module(read_tlx(Source("<bench>", text), Report()))


def read(text: str) -> Callable[[], object]:
    """Read and verify a text, as every verb does."""
    source = Source("<bench>", text)
    return lambda: read_source(source, Report())


def passes(operations: int) -> tuple[int, Timer]:
    """How many operations there are, and seconds of all passes over them."""
    source, target = Source("large.tl", large_kernel(operations)), find_target("cpu")

    def timed() -> float:
        report = Report()
        module = read_module(source, report)
        start = process_time()
        with uncollected():
            lower_module(module, target, CompileOptions(verify_each=True), report)
        return process_time() - start

    return count(read_module(source, Report())), timed


def main() -> None:
    options = figures.parsed(figures.options(__doc__, "parse_time", rounds=25))
    text = tensor_program(500)
    translated, generic = canonical(text), Source("<bench>", mlir(200))
    operations, lowering = passes(500)
    reading: dict[str, tuple[Callable[[], object], str]] = {
        f"TLX, {text.count(chr(10))} lines, {len(text):,} characters": (read(text), "< 20"),
        f"TLX, translated, {translated.count(chr(10))} lines, {len(translated):,} characters": (read(translated), ""),
        f"MLIR, {generic.text.count(chr(10))} lines, {len(generic.text):,} characters": (
            lambda: checked(generic),
            "< 15",
        ),
    }
    last = f"all passes, verified, {operations} operations without products"
    contestants = timers({name: run for name, (run, _) in reading.items()}, clock=process_time) | {last: lowering}
    bars = {name: bar for name, (_, bar) in reading.items()} | {last: "< 20"}
    found = in_turn(contestants, options.rounds, warm=_WARM).seconds()
    rows = [Row(name, found[name].scaled(1e3), bar) for name, bar in bars.items()]
    print(f"{'milliseconds of CPU time':<62} {'median [quartiles]':>24} {'lowest':>8}   bar")
    for row in rows:
        print(f"{row.name:<62} {row.milliseconds!s:>24} {row.milliseconds.lowest:>8.2f}   {row.bar}")
    figures.save(options.json, rows, {row.name: row.milliseconds for row in rows})


if __name__ == "__main__":
    main()
