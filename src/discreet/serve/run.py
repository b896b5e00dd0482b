"""Run: a collector on a port of this machine, until it is told to stop."""

from __future__ import annotations

import socket
from typing import Final

import uvicorn

from discreet.errors import ParameterError
from discreet.serve.app import Desk

__all__ = ["bound_socket", "run"]

_SECONDS: Final = 30
"""How long those who are being answered may take when the server stops."""
_MOST_CONNECTIONS: Final = 4096
_BACKLOG: Final = 2048


def bound_socket(host: str, port: int, /) -> socket.socket:
    """Return a socket that listens at an address and a port; 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ParameterError(
            "port", port, f"an address of this machine and a port that is free ({error.strerror})"
        ) from None


def run(desk: Desk, listening: socket.socket, /, *, proxy: str | None = None) -> None:
    """Serve until SIGTERM or SIGINT: then no new connection is taken, and all that has come is stored and answered.

    *proxy* is the address of the proxy in front, whose ``X-Forwarded-For`` is believed; without one nobody's is.
    """
    config = uvicorn.Config(
        desk.app,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        access_log=False,
        server_header=False,
        date_header=False,
        log_level="warning",
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_SECONDS,
        timeout_keep_alive=15,
        lifespan="on",
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[listening])
