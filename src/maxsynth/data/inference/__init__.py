"""What tables mean, found out from their declarations, their names and their values: keys, roles of columns, types,
leaks.
"""
