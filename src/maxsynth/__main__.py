"""`python -m maxsynth`."""

from maxsynth.cli import console

if __name__ == "__main__":  # processes that `--cluster local:4` starts look at this file too
    console()
