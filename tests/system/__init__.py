"""Whole systems: browsers, faults, attacks, and simulated worlds."""
