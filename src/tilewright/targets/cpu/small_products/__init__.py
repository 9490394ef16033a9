"""Products of small matrices: register blocks in straight-line code or short loops."""
