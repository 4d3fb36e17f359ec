"""Databases by their URL, through SQLAlchemy: PostgreSQL, MySQL, and what else it has a dialect for.

SQLAlchemy finds tables, types and declared keys, and quotes names; so one path serves all. Everything is read in one
transaction that cannot write and sees one state. A password is in no message and in no result.
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
import warnings
from collections.abc import Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from maxsynth.data.reading.columns import LeftOut, TextColumn
from maxsynth.data.reading.databases.condition import Where, conditions
from maxsynth.data.reading.databases.python_values import Gathered, mixed
from maxsynth.data.reading.drafts import Draft, drafted
from maxsynth.data.reading.extras import needed
from maxsynth.data.tables import Column, ForeignKey
from maxsynth.errors import MaxSynthError, Position

if TYPE_CHECKING:
    from sqlalchemy import Connection, Inspector
    from sqlalchemy.engine import URL

BATCH = 5_000  # rows
URLS = "URLs are such as postgresql://user@host/name, mysql://user@host/name, duckdb:///file, sqlite:///file"
SECRETS = ("password", "passwd", "pwd", "sslpassword")
# The package for each dialect, and the drivers that are tried in turn where the URL names none.
PACKAGES = {"postgresql": "psycopg[binary]", "mysql": "pymysql", "mariadb": "pymysql"}
DRIVERS = {
    "postgresql": {"psycopg": "psycopg", "psycopg2": "psycopg2"},
    "mysql": {"pymysql": "pymysql", "mysqldb": "MySQLdb"},
    "mariadb": {"pymysql": "pymysql", "mysqldb": "MySQLdb"},
}
MODULES = {"psycopg2": "psycopg2-binary", "MySQLdb": "mysqlclient", "cx_Oracle": "oracledb"}
NOT_VALUES = ("LargeBinary", "_Binary", "ARRAY", "JSON", "Interval", "Time")  # of these types nothing is asked for
LONGEST = 300  # characters of what a driver says


def read_url(address: str, where: Where, leave_out: Collection[str], notes: list[str]) -> tuple[str, str, list[Draft]]:
    """The place without its password, the kind of database, and its tables."""
    needed("sqlalchemy")
    from sqlalchemy import inspect
    from sqlalchemy.exc import SAWarning, SQLAlchemyError

    url = parsed(address)
    place = Position(shown(url))
    try:
        with warnings.catch_warnings(), connected(url, place) as connection:
            warnings.simplefilter("ignore", SAWarning)  # of types that it does not know
            drafts = read_tables(connection, inspect(connection), where, leave_out, notes, place)
    except SQLAlchemyError as error:
        raise problem(error, url, place) from None
    return place.file, url.get_backend_name(), drafts


# -- addresses ------------------------------------------------------------------------------------------------


def parsed(address: str) -> URL:
    """The URL, with the driver that is installed. What cannot be parsed may hold a password and is not quoted."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    scheme = address.partition("://")[0]
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise MaxSynthError("the URL cannot be understood", Position(f"{scheme}://..."), URLS) from None
    if url.drivername == "postgres":
        url = url.set(drivername="postgresql")
    if "+" not in url.drivername:
        for driver, module in DRIVERS.get(url.drivername, {}).items():
            if importlib.util.find_spec(module) is not None:
                return url.set(drivername=f"{url.drivername}+{driver}")
    return url


def shown(url: URL) -> str:
    """The address without what is secret, nor the driver, which the user did not choose."""
    public = {name: value for name, value in url.query.items() if name.lower() not in SECRETS}
    plain = url.set(drivername=url.get_backend_name(), query=public)
    return plain._replace(password=None).render_as_string(hide_password=True)


def problem(error: Exception, url: URL, place: Position) -> MaxSynthError:
    """What the driver said, in a line, with the password taken out of it."""
    said = str(getattr(error, "orig", None) or error)
    secrets = [url.password, *(value for name, value in url.query.items() if name.lower() in SECRETS)]
    said = re.sub(r"\(Background on this error.*", "", " ".join(said.split()))
    for secret in secrets:
        if secret:
            said = said.replace(str(secret), "***")
    return MaxSynthError(
        f"the database cannot be read: {said[:LONGEST]}", place, "check that it runs, the address, and who may read it"
    )


@contextlib.contextmanager
def connected(url: URL, place: Position) -> Iterator[Connection]:
    """A connection in a transaction that cannot write; it ends with a rollback whatever happens."""
    from sqlalchemy import create_engine
    from sqlalchemy.exc import NoSuchModuleError
    from sqlalchemy.pool import NullPool

    name = url.get_backend_name()
    try:
        engine = create_engine(url, poolclass=NullPool)
    except NoSuchModuleError:
        package = PACKAGES.get(name)
        if package is None:
            raise MaxSynthError(f"{name} is no kind of database that is known", place, URLS) from None
        raise no_driver(name, package, place) from None
    except ImportError as error:
        package = PACKAGES.get(name) if "+" not in url.drivername else None
        raise no_driver(name, package or MODULES.get(error.name or "", error.name or name), place) from None
    except (TypeError, ValueError) as error:
        raise problem(error, url, place) from None
    options: dict[str, Any] = {"stream_results": True}
    if name == "postgresql":
        options |= {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    elif name in ("mysql", "mariadb"):
        options |= {"isolation_level": "REPEATABLE READ"}
    with engine.connect().execution_options(**options) as connection:
        if name in ("mysql", "mariadb"):
            connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
            connection.rollback()
        try:
            yield connection
        finally:
            connection.rollback()


def no_driver(name: str, package: str, place: Position) -> MaxSynthError:
    return MaxSynthError(f"reading {name} needs its driver", place, f"pip install '{package}'")


# -- tables ---------------------------------------------------------------------------------------------------


def read_tables(
    connection: Connection,
    inspector: Inspector,
    where: Where,
    leave_out: Collection[str],
    notes: list[str],
    place: Position,
) -> list[Draft]:
    views = {*inspector.get_view_names(), *materialized(inspector)}
    partitions = partition_names(connection)
    tables = sorted({*inspector.get_table_names(), *views} - partitions - set(leave_out))
    condition = conditions(where, tables, place)
    drafts = []
    for table in tables:
        draft = read_table(connection, inspector, table, condition.get(table), leave_out, notes, place)
        if table in views:
            notes.append(f"{table} is a view, which is read as a table")
        else:
            draft.key = tuple(inspector.get_pk_constraint(table)["constrained_columns"] or ())
            draft.foreign_keys = declared_links(inspector, table)
        drafts.append(draft)
    return drafts


def materialized(inspector: Inspector) -> list[str]:
    with contextlib.suppress(NotImplementedError):
        return inspector.get_materialized_view_names()
    return []


def partition_names(connection: Connection) -> set[str]:
    """Tables whose rows are those of another one."""
    if connection.dialect.name != "postgresql":
        return set()
    found = connection.exec_driver_sql("SELECT relname FROM pg_catalog.pg_class WHERE relispartition")
    return {name for (name,) in found}


def declared_links(inspector: Inspector, table: str) -> list[ForeignKey]:
    """Foreign keys. One to another schema leads to a table that is not read, which is noted when keys are checked."""
    links = []
    for link in inspector.get_foreign_keys(table):
        schema = link.get("referred_schema")
        other = f"{schema}.{link['referred_table']}" if schema else link["referred_table"]
        links.append(ForeignKey(tuple(link["constrained_columns"]), other, tuple(link["referred_columns"])))
    return sorted(links, key=lambda link: (link.columns, link.table, link.to))


def read_table(
    connection: Connection,
    inspector: Inspector,
    table: str,
    condition: str | None,
    leave_out: Collection[str],
    notes: list[str],
    place: Position,
) -> Draft:
    columns = [one for one in inspector.get_columns(table) if f"{table}.{one['name']}" not in leave_out]
    without = {one["name"]: str(one["type"]) for one in columns if no_value(one["type"])}
    names = [one["name"] for one in columns if one["name"] not in without]
    gathered = {name: Gathered(name, untyped=False) for name in names}
    for batch in batches(connection, table, names, condition, place) if names else ():
        for column, values in zip(gathered.values(), zip(*batch, strict=True), strict=True):
            column.add(values)
    done: list[Column | TextColumn | LeftOut] = []
    for one in columns:
        name = one["name"]
        if name in without:
            done.append(LeftOut(name, f"values of the type {without[name]}"))
            continue
        if len(gathered[name].classes) > 1:
            raise mixed(table, name, partial(values_of, connection, table, name, condition, place), place)
        done.append(gathered[name].done(notes, f"{table}.{name}"))
    return drafted(table, done, notes)


def no_value(kind: object) -> bool:
    return any(one.__name__ in NOT_VALUES for one in type(kind).__mro__)


def batches(
    connection: Connection, table: str, names: list[str], condition: str | None, place: Position
) -> Iterator[list[Any]]:
    """Rows, many at a time. SQLAlchemy quotes the names; in the user's condition a colon is no parameter."""
    from sqlalchemy import column, select, text
    from sqlalchemy import table as table_of
    from sqlalchemy.exc import DBAPIError

    query: Any = select(*(column(name) for name in names)).select_from(table_of(table))
    if condition is not None:
        query = query.where(text("(" + condition.replace(":", "\\:") + "\n)"))
    try:
        result = connection.execute(query, execution_options={"yield_per": BATCH})
    except DBAPIError as error:
        if condition is None:
            raise
        said = " ".join(str(error.orig).split())
        raise MaxSynthError(f"the condition for {table} is wrong: {said[:LONGEST]}", place, "correct the SQL") from None
    for rows in result.partitions():
        yield list(rows)


def values_of(connection: Connection, table: str, name: str, condition: str | None, place: Position) -> Iterator[Any]:
    for batch in batches(connection, table, [name], condition, place):
        for (value,) in batch:
            yield value
