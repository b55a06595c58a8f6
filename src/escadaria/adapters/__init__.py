"""Adapters of the games for Gymnasium, PettingZoo and OpenSpiel. Each is an extra."""
