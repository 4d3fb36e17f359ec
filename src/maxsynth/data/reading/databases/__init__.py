"""Databases: files of SQLite and DuckDB, and servers by their URL. They are only ever read."""
