"""Oracles: a file for each family of local mechanisms. All files here are imported, so a new one is known at once."""

from importlib import import_module
from pkgutil import iter_modules

from discreet.survey.oracles.base import KINDS, LocalMechanism, Oracle, kind_named, oracle_of

__all__ = ["KINDS", "LocalMechanism", "Oracle", "kind_named", "oracle_of"]

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")
