"""The records that follow from the declarations are those of the format's description."""

from __future__ import annotations

import pytest

from tilewright.dialects.cuda_tile import BY_OPCODE
from tilewright.dialects.cuda_tile.types import Version
from tilewright.frontends.tile_ir.bytecode.layout import Encoding, Layout, Operands, layouts

# Name, opcode, results (V: counted), flags, attributes, operands; `@n` behind a field: since 13.n.
TABLE = """
absf 00 1 - - x
absi 01 1 - - x
broadcast 0B 1 - - x
bitcast 09 1 - - x
ceil 0D 1 - - x
cos 12 1 - - x
cosh 13 1 - - x
floor 27 1 - - x
int_to_ptr 33 1 - - x
log 3F 1 - - x
log2 40 1 - - x
make_partition_view 42 1 - - x
make_strided_view 74 1 - - x
make_gather_scatter_view 73 1 - - x
negf 4F 1 - - x
pack 6F 1 - - x
unpack 70 1 - - x
ptr_to_int 56 1 - - x
ptr_to_ptr 57 1 - - x
reshape 5B 1 - - x
sin 62 1 - - x
sinh 63 1 - - x
tan 69 1 - - x
memory_fence_alias_tko 7A 1 - - x
andi 04 1 - - xx
ori 52 1 - - xx
xori 6C 1 - - xx
mulhii 4D 1 - - xx
offset 51 1 - - xx
pow 54 1 - - xx
remf 59 1 - - xx
atan2 6E 1 - - xx
fpowi 79 1 - - xx
select 5F 1 - - xxx
mmaf_scaled 72 1 - - xxxxx
iota 3A 1 - - .
make_token 44 1 - - .
get_tile_block_id 30 3 - - .
get_num_tile_blocks 2E 3 - - .
addf 02 1 ftz e xx
subf 67 1 ftz e xx
mulf 4C 1 ftz e xx
divf 14 1 ftz e xx
fma 28 1 ftz e xxx
sqrt 64 1 ftz e x
exp2 18 1 ftz - x
rsqrt 5D 1 ftz - x
maxf 45 1 nan,ftz - xx
minf 47 1 nan,ftz - xx
exp 17 1 - e@3 x
tanh 6A 1 - e@2 x
negi 50 1 - e@2 x
addi 03 1 - e xx
subi 68 1 - e xx
muli 4E 1 - e xx
shli 60 1 - e xx
trunci 6B 1 - e x
maxi 46 1 - e xx
mini 48 1 - e xx
remi 5A 1 - e xx
shri 61 1 - e xx
exti 25 1 - e x
divi 15 1 - e,e xx
itof 3B 1 - e,e x
ftoi 2B 1 sat@4 e,e x
ftof 2A 1 - e x
cmpf 0E 1 - e,e xx
cmpi 0F 1 - e,e xx
mmaf 49 1 fast@3 - xxx
mmai 4A 1 - e,e xxx
cat 0C 1 - i xx
constant 10 1 - c .
permute 53 1 - L x
extract 26 V1 - - n:x*
insert 76 V1 - - n:xx*
get_global 2C 1 - g .
assume 06 1 - t x
assert 05 0 - s x
yield 6D V0 - - n:*
break 0A V0 - - n:*
continue 11 V0 - - n:*
return 5C V0 - - n:*
if 32 V+ - - x 1?
for 29 V+ unsigned@2 - n:xxx* 1
loop 41 V+ - - n:* 1
reduce 58 V+ - i,A n:* 1
scan 5E V+ - i,b,A n:* 1
join_tokens 3C V1 - - n:*
get_tensor_shape 2F V+ - - x
get_index_space_shape 2D V+ - - x
make_tensor_view 43 V1 - - seg:x**
load_ptr_tko 3D 2 scope,hints,mask,pad,token e,[e],[h] seg:x???
store_ptr_tko 65 1 scope,hints,mask,token e,[e],[h] seg:xx??
load_view_tko 3E V2 scope,hints,token e,[e],[h],B@4 seg:x*?
store_view_tko 66 V1 scope,hints,token e,[e],[h],B@4 seg:xx*?
atomic_cas_tko 07 2 mask,token e,e seg:xxx??
atomic_rmw_tko 08 2 mask,token e,e,e seg:xx??
atomic_red_view_tko 75 V1 token e,e,e seg:x*x?
print_tko 55 V print@2 s seg:*?
alloca 71 1 global i,i .
gdc_launch_dependents_tko 77 1 - - n:?
gdc_wait_tko 78 1 - - n:?
"""
ROWS = [line.split() for line in TABLE.split("\n") if line]
LETTERS = {
    Encoding.ENUM: "e",
    Encoding.INTEGER: "i",
    Encoding.BYTE: "b",
    Encoding.STRING: "s",
    Encoding.SYMBOL: "g",
    Encoding.CONSTANT: "c",
    Encoding.LIST32: "L",
    Encoding.TAGGED: "t",
    Encoding.DICTIONARY: "h",
    Encoding.ARRAY: "A",
    Encoding.BOOLS: "B",
}
FLAGS = {
    "flush_to_zero": "ftz",
    "propagate_nan": "nan",
    "saturating": "sat",
    "fast_acc": "fast",
    "unsigned_cmp": "unsigned",
    "memory_scope": "scope",
    "optimization_hints": "hints",
    "padding": "pad",
    "is_global": "global",
}


def fields(text: str, version: Version) -> list[str]:
    """The fields that a version has."""
    if text == "-":
        return []
    pairs = [field.partition("@")[::2] for field in text.split(",")]
    return [name for name, since in pairs if not since or int(since) <= version]


def operands(layout: Layout) -> str:
    prefix = {Operands.PLAIN: "", Operands.COUNTED: "n:", Operands.GROUPED: "seg:"}[layout.operands]
    letters = ["*" if g.variadic else "?" if g.optional else "x" for g in layout.groups]
    return prefix + "".join(letters) or "."


def results(layout: Layout, name: str, version: Version) -> str:
    if name == "print_tko":
        assert layout.results == (0 if version == Version.V13_1 else 1)
        assert not layout.more_results
        return "V"
    if layout.more_results:
        return "V+"
    return f"{'V' if layout.counts_results else ''}{layout.results}"


def test_the_table_is_complete() -> None:
    assert sorted(int(row[1], 16) for row in ROWS) == sorted(BY_OPCODE)
    assert len(ROWS) == len(BY_OPCODE) == 102


@pytest.mark.parametrize("version", list(Version))
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_record(row: list[str], version: Version) -> None:
    name, opcode, count, flags, attributes, groups, *regions = row
    layout = layouts(version)[int(opcode, 16)]
    assert layout.mnemonic == name
    assert results(layout, name, version) == count
    wanted = ["token"] if flags == "print@2" and version > Version.V13_1 else fields(flags, version)
    assert [FLAGS.get(f, f) for f in layout.flags] == ([] if flags == "print@2" and version == 1 else wanted)
    assert layout.has_flags == bool(layout.flags)
    found = [f"[{LETTERS[f.encoding]}]" if f.flag is not None else LETTERS[f.encoding] for f in layout.fields]
    assert found == fields(attributes, version)
    assert operands(layout) == groups
    assert [*("1?" if r else "1" for r in layout.regions)] == ([] if not regions else _regions(regions[0]))


def _regions(text: str) -> list[str]:
    return ["1", "1?"] if text == "1?" else [text]
