"""Bots against bots: simulations, leagues and ratings."""
