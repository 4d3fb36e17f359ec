"""Tables for tests: from lists of values, and a shop in SQLite whose customers leave for a reason."""

import random
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from maxsynth.data.tables import NULL, Column, Data, ForeignKey, Kind, Table

KINDS = {str: Kind.TEXT, int: Kind.INTEGER, float: Kind.REAL, bool: Kind.YES_NO}


def column(name: str, values: Iterable[Any], kind: Kind | None = None) -> Column:
    listed = list(values)
    types = {type(value) for value in listed if value is not None} or {str}
    if types == {int, float}:
        types, listed = {float}, [None if value is None else float(value) for value in listed]
    found = kind or KINDS[types.pop()]
    places: dict[Any, int] = {}
    codes = [NULL if value is None else places.setdefault(value, len(places)) for value in listed]
    distinct: Any = list(places) if found is Kind.TEXT else np.array(list(places))
    return Column(name, found, distinct, np.array(codes, np.int32))


def table(
    name: str, columns: Mapping[str, Iterable[Any]], key: Sequence[str] = (), links: Sequence[ForeignKey] = ()
) -> Table:
    return Table(name, tuple(column(one, values) for one, values in columns.items()), tuple(key), tuple(links))


def data(*tables: Table, form: str = "python") -> Data:
    return Data("<tables>", form, {one.name: one for one in tables})


SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER, member INTEGER, joined DATE,
    country TEXT, left_on DATE, churned INTEGER);
CREATE TABLE products (id INTEGER PRIMARY KEY, category TEXT, price REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id),
    product_id INTEGER REFERENCES products (id), quantity INTEGER);
"""
CITIES, CATEGORIES = ("Bern", "O'Hara", "Zürich"), ("toys", "books", "food", "tools")


def make_shop(path: Path, customers: int = 60, seed: int = 1) -> Path:
    """Customers leave who bought toys, unless they are members; one label in twenty is wrong."""
    chance = random.Random(seed)
    database = sqlite3.connect(path)
    database.executescript(SHOP)
    products = [(number, CATEGORIES[number % 4], round(chance.uniform(1, 90), 2)) for number in range(1, 21)]
    database.executemany("INSERT INTO products VALUES (?, ?, ?)", products)
    order = 0
    for number in range(1, customers + 1):
        bought = [chance.randint(1, 20) for _ in range(chance.randint(1, 3))]
        member = chance.random() < 0.4
        leaves = any(CATEGORIES[product % 4] == "toys" for product in bought) and not member
        leaves ^= chance.random() < 0.05
        joined = date(2015, 1, 1) + timedelta(days=chance.randint(0, 3000))
        left = joined + timedelta(days=chance.randint(10, 900)) if leaves else None
        row = (number, f"Customer {number}", chance.choice(CITIES), chance.randint(18, 80), int(member))
        database.execute(
            "INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, 'CH', ?, ?)",
            (*row, joined.isoformat(), left and left.isoformat(), int(leaves)),
        )
        for product in bought:
            order += 1
            database.execute("INSERT INTO orders VALUES (?, ?, ?, ?)", (order, number, product, chance.randint(1, 9)))
    database.commit()
    database.close()
    return path
