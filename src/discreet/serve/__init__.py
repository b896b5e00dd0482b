"""Serve: the collector of a survey over HTTP. Reports are stored before they are acknowledged, in no order of time."""

from discreet.serve.app import INVITATION, ONCE, TICKET, Desk, Settings
from discreet.serve.invitations import new_codes
from discreet.serve.opening import export, invitations_in, invite, open_store, ticket_keys
from discreet.serve.run import bound_socket, run
from discreet.serve.signing import SigningKey
from discreet.serve.store import Store
from discreet.survey.calendar import Calendar, Period

__all__ = [
    "INVITATION",
    "ONCE",
    "TICKET",
    "Calendar",
    "Desk",
    "Period",
    "Settings",
    "SigningKey",
    "Store",
    "bound_socket",
    "export",
    "invitations_in",
    "invite",
    "new_codes",
    "open_store",
    "run",
    "ticket_keys",
]
