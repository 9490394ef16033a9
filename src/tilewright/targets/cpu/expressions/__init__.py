"""What tiles are until they are stored: expressions over memory, registers and scalars, cut into register blocks."""
