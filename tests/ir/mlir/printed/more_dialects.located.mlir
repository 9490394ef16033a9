#loc2 = loc("<stdin>":2:19)
#loc7 = loc("<stdin>":7:21)
#loc8 = loc("<stdin>":7:32)
#loc17 = loc("<stdin>":18:22)
#loc21 = loc("<stdin>":22:17)
#loc22 = loc("<stdin>":22:38)
#loc27 = loc("<stdin>":27:23)
#loc31 = loc("<stdin>":31:18)
#loc32 = loc("<stdin>":31:29)
#loc40 = loc("<stdin>":39:19)
#loc41 = loc("<stdin>":39:28)
#loc45 = loc("<stdin>":45:6)
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x?xf32>) -> index, sym_name = "shapes"}> ({
  ^bb0(%arg11: tensor<2x?xf32> loc("<stdin>":2:19)):
    %12 = "shape.shape_of"(%arg11) : (tensor<2x?xf32>) -> tensor<?xindex> loc(#loc3)
    %13 = "shape.num_elements"(%12) : (tensor<?xindex>) -> index loc(#loc4)
    "func.return"(%13) : (index) -> () loc(#loc5)
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (index, memref<?xf32>) -> (), sym_name = "parallel"}> ({
  ^bb0(%arg9: index loc("<stdin>":7:21), %arg10: memref<?xf32> loc("<stdin>":7:32)):
    "omp.parallel"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0>}> ({
      "omp.barrier"() : () -> () loc(#loc10)
      "omp.terminator"() : () -> () loc(#loc11)
    }) : () -> () loc(#loc9)
    %11 = "async.execute"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
      "async.yield"() : () -> () loc(#loc13)
    }) : () -> !async.token loc(#loc12)
    "async.await"(%11) : (!async.token) -> () loc(#loc14)
    "func.return"() : () -> () loc(#loc15)
  }) : () -> () loc(#loc6)
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>, sym_name = "quantised"}> ({
  ^bb0(%arg8: tensor<4xf32> loc("<stdin>":18:22)):
    %10 = "quant.qcast"(%arg8) : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>> loc(#loc18)
    "func.return"(%10) : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> () loc(#loc19)
  }) : () -> () loc(#loc16)
  "func.func"() <{function_type = (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>, sym_name = "tosa"}> ({
  ^bb0(%arg6: tensor<1x4xf32> loc("<stdin>":22:17), %arg7: tensor<1x4xf32> loc("<stdin>":22:38)):
    %8 = "tosa.add"(%arg6, %arg7) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc(#loc23)
    %9 = "tosa.clamp"(%8) <{max_fp = 6.000000e+00 : f32, max_int = 6 : i64, min_fp = 0.000000e+00 : f32, min_int = 0 : i64}> : (tensor<1x4xf32>) -> tensor<1x4xf32> loc(#loc24)
    "func.return"(%9) : (tensor<1x4xf32>) -> () loc(#loc25)
  }) : () -> () loc(#loc20)
  "func.func"() <{function_type = (tensor<8xf32>) -> memref<8xf32>, sym_name = "bufferised"}> ({
  ^bb0(%arg5: tensor<8xf32> loc("<stdin>":27:23)):
    %7 = "bufferization.to_memref"(%arg5) : (tensor<8xf32>) -> memref<8xf32> loc(#loc28)
    "func.return"(%7) : (memref<8xf32>) -> () loc(#loc29)
  }) : () -> () loc(#loc26)
  "func.func"() <{function_type = (index, index) -> index, sym_name = "index"}> ({
  ^bb0(%arg3: index loc("<stdin>":31:18), %arg4: index loc("<stdin>":31:29)):
    %3 = "index.add"(%arg3, %arg4) : (index, index) -> index loc(#loc33)
    %4 = "index.ceildivs"(%3, %arg4) : (index, index) -> index loc(#loc34)
    %5 = "index.cmp"(%4, %arg3) <{pred = #index<cmp_predicate ult>}> : (index, index) -> i1 loc(#loc35)
    %6 = "index.constant"() <{value = 42 : index}> : () -> index loc(#loc36)
    "func.return"(%4) : (index) -> () loc(#loc37)
  }) : () -> () loc(#loc30)
  "spirv.module"() <{addressing_model = #spirv.addressing_model<Logical>, memory_model = #spirv.memory_model<GLSL450>, vce_triple = #spirv.vce<v1.0, [Shader], []>}> ({
    "spirv.func"() <{function_control = #spirv.function_control<None>, function_type = (f32, f32) -> f32, sym_name = "add"}> ({
    ^bb0(%arg1: f32 loc("<stdin>":39:19), %arg2: f32 loc("<stdin>":39:28)):
      %2 = "spirv.FAdd"(%arg1, %arg2) : (f32, f32) -> f32 loc(#loc42)
      "spirv.ReturnValue"(%2) : (f32) -> () loc(#loc43)
    }) : () -> () loc(#loc39)
  }) : () -> () loc(#loc38)
  "transform.sequence"() <{failure_propagation_mode = 1 : i32, operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0(%arg0: !transform.any_op loc("<stdin>":45:6)):
    %0 = "transform.structured.match"(%arg0) <{ops = ["linalg.matmul"]}> : (!transform.any_op) -> !transform.any_op loc(#loc46)
    %1:3 = "transform.structured.tile_using_for"(%0) <{scalable_sizes = array<i1: false, false>, static_sizes = array<i64: 4, 8>}> : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op) loc(#loc47)
    "transform.yield"() : () -> () loc(#loc44)
  }) : () -> () loc(#loc44)
}) : () -> () loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":2:1)
#loc3 = loc("<stdin>":3:8)
#loc4 = loc("<stdin>":4:8)
#loc5 = loc("<stdin>":5:3)
#loc6 = loc("<stdin>":7:1)
#loc9 = loc("<stdin>":8:3)
#loc10 = loc("<stdin>":9:5)
#loc11 = loc("<stdin>":10:5)
#loc12 = loc("<stdin>":12:12)
#loc13 = loc("<stdin>":13:5)
#loc14 = loc("<stdin>":15:3)
#loc15 = loc("<stdin>":16:3)
#loc16 = loc("<stdin>":18:1)
#loc18 = loc("<stdin>":19:8)
#loc19 = loc("<stdin>":20:3)
#loc20 = loc("<stdin>":22:1)
#loc23 = loc("<stdin>":23:8)
#loc24 = loc("<stdin>":24:8)
#loc25 = loc("<stdin>":25:3)
#loc26 = loc("<stdin>":27:1)
#loc28 = loc("<stdin>":28:8)
#loc29 = loc("<stdin>":29:3)
#loc30 = loc("<stdin>":31:1)
#loc33 = loc("<stdin>":32:8)
#loc34 = loc("<stdin>":33:8)
#loc35 = loc("<stdin>":34:8)
#loc36 = loc("<stdin>":35:8)
#loc37 = loc("<stdin>":36:3)
#loc38 = loc("<stdin>":38:1)
#loc39 = loc("<stdin>":39:3)
#loc42 = loc("<stdin>":40:10)
#loc43 = loc("<stdin>":41:5)
#loc44 = loc("<stdin>":44:1)
#loc46 = loc("<stdin>":46:8)
#loc47 = loc("<stdin>":47:18)

