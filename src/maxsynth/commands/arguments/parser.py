"""A parser in the style of all commands: one line for an option, examples at the end, and complaints of one line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from maxsynth.errors import one_line


class Parser(argparse.ArgumentParser):
    """What it says of a bad argument quotes it, and stays one line all the same.

    argparse asks for the width of the terminal for each option that is added, which is not shown then.
    """

    width: int | None = 80

    def _get_formatter(self) -> Help:
        return Help(self.prog, self.width)

    def format_help(self) -> str:
        self.width = None
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        super().error(one_line(message))


wrapped = argparse.HelpFormatter._fill_text  # what the formatter for raw text replaces


class Help(argparse.RawDescriptionHelpFormatter):
    """One line for an option, so that the help of a command fits a screen."""

    def __init__(self, prog: str, width: int | None = None) -> None:
        super().__init__(prog, max_help_position=26, width=width)
        self._action_max_length = 12  # room for the names of commands

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Descriptions are wrapped; examples, at the end, stay as they are."""
        raw = "examples:" in text
        return super()._fill_text(text, width, indent) if raw else wrapped(self, text, width, indent)


Commands = argparse._SubParsersAction  # argparse has no public name for it
Command = argparse.ArgumentParser


def add_command(
    commands: Commands[Command],
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    given: str,
    summary: str,
    description: str,
    examples: tuple[str, str],
) -> Command:
    """A command in the style of all others: what it is given, what it does, its options, two examples."""
    command = commands.add_parser(
        name,
        usage=f"maxsynth {name} {given} [options]",
        help=summary,
        description=description,
        epilog="examples:\n" + "\n".join(f"  maxsynth {example}" for example in examples),
        add_help=False,
    )
    command.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)  # who reads it knows it
    command.set_defaults(run=run)
    return command
