"""``python -m discreet`` is the command line."""

from discreet.cli import program

program()
