; C = A B: A is 16x32, B 32x16 and stored by columns, C has rows 20 elements apart.
define void @matmul(ptr %a, ptr %b, ptr %c) {
  %ta = call token @llvm.tensor.load(ptr elementtype(float) %a, <2 x i32> <i32 16, i32 32>, <2 x i32> <i32 0, i32 1>,
        <2 x i32> zeroinitializer, <2 x i32> zeroinitializer)
  %tb = call token @llvm.tensor.load(ptr elementtype(float) %b, <2 x i32> <i32 16, i32 32>, <2 x i32> <i32 1, i32 0>,
        <2 x i32> zeroinitializer, <2 x i32> zeroinitializer)
  %v = call <256 x float> @llvm.tensor.matmul(token %ta, token %tb)
  %tc = call token @llvm.tensor.typeinfo(<256 x float> %v, <2 x i32> <i32 16, i32 16>, <2 x i32> <i32 0, i32 1>,
        <2 x i32> zeroinitializer)
  call void @llvm.tensor.store(ptr %c, token %tc, <2 x i32> <i32 0, i32 20>)
  ret void
}

declare token @llvm.tensor.load(ptr, <2 x i32>, <2 x i32>, <2 x i32>, <2 x i32>)
declare <256 x float> @llvm.tensor.matmul(token, token)
declare token @llvm.tensor.typeinfo(<256 x float>, <2 x i32>, <2 x i32>, <2 x i32>)
declare void @llvm.tensor.store(ptr, token, <2 x i32>)
