"""A bot that joins a match over the network and plays.

    python examples/bot_over_network.py http://localhost:8000 MATCH --name Robo --bot simple

MATCH is the id of the match, or its whole link. The bot reconnects when the connection breaks or the server
restarts, and takes its seat back if another bot stood in for it. To play your own strategy, change
``my_own`` below and pass ``--bot my_own``.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any

import escadaria
from escadaria import bots
from escadaria.client import MatchClient
from escadaria.game import AnyGame
from escadaria.refusals import Refused


def my_own(game: AnyGame, state: Any) -> Any:
    """Your own strategy. This one throws out a pair if it can, else plays the last action without a roll."""
    for action in game.legal_actions(state):
        if any(fact.kind == "threw_out" for fact in game.facts(state, action)):
            return action
    safe = [action for action in game.legal_actions(state) if str(action) not in ("again", "up", "down")]
    return safe[-1]


async def play(url: str, match: str, name: str, bot: str) -> bool:
    """Take a seat and play until the match is over; return whether the bot won."""
    async with MatchClient(url, match) as table:
        game = escadaria.load(table.game, **table.options)
        decide = my_own if bot == my_own.__name__ else bots.load(bot, game)
        await table.sit(name)
        print(f"{name} sits at a table of {game.name} for {game.players}.", flush=True)
        async for turn in table.turns():
            action = "roll"  # no decision, if the turn starts with dice
            if turn.legal != ["roll"]:
                action = str(decide(game, game.parse_state(turn.text)))
            try:
                await turn.act(action)
            except Refused as refusal:
                if refusal.code not in ("stale_version", "bot_plays"):  # another bot stood in just now
                    raise
        return table.winner in table.mine


def main() -> None:
    parser = argparse.ArgumentParser(description="A bot that joins a match over the network and plays.")
    parser.add_argument("url", help="the server, such as http://localhost:8000")
    parser.add_argument("match", help="the id of the match, or its link")
    parser.add_argument("--name", default="Robo", help="the bot's name at the table")
    parser.add_argument("--bot", default="simple", choices=[*bots.BOTS, my_own.__name__], help="its strategy")
    options = parser.parse_args()
    match = options.match.partition("#")[0].rstrip("/").rpartition("/")[2]
    try:
        won = asyncio.run(play(options.url, match, options.name, options.bot))
    except Refused as refusal:
        sys.exit(str(refusal))
    print(f"{options.name} won." if won else f"{options.name} lost.")


if __name__ == "__main__":
    main()
