"""Accounting: how the losses of many releases add up against a budget."""

from discreet.accounting.accountants import Accountant, accountants
from discreet.accounting.amounts import Amount
from discreet.accounting.plain import Plain
from discreet.events import Event, Part

__all__ = ["Accountant", "Amount", "Event", "Part", "Plain", "accountants"]
