// Blocks, branches, loops of several blocks, blocks that nothing leads to.
func.func @loop(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %x : index, f32)
^head(%i: index, %s: f32):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body(%i : index), ^exit(%s, %s : f32, f32)
^body(%j: index):
  %t = arith.mulf %s, %x : f32
  %k = arith.addi %j, %c1 : index
  cf.br ^head(%k, %t : index, f32)
^exit(%r: f32, %q: f32):
  %f = arith.addf %r, %q : f32
  return %f : f32
^dead(%u: f32):
  %g = arith.addf %u, %t : f32
  cf.br ^exit(%g, %u : f32, f32)
}

func.func @switch(%k: i32) -> i32 {
  %a = arith.constant 1 : i32
  cf.switch %k : i32, [
    default: ^one(%a : i32),
    42: ^two,
    -7: ^one(%k : i32)
  ]
^one(%v: i32):
  return %v : i32
^two:
  %true = arith.constant true
  cf.assert %true, "never \"here\""
  cf.br ^one(%k : i32)
}
