"""What `maxsynth export` does: a learned program in another form, to standard output or to a file."""

from __future__ import annotations

from pathlib import Path

from maxsynth.errors import MaxSynthError, Position
from maxsynth.exporting.export import check_form, subjects_of_file, written
from maxsynth.files import check_output, read_input, write_text


def export_command(result: Path, *, to: str, dialect: str | None, output: str | None) -> int:
    check_form(to, dialect)
    text, file = read_input(result, "result")
    try:
        subjects = subjects_of_file(text, file)
        check_output(output, result, *(subject.place for subject in subjects))
        program = written(subjects, to, dialect)
    except MaxSynthError as error:
        error.at(Position(file))
        raise
    write_text(program, output or "-")
    return 0
