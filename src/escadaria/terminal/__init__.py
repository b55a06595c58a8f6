"""The terminal user interface: prompts, pictures, saved matches, replays and reports."""
