"""Triples in lines with one space between each two parts, and a point at the end: Arrow reads them like a CSV file."""

from __future__ import annotations

import codecs
from typing import Any

from maxsynth.data.reading.extras import arrow, needed


def spaced(text: bytes) -> list[Any] | None:
    """The parts of lines in which one space stands between each two, which is fastest; None where some are not so."""
    pa, csv = arrow(), needed("pyarrow.csv")
    names = ("subject", "relation", "object", "point")
    if text.startswith(codecs.BOM_UTF8):  # which would be skipped
        return None
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            read_options=csv.ReadOptions(column_names=names, block_size=len(text) + 1, use_threads=False),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))
            ),
        )
    except pa.ArrowInvalid:
        return None
    *parts, points = (table.column(name).combine_chunks() for name in names)
    points = points.chunk(0) if isinstance(points, pa.ChunkedArray) else points
    return parts if points.dictionary.to_pylist() == ["."] else None
