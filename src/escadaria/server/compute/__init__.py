"""The worker processes: bots, hints, analyses and replays."""
