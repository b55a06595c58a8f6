"""Rules pages with live examples, and a guided first game.

``rules.py`` and ``lessons.py`` define the structure: the order of texts and their positions. The texts are
in ``i18n``. Every example and lesson is played at a real ``Table``, so it always agrees with the engine.
``views.py`` converts it for a browser.
"""
