"""Accounting: how the losses of many releases add up against a budget."""

from discreet.accounting.accountants import Accountant, accountants
from discreet.accounting.adaptive import Adaptive
from discreet.accounting.amounts import Amount
from discreet.accounting.comparison import compare
from discreet.accounting.plain import Plain
from discreet.accounting.zcdp import ZCDP
from discreet.events import Event, Part

__all__ = [
    "ZCDP",
    "Accountant",
    "Adaptive",
    "Amount",
    "Event",
    "Part",
    "Plain",
    "accountants",
    "compare",
]
