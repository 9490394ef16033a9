"""How threads of the pool wait, as LLVM IR text: a breath while they spin, and sleep on a word of memory."""

from __future__ import annotations

import platform

from tilewright.runtime.pool_layout import FUTEX_CALL, uses_futex
from tilewright.runtime.pool_pieces_ir import ASK_NANOSECONDS


def waiting_text() -> str:
    """Defines `relax`, `sleep_while`, `wake`, and `patience`: how long the launching thread sleeps at most."""
    return "\n".join([_relax(), _wait()])


def _relax() -> str:
    match platform.machine():
        case "x86_64" | "AMD64":
            body = "  call void @llvm.x86.sse2.pause()"
        case "aarch64" | "arm64":
            body = '  call void asm sideeffect "yield", ""()'
        case _:
            body = '  call void asm sideeffect "", "~{memory}"()'
    return f"define internal void @relax() alwaysinline {{\n{body}\n  ret void\n}}"


def _wait() -> str:
    if not uses_futex():
        return """
declare i32 @usleep(i32)
@patience = internal constant i32 0
define internal void @sleep_while(ptr %word, i32 %value, ptr %patience) {
  %ignored = call i32 @usleep(i32 50)
  ret void
}
define internal void @wake(ptr %word) {
  ret void
}"""
    number = FUTEX_CALL[platform.machine()]
    # 128 and 129: FUTEX_WAIT and FUTEX_WAKE on a word that is private to the process
    return f"""
declare i64 @syscall(i64, ...)
@patience = internal constant [2 x i64] [i64 0, i64 {ASK_NANOSECONDS}]
define internal void @sleep_while(ptr %word, i32 %value, ptr %patience) {{
  %ignored = call i64 (i64, ...) @syscall(i64 {number}, ptr %word, i32 128, i32 %value, ptr %patience, ptr null, i32 0)
  ret void
}}
define internal void @wake(ptr %word) {{
  %ignored = call i64 (i64, ...) @syscall(i64 {number}, ptr %word, i32 129, i32 2147483647, ptr null, ptr null, i32 0)
  ret void
}}"""
