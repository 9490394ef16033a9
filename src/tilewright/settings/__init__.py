"""What users set, and where each setting comes from."""
