"""The engines that plans are tested on, and how a small table gets into each."""

import datetime as dt
import os
import shutil
import sys

import postgres_server
import pytest

NAMES = ("duckdb", "sqlite", "postgres", "pyspark")


def marks(name, deep=("pyspark",)):
    """Return the marks of an engine's tests: they share a process, and those of slow engines may be deep."""
    return [pytest.mark.xdist_group(name), *[pytest.mark.deep] * (name in deep)]


def parameters(deep=("pyspark",)):
    """Return the engines as parameters of a fixture."""
    return [pytest.param(name, marks=marks(name, deep)) for name in NAMES]


class Engine:
    """A connection; `load` puts rows into a table under its name."""

    def __init__(self, name, connection):
        self.name, self.connection = name, connection

    def load(self, schema, rows, name="events"):
        import pyarrow as pa

        con, tuples = self.connection, [tuple(row[column] for column in schema.names) for row in rows]
        if self.name == "duckdb":
            con.con.register(name, pa.Table.from_pylist(rows, schema=schema.to_pyarrow()))
        elif self.name == "pyspark":
            from ibis.backends.pyspark.datatypes import PySparkSchema

            frame = con._session.createDataFrame(tuples, schema=PySparkSchema.from_ibis(schema))
            frame.createOrReplaceTempView(name)
        else:
            # Ibis 12 writes DROP without a name under the newest sqlglot.
            con.con.execute(f"DROP TABLE IF EXISTS {name}")
            con.create_table(name, schema=schema)
            mark = "?" if self.name == "sqlite" else "%s"
            insert = f"INSERT INTO {name} VALUES ({', '.join([mark] * len(schema))})"
            if self.name == "sqlite":
                con.con.executemany(insert, [tuple(map(_text, row)) for row in tuples])
            else:
                with con.con.cursor() as cursor:
                    cursor.executemany(insert, tuples)
            con.con.commit()
        return con.table(name)

    def seen(self, rows):
        """The rows as the engine has them: SQLite keeps NaN as null."""
        if self.name != "sqlite":
            return rows
        return [{k: None if isinstance(v, float) and v != v else v for k, v in row.items()} for row in rows]


def _text(value):
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return value.isoformat() if isinstance(value, dt.date) else value


def start(name, folder):
    """Start an engine; return it and a function that stops it. Skip where it is not installed."""
    ibis = pytest.importorskip("ibis")
    if name == "duckdb":
        return Engine(name, ibis.duckdb.connect()), lambda: None
    if name == "sqlite":
        return Engine(name, ibis.sqlite.connect()), lambda: None
    if name == "postgres":
        return _postgres(ibis)
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",  # Compiling takes longer than a small table does.
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.warehouse.dir": str(folder),
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return Engine(name, ibis.pyspark.connect(session)), session.stop


def _postgres(ibis):
    """A database of its own on the server."""
    server = postgres_server.shared()
    con = ibis.postgres.connect(**server.where, database=server.database())
    return Engine("postgres", con), con.disconnect
