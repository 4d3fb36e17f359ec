"""What `cli` reads: values of options, and a parser whose help fits a screen. It loads nothing that takes time."""
