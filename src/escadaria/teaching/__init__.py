"""How the games are learned: their full rules with live examples, and a guided first game of each.

``rules.py`` and ``lessons.py`` are content: which texts in which order, beside which positions. The
texts themselves are in ``i18n``. Every example and lesson is played at a real ``Table``, so what is
shown is what the engine does. ``views.py`` lays it out for a browser.
"""
