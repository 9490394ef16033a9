"""A syntax tree becomes kernels: branches `cf`, tensors `tlx`, the rest what all languages share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.diagnostics.nearest import did_you_mean
from tilewright.dialects import addresses, arith, cf, tile
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.frontends.tlx import memory, own_memory, plain
from tilewright.frontends.tlx.codes import NO_DECLARATION, SUFFIX, TOKEN_MERGED, UNKNOWN_OPERATION, UNSUPPORTED
from tilewright.frontends.tlx.context import Broken, FunctionImport
from tilewright.frontends.tlx.ir_types import element_in_memory
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.frontends.tlx.llvm.limits import Limits
from tilewright.frontends.tlx.llvm.result_types import operands_of
from tilewright.frontends.tlx.llvm.structure import Structure
from tilewright.frontends.tlx.names import Unknown, component, contradiction
from tilewright.frontends.tlx.options import TlxOptions
from tilewright.frontends.tlx.parameters import keep_promises, settle_elements
from tilewright.frontends.tlx.target_types import is_tensor_type
from tilewright.frontends.tlx.tensors import tensor_call
from tilewright.frontends.tlx.vector_reductions import REDUCTIONS, reduction
from tilewright.ir.core import Block, Value
from tilewright.ir.types import I8, PointerType, ScalarType, Type

_IGNORED: Final = tuple(
    f"llvm.{name}" for name in ("dbg.", "lifetime.", "assume", "donothing", "experimental.noalias.", "prefetch.")
)
_RESULT: Final = "result"
"""The name of the pointer that a function's result is written to."""
_OWN_MEMORY: Final = ("malloc", "free")
_Form = Callable[[FunctionImport, syntax.Call], None]
_MEMORY: Final[Mapping[str, _Form]] = {"memset": memory.fill, "memcpy": memory.copy, "memmove": memory.copy}


def import_function(f: FunctionImport, body: Block) -> None:
    """The body of a kernel, whose first block is there. What means nothing is reported and left out."""
    _parameters(f, body)
    blocks = _blocks(f, body)
    f.cyclic = {blocks[number] for number in f.structure.graph.cyclic}
    order = f.structure.graph.order
    for number in sorted(order, key=lambda n: order[n][0]):
        f.b = Builder.at_end(blocks[number])
        for instruction in f.function.blocks[number].instructions:
            f.b.location = f.range_of(instruction)
            try:
                _instruction(f, instruction, number, blocks)
            except Broken:
                continue
    _drop_read_off(f)


def _drop_read_off(f: FunctionImport) -> None:
    """Erase vectors that nothing has a use for, with their parts."""
    work = [f.values[name].defining_op for name in f.read_off if name in f.values]
    while work:
        op = work.pop()
        if (
            isinstance(op, tile.Cat | tile.Splat | tile.Extract | arith.Constant)
            and not op.out.uses
            and op.block is not None
        ):
            work += [operand.defining_op for operand in op.operands]
            op.erase()


# The boundary to the host (decision 38)


def _parameters(f: FunctionImport, block: Block) -> None:
    for parameter in f.function.parameters:
        f.b.location = f.range_of(parameter)
        try:
            _parameter(f, block, parameter)
        except Broken:
            continue
    if is_tensor_type(f.function.result):
        f.unsupported(f.function, f"a result of type {f.function.result} is not supported", "store the tensor")
    elif f.function.result != llvm.VOID:
        element = element_in_memory(f.function.result) or I8
        name = next(n for n in _names() if n not in f.structure.values)
        f.result = f.b(addresses.AddressOf(block.add_argument(PointerType(element), name))).out


def _names() -> list[str]:
    return [_RESULT, *(f"{_RESULT}.{k}" for k in range(1, 1 << 10))]


def _parameter(f: FunctionImport, block: Block, parameter: syntax.Parameter) -> None:
    location = f.range_of(parameter)
    if parameter.type == llvm.TOKEN:
        raise f.refuse(TOKEN_MERGED, parameter, "a token cannot be an argument; pass the memory and load from it")
    if isinstance(parameter.type, llvm.PointerType):
        element = _said_element(parameter, parameter.type)
        if element is None:
            f.opaque.add(parameter.name)
        argument = block.add_argument(PointerType(element or I8), parameter.name, location)
        address = f.b(addresses.AddressOf(argument)).out
        address.name = parameter.name
        f.values[parameter.name] = address
        return
    type_ = f.type_of(parameter.type, parameter)
    if isinstance(type_, ScalarType):
        f.values[parameter.name] = block.add_argument(type_, parameter.name, location)
        return
    element = element_in_memory(parameter.type)
    if element is None:
        raise f.unsupported(parameter, f"an argument of type {parameter.type} is not supported")
    argument = block.add_argument(PointerType(element), parameter.name, location)
    address = f.b(addresses.AddressOf(argument)).out
    f.values[parameter.name] = memory.read(f, address, type_, parameter)


def _said_element(parameter: syntax.Parameter, type_: llvm.PointerType) -> ScalarType | None:
    """What a pointer says of the elements behind it. Old compilers have `i8*` for all pointers."""
    said = parameter.attributes.get("byval")
    found = element_in_memory(said if isinstance(said, llvm.Type) else type_.pointee)
    return None if found is I8 else found


# Blocks


def _blocks(f: FunctionImport, entry: Block) -> dict[int, Block]:
    """A block for each that is reached, with arguments for its phis."""
    region = entry.region
    assert region is not None
    found = {0: entry}
    for number, block in enumerate(f.function.blocks):
        if number and number in f.structure.graph.order:
            found[number] = region.add_block(Block())
        for instruction in block.instructions if number in found else ():
            if isinstance(instruction, syntax.Phi):
                _phi(f, instruction, found[number])
    return found


def _phi(f: FunctionImport, phi: syntax.Phi, block: Block) -> None:
    if phi.type == llvm.TOKEN:
        f.error(TOKEN_MERGED, phi, "a token cannot be merged; carry the vector and give it typeinfo again")
        return
    try:
        type_ = f.type_of(phi.type, phi)
    except Broken:
        return
    f.values[phi.result or ""] = block.add_argument(type_, phi.result, f.range_of(phi))


def _forwarded(f: FunctionImport, source: int, target: int) -> list[Value]:
    """What an edge gives the phis of the block that it leads to."""
    found: list[Value] = []
    name = f.function.blocks[source].name
    for phi in f.function.blocks[target].instructions:
        if not isinstance(phi, syntax.Phi) or (phi.result or "") not in f.values:
            continue
        wanted = f.values[phi.result or ""].type
        operand = next((value for value, label in phi.incoming if label.name == name), None)
        found.append(_forwarded_value(f, operand, wanted))
    return found


def _forwarded_value(f: FunctionImport, operand: syntax.Operand | None, wanted: Type) -> Value:
    try:
        value = None if operand is None else f.value(operand)
    except Broken:
        value = None
    return value if value is not None and value.type == wanted else f.undefined(wanted)


# Instructions


def _instruction(f: FunctionImport, i: syntax.Instruction, number: int, blocks: Mapping[int, Block]) -> None:
    if isinstance(i, syntax.Call):
        _call(f, i)
        return
    _refuse_tokens(f, i)
    match i:
        case syntax.Phi():
            return
        case syntax.Branch() | syntax.Switch():
            _branch(f, i, number, blocks)
        case syntax.Return(value=value):
            if value is not None and not is_tensor_type(value.type):
                memory.write(f, f.result, f.value(value), i)
        case syntax.Unreachable():
            return
        case syntax.Store():
            memory.store(f, i)
        case _:
            value = _computed(f, i)
            if value.name is None:
                value.name = i.result
            f.values[i.result or ""] = value


def _refuse_tokens(f: FunctionImport, i: syntax.Instruction) -> None:
    if isinstance(i, syntax.Phi):
        return
    found = next((o for o in operands_of(i) if o.type == llvm.TOKEN), None)
    if found is not None:
        what = "returned" if isinstance(i, syntax.Return) else "stored" if isinstance(i, syntax.Store) else "merged"
        hint = "carry the vector and give it typeinfo again"
        raise f.refuse(TOKEN_MERGED, found, f"a token cannot be {what}; {hint}")


def _computed(f: FunctionImport, i: syntax.Instruction) -> Value:
    match i:
        case syntax.Binary():
            return plain.binary(f, i)
        case syntax.Compare():
            return plain.compare(f, i)
        case syntax.Cast():
            return plain.cast(f, i)
        case syntax.Select():
            return plain.select(f, i)
        case syntax.Freeze():
            return plain.freeze(f, i)
        case syntax.ExtractElement():
            return plain.extract(f, i)
        case syntax.InsertElement():
            return plain.insert(f, i)
        case syntax.ShuffleVector():
            return plain.shuffle(f, i)
        case syntax.Load():
            return memory.load(f, i)
        case syntax.GetElementPointer():
            return memory.address(f, i)
        case syntax.Alloca():
            return own_memory.alloca(f, i)
        case _:
            raise f.unsupported(i, "this instruction is not supported")


def _branch(f: FunctionImport, i: syntax.Branch | syntax.Switch, number: int, blocks: Mapping[int, Block]) -> None:
    targets = f.structure.graph.successors[number]
    values = [_forwarded(f, number, target) for target in targets]
    dests = [blocks[target] for target in targets]
    if len(dests) == 1:
        f.b(cf.Branch(values[0], dests[0]))
    elif isinstance(i, syntax.Branch):
        assert i.condition is not None
        condition = _forwarded_value(f, i.condition, f.type_of(llvm.I1, i))
        f.b(cf.ConditionalBranch(condition, values[0], values[1], dests[0], dests[1]))
    else:
        _switch(f, i, values, dests)


def _switch(f: FunctionImport, i: syntax.Switch, values: list[list[Value]], dests: list[Block]) -> None:
    """The default stands last."""
    value = _forwarded_value(f, i.value, f.type_of(i.value.type, i.value))
    cases = [f.constants.value_of(case) for case in i.cases]
    known = tuple(case for case in cases if isinstance(case, int))
    if len(set(known)) < len(i.cases):
        raise f.refuse(UNSUPPORTED, i, "a case stands twice in this switch")
    ordered = [*zip(values[1:], dests[1:], strict=True), (values[0], dests[0])]
    counts = tuple(len(forwarded) for forwarded, _ in ordered)
    flat = [v for forwarded, _ in ordered for v in forwarded]
    f.b(cf.Switch(value, flat, known, counts, [dest for _, dest in ordered]))


# Calls


def _call(f: FunctionImport, i: syntax.Call) -> None:
    found = f.uses.meaning(i.callee)
    if isinstance(found, Unknown):
        finding = f.error(UNKNOWN_OPERATION, i.callee_at, f"unknown TLX operation {found.word!r}")
        if found.near:
            finding.hint(did_you_mean([f"llvm.tensor.{one}" for one in found.near], "'"))
        raise Broken
    if found is not None:
        _check_name(f, i, found.suffix)
        tensor_call(f, i, found.name, found.suffix)
        return
    if i.callee.startswith(_IGNORED):
        return
    if i.callee in _OWN_MEMORY:
        _own_memory(f, i)
        return
    parts = i.callee.split(".")
    name = parts[1] if parts[0] == "llvm" and len(parts) > 1 else ""
    if parts[2:3] == ["sat"]:
        name += ".sat"
    if name in _MEMORY:
        _MEMORY[name](f, i)
    elif name in plain.MATH:
        _define(f, i, plain.function(f, name, i))
    elif parts[:3] == ["llvm", "vector", "reduce"] and len(parts) > 3 and parts[3] in REDUCTIONS:
        _define(f, i, reduction(f, parts[3], i))
    else:
        what = f"a call of @{i.callee} is not supported"
        raise f.unsupported(i.callee_at, what, "kernels call operations of TLX and mathematical intrinsics of LLVM")


def _own_memory(f: FunctionImport, i: syntax.Call) -> None:
    if i.callee == "malloc":
        _define(f, i, own_memory.malloc(f, i))
    else:
        own_memory.free(f, i)


def _define(f: FunctionImport, i: syntax.Call, value: Value) -> None:
    if value.name is None:
        value.name = i.result
    f.values[i.result or ""] = value


def _check_name(f: FunctionImport, i: syntax.Call, suffix: tuple[str, ...]) -> None:
    if i.callee not in f.module.declarations:
        place = f.range_of(i.callee_at)
        f.module.declarations[i.callee] = syntax.Function(i.start, i.end, i.callee, i.type, [], False, {}, {})
        finding = f.report.warning(NO_DECLARATION, place, f"no declaration of @{i.callee}")
        finding.hint("LLVM wants one; `tilewright translate` prints it")
    wrong = contradiction(suffix, i.type, [argument.operand.type for argument in i.arguments]) if suffix else None
    if wrong is not None:
        part, type_ = wrong
        place = f.range_of(i.callee_at)
        said = f"no type of this call is a {part}; expected {component(type_) or type_}"
        f.report.warning(SUFFIX, place, f"the name says {part}: {said}")


# Modules


def import_module(
    source: Source,
    module: syntax.Module,
    functions: list[tuple[syntax.Function, Structure]],
    report: Report,
    options: TlxOptions,
    limits: Limits,
) -> Module:
    """All functions of a text as kernels."""
    body, block = new_region()
    for function, structure in functions:
        region, entry = new_region()
        location = SourceRange(source, function.start, function.end)
        kernel = Kernel(function.name, region, subgroup_size=1, work_group_size=(1, 1), max_groups=1, location=location)
        block.append(kernel)
        f = FunctionImport(source, module, function, structure, report, options, limits, entry)
        import_function(f, entry)
        settle_elements(kernel, f.opaque)
        keep_promises(kernel, {p.name for p in function.parameters if "noalias" in p.attributes})
    return Module(body, location=SourceRange(source, 0, 0))
