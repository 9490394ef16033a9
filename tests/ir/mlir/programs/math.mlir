// Functions of floats, and complex numbers.
func.func @functions(%x: f32, %v: vector<4xf64>, %i: i32, %c: complex<f32>) -> complex<f32> {
  %0 = math.exp %x : f32
  %1 = math.sqrt %0 fastmath<afn> : f32
  %2 = math.fma %1, %x, %0 : f32
  %3 = math.tanh %v : vector<4xf64>
  %4 = math.powf %2, %x : f32
  %5 = math.ctlz %i : i32
  %6 = math.fpowi %x, %i : f32, i32
  %7 = complex.add %c, %c : complex<f32>
  %8 = complex.constant [1.0 : f32, -2.5 : f32] : complex<f32>
  %9 = complex.mul %7, %8 : complex<f32>
  %re = complex.re %9 : complex<f32>
  %10 = complex.create %re, %x : complex<f32>
  return %10 : complex<f32>
}
