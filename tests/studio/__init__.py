"""The page in the browser: what it is told, what it may do, and what is refused."""
