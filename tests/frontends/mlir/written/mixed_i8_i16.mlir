#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @f(%A: memref<?x?xi8>, %B: memref<?x?xi16>, %C: memref<?x?xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : memref<?x?xi8>, memref<?x?xi16>) outs(%C : memref<?x?xi32>) {
  ^bb0(%a: i8, %b: i16, %c: i32):
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extsi %b : i16 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %c, %2 : i32
    linalg.yield %3 : i32
  }
  return
}
