"""Research: training of networks, search for heuristics, best responses. Tested, and not in the wheel."""
