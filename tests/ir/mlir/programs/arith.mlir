// Integers, floats and what is between them.
func.func @integers(%a: i32, %b: i32, %c: i1, %w: i128, %i: index) -> (i32, i1) {
  %0 = arith.addi %a, %b overflow<nsw, nuw> : i32
  %1 = arith.subi %0, %b : i32
  %2 = arith.muli %1, %a : i32
  %3 = arith.divsi %2, %b : i32
  %4 = arith.remui %3, %b : i32
  %5 = arith.shli %4, %a overflow<nuw> : i32
  %6 = arith.andi %5, %a : i32
  %7 = arith.select %c, %6, %a : i32
  %8 = arith.extsi %7 : i32 to i128
  %9 = arith.xori %8, %w : i128
  %10 = arith.trunci %9 : i128 to i7
  %11 = arith.index_cast %i : index to i32
  %low, %high = arith.mului_extended %11, %7 : i32
  %sum, %carry = arith.addui_extended %low, %high : i32, i1
  %12 = arith.cmpi ult, %sum, %a : i32
  %big = arith.constant 340282366920938463463374607431768211455 : i128
  %least = arith.constant -9223372036854775808 : i64
  %neg = arith.constant -1 : i7
  %yes = arith.constant true
  return %sum, %12 : i32, i1
}

func.func @floats(%a: f32, %b: f32, %h: f16, %z: bf16, %d: f64, %q: f128, %x: f80, %t: tf32) -> f32 {
  %0 = arith.addf %a, %b fastmath<reassoc, contract> : f32
  %1 = arith.mulf %0, %b fastmath<fast> : f32
  %2 = arith.divf %1, %a : f32
  %3 = arith.negf %2 : f32
  %4 = arith.maximumf %3, %a : f32
  %5 = arith.cmpf uno, %4, %b : f32
  %6 = arith.extf %h : f16 to f32
  %7 = arith.truncf %d : f64 to bf16
  %8 = arith.fptosi %6 : f32 to i32
  %9 = arith.sitofp %8 : i32 to f32
  %10 = arith.bitcast %9 : f32 to i32
  %c0 = arith.constant 0.0 : f32
  %c1 = arith.constant -0.0 : f64
  %c2 = arith.constant 0.1 : f64
  %c3 = arith.constant 123456789.0 : f64
  %c4 = arith.constant 3.14159265358979 : f64
  %c5 = arith.constant 3.14159265358979 : f32
  %c6 = arith.constant 1.0e-7 : f16
  %c7 = arith.constant 65504.0 : f16
  %c8 = arith.constant 0x7FC00000 : f32
  %c9 = arith.constant 0xFFF0000000000000 : f64
  %c10 = arith.constant 2.5 : bf16
  %c11 = arith.constant 1.5 : f128
  %c12 = arith.constant -0.3 : f80
  %c13 = arith.constant 448.0 : f8E4M3FN
  %c14 = arith.constant 57344.0 : f8E5M2
  %c15 = arith.constant 0.3 : f8E4M3FNUZ
  %c16 = arith.constant 0.3 : f8E5M2FNUZ
  %c17 = arith.constant 0.3 : f8E4M3B11FNUZ
  %c18 = arith.constant 0.7 : tf32
  %c19 = arith.constant 1.0e300 : f64
  %c20 = arith.constant 4.9e-324 : f64
  return %9 : f32
}
