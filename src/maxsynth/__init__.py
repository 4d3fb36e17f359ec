"""MaxSynth learns logic programs of minimal description length from noisy examples."""

__version__ = "0.1.0"
