"""The commands about several programs of one task: `front`, and `ask`."""
