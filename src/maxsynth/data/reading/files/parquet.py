"""Parquet files. They have types, which are taken as they are."""

from __future__ import annotations

from pathlib import Path

from maxsynth.data.reading.columns import typed_column
from maxsynth.data.reading.drafts import Draft, drafted
from maxsynth.data.reading.extras import arrow, needed
from maxsynth.data.reading.files.csv_tables import MAX_COLUMNS, too_many
from maxsynth.data.reading.files.places import problems_of
from maxsynth.errors import MaxSynthError, Position, listed


def read_parquet_table(path: Path, name: str, notes: list[str]) -> Draft:
    pa, parquet = arrow(), needed("pyarrow.parquet")
    place = Position(str(path))
    try:
        with problems_of(path), parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if len(names) > MAX_COLUMNS:
                raise too_many(len(names), place)
            if again := sorted({one for one in names if names.count(one) > 1}):
                raise MaxSynthError(f"several columns have one name: {listed(again)}", place, "rename them")
            table = file.read()
    except (pa.ArrowException, OSError) as error:
        raise MaxSynthError(f"the Parquet file is damaged: {error}", place, "write it again") from None
    columns = [typed_column(one, table.column(at), notes, f"{name}.{one}") for at, one in enumerate(names)]
    return drafted(name, columns, notes)
