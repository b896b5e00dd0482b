"""Side-by-side measurements: ratios within one run, with the goal beside each."""
