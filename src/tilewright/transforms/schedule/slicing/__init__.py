"""Tiles that registers have no room for: memory and loops over parts that fit.

before:  %x = tile.load %A, %i -> tile<65536xf32>    %y = math.exp %x    %s = tile.scan %y    tile.store %s, %B, %i
after:   %m = memref.alloca -> memref<f32x65536,local>
         scf.for %k .. (%carry) { %p = tile.load %A, %i + %k -> tile<2048xf32>  %q = math.exp %p  %r = tile.scan %q ..
                                  tile.store %r + %carry, %m, %k  .. }
         scf.for %k .. { %p = tile.load %m, %k -> tile<2048xf32>  tile.store %p, .. }
"""
