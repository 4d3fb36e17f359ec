"""`python -m maxsynth`."""

from maxsynth.cli import console

console()
