"""Rules pages with live examples, and a guided first game.

A game's ``data/rulebook.toml`` and ``data/lesson.toml`` have the structure: the order of texts and
positions. ``i18n`` has the texts. Every example and lesson is played by the rules, so it always
agrees with the engine.
"""
