"""The engines that plans are tested on, and how a small table gets into each."""

import datetime as dt
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

NAMES = ("duckdb", "sqlite", "postgres", "pyspark")

_RUNNING, _NUMBERS = [], itertools.count()


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

    def load(self, schema, rows):
        import pyarrow as pa

        con, tuples = self.connection, [tuple(row[name] for name in schema.names) for row in rows]
        if self.name == "duckdb":
            con.con.register("events", pa.Table.from_pylist(rows, schema=schema.to_pyarrow()))
        elif self.name == "pyspark":
            from ibis.backends.pyspark.datatypes import PySparkSchema

            frame = con._session.createDataFrame(tuples, schema=PySparkSchema.from_ibis(schema))
            frame.createOrReplaceTempView("events")
        else:
            # Ibis 12 writes DROP without a name under the newest sqlglot.
            con.con.execute("DROP TABLE IF EXISTS events")
            con.create_table("events", schema=schema)
            mark = "?" if self.name == "sqlite" else "%s"
            insert = f"INSERT INTO events VALUES ({', '.join([mark] * len(schema))})"
            if self.name == "sqlite":
                con.con.executemany(insert, [tuple(map(_text, row)) for row in tuples])
            else:
                with con.con.cursor() as cursor:
                    cursor.executemany(insert, tuples)
            con.con.commit()
        return con.table("events")

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
    server, where = _server(ibis)
    name = f"tests{next(_NUMBERS)}"
    server.con.execute(f"CREATE DATABASE {name}")
    con = ibis.postgres.connect(**where, database=name)
    return Engine("postgres", con), con.disconnect


def stop():
    """End the server, if one was started."""
    while _RUNNING:
        _RUNNING.pop()()


@cache
def _server(ibis):
    """A server on loopback that lives as long as the tests do. It refuses to run as root, so root becomes another."""
    found = [Path(p).parent for p in [shutil.which("initdb"), shutil.which("postgres")] if p]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    binaries = next((p for p in found if (p / "initdb").exists() and (p / "postgres").exists()), None)
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt install postgresql)")
    as_user, data = {}, Path(tempfile.mkdtemp(prefix="discreet-postgres-"))
    if os.geteuid() == 0:
        as_user = {"user": "postgres", "cwd": "/"}
        shutil.chown(data, "postgres")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    make = [binaries / "initdb", "-D", data, "-A", "trust", "-U", "discreet", "-E", "UTF8", "--locale=C", "-N"]
    subprocess.run(make, check=True, **as_user, **quiet)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        where = {"host": "127.0.0.1", "port": free.getsockname()[1], "user": "discreet"}
    options = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"]
    command = [binaries / "postgres", "-D", data, "-p", str(where["port"]), *options]
    server = subprocess.Popen(command, **as_user, **quiet)

    def end():
        server.send_signal(signal.SIGINT)  # Connections that are open do not delay it.
        server.wait(20)
        shutil.rmtree(data, ignore_errors=True)

    _RUNNING.append(end)
    for _ in range(200):
        try:
            con = ibis.postgres.connect(**where, database="postgres")
        except Exception:
            time.sleep(0.1)
        else:
            con.con.rollback()
            con.con.autocommit = True
            return con, where
    pytest.fail("PostgreSQL did not start")
