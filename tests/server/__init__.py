"""Tests of the table server through real sockets.

``live`` is a server process that most tests share. ``server`` and ``serving`` run a server in the event loop
of the test, with other settings or access to its internals. ``clients`` and ``wire`` have clients that play.
"""
