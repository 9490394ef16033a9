"""Memory: addresses, loads and stores (plain, masked, atomic), fences, stack memory."""

from __future__ import annotations

from tilewright.targets.llvm.instructions import Instructions
from tilewright.targets.llvm.types import lanes_of, mangle
from tilewright.targets.llvm.values import Value, constant, zero


def _suffix(align: int, nontemporal: str, volatile: str = "") -> str:
    return f"{f', align {align}' if align else ''}{f', !nontemporal {nontemporal}' if nontemporal else ''}{volatile}"


def _scope(name: str) -> str:
    return f' syncscope("{name}")' if name else ""


class MemoryInstructions(Instructions):
    """Loads, stores and everything else that takes a pointer."""

    __slots__ = ()

    def gep(self, element: str, base: Value, index: Value, inbounds: bool = True, hint: str = "p") -> Value:
        """The address of `base[index]` with elements of a type; a constant zero index is `base` itself."""
        if index.integer == 0 and not index.type.startswith("<"):
            return base
        lanes = lanes_of(index.type)
        ltype = base.type if lanes == 1 or base.type.startswith("<") else f"<{lanes} x {base.type}>"
        bounds = "inbounds " if inbounds else ""
        operands = f"{base.type} {base.text}, {index.type} {index.text}"
        return self.computed(ltype, f"getelementptr {bounds}{element}, {operands}", hint)

    def field(self, struct: str, base: Value, *path: int, hint: str = "field") -> Value:
        """The address of a member of a struct or array in memory."""
        steps = ", ".join(f"i32 {step}" for step in path)
        return self.computed(base.type, f"getelementptr inbounds {struct}, {base}, i32 0, {steps}", hint)

    def offset(self, base: Value, count: int | Value, hint: str = "p") -> Value:
        """The address a number of bytes further on."""
        return self.gep("i8", base, Value("i64", str(count)) if isinstance(count, int) else count, hint=hint)

    def alloca(self, ltype: str, count: int = 1, align: int = 0, address_space: int = 0, hint: str = "stack") -> Value:
        """Stack memory of the function, wherever the builder stands: allocas in a loop would grow the stack."""
        name = f"%{self.function.name(hint)}"
        space = f", addrspace({address_space})" if address_space else ""
        many = f", i64 {count}" if count != 1 else ""
        self.function.add_alloca(f"  {name} = alloca {ltype}{many}{_suffix(align, '')}{space}")
        return Value(f"ptr addrspace({address_space})" if address_space else "ptr", name)

    def load(
        self,
        ltype: str,
        pointer: Value,
        align: int = 0,
        *,
        nontemporal: bool = False,
        invariant: bool = False,
        hint: str = "ld",
    ) -> Value:
        """Load a value; `align` 0 is the natural one of the type; `invariant` promises that nothing writes there."""
        marks = _suffix(align, self._nontemporal() if nontemporal else "", self._invariant() if invariant else "")
        return self.emit(ltype, f"load {ltype}, {pointer}{marks}", hint)

    def store(self, value: Value, pointer: Value, align: int = 0, *, nontemporal: bool = False) -> None:
        """Store a value. A non-temporal vector store wants full alignment: else LLVM splits it into words."""
        self.function.streams |= nontemporal
        self.emit_void(f"store {value}, {pointer}{_suffix(align, self._nontemporal() if nontemporal else '')}")

    def _nontemporal(self) -> str:
        return self.module.metadata("!{i32 1}")

    def _invariant(self) -> str:
        return f", !invariant.load {self.module.metadata('!{}')}"

    # Masked access: lanes that are off touch no memory

    def masked_load(
        self, ltype: str, pointer: Value, mask: Value, align: int, other: Value | None = None, hint: str = "ld"
    ) -> Value:
        """Load consecutive elements where the mask is set; the other lanes come from `other` (default zero)."""
        return self._masked_read("load", ltype, pointer, mask, align, other or zero(ltype), hint)

    def masked_store(self, value: Value, pointer: Value, mask: Value, align: int) -> None:
        """Store consecutive elements where the mask is set."""
        self._masked_write("store", value, pointer, mask, align)

    def gather(
        self, ltype: str, pointers: Value, mask: Value, align: int, other: Value | None = None, hint: str = "ga"
    ) -> Value:
        """Load from one address a lane where the mask is set."""
        return self._masked_read("gather", ltype, pointers, mask, align, other or zero(ltype), hint)

    def scatter(self, value: Value, pointers: Value, mask: Value, align: int) -> None:
        """Store to one address a lane where the mask is set; of equal addresses the highest lane wins."""
        self._masked_write("scatter", value, pointers, mask, align)

    def _masked_read(
        self, what: str, ltype: str, where: Value, mask: Value, align: int, other: Value, hint: str
    ) -> Value:
        name = f"llvm.masked.{what}.{mangle(ltype)}.{mangle(where.type)}"
        self.module.declare(name, ltype, [where.type, mask.type, ltype])
        return self.emit(ltype, f"call {ltype} @{name}({_aligned(where, align)}, {mask}, {other})", hint)

    def _masked_write(self, what: str, value: Value, where: Value, mask: Value, align: int) -> None:
        name = f"llvm.masked.{what}.{mangle(value.type)}.{mangle(where.type)}"
        self.module.declare(name, "void", [value.type, where.type, mask.type])
        self.emit_void(f"call void @{name}({value}, {_aligned(where, align)}, {mask})")

    def active_lanes(self, start: Value, end: Value, lanes: int, hint: str = "mask") -> Value:
        """The mask of the lanes i for which `start + i < end` (signed, `start + lanes` must not overflow)."""
        ltype = f"<{lanes} x {start.type}>"
        room = self.splat(self.sub(end, start), lanes)
        return self.icmp("sgt", room, self.step(ltype), hint)

    # Atomics

    def atomic_load(
        self, ltype: str, pointer: Value, ordering: str, align: int, scope: str = "", hint: str = "at"
    ) -> Value:
        """Ordering: monotonic acquire seq_cst."""
        return self.emit(ltype, f"load atomic {ltype}, {pointer}{_scope(scope)} {ordering}, align {align}", hint)

    def atomic_store(self, value: Value, pointer: Value, ordering: str, align: int, scope: str = "") -> None:
        """Ordering: monotonic release seq_cst."""
        self.emit_void(f"store atomic {value}, {pointer}{_scope(scope)} {ordering}, align {align}")

    def atomicrmw(
        self, op: str, pointer: Value, value: Value, ordering: str, align: int = 0, scope: str = "", hint: str = "old"
    ) -> Value:
        """Read, modify, write (xchg add sub and or xor max min umax umin fadd fmax fmin ..); gives the old value."""
        tail = f", align {align}" if align else ""
        return self.emit(value.type, f"atomicrmw {op} {pointer}, {value}{_scope(scope)} {ordering}{tail}", hint)

    def cmpxchg(
        self,
        pointer: Value,
        expected: Value,
        desired: Value,
        success: str,
        failure: str,
        *,
        scope: str = "",
        weak: bool = False,
        hint: str = "cas",
    ) -> tuple[Value, Value]:
        """Compare and swap: the old value, and an `i1` that tells whether the store happened."""
        word = "cmpxchg weak" if weak else "cmpxchg"
        ltype = f"{{ {expected.type}, i1 }}"
        pair = self.emit(ltype, f"{word} {pointer}, {expected}, {desired}{_scope(scope)} {success} {failure}", hint)
        return self.extract_value(pair, expected.type, 0, hint="old"), self.extract_value(pair, "i1", 1, hint="done")

    def fence(self, ordering: str, scope: str = "") -> None:
        """Order memory accesses without one."""
        self.emit_void(f"fence{_scope(scope)} {ordering}")

    def prefetch(
        self,
        pointer: Value,
        *,
        write: bool = False,
        locality: int = 3,
        instruction: bool = False,
        spread: bool = False,
    ) -> None:
        """Prefetch a cache line; locality 3 keeps it in all levels, 0 in none. `spread`: somewhere in what follows."""
        hints = [constant("i32", n) for n in (int(write), locality, int(not instruction))]
        self.intrinsic_void("llvm.prefetch", [pointer, *hints], overload=[pointer.type])
        if spread:
            # Nothing else keeps LLVM from gathering them again: it moves loads and prefetches across each other.
            self.inline_asm("void", "", "", [], side_effect=True)
            self.block.spread_last(2)

    def memset(self, pointer: Value, byte: int, count: Value) -> None:
        """Fill bytes."""
        arguments = [pointer, constant("i8", byte), count, constant("i1", 0)]
        self.intrinsic_void("llvm.memset", arguments, overload=[pointer.type, count.type])

    def memcpy(self, target: Value, source: Value, count: Value) -> None:
        """Copy bytes that do not overlap."""
        arguments = [target, source, count, constant("i1", 0)]
        self.intrinsic_void("llvm.memcpy", arguments, overload=[target.type, source.type, count.type])


def _aligned(pointer: Value, align: int) -> str:
    return f"{pointer.type} align {align} {pointer.text}"
