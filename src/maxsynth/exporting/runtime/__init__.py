"""What a program exported to Python has besides its rules: these files go into it, without their first lines.

They import nothing but the standard library, and each other.
"""
