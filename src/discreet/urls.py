"""URLs of databases: the file that one leads to, and how it reads without its secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlparse

from discreet.errors import ParameterError

__all__ = ["database_file", "is_secret", "without_secrets"]

_OF_FILES: Final = ("sqlite", "duckdb", "file")
_ELSEWHERE: Final = ("md:", "motherduck:", ":memory:")
_SECRETS: Final = ("pass", "pwd", "secret", "token", "_key", "apikey", "credential")


def database_file(url: str, /) -> Path | None:
    """Return the file that a URL of SQLite or DuckDB leads to, as Ibis reads it; None where there is none.

    >>> database_file("SQLite://books/e.db?x=1").as_posix(), database_file("duckdb://"), database_file("mysql://h/shop")
    ('books/e.db', None, None)
    """
    try:
        parsed = urlparse(url)
    except ValueError:
        return None
    place = parsed.netloc + parsed.path
    return Path(place) if parsed.scheme in _OF_FILES and place and not place.startswith(_ELSEWHERE) else None


def without_secrets(url: str, name: str = "source", /) -> str:
    """Return a URL without its password, and without what its query calls one.

    >>> without_secrets("Postgres://ana:s3cret@db.org/shop?sslpassword=x&schema=rides")
    'postgres://ana@db.org/shop?schema=rides'
    """
    hidden, need = f"{url.partition('://')[0]}://...", "a URL such as postgres://user@host/database"
    try:
        parsed = urlparse(url)
    except ValueError:
        raise ParameterError(name, hidden, need) from None
    # A sign of its own inside a password ends it, for whoever reads the URL, and the rest would be shown.
    if url.count("@") > parsed.netloc.count("@"):
        raise ParameterError(name, hidden, f"{need}, with %40, %2F, %3F and %23 for @, /, ? and # in it")
    user, sign, hosts = parsed.netloc.rpartition("@")
    pairs = [pair for pair in parse_qsl(parsed.query, keep_blank_values=True) if not is_secret(pair[0])]
    query = urlencode(pairs, quote_via=quote)
    return parsed._replace(netloc=user.partition(":")[0] + sign + hosts, query=query, fragment="").geturl()


def is_secret(name: str, /) -> bool:
    """Return whether what has this name in a query is not to be shown.

    >>> is_secret("sslpassword"), is_secret("schema")
    (True, False)
    """
    return any(word in name.lower() for word in _SECRETS)
