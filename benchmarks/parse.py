"""How fast the tensor language and generic MLIR are read: 200 lines, long files, and hostile files of 16 MiB.

Prints the median and the fastest of several runs of each, in milliseconds, with what came out of it.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import figures
from spread import Spread
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tensor_language import parse, print_module
from tilewright.frontends.tensor_language.lexer import tokenize
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.printer import print_generic
from tilewright.ir.mlir.reader import read_generic
from tilewright.ir.verifier import verify
from timing import repeated

MLIR_BLOCK = """\
    %x{k} = "affine.load"(%arg0, %arg1, %arg2) <{{map = #map}}> : (memref<64x?xf32>, index, index) -> f32
    %y{k} = "arith.mulf"(%x{k}, %x{k}) <{{fastmath = #arith.fastmath<none>}}> : (f32, f32) -> f32
    %z{k} = "arith.constant"() <{{value = dense<[{k}, 2, 3, 4]> : vector<4xi32>}}> : () -> vector<4xi32>
    "affine.for"(%arg1) <{{lowerBoundMap = #map{k}, operandSegmentSizes = array<i32: 0, 1, 0>, step = 1 : index}}> ({{
    ^bb0(%i{k}: index):
      "affine.store"(%y{k}, %arg0, %i{k}, %arg2) <{{map = #map}}> : (f32, memref<64x?xf32>, index, index) -> ()
      "affine.yield"() : () -> ()
    }}) : (index) -> ()
"""
LIMIT = 16 * 1024 * 1024
HEADER = """func @f(%w: f32, %A: memref<f32x?x?>, %G: group<memref<f32x24x12>x?>, %R: memref<f32x24x10x?>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    %i0 = constant 0 : index
"""
BLOCK = """    %a{k} = load %G[%g] : memref<f32x24x12>
    %r{k} = subview %R[0:24,0:10,%g] : memref<f32x24x10>
    %t{k} = alloca : memref<f32x24x10,local>
    gemm.n.t %one, %a{k}, %a{k}, %zero, %t{k}
    axpby %w, %t{k}, %one, %r{k} ; r := w t + r
    foreach (%i,%j)=(%i0,%i0),(%g,%g) {{
        %x = load %A[%i,%j] : f32
        %y = mul %x, %w : f32
        store %y, %A[%j,%i]
    }}
"""


def kernel(lines: int) -> str:
    """A kernel of about that many lines."""
    return HEADER + "".join(BLOCK.format(k=k) for k in range(max(1, (lines - 6) // 10))) + "}\n"


def mlir(lines: int) -> str:
    """A module of about that many lines, each block with attributes of its own."""
    blocks = range(max(1, (lines - 7) // 9))
    aliases = "#map = affine_map<(d0, d1) -> (d0 + 1, d1 * 2)>\n"
    aliases += "".join(f"#map{k} = affine_map<(d0)[s0] -> (d0 floordiv {k + 2} + s0)>\n" for k in blocks)
    head = '"builtin.module"() ({\n  "func.func"() <{sym_name = "f"}> ({\n'
    head += "  ^bb0(%arg0: memref<64x?xf32>, %arg1: index, %arg2: index):\n"
    return aliases + head + "".join(MLIR_BLOCK.format(k=k) for k in blocks) + "  }) : () -> ()\n}) : () -> ()\n"


def checked(source: Source) -> MlirFile:
    """The file that a text of MLIR holds, verified."""
    report = Report()
    file = read_generic(source, report)
    assert file is not None
    assert verify(file.module, report), report.diagnostics
    return file


def milliseconds(run: Callable[[], object], rounds: int) -> Spread:
    """Of several calls."""
    return repeated(run, rounds).scaled(1e3)


def cell(found: Spread) -> str:
    """The median, and the fastest call in brackets."""
    return f"{found.median:>9.2f} ({found.lowest:.2f})"


def outcome(text: str) -> str:
    """What parsing gives: errors with the first of them, or the number of functions."""
    report = Report()
    module = parse(Source("<bench>", text), report)
    if report.has_errors:
        return f"{report.errors} errors, first {report.diagnostics[0].code}"
    return f"{len(module.kernels)} functions"


def hostile() -> dict[str, str]:
    """Files of 16 MiB that try to make the reader slow."""
    body = HEADER + "    " + "%x = add %w, %w : f32 " * (1_700_000 // 8)
    return {
        "one character tokens": "(" * LIMIT,
        "open regions": "func @f() { " + "parallel { " * (LIMIT // 11 - 2),
        "open arrays": "$a = " + "[" * (LIMIT - 10),
        "one identifier": "func @" + "a" * (LIMIT - 10),
        "one number": "$a = " + "1" * (LIMIT - 10),
        "one string": '$a = "' + "a" * (LIMIT - 10),
        "one comment": ";" * LIMIT,
        "bad characters": "\x01" * LIMIT,
        "non-ASCII words": "é " * (LIMIT // 2),
        "an error a line": "func @f() {\n" + "%x = foo\n" * (LIMIT // 20),
        "undefined values": "func @f() {\n" + "".join(f"store %a{k}, %b\n" for k in range(300_000)),
        "redefinitions": body[:LIMIT],
    }


def main() -> None:
    arguments = figures.options(__doc__, "parse", rounds=9)
    arguments.add_argument("--hostile", action="store_true", help="time the files of 16 MiB too")
    options = figures.parsed(arguments)
    rows: list[dict[str, object]] = []
    sizes = (20, 200) if options.quick else (20, 200, 2000)
    print(f"{'lines':>8} {'tokens':>9} {'lex ms':>18} {'parse ms':>18} {'print ms':>18}")
    for lines in sizes:
        text = kernel(lines)
        source = Source("<bench>", text)
        tokens = tokenize(source, Report(), DEFAULT_LIMITS)
        assert tokens is not None
        module = parse(source, Report())
        lexing = milliseconds(lambda source=source: tokenize(source, Report(), DEFAULT_LIMITS), options.rounds)
        parsing = milliseconds(lambda source=source: parse(source, Report()), options.rounds)
        printing = milliseconds(lambda module=module: print_module(module), options.rounds)
        count = len(tokens.texts) - 1
        rows.append({"tokens": count, "lex_ms": lexing, "parse_ms": parsing, "print_ms": printing})
        print(f"{text.count(chr(10)):>8} {count:>9} {cell(lexing):>18} {cell(parsing):>18} {cell(printing):>18}")
    print(f"\n{'lines of MLIR':>13} {'read and verify ms':>19} {'print ms':>18}")
    for lines in sizes:
        source = Source("<bench>", mlir(lines))
        file = checked(source)
        reading = milliseconds(lambda source=source: checked(source), options.rounds)
        printing = milliseconds(lambda file=file: print_generic(file), options.rounds)
        count = source.text.count("\n")
        rows.append({"mlir_lines": count, "read_and_verify_ms": reading, "print_ms": printing})
        print(f"{count:>13} {cell(reading):>19} {cell(printing):>18}")
    if options.hostile:
        print(f"\n{'hostile file':<24} {'MiB':>6} {'CPU ms':>8}  outcome")
        for name, text in hostile().items():
            start = time.process_time()
            found = outcome(text)
            taken = (time.process_time() - start) * 1e3
            rows.append({"hostile": name, "bytes": len(text), "cpu_ms": taken, "outcome": found})
            print(f"{name:<24} {len(text) / 2**20:>6.1f} {taken:>8.0f}  {found}")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    figures.save(options.json, rows)


if __name__ == "__main__":
    main()
