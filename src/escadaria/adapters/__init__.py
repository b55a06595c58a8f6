"""Adapters of the games for PettingZoo and OpenSpiel. Each is an extra."""
