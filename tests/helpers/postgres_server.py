"""A PostgreSQL server of the tests' own, on loopback."""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

_RUNNING = []
_MEMORY = Path("/dev/shm")
_ROOM = 1 << 30


class Server:
    """A server that can be stopped, killed and started again. It refuses to run as root, so root becomes another."""

    def __init__(self):
        pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'psycopg[binary]')")
        found = [Path(p).parent for p in [shutil.which("initdb"), shutil.which("postgres")] if p]
        found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
        self._binaries = next((p for p in found if (p / "initdb").exists() and (p / "postgres").exists()), None)
        if self._binaries is None:
            pytest.skip("PostgreSQL is not installed (Debian: apt install postgresql)")
        # In memory, where there is room, syncs take no time, and the server is the same.
        roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM
        self._as_user = {}
        self._data = Path(tempfile.mkdtemp(prefix="discreet-postgres-", dir=_MEMORY if roomy else None))
        if os.geteuid() == 0:
            self._as_user = {"user": "postgres", "cwd": "/"}
            shutil.chown(self._data, "postgres")
        make = ["initdb", "-D", self._data, "-A", "trust", "-U", "discreet", "-E", "UTF8", "--locale=C", "-N"]
        subprocess.run([self._binaries / make[0], *make[1:]], check=True, **self._as_user, **_QUIET)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.where = {"host": "127.0.0.1", "port": free.getsockname()[1], "user": "discreet"}
        self._numbers = itertools.count()
        _RUNNING.append(self)
        self.start()

    def start(self):
        """Start it, and wait until it answers."""
        options = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", *_LEAN]
        command = [self._binaries / "postgres", "-D", self._data, "-p", str(self.where["port"]), *options]
        self._process = subprocess.Popen(command, **self._as_user, **_QUIET)
        for _ in range(200):
            try:
                self.connect().close()
            except Exception:
                time.sleep(0.1)
            else:
                return
        pytest.fail("PostgreSQL did not start")

    def connect(self, dbname="postgres", **more):
        """Return a connection of the driver."""
        import psycopg

        return psycopg.connect(**self.where, dbname=dbname, autocommit=True, **more)

    def database(self):
        """Make a database; return its name."""
        name = f"tests{next(self._numbers)}"
        with self.connect() as connection:
            copied = " STRATEGY file_copy" * (connection.info.server_version >= 150000)  # As all did before.
            connection.execute(f"CREATE DATABASE {name}{copied}")
        return name

    def stop(self, how=signal.SIGINT):
        """End it at once: connections that are open do not delay it. SIGQUIT leaves it as a crash would."""
        self._process.send_signal(how)
        self._process.wait(20)

    def remove(self):
        """End it, and leave nothing of it."""
        if self._process.poll() is None:
            self.stop()
        shutil.rmtree(self._data, ignore_errors=True)


_LEAN = ["-c", "autovacuum=off", "-c", "jit=off"]  # What pays only on large tables that live long.
_QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@cache
def shared():
    """Return the server that lives as long as the tests do."""
    return Server()


def stop():
    """End all servers that were started."""
    while _RUNNING:
        _RUNNING.pop().remove()
