"""Accounting: how the losses of many releases add up against a budget."""

from discreet.accounting.accountants import Accountant, accountants
from discreet.accounting.adaptive import Adaptive
from discreet.accounting.amounts import Amount
from discreet.accounting.plain import Plain
from discreet.events import Event, Part

__all__ = ["Accountant", "Adaptive", "Amount", "Event", "Part", "Plain", "accountants"]
