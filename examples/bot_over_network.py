"""A bot that comes by a link, sits down and plays.

    python examples/bot_over_network.py http://localhost:8000 MATCH --name Robo --bot simple

MATCH is the match's name, or the whole link that a friend sent. The bot comes back by itself when the
connection breaks or the server restarts, and takes its seat back if another bot stood in for it. To let it
play by your own ideas, change ``my_own`` below and say ``--bot my_own``.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any

import escadaria
from escadaria import bots
from escadaria.client import Table
from escadaria.game import AnyGame
from escadaria.refusals import Refused


def my_own(game: AnyGame, state: Any) -> Any:
    """Your ideas go here. This one throws out whom it can, and else does the boldest thing that is safe."""
    for action in game.legal_actions(state):
        if any(fact.kind == "threw_out" for fact in game.facts(state, action)):
            return action
    safe = [action for action in game.legal_actions(state) if str(action) not in ("again", "up", "down")]
    return safe[-1]


async def play(url: str, match: str, name: str, bot: str) -> bool:
    """Sit down, play until the match is over, and say whether we won."""
    async with Table(url, match) as table:
        game = escadaria.load(table.game, **table.options)
        decide = my_own if bot == my_own.__name__ else bots.load(bot, game)
        await table.sit(name)
        print(f"{name} sits at a table of {game.name} for {game.players}.", flush=True)
        async for turn in table.turns():
            action = "roll"  # where a turn starts with dice there is nothing to decide
            if turn.legal != ["roll"]:
                action = str(decide(game, game.parse_state(turn.text)))
            try:
                await turn.act(action)
            except Refused as refusal:
                if refusal.code not in ("stale_version", "bot_plays"):  # another bot stood in just now
                    raise
        return table.winner in table.mine


def main() -> None:
    parser = argparse.ArgumentParser(description="A bot that comes by a link, sits down and plays.")
    parser.add_argument("url", help="the server, as in http://localhost:8000")
    parser.add_argument("match", help="the match's name, or the link to it")
    parser.add_argument("--name", default="Robo", help="what the others call it")
    parser.add_argument("--bot", default="simple", choices=[*bots.BOTS, my_own.__name__], help="how it plays")
    wish = parser.parse_args()
    match = wish.match.partition("#")[0].rstrip("/").rpartition("/")[2]
    try:
        won = asyncio.run(play(wish.url, match, wish.name, wish.bot))
    except Refused as refusal:
        sys.exit(str(refusal))
    print(f"{wish.name} won." if won else f"{wish.name} lost.")


if __name__ == "__main__":
    main()
