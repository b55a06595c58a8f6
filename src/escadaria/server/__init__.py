"""The table server: matches over WebSockets. Events are stored before they are broadcast.

``messages`` defines the wire format, ``match`` the state of a match (a fold over its events), ``room`` its
connections, clocks and bots, ``app`` the ASGI application, ``settings`` the limits.
"""
