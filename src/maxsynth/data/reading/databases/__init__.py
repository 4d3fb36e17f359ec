"""Databases: SQLite files, and servers by their URL. They are only ever read."""
