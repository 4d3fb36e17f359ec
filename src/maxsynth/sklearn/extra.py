"""What the classifier needs besides the core, and how it is had."""

PIP = "pip install 'maxsynth[sklearn]'"
PACKAGES = ("sklearn", "scipy", "joblib", "threadpoolctl", "narwhals", "pandas")
