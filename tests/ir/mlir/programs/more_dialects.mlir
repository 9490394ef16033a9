// A little of many other dialects.
func.func @shapes(%t: tensor<2x?xf32>) -> index {
  %s = shape.shape_of %t : tensor<2x?xf32> -> tensor<?xindex>
  %n = shape.num_elements %s : tensor<?xindex> -> index
  return %n : index
}
func.func @parallel(%n: index, %x: memref<?xf32>) {
  omp.parallel {
    omp.barrier
    omp.terminator
  }
  %token = async.execute {
    async.yield
  }
  async.await %token : !async.token
  return
}
func.func @quantised(%a: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %q = "quant.qcast"(%a) : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %q : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
func.func @tosa(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tosa.add %a, %b : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = tosa.clamp %0 {min_int = 0 : i64, max_int = 6 : i64, min_fp = 0.0 : f32, max_fp = 6.0 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
func.func @bufferised(%t: tensor<8xf32>) -> memref<8xf32> {
  %m = bufferization.to_memref %t : memref<8xf32>
  return %m : memref<8xf32>
}
func.func @index(%a: index, %b: index) -> index {
  %0 = index.add %a, %b
  %1 = index.ceildivs %0, %b
  %2 = index.cmp ult(%1, %a)
  %c = index.constant 42
  return %1 : index
}
spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
  spirv.func @add(%a: f32, %b: f32) -> f32 "None" {
    %0 = spirv.FAdd %a, %b : f32
    spirv.ReturnValue %0 : f32
  }
}
transform.sequence failures(propagate) {
^bb0(%arg0: !transform.any_op):
  %0 = transform.structured.match ops{["linalg.matmul"]} in %arg0 : (!transform.any_op) -> !transform.any_op
  %1, %loops:2 = transform.structured.tile_using_for %0 tile_sizes [4, 8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
}
