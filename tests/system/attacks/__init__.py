"""Attacks on a real server process through real sockets.

Clients use different addresses of the loopback network (127.0.0.2 and so on).
"""
