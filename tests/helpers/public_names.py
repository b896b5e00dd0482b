"""The public names of discreet, in which a repr evaluates; the module imports each when it is first asked for."""

import discreet

PUBLIC = {name: getattr(discreet, name) for name in discreet.__all__}
