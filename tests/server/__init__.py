"""Tests of the table server through real sockets.

``live`` is a server process that most tests share. ``serving`` runs a server in the event loop of the test,
with other settings or access to its internals. ``wire`` has a raw connection and helpers that play.
"""
