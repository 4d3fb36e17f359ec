"""Constants and numbers in rules: what the search makes of them, and how they are written again."""
