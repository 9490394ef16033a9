"""Random valid kernels of the old tensor language, with arguments.

Everything is in bounds, initialised and, unless asked for, free of races. Types are spelt by an inference of the
generator's own, which is a check of the compiler's. Layout is as wild as the grammar allows: line breaks inside
instructions, several instructions on a line, comments anywhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from generators.arguments import Argument, copied
from generators.old_races import meet
from generators.old_views import update_through_views
from generators.old_writer import DTYPES, GROUPS, INTEGERS, Dim, View, Writer, split

__all__ = ["GROUPS", "Argument", "OldKernel", "generate"]


@dataclass
class OldKernel:
    """A kernel with its arguments in order; `comments` stand in the text in this order. `races`: work-items do."""

    name: str
    text: str
    arguments: list[Argument]
    comments: list[str]
    races: bool = False

    def copy_arguments(self) -> list[Argument]:
        """Fresh copies, each in guarded memory of its own."""
        return [copied(a) for a in self.arguments]


def _collective(
    w: Writer, mnemonic: str, modifiers: str, inputs: Sequence[Sequence[Dim]], output: Sequence[Dim]
) -> None:
    target, source = w.types()
    atomic = w.atomic()
    out = w.own(target, *split(output))
    operands = [w.read_only(source, *split(dims)) for dims in inputs]
    alpha, alpha_type, beta, beta_type = w.factors(source, target, atomic)
    names = ", ".join([alpha, *(v.name for v in operands), beta, out.name])
    types = ", ".join([alpha_type, *(v.type for v in operands), beta_type, out.type])
    w.emit(f"{mnemonic}{modifiers}{atomic} {names} : {types}")
    w.views.append(out)


def _turned(dims: Sequence[Dim], modifier: str) -> Sequence[Dim]:
    return dims[::-1] if modifier == ".t" and len(dims) == 2 else dims


def _axpby(w: Writer) -> None:
    dims = [w.size() for _ in range(w.rnd.randint(0, 2))]
    turn = w.rnd.choice([".n", ".t"])
    _collective(w, "axpby", turn, [_turned(dims, turn)], dims)


def _sum(w: Writer) -> None:
    dims = [w.size() for _ in range(w.rnd.randint(1, 2))]
    turn = w.rnd.choice([".n", ".t"])
    _collective(w, "sum", turn, [_turned(dims, turn)], dims[: len(dims) - 1])


def _gemm(w: Writer) -> None:
    m, n, k = w.size(), w.size(), w.size()
    a, b = w.rnd.choice([".n", ".t"]), w.rnd.choice([".n", ".t"])
    _collective(w, "gemm", a + b, [_turned([m, k], a), _turned([k, n], b)], [m, n])


def _gemv(w: Writer) -> None:
    m, k = w.size(), w.size()
    turn = w.rnd.choice([".n", ".t"])
    _collective(w, "gemv", turn, [_turned([m, k], turn), [k]], [m])


def _ger(w: Writer) -> None:
    m, n = w.size(), w.size()
    _collective(w, "ger", "", [[m], [n]], [m, n])


def _hadamard(w: Writer) -> None:
    dims = [w.size() for _ in range(w.rnd.randint(1, 2))]
    _collective(w, w.rnd.choice(["hadamard", "hadamard_product"]), "", [dims, dims], dims)


def _arithmetic(w: Writer) -> None:
    """Scalars of any type."""
    for _ in range(w.rnd.randint(1, 4)):
        dtype = w.rnd.choice([*INTEGERS, "f32", "f64", "i1", "i1"])
        if dtype == "i1":
            _logic(w)
            continue
        names = ["add", "sub", "mul"] + (["shl", "shr", "and", "or", "xor"] if dtype in INTEGERS else [])
        kind = w.rnd.random()
        if kind < 0.5:
            text = f"arith.{w.rnd.choice(names)} {w.scalar(dtype)}, {_small(w, dtype)} : {dtype}"
            w.define(dtype, text)
        elif kind < 0.6:
            w.define(dtype, f"arith.{w.rnd.choice(['div', 'rem'])} {w.scalar(dtype)}, {w.rnd.choice('123')} : {dtype}")
        elif kind < 0.75:
            name = "neg" if dtype not in INTEGERS else w.rnd.choice(["neg", "not"])
            w.define(dtype, f"arith.{name} {w.scalar(dtype)} : {dtype}")
        else:
            _cast(w, dtype)


def _small(w: Writer, dtype: str) -> str:
    """An operand that is a valid shift amount as well."""
    return w.rnd.choice(["1", "2", w.parameter(dtype)])


def _cast(w: Writer, dtype: str) -> None:
    target = w.rnd.choice([*INTEGERS, "f32", "f64", "i1"])
    w.define(target, f"cast {w.scalar(dtype)} : {dtype} -> {target}")


def _logic(w: Writer) -> None:
    kind = w.rnd.random()
    if kind < 0.4:
        dtype = w.rnd.choice([*INTEGERS, "f32", "f64"])
        name = w.rnd.choice(["eq", "ne", "gt", "ge", "lt", "le"])
        w.define("i1", f"cmp.{name} {w.scalar(dtype)}, {w.scalar(dtype)} : {dtype}", "b")
    elif kind < 0.6:
        w.define("i1", f"cmp.{w.rnd.choice(['eq', 'ne'])} {w.scalar('i1')}, {w.scalar('i1')} : i1", "b")
    elif kind < 0.8:
        w.define("i1", f"arith.{w.rnd.choice(['and', 'or', 'xor'])} {w.scalar('i1')}, {w.scalar('i1')} : i1", "b")
    elif kind < 0.9:
        w.define("i1", f"arith.not {w.scalar('i1')} : i1", "b")
    else:
        _cast(w, "i1")


def _store(w: Writer) -> None:
    """Scalars reach memory, or nothing would depend on them."""
    dtype = w.rnd.choice([*DTYPES, "f32", "f64"])
    sizes = tuple(w.rnd.randint(1, 5) for _ in range(w.rnd.randint(0, 3)))
    out = w.own(dtype, sizes, tuple(w.rnd.random() < 0.6 for _ in sizes))
    value = w.scalar(dtype, literals=False)
    at = ",".join(w.index(s) for s in sizes)
    loaded = w.define(dtype, f"load {out.name}[{at}] : {out.type}")
    total = w.define(dtype, f"arith.add {loaded}, {value} : {dtype}")
    w.emit(f"store {total}, {out.name}[{at}] : {out.type}")


def _nested(w: Writer, body: Callable[[], None], head: str, tail: str = "}") -> None:
    scalars, views = len(w.scalars), len(w.views)
    w.emit(f"{head} {{")
    w.depth += 1
    body()
    w.depth -= 1
    kept = [s for s in w.scalars[scalars:] if any(p.startswith(f"{s[0]}:") for p in w.parameters)]
    w.scalars[scalars:] = kept
    del w.views[views:]
    w.emit(tail)


def _for(w: Writer) -> None:
    type_ = w.rnd.choice([*INTEGERS, ""])
    dtype = type_ or "index"
    name, upper = w.fresh("i"), w.rnd.choice([str(w.rnd.randint(0, 3)), w.parameter(dtype)])
    step = w.rnd.choice(["", "", ",1", ", 2"])
    where = f" : {type_}" if type_ else ""

    def body() -> None:
        w.scalars.append((name, dtype))
        w.rnd.choice([_arithmetic, _axpby_in_place, _statement])(w)

    _nested(w, body, f"for {name} = {w.rnd.choice('01')}, {upper}{step}{where}")


def _axpby_in_place(w: Writer) -> None:
    """An update of memory that is in scope, if there is some."""
    fitting = [v for v in w.views if len(v.sizes) < 3]
    if fitting:
        out = w.rnd.choice(fitting)
        w.axpby(w.literal("i32"), w.read_only(out.dtype, out.sizes, out.known), w.rnd.choice("01"), out, ".n")


def _if(w: Writer) -> None:
    types = [w.rnd.choice([*INTEGERS, "f32", "f64", "i1"]) for _ in range(w.rnd.randint(0, 2))]
    condition = w.scalar("i1")

    def body() -> None:
        if w.rnd.random() < 0.6:
            _arithmetic(w)
        if types:
            w.emit(f"yield {', '.join(w.scalar(t) for t in types)} : {', '.join(types)}")
        elif w.rnd.random() < 0.3:
            w.emit("yield :")

    names = [w.fresh("r") for _ in types]
    head = f"if {condition}"
    if types:
        named = w.rnd.random() < 0.9
        head = f"{', '.join(names)} = {head} -> ({', '.join(types)})" if named else f"{head} -> ({', '.join(types)})"
        names = names if named else []
    _nested(w, body, head, "} else {" if types else "}")
    if types:
        scalars = len(w.scalars)
        w.depth += 1
        body()
        w.depth -= 1
        kept = [s for s in w.scalars[scalars:] if any(p.startswith(f"{s[0]}:") for p in w.parameters)]
        w.scalars[scalars:] = kept
        w.emit("}")
    w.scalars += list(zip(names, types, strict=False))


def _foreach(w: Writer) -> None:
    """Every work-item changes elements of its own."""
    dtype = w.rnd.choice(list(DTYPES))
    size, known = w.size()
    out = w.own(dtype, (size,), (known,))
    type_ = w.rnd.choice(["", "", "i32", "i16"])
    upper = str(size) if known or type_ else w.define("index", f"size {out.name}[0] : {out.type}", "n")
    name = w.fresh("i")

    def body() -> None:
        at = name
        w.scalars.append((name, type_ or "index"))
        if type_:
            at = w.define("index", f"cast {name} : {type_} -> index")
        value = w.define(dtype, f"load {out.name}[{at}] : {out.type}")
        w.rnd.choice([_arithmetic, _if, _arithmetic])(w)
        total = w.define(dtype, f"arith.add {value}, {w.scalar(dtype)} : {dtype}")
        w.emit(f"store {total}, {out.name}[{at}] : {out.type}")

    _nested(w, body, f"foreach {name}=0,{upper}{f' : {type_}' if type_ else ''}")


def _lifetime(w: Writer) -> None:
    """An allocation that is given up again."""
    dtype, size = w.rnd.choice(list(DTYPES)), w.rnd.randint(1, 6)
    view, out = View(w.fresh("t"), dtype, (size,), (True,), (1,)), w.own(dtype, (size,), (True,))
    w.emit(f"{view.name} = alloca -> {view.type}")
    w.axpby("2", out, "0", view, ".n")
    if w.rnd.random() < 0.5:
        w.emit("barrier")
    w.axpby("1", view, "1", out, ".n")
    w.emit(f"lifetime_stop {view.name}")


def _ids(w: Writer) -> None:
    w.define("index", "group_size", "n")
    w.define("index", f"arith.add {w.group()}, 1 : index")


_COLLECTIVES = (_axpby, _sum, _gemm, _gemv, _ger, _hadamard)
_STATEMENTS: Sequence[Callable[[Writer], None]] = (
    *(_axpby, _sum, _gemm, _gemm, _gemv, _ger, _hadamard),
    *(_arithmetic, _arithmetic, _store, _store, update_through_views, update_through_views, update_through_views),
    *(_for, _for, _if, _if, _foreach, _foreach, _lifetime, _ids),
)


def _statement(w: Writer) -> None:
    w.rnd.choice(_STATEMENTS[:14])(w)


def generate(rnd: random.Random, name: str = "k", meeting: float = 0.0) -> OldKernel:
    """A random kernel of a few statements, for `GROUPS` work-groups.

    In a share of the kernels work-items meet at an element, where some of them race and others do not (`old_races`).
    """
    w = Writer(rnd)
    for _ in range(rnd.randint(1, 4)):
        rnd.choice(_STATEMENTS)(w)
    if rnd.random() < meeting:
        meet(w, _COLLECTIVES)
    attributes = rnd.choice(["", "", "subgroup_size(16) ", "work_group_size(32,2) subgroup_size(16) "])
    head = f"func @{name}({', '.join(w.parameters)}) {attributes}{{"
    text = "\n".join([head, *w.lines, "}"]) + "\n"
    return OldKernel(name, _on_one_line(rnd, text), w.arguments, w.comments, w.races)


def _on_one_line(rnd: random.Random, text: str) -> str:
    """Now and then two lines become one."""
    lines = text.split("\n")
    joined = lines[:1]
    for line in lines[1:]:
        if rnd.random() < 0.05 and ";" not in joined[-1] and line:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    return "\n".join(joined)
