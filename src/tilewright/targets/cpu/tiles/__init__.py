"""What each operation on tiles becomes."""
