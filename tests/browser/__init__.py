"""The web client as people meet it: a real Chromium, the real server, the built client.

``house`` has the server, the browser and tables that are already set up; ``people`` those who play, who find
what they need by roles and names; ``screens`` every screen there is. Texts are looked up by their keys.
"""
