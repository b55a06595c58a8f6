"""Rapido: rules, bots, values, solution, pictures, lessons and compiled code."""
