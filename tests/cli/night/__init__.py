"""The second game in every language."""
