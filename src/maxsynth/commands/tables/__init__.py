"""The commands on tables: `describe`, `predict`, and what `learn` does with data."""
