"""The forms in which Python hands things to the kernel: terms, a bias, compiled rules. It imports nothing."""
