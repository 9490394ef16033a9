"""Schedules that were found by trying, kept in files that people read and ship, and taken by whoever compiles."""
