"""The exact audit of every mechanism of the library, made once in a process: it takes seconds."""

from functools import cache

from discreet import audit

evidence = cache(audit.evidence)
