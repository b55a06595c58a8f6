"""The table server as its clients see it: through real sockets, from friends to the hostile.

``live`` is a server process that most tests share, ``serving`` one inside the test's own event loop, for
those that need other settings or a look inside. ``wire`` has a raw connection and people who play.
"""
