"""The numeric core: what arithmetic on every element type means, once, for Python numbers and for NumPy arrays.

Below every other package. Operations of all dialects declare their meaning in its terms (`evaluate`), and so folding
and the interpreters of every language compute with it. Integers work without NumPy.
"""
