"""Reading data, and what is made of it."""
