"""How to get the packages that the classifier needs, and the core does not."""

PIP = "pip install 'maxsynth[sklearn]'"
