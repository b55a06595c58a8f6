"""The web client as people meet it: a real Chromium, the real server, the built client.

``setup`` starts the browser and makes tables; ``people`` plays, and finds elements by roles and names;
``screens`` lists every screen. Texts are looked up by their keys.
"""
