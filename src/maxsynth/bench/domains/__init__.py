"""The domains of the paper's experiments, one to a file, made by programs from the rules of the games themselves."""
