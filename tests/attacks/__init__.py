"""Attacks on a real server process, through real sockets: what they cost the server, and others.

Other clients come from other addresses of the loopback network (127.0.0.2 and so on), as other people come
from other addresses of the internet.
"""
