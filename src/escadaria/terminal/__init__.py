"""The games in a terminal, line by line: questions, pictures, saved matches, replays."""
