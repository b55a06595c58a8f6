"""Simulations, leagues and the benchmark."""
