"""The table server: matches over WebSockets, every accepted request on disk before anyone hears of it.

``messages`` the wire, ``match`` one match as the fold of its events, ``room`` its connections, clocks and
bots, ``app`` the routes, ``settings`` the limits.
"""
