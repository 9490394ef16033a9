"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x?xf32>) -> index, sym_name = "shapes"}> ({
  ^bb0(%arg11: tensor<2x?xf32>):
    %12 = "shape.shape_of"(%arg11) : (tensor<2x?xf32>) -> tensor<?xindex>
    %13 = "shape.num_elements"(%12) : (tensor<?xindex>) -> index
    "func.return"(%13) : (index) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (index, memref<?xf32>) -> (), sym_name = "parallel"}> ({
  ^bb0(%arg9: index, %arg10: memref<?xf32>):
    "omp.parallel"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0>}> ({
      "omp.barrier"() : () -> ()
      "omp.terminator"() : () -> ()
    }) : () -> ()
    %11 = "async.execute"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
      "async.yield"() : () -> ()
    }) : () -> !async.token
    "async.await"(%11) : (!async.token) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, sym_name = "quantised"}> ({
  ^bb0(%arg8: tensor<4xf32>):
    %10 = "quant.qcast"(%arg8) : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
    "func.return"(%10) : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>, sym_name = "tosa"}> ({
  ^bb0(%arg6: tensor<1x4xf32>, %arg7: tensor<1x4xf32>):
    %8 = "tosa.add"(%arg6, %arg7) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %9 = "tosa.clamp"(%8) <{max_fp = 6.000000e+00 : f32, max_int = 6 : i64, min_fp = 0.000000e+00 : f32, min_int = 0 : i64}> : (tensor<1x4xf32>) -> tensor<1x4xf32>
    "func.return"(%9) : (tensor<1x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>) -> memref<8xf32>, sym_name = "bufferised"}> ({
  ^bb0(%arg5: tensor<8xf32>):
    %7 = "bufferization.to_memref"(%arg5) : (tensor<8xf32>) -> memref<8xf32>
    "func.return"(%7) : (memref<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (index, index) -> index, sym_name = "index"}> ({
  ^bb0(%arg3: index, %arg4: index):
    %3 = "index.add"(%arg3, %arg4) : (index, index) -> index
    %4 = "index.ceildivs"(%3, %arg4) : (index, index) -> index
    %5 = "index.cmp"(%4, %arg3) <{pred = #index<cmp_predicate ult>}> : (index, index) -> i1
    %6 = "index.constant"() <{value = 42 : index}> : () -> index
    "func.return"(%4) : (index) -> ()
  }) : () -> ()
  "spirv.module"() <{addressing_model = #spirv.addressing_model<Logical>, memory_model = #spirv.memory_model<GLSL450>, vce_triple = #spirv.vce<v1.0, [Shader], []>}> ({
    "spirv.func"() <{function_control = #spirv.function_control<None>, function_type = (f32, f32) -> f32, sym_name = "add"}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %2 = "spirv.FAdd"(%arg1, %arg2) : (f32, f32) -> f32
      "spirv.ReturnValue"(%2) : (f32) -> ()
    }) : () -> ()
  }) : () -> ()
  "transform.sequence"() <{failure_propagation_mode = 1 : i32, operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0(%arg0: !transform.any_op):
    %0 = "transform.structured.match"(%arg0) <{ops = ["linalg.matmul"]}> : (!transform.any_op) -> !transform.any_op
    %1:3 = "transform.structured.tile_using_for"(%0) <{scalable_sizes = array<i1: false, false>, static_sizes = array<i64: 4, 8>}> : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    "transform.yield"() : () -> ()
  }) : () -> ()
}) : () -> ()

