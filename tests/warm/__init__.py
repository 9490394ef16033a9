"""Python processes that begin with what most of them import, by forking one that has used the compiler.

A process that imports the compiler, builds its tables and compiles a kernel of one line takes most of its time for the
first two. `warm.python.command()` is a command in place of `sys.executable`: it takes `-c`, `-m` or a script, its
streams, environment, folder and limits are those of the caller, and its exit status is what the program's is. Programs
whose imports or first calls are what a test is about take `sys.executable`.
"""
