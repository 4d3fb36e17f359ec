"""Reading Prolog: tokens, operators, and a reader that says where a mistake is and how to correct it.

Start in `reader`.
"""
