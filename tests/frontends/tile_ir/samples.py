"""Texts that between them have every operation, each in several shapes."""

# ruff: noqa: E501 - a text is easier to read in one line

from __future__ import annotations

PARAMETERS = (
    "%pf: tile<ptr<f32>>, %ph: tile<ptr<f16>>, %pi: tile<ptr<i32>>, %pc: tile<ptr<i8>>, %i: tile<i32>, %j: tile<i32>,"
    " %l: tile<i64>, %b: tile<i1>, %f: tile<f32>"
)
VIEW = "tensor_view<?x16xf32, strides=[16,1]>"

CORE = """
    %x0, %y0, %z0 = get_tile_block_id : tile<i32>
    %x1, %y1, %z1 = get_num_tile_blocks : tile<i32>
    %c0 = constant <f32: 1.5> : tile<4x4xf32>
    %c1 = constant <i32: [[1, -2], [3, 4]]> : tile<2x2xi32>
    %c2 = constant <i1: [true, false]> : tile<2xi1>
    %c3 = constant <f16: 0x7C00> : tile<f16>
    %io = iota : tile<8xi32>
    %r1 = reshape %i : tile<i32> -> tile<1xi32>
    %br = broadcast %r1 : tile<1xi32> -> tile<8xi32>
    %pe = permute %c0 [1, 0] : tile<4x4xf32> -> tile<4x4xf32>
    %ca = cat %c0, %pe dim = 1 : tile<4x4xf32>, tile<4x4xf32> -> tile<4x8xf32>
    %ex = extract %ca[%i, %j] : tile<4x8xf32> -> tile<2x4xf32>
    %io2 = addi %io, %br : tile<8xi32>
    %cm = cmpi less_than %io, %io2, signed : tile<8xi32> -> tile<8xi1>
    %se = select %cm, %io, %io2 : tile<8xi1>, tile<8xi32>
    %r2 = reshape %pf : tile<ptr<f32>> -> tile<1xptr<f32>>
    %bp = broadcast %r2 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %of = offset %bp, %se : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %pk = pack %io : tile<8xi32> -> tile<32xi8>
    %up = unpack %pk : tile<32xi8> -> tile<16xi16>
    %gg = get_global @g : tile<ptr<f32>>
"""
INTEGERS = """
    %a = iota : tile<8xi32>
    %b1 = constant <i32: 3> : tile<8xi32>
    %o1 = addi %a, %b1 overflow<no_wrap> : tile<8xi32>
    %o2 = subi %a, %b1 : tile<8xi32>
    %o3 = muli %a, %b1 overflow<no_signed_wrap> : tile<8xi32>
    %o4 = shli %a, %b1 overflow<no_unsigned_wrap> : tile<8xi32>
    %o5 = shri %a, %b1 unsigned : tile<8xi32>
    %o6 = absi %a : tile<8xi32>
    %o7 = negi %a overflow<no_signed_wrap> : tile<8xi32>
    %o8 = divi %a, %b1 signed rounding<negative_inf> : tile<8xi32>
    %o9 = divi %a, %b1 unsigned : tile<8xi32>
    %p0 = remi %a, %b1 signed : tile<8xi32>
    %p1 = maxi %a, %b1 signed : tile<8xi32>
    %p2 = mini %a, %b1 unsigned : tile<8xi32>
    %p3 = mulhii %a, %b1 : tile<8xi32>
    %p4 = andi %a, %b1 : tile<8xi32>
    %p5 = ori %a, %b1 : tile<8xi32>
    %p6 = xori %a, %b1 : tile<8xi32>
    %p7 = cmpi greater_than_or_equal %a, %b1, unsigned : tile<8xi32> -> tile<8xi1>
    %q0 = assume div_by<16>, %i : tile<i32>
    %q1 = assume div_by<4, every 2 along 0>, %a : tile<8xi32>
    %q2 = assume same_elements<[2]>, %a : tile<8xi32>
    %q3 = assume bounded<?, 7>, %a : tile<8xi32>
    assert %p7, "above" : tile<8xi1>
"""
FLOATS = """
    %a = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
    %b1 = constant <f32: 2.0> : tile<4xf32>
    %d = addf %a, %b1 : tile<4xf32>
    %d1 = addf %a, %b1 rounding<zero> flush_to_zero : tile<4xf32>
    %d2 = subf %a, %b1 rounding<negative_inf> : tile<4xf32>
    %d3 = mulf %a, %b1 flush_to_zero : tile<4xf32>
    %d4 = fma %a, %b1, %d rounding<positive_inf> : tile<4xf32>
    %d5 = divf %a, %b1 rounding<approx> : tile<4xf32>
    %d6 = sqrt %a rounding<approx> flush_to_zero : tile<4xf32>
    %d7 = rsqrt %a flush_to_zero : tile<4xf32>
    %d8 = absf %a : tile<4xf32>
    %d9 = negf %a : tile<4xf32>
    %e0 = ceil %a : tile<4xf32>
    %e1 = floor %a : tile<4xf32>
    %e2 = remf %a, %b1 : tile<4xf32>
    %e3 = maxf %a, %b1 flush_to_zero propagate_nan : tile<4xf32>
    %e4 = minf %a, %b1 propagate_nan : tile<4xf32>
    %e5 = exp %a rounding<approx> : tile<4xf32>
    %e6 = tanh %a : tile<4xf32>
    %e7 = exp2 %a flush_to_zero : tile<4xf32>
    %e8 = log %a : tile<4xf32>
    %e9 = log2 %a : tile<4xf32>
    %f0 = sin %a : tile<4xf32>
    %f1 = cos %a : tile<4xf32>
    %f2 = tan %a : tile<4xf32>
    %f3 = sinh %a : tile<4xf32>
    %f4 = cosh %a : tile<4xf32>
    %f5 = atan2 %a, %b1 : tile<4xf32>
    %f6 = pow %a, %b1 : tile<4xf32>
    %f7 = cmpf not_equal unordered %a, %b1 : tile<4xf32> -> tile<4xi1>
"""
CONVERSIONS = """
    %a = iota : tile<8xi32>
    %c = bitcast %a : tile<8xi32> -> tile<8xf32>
    %x = exti %a signed : tile<8xi32> -> tile<8xi64>
    %t = trunci %a overflow<no_wrap> : tile<8xi32> -> tile<8xi8>
    %n = trunci %t : tile<8xi8> -> tile<8xi4>
    %g = ftof %c : tile<8xf32> -> tile<8xf16>
    %g1 = ftof %c rounding<zero> : tile<8xf32> -> tile<8xf8E8M0FNU>
    %g2 = ftof %c : tile<8xf32> -> tile<8xf4E2M1FN>
    %h = ftoi %c unsigned : tile<8xf32> -> tile<8xi16>
    %k = itof %a signed : tile<8xi32> -> tile<8xbf16>
    %p = int_to_ptr %x : tile<8xi64> -> tile<8xptr<f32>>
    %q = ptr_to_int %p : tile<8xptr<f32>> -> tile<8xi64>
    %r = ptr_to_ptr %p : tile<8xptr<f32>> -> tile<8xptr<i8>>
"""
CONTROL = """
    %a = constant <f32: 0.0> : tile<4xf32>
    if %b {
      assert %b, "then" : tile<i1>
    }
    %v, %w = if %b -> (tile<4xf32>, tile<i32>) {
      yield %a, %i : tile<4xf32>, tile<i32>
    } else {
      %d = addf %a, %a : tile<4xf32>
      yield %d, %j : tile<4xf32>, tile<i32>
    }
    %s = for %k in (%i to %j, step %i) : tile<i32> iter_values(%acc = %v) -> (tile<4xf32>) {
      %d = addf %acc, %a : tile<4xf32>
      continue %d : tile<4xf32>
    }
    for unsigned %k in (%i to %j, step %i) : tile<i32> {
      if %b {
        continue
      } else {
        assert %b, "odd \\"name\\"" : tile<i1>
      }
    }
    %u, %n = loop iter_values(%c = %i) : tile<i32> -> tile<4xf32>, tile<i32> {
      if %b {
        break %a, %c : tile<4xf32>, tile<i32>
      }
      continue %c : tile<i32>
    }
    loop {
      if %b {
        continue
      }
      break
    }
    if %b {
      return
    }
    %z = loop : tile<i32> {
      break %i : tile<i32>
    }
    %m = reduce %a dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%x: tile<f32>, %y: tile<f32>) {
      %o = addf %x, %y : tile<f32>
      yield %o : tile<f32>
    }
    %h, %g = reduce %a, %a dim=0 identities=[0.0 : f32, 0xFF800000 : f32] : tile<4xf32>, tile<4xf32> -> tile<f32>, tile<f32> (%x: tile<f32>, %y: tile<f32>, %p: tile<f32>, %q: tile<f32>) {
      yield %x, %q : tile<f32>, tile<f32>
    }
    %t = scan %a dim=0 reverse=true identities=[1.0 : f32] : tile<4xf32> -> tile<4xf32> (%x: tile<f32>, %y: tile<f32>) {
      %o = mulf %x, %y : tile<f32>
      yield %o : tile<f32>
    }
"""
MEMORY = """
    %t0 = make_token : token
    %t1 = make_token : token
    %t2 = join_tokens %t0, %t1 : token
    %io = iota : tile<8xi32>
    %m = constant <i1: true> : tile<8xi1>
    %r2 = reshape %pf : tile<ptr<f32>> -> tile<1xptr<f32>>
    %p0 = broadcast %r2 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %p = offset %p0, %io : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %v0, %k0 = load_ptr_tko weak %p : tile<8xptr<f32>> -> tile<8xf32>, token
    %v1, %k1 = load_ptr_tko relaxed device %p, %m token = %k0 : tile<8xptr<f32>>, tile<8xi1> -> tile<8xf32>, token
    %v2, %k2 = load_ptr_tko acquire sys %p, %m, %v1 token = %k1 optimization_hints = <sm_90 = {latency = 3}> : tile<8xptr<f32>>, tile<8xi1>, tile<8xf32> -> tile<8xf32>, token
    %k3 = store_ptr_tko weak %p, %v2 : tile<8xptr<f32>>, tile<8xf32> -> token
    %k4 = store_ptr_tko release tl_blk %p, %v2, %m token = %k3 : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token
    %al = alloca num_elem = 64, alignment = 16 : tile<ptr<f32>>
    %ag = alloca num_elem = 64, alignment = 16 global : tile<ptr<f32>>
    %o, %k5 = atomic_cas_tko acq_rel device %p, %v1, %v2 : tile<8xptr<f32>>, tile<8xf32> -> tile<8xf32>, token
    %o1, %k6 = atomic_rmw_tko relaxed device %p, addf, %v2, %m token = %k5 : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> tile<8xf32>, token
    %k7 = print_tko "%f and %d%%", %v0, %i token = %k6 : tile<8xf32>, tile<i32> -> token
    print "hello"
"""
VIEWS = """
    %tv = make_tensor_view %pf, shape = [%i, 16], strides = [16, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[16,1]>
    %ts = make_tensor_view %pf, shape = [64, 16], strides = [16, 1] : tensor_view<64x16xf32, strides=[16,1]>
    %tn = make_tensor_view %pf, shape = [], strides = [] : tensor_view<f32>
    %pv = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<?x16xf32, strides=[16,1]>>
    %pm = make_partition_view %tv : partition_view<tile=(4x8), padding_value = nan, tensor_view<?x16xf32, strides=[16,1]>, dim_map=[1, 0]>
    %sv = make_strided_view %tv : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<?x16xf32, strides=[16,1]>>
    %gv = make_gather_scatter_view %tv : gather_scatter_view<tile=(4x8), tensor_view<?x16xf32, strides=[16,1]>, sparse_dim=0>
    %e0, %e1 = get_tensor_shape %tv : tensor_view<?x16xf32, strides=[16,1]> -> tile<i64>
    %n0, %n1 = get_index_space_shape %pv : partition_view<tile=(4x8), tensor_view<?x16xf32, strides=[16,1]>> -> tile<i32>
    %x, %k0 = load_view_tko weak %pv[%i, %j] : partition_view<tile=(4x8), tensor_view<?x16xf32, strides=[16,1]>>, tile<i32> -> tile<4x8xf32>, token
    %y, %k1 = load_view_tko relaxed device %sv[%i, %j] token = %k0 optimization_hints = <default = {allow_tma = true}> : strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, tensor_view<?x16xf32, strides=[16,1]>>, tile<i32> -> tile<4x8xf32>, token
    %io = iota : tile<4xi32>
    %z, %k2 = load_view_tko weak %gv[%io, %l] : gather_scatter_view<tile=(4x8), tensor_view<?x16xf32, strides=[16,1]>, sparse_dim=0>, tile<4xi32>, tile<i64> -> tile<4x8xf32>, token
    %k3 = store_view_tko weak %x, %pv[%i, %j] token = %k2 : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x16xf32, strides=[16,1]>>, tile<i32> -> token
    %k4 = atomic_red_view_tko relaxed device %pv[%i, %j], addf, %x token = %k3 : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<?x16xf32, strides=[16,1]>>, tile<i32> -> token
"""
MATRICES = """
    %a = constant <f16: 1.0> : tile<4x8xf16>
    %r = constant <f16: 2.0> : tile<8x4xf16>
    %c = constant <f32: 0.0> : tile<4x4xf32>
    %d = mmaf %a, %r, %c : tile<4x8xf16>, tile<8x4xf16>, tile<4x4xf32>
    %h = constant <f8E4M3FN: 1.0> : tile<4x8xf8E4M3FN>
    %k = constant <f8E4M3FN: 1.0> : tile<8x4xf8E4M3FN>
    %e = mmaf %h, %k, %c fast_acc : tile<4x8xf8E4M3FN>, tile<8x4xf8E4M3FN>, tile<4x4xf32>
    %m = constant <i8: 1> : tile<4x8xi8>
    %n = constant <i8: -1> : tile<8x4xi8>
    %o = constant <i32: 0> : tile<4x4xi32>
    %p = mmai %m, %n, %o signed unsigned : tile<4x8xi8>, tile<8x4xi8>, tile<4x4xi32>
    %s = constant <f8E5M2: 1.0> : tile<4x64xf8E5M2>
    %t = constant <f8E5M2: 1.0> : tile<64x4xf8E5M2>
    %u = constant <f8E8M0FNU: 1.0> : tile<4x2xf8E8M0FNU>
    %v = constant <f8E8M0FNU: 1.0> : tile<2x4xf8E8M0FNU>
    %w = mmaf_scaled %s, %t, %c, %u, %v : tile<4x64xf8E5M2>, tile<64x4xf8E5M2>, tile<4x4xf32>, tile<4x2xf8E8M0FNU>, tile<2x4xf8E8M0FNU>
"""
LATER = """
    %a = constant <f32: 1.0> : tile<8xf32>
    %s = constant <f32: 2.0> : tile<2xf32>
    %in = insert %s, %a[%i] : tile<2xf32>, tile<8xf32>
    %n = iota : tile<8xi32>
    %po = fpowi %a, %n : tile<8xf32>, tile<8xi32>
    %fp = fpowf %a, %a : tile<8xf32>
    %sa = ftoi %a signed saturating : tile<8xf32> -> tile<8xi32>
    %k0 = gdc_wait_tko -> token
    %k1 = gdc_launch_dependents_tko token = %k0 -> token
    %k2 = memory_fence_alias_tko %k1
    %tv = make_tensor_view %pf, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %pv = make_partition_view %tv : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %x, %k3 = load_view_tko weak %pv[%i] token = %k2 inbounds = [true] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
"""
BODIES = {
    "core": CORE,
    "integers": INTEGERS,
    "floats": FLOATS,
    "conversions": CONVERSIONS,
    "control": CONTROL,
    "memory": MEMORY,
    "views": VIEWS,
    "matrices": MATRICES,
    "later": LATER,
}


def module(body: str, items: str = "global @g <f32: [0.5, 2.0]> : tile<2xf32>") -> str:
    """A module with one entry."""
    return f"cuda_tile.module @m {{\n  {items}\n  entry @k({PARAMETERS}) {{{body}\n    return\n  }}\n}}\n"
