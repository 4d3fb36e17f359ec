"""Tasks that come with MaxSynth: made by a program from a seed, with a hidden rule that is known."""
