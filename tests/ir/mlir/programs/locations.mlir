// Where things come from.
#file = loc("kernel.py":10:4)
#call = loc(callsite(#file at "main.py":3:1))
func.func @f(%a: i32 loc("argument"), %b: i32 loc("kernel.py":1:2)) -> i32 {
  %0 = arith.addi %a, %b : i32 loc("sum"("kernel.py":2:3))
  %1 = arith.addi %0, %b : i32 loc(fused<"pass">["x.py":1:1, #call])
  %2 = arith.addi %1, %b : i32 loc(unknown)
  %3 = arith.addi %2, %b {where = loc("kernel.py":7:7)} : i32 loc(#later)
  return %3 : i32 loc(fused["a", callsite("b" at fused["c", "d":1:1])])
} loc(#call)
#later = loc("later.py":5:6)
