"""Prolog: reading its text, and two engines that run it (see `engine`)."""
