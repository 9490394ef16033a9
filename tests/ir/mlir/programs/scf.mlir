// Structured control flow, nested, with carried values.
func.func @sum(%A: memref<?xf32>, %low: index, %high: index, %step: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %low to %high step %step iter_args(%s = %zero) -> (f32) {
    %v = memref.load %A[%i] : memref<?xf32>
    %p = arith.cmpf ogt, %v, %zero : f32
    %n = scf.if %p -> (f32) {
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    } else {
      scf.yield %s : f32
    }
    scf.yield %n : f32
  }
  return %r : f32
}

func.func @collatz(%n: i64) -> (i64, i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %r:2 = scf.while (%x = %n, %k = %zero) : (i64, i64) -> (i64, i64) {
    %go = arith.cmpi ne, %x, %one : i64
    scf.condition(%go) %x, %k : i64, i64
  } do {
  ^bb0(%x: i64, %k: i64):
    %odd = arith.remui %x, %two : i64
    %is = arith.cmpi eq, %odd, %one : i64
    %y = scf.if %is -> (i64) {
      %m = arith.muli %x, %three : i64
      %a = arith.addi %m, %one : i64
      scf.yield %a : i64
    } else {
      %h = arith.divui %x, %two : i64
      scf.yield %h : i64
    }
    %j = arith.addi %k, %one : i64
    scf.yield %y, %j : i64, i64
  }
  return %r#0, %r#1 : i64, i64
}

func.func @parallel(%A: memref<16x16xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.parallel (%i, %j) = (%c0, %c0) to (%c16, %c16) step (%c1, %c1) init (%zero) -> f64 {
    %v = memref.load %A[%i, %j] : memref<16x16xf64>
    scf.reduce(%v : f64) {
    ^bb0(%a: f64, %b: f64):
      %s = arith.addf %a, %b : f64
      scf.reduce.return %s : f64
    }
  }
  return %r : f64
}

func.func @switch(%i: index) -> i32 {
  %r = scf.index_switch %i -> i32
  case 2 {
    %a = arith.constant 20 : i32
    scf.yield %a : i32
  }
  case 5 {
    %a = arith.constant 50 : i32
    scf.yield %a : i32
  }
  default {
    %a = arith.constant 0 : i32
    scf.yield %a : i32
  }
  return %r : i32
}

func.func @forall(%A: tensor<64xf32>) -> tensor<64xf32> {
  %r = scf.forall (%i) in (8) shared_outs(%o = %A) -> (tensor<64xf32>) {
    %s = affine.apply affine_map<(d0) -> (d0 * 8)>(%i)
    %t = tensor.extract_slice %o[%s] [8] [1] : tensor<64xf32> to tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%s] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}
