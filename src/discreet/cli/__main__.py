"""``python -m discreet.cli`` is the command line."""

from discreet.cli import program

program()
