"""The server of matches over HTTP and WebSockets.

``matches`` has the rooms of all matches (``escadaria.match``), ``edge`` their connections, ``http`` the ASGI
application, ``compute`` the worker processes.
"""
