"""The libraries that benchmarks compare with."""
