"""The built-in Prolog engine: it counts steps, and has no built-in that reaches outside.

Start in `interpreter`.
"""
