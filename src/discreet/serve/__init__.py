"""Serve: the collector of a survey over HTTP. Reports are stored before they are acknowledged, in no order of time."""

from discreet.serve.app import INVITATION, ONCE, Desk, Settings
from discreet.serve.invitations import new_codes
from discreet.serve.opening import export, invite, open_store
from discreet.serve.run import bound_socket, run
from discreet.serve.store import Store
from discreet.survey.calendar import Calendar, Period

__all__ = [
    "INVITATION",
    "ONCE",
    "Calendar",
    "Desk",
    "Period",
    "Settings",
    "Store",
    "bound_socket",
    "export",
    "invite",
    "new_codes",
    "open_store",
    "run",
]
