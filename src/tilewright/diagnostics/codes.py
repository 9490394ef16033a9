"""Every diagnostic code with its title and the rule behind it: what `tilewright explain` prints."""

# ruff: noqa: E501 - a table reads better with one entry a line

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Final

_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "V1": ("syntax", "The text does not follow the grammar; the message says what was expected. Modifiers have one order: `.atomic` first, then transposes, checks, scope, semantics."),
    "V2": ("unknown word", "A mnemonic, type, modifier or attribute name that does not exist; the nearest spelling is offered. Words of the old language are named as such."),
    "V3": ("limit of the reader", "The text is nested too deeply, too long, or has too many operands."),
    "V4": ("literal out of range", "Integers lie in -2^63 .. 2^63-1, floats in the range of double precision; write inf for infinity."),
    "V5": ("name given twice", "Functions of a file, and parameters of a function, have distinct names."),
    "V6": ("value not visible", "A value is used before it is defined, outside the region that defines it, after lifetime_stop, or its name is defined twice along a chain of regions. `%07` is `%7`."),
    "V7": ("number of results", "An instruction with one result needs exactly one name; if and for take none or as many as they return."),
    "V8": ("definition", "A `$name` is unknown, assigned twice, of the wrong kind where it is used, or its `!calc` cannot be computed."),
    "V9": ("elements are numbers", "Memrefs, groups and cooperative matrices hold numbers. Store bool as i8 and compare with not_equal after loading."),
    "V10": ("negative or empty extent", "Extents and strides are not negative; an extent of 0 in a type is allowed and means an empty memref."),
    "V11": ("number of strides", "`strided<..>` has one entry for each mode."),
    "V12": ("stride rule", "Strides grow: S_0 >= 1 and S_i >= S_{i-1} s_{i-1}. The first mode has the smallest stride (column-major); for row-major data swap the modes."),
    "V13": ("memref too large", "The byte size and every reachable offset fit in 63 bits."),
    "V14": ("group", "A group holds memrefs in global memory and has a size of at least 0."),
    "V15": ("cooperative matrix type", "Rows are a power of two or a multiple of the subgroup size, columns at least 1, both bounded."),
    "V16": ("attribute", "alignment is a positive multiple of the element size; shape_gcd and stride_gcd are positive, not longer than the order, and divide the static extents and strides."),
    "V17": ("work-group", "work_group_size has two positive entries, the first a multiple of the subgroup size; some target must support the subgroup size."),
    "V18": ("attribute without effect", "Only memref and group parameters have attributes."),
    "V19": ("literal of the wrong kind or range", "Integers are written `1`, floats `1.0`, complex numbers `[1.0, 0.0]`, and the number must fit the type."),
    "V20": ("collective instruction in an SPMD region", "Collectives are executed by the whole work-group together. Inside parallel, foreach and foreach_tile each work-item runs on its own."),
    "V21": ("SPMD instruction in a collective region", "Ids of work-items, subgroup operations and cooperative matrices need parallel, foreach or foreach_tile around them."),
    "V22": ("yield", "The region of an if or for with results, and of cooperative_matrix_apply, ends in a yield of exactly those values; no other region yields."),
    "V23": ("convergence", "Barriers, subgroup and cooperative matrix instructions must be reached by all work-items of the subgroup (barriers: of the work-group)."),
    "V24": ("parameter of a kind that cannot be passed", "Cooperative matrices live in registers; pass a memref and load the matrix."),
    "V25": ("alloca", "Allocations have static shape and strides, lie in local memory, and are aligned to a power of two up to 128 bytes."),
    "V26": ("expand", "The extents are positive and multiply to the extent of the mode; the written result type is the computed one."),
    "V27": ("fuse", "The fused modes follow each other without gaps: S_k s_k = S_{k+1}."),
    "V28": ("subview", "One entry for each mode, inside the memref; `o:s` keeps a mode, `o` alone drops it; strides are those of the operand or `?`."),
    "V29": ("size", "The mode exists; a group has mode 0 only."),
    "V30": ("memory access", "One index of type index for each mode; the value has the element's type."),
    "V31": ("group access", "One index, inside the group; the result is the group's memref type."),
    "V32": ("constant index out of bounds", "The index lies outside the extent that the type states."),
    "V33": ("atomic", "Atomics work on memrefs; max and min need an order; a load has no release part, a store no acquire part."),
    "V34": ("operand types", "The operands have the result's type and belong to the classes that the instruction works on."),
    "V35": ("cast", "Between numbers, not from complex to real, not from or to bool; matrices keep their shape."),
    "V36": ("division by a constant 0", "At run time x / 0 is 0 and x rem 0 is x; a literal zero divisor is taken for a mistake."),
    "V37": ("compare", "Two numbers of one type, with result bool; complex numbers only for equality."),
    "V38": ("shift amount", "Shift amounts count modulo the width of the type."),
    "V39": ("operands of a collective", "Orders and shapes fit (`?` equals only `?`), alpha fits the product, the product the result, beta the result."),
    "V40": ("atomic update", "`.atomic` needs a beta that is the constant 0 (atomic store) or 1 (atomic add)."),
    "V41": ("mode of cumsum", "The mode is one of 0 .. order-1."),
    "V42": ("overlap", "The written operand must not be read as well, except as the identical view in axpby, hadamard and cumsum."),
    "V43": ("lists of foreach", "All lists have the same number of entries; from and to of a mode have one integer type."),
    "V44": ("tile of foreach_tile", "Tile extents are positive, the first a multiple of the subgroup size."),
    "V45": ("for", "Bounds, step and index have one integer type, a constant step is positive, initial values have the carried types."),
    "V46": ("cooperative matrix", "Uses, shapes and component types fit; positions are the same for the whole subgroup; components exist."),
    "V47": ("launch", "Count, element type, device, extents, strides, divisibility and alignment of the arguments fit the signature."),
    "V48": ("not possible on this target", "The target cannot do this; the message says what and what would be possible."),
    "U1": ("old language: atomic update", "`.atomic` needs a beta that is the literal 0 or 1. Scale C first in a separate kernel, or drop .atomic."),
    "U2": ("old language: memref of i1", "bool cannot be stored: use i8, write 1 or 0, and compare with 0 behind loads."),
    "U3": ("old language: literal that does not fit", "Integer types take integers in their range, i1 takes 1, 0, true and false; float types take floats and integers."),
    "U4": ("old language: arithmetic on i1", "i1 knows and, or, xor and not, cmp.eq and cmp.ne; arithmetic on it never had a meaning."),
    "U5": ("old language: element types that do not fit", "alpha must be promotable to the type of the operands, these to that of the result, and beta as well. The old compiler compared none of them."),
    "U6": ("old language: view", "Slices have a size of at least 1 and lie in the memref; the extents of an expand multiply to that of the mode, at most one of them is `?`; fused modes have no gaps."),
    "U7": ("old language: collective instruction in a foreach", "Collectives are executed by the whole work-group together, a foreach by each work-item on its own. Split the loop."),
    "U8": ("old language: stride rule", "Strides grow: S_0 >= 1 and S_i >= S_{i-1} s_{i-1}. The first mode has the smallest stride."),
    "U9": ("two languages in one text", "A text is in the old language or in the new one; versions between them were never released and are not read."),
    "U10": ("old text where only new text makes sense", "The formatter knows the new language only; `tilewright upgrade` gives an old text in it, formatted."),
    "U11": ("launch by hand", "Launches from Python need no change. Those written by hand pass the size of a group in front of its offset, and the batch as the first dimension of the grid, which was the third."),
    "U12": ("valid in both languages", "Words that only one of the languages has decide which one a text is in. Without any, a text that is valid in both and means different things is taken for a new one; `--std` says it."),
    "IR001": ("operand, result or attribute of an operation", "The IR breaks a declared constraint. From a kernel text this is a bug of tilewright."),
    "IR002": ("broken link", "Operations, blocks and use lists disagree. A bug of tilewright."),
    "IR003": ("number of regions", "An operation has too few or too many regions."),
    "IR004": ("terminator", "A terminator must be the last operation of its block."),
    "IR005": ("dominance", "A value is used where it is not defined on every path."),
    "IR010": ("IR text", "The IR text does not parse."),
    "L001": ("source too large", "Sources have at most 16 MiB."),
    "L002": ("too many tokens", "A source has at most two million tokens."),
    "L003": ("nested too deeply", "Regions are nested more deeply than the reader allows."),
    "L004": ("name too long", "Names have at most 1024 characters."),
    "L005": ("literal too long", "Literals have at most 64 digits."),
    "L006": ("order too high", "Tensors have at most 32 modes."),
    "L007": ("too many operands", "The list is longer than the reader allows."),
    "L008": ("attribute too large", "Attributes are bounded in size and nesting."),
    "B1": ("no bytecode of Tile IR", "A file begins with 7f 54 69 6c 65 49 52 00 and its version: 13.1 to 13.4, with the tag 0. Files of 13.5 and later have records that are not public."),
    "B2": ("bytecode of another length", "A section, table entry or body ends too early, or something is left over at its end. A file cut short while it was copied looks like this."),
    "B3": ("section", "Sections have the numbers 1 to 7, come once each, and start at a multiple of 8 (Func, Debug, Constant), 4 (Type, String) or 1. String and Func must be there."),
    "B4": ("index out of range", "The string, type, constant, value or place with this index does not exist. Values are visible from their definition to the end of the region that holds it."),
    "B5": ("number or table", "Numbers have at most 64 bits and 10 bytes, counts are at most the bytes that are left, and the offsets of a table rise."),
    "B6": ("unknown code", "An opcode, tag, enumeration or flag that no version up to that of the file has. Records carry no length, so nothing behind it can be read."),
    "B7": ("type in bytecode", "A type breaks a rule of the language, contains itself, or is of another kind than what is wanted here."),
    "B8": ("constant, attribute or name in bytecode", "Constants have as many bytes as their type says, or those of one element; names are not empty, strings UTF-8, keys unique, debug attributes of the right kind."),
    "B9": ("structure of bytecode", "Records have as many results, operands and regions as the operation; every region has one block, which ends in its only terminator; a body ends where its length says; entries are public kernels without results."),
    "B10": ("newer than the file's version", "What a version added cannot stand in a file of an earlier one. Choose a higher version, or leave it out."),
    "B11": ("bytecode beyond a limit", "Files have at most 16 MiB and 500,000 operations; regions, attributes and debug attributes are nested to a limit, and so is the rank of types."),
    "B12": ("no form in bytecode", "Bytecode holds numbers, strings, types, and dictionaries of those as attributes of hints, and unknown, scoped and call site locations."),
    "T002": ("code too large", "Unrolling static extents would make more code than the code generator takes; use `?` extents."),
    "T003": ("not possible on NVIDIA devices", "The NVIDIA target cannot do this; the message says what."),
    "T004": ("limit of NVIDIA devices", "The kernel needs more of a resource than the device has."),
    "T005": ("too much memory for tiles", "The tiles of a kernel do not fit the memory that a thread has for them."),
    "T006": ("not on this target yet", "The program is valid, but the target has no code for a part of it; the message says for which."),
    "R010": ("access out of bounds", "The interpreter stops at an access outside a memref or group, or through a null pointer."),
    "R011": ("read of memory never written", "Local memory has no content until something writes it."),
    "R012": ("write to a read-only array", "The argument is read-only."),
    "R020": ("race", "Two work-items touch one element, one of them writing, without a barrier between them."),
    "R021": ("ran too long", "The interpreter's limit on operations was reached."),
    "R022": ("divergent barrier", "Not all work-items of the work-group reach the barrier."),
    "R023": ("divergent subgroup instruction", "Not all work-items of a subgroup reach the instruction."),
    "R024": ("work-item of a broadcast", "The index lies outside the subgroup."),
}  # fmt: skip

CODES: Final[Mapping[str, str]] = {code: title for code, (title, _) in _TEXTS.items()}


def explain(code: str) -> str | None:
    """The page on a code, with an example and its correction, or the rule in short; None if there is no such code."""
    found = _TEXTS.get(code)
    if found is None:
        return None
    page = resources.files("tilewright.diagnostics").joinpath("pages", f"{code}.md")
    if page.is_file():
        return page.read_text(encoding="utf-8").removeprefix("# ")
    return f"{code}: {found[0]}\n\n{found[1]}"
