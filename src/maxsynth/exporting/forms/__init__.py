"""The forms, one a file, and what only they need."""
