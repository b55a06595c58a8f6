"""Tests of the web client with a real Chromium, a real server and the built client.

``setup`` starts the browser and creates tables; ``people`` plays, and finds elements by role and name;
``screens`` lists every screen. Texts are looked up by their keys.
"""
