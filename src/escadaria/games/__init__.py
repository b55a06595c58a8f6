"""The games, a folder each. A folder holds everything that knows its game."""
