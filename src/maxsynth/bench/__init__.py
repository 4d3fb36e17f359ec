"""The paper's experiments: tasks made from the rules of games and worlds, a runner, and a report."""
