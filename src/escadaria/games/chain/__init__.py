"""Chain: rules, boards, bots, values, solution, pictures, lessons and compiled code."""
