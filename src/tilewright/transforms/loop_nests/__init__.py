"""Loop nests over memory: domains of iterations, what they access, which depend on which, what may be reordered."""
