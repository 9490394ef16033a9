"""Products of arrays of any library: the programs they take are written, compiled once for a class, and kept."""
