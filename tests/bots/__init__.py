"""Bots and what they play by."""
