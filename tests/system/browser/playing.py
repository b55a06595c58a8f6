"""Whole matches by taps: the decisions are a bot's, and a match is followed by its events."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from playwright.sync_api import Locator

from escadaria import bots
from escadaria.catalogue import load
from escadaria.game import AnyGame
from escadaria.games.chain.rules import Chain, Keep, Lengthen, Link, Move, State
from escadaria.games.chain.sequences import sequences
from system.browser.people import RISKY, Person
from system.browser.setup import PATIENCE, Table, wire

MAIN = "main"
"""The tap on the main button; all others are named by their action."""
CHIPS_MOST = 6
"""The number of dice with a chip each; more are grouped (`LinkRow.svelte`)."""


class ChainDock:
    """The taps that a seat's decisions take in `web/src/games/chain/Dock.svelte`."""

    def __init__(self, game: Chain, seat: int = 0) -> None:
        self.game = game
        self.seat = seat
        self.harmed = False
        """Whether something was done to the seat since its last decision: that is shown first."""
        self._limit = game.players * 8  # to what hands were cut

    def taps(self, state: State, actions: Sequence[Any]) -> list[str]:
        """The taps for all decisions up to the next roll or turn."""
        *links, action = actions
        harmed, self.harmed = self.harmed, False
        if isinstance(action, Keep):
            return self._keep(state.hands[self.seat], action.dice, harmed)
        linking, whole = self._link(state, links, action) if links else ([], False)
        if isinstance(action, Lengthen):
            # where the order is whole, this tap links it too
            return [*(linking[:-1] if whole else linking), str(action)]
        proposed = action == self._disc(linked(self.game, state, links))
        return [*linking, *([] if proposed else [str(action)]), MAIN]

    def _keep(self, hand: int, dice: int, harmed: bool) -> list[str]:
        usual = min(hand, self._limit)
        if dice < hand or dice > self._limit:
            self._limit = dice
        if hand == 1 and not harmed:
            return []  # rolled by itself
        return [MAIN] if dice == usual else [f"keep {dice}", MAIN]

    def _link(self, state: State, links: Sequence[Link], action: Move | Lengthen) -> tuple[list[str], bool]:
        """The taps to link all dice before an action, and whether its tap can be the last one of them."""
        orders, complete = sequences(self.game, state)
        if complete and len(orders) == 1:
            return [], False  # built by itself
        after = self.game.apply(linked(self.game, state, links), action)

        def leads_there(start: State, order: Sequence[Link]) -> bool:
            end = linked(self.game, start, order)
            return action in self.game.legal_actions(end) and self.game.apply(end, action) == after

        if leads_there(state, orders[0]):
            return [MAIN], complete
        if not complete:  # some are linked first, until the rest is proposed or all orders of it are known
            for number in range(1, len(links)):
                part = linked(self.game, state, links[:number])
                rest, known = sequences(self.game, part)
                if known or leads_there(part, rest[0]):
                    taps, whole = self._link(part, links[number:], action)
                    return [*map(str, links[:number]), MAIN, *taps], whole
        chosen = next(chosen for chosen, order in proposals(orders) if leads_there(state, order))
        return [*map(str, chosen), MAIN], len(state.loose) <= CHIPS_MOST

    def _disc(self, state: State) -> Move:
        """The disc that is proposed: the one that wins or lets nobody win, and gets farthest."""
        seat = self.seat

        def rank(move: Move) -> tuple[int, int, bool, int]:
            after = self.game.apply(state, move)
            outcome = self.game.outcome(after)
            wins = 0 if outcome is None else 1 if outcome.winner == seat else -1
            discs = list(after.discs[seat])
            for space in state.discs[seat]:
                if space != move.space and space in discs:
                    discs.remove(space)
            end = discs[0] if discs else move.space
            return wins, end - move.space, end == self.game.track.length, -move.space

        moves = [action for action in self.game.legal_actions(state) if isinstance(action, Move)]
        return max(moves, key=rank)


def proposals(orders: Sequence[tuple[Link, ...]]) -> Iterator[tuple[tuple[Link, ...], tuple[Link, ...]]]:
    """What may be chosen of orders, the shortest first, with the order that is proposed then."""
    for number in range(len(orders[0]) + 1):
        firsts: dict[tuple[Link, ...], tuple[Link, ...]] = {}
        for order in orders:
            firsts.setdefault(order[:number], order)
        yield from firsts.items()


def linked(game: Chain, state: State, order: Sequence[Link]) -> State:
    for link in order:
        state = game.apply(state, link)
    return state


def decisions(game: AnyGame, bot: bots.AnyBot, state: Any) -> list[Any]:
    """What a bot does up to the next roll or turn."""
    actions = []
    seat = game.current_player(state)
    while seat >= 0 and game.current_player(state) == seat:
        actions.append(bot(game, state))
        state = game.apply(state, actions[-1])
    return actions


class Happened(NamedTuple):
    """An event of a match."""

    seat: int | None
    state: Any
    """The position after its decision, before any roll."""
    facts: list[dict[str, Any]]


class Followed:
    """A running match, as its events describe it."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        frame = self._frame("snapshot")
        self.now = frame["now"]
        self.game = load(frame["game"], **frame["options"])
        self.state = self.game.parse_state(self.now["text"])

    @property
    def over(self) -> bool:
        return bool(self.now["status"] == "over")

    def asks(self, seat: int) -> bool:
        return bool(self.now["to_act"] == seat)

    def next(self) -> Happened:
        """Wait for the next event."""
        frame = self._frame("event")
        self.now = frame["now"]
        states = [self.state]
        for step in frame["steps"]:
            states.append(self.game.apply(states[-1], self.game.parse(step["action"])))
        self.state = states[-1]
        facts = [fact for step in frame["steps"] for fact in step["facts"]]
        return Happened(frame["event"].get("seat"), states[min(1, len(frame["steps"]))], facts)

    def _frame(self, type: str) -> dict[str, Any]:
        while True:
            frame: dict[str, Any] = json.loads(self._socket.recv(PATIENCE))
            if frame["type"] == type:
                return frame


@contextlib.contextmanager
def followed(url: str, table: Table) -> Iterator[Followed]:
    with wire(url, table) as socket:
        yield Followed(socket)


class Player:
    """Plays the first seat of a match in the browser, as a bot would decide."""

    def __init__(self, person: Person, match: Followed, bot: str = "regular", seed: int = 1) -> None:
        self.person = person
        self.match = match
        self.taps = 0
        self._bot = bots.load(bot, match.game, random.Random(seed))
        self._dock = ChainDock(match.game) if isinstance(match.game, Chain) else None

    def decide(self) -> None:
        """Make the decisions up to the next roll or turn, and wait until the match has them.

        :raises AssertionError: if the taps had another effect than they should.
        """
        match = self.match
        if match.now["legal"] == ["roll"]:
            self.tap(MAIN)
            self.follow()
            return
        actions = decisions(match.game, self._bot, match.state)
        after = match.state
        for action in actions:
            after = match.game.apply(after, action)
        for tap in self._dock.taps(match.state, actions) if self._dock else self._choice(str(actions[0])):
            self.tap(tap)
        for _ in actions[1:]:
            self.follow()
        found = self.follow().state
        assert found == after, f"{found} after {[*map(str, actions)]}, not {after}"

    def follow(self) -> Happened:
        """Wait for the next event."""
        event = self.match.next()
        harms = any(fact["kind"] == "covered" and fact["victim"] == 0 for fact in event.facts)
        if self._dock and event.seat and harms:
            self._dock.harmed = True
        return event

    def _choice(self, action: str) -> list[str]:
        """The taps for an action of another game than Chain."""
        if " " not in action:
            return [action]
        chip = self.person.turn.locator(f"[data-action='{action}']")
        chip.wait_for()
        return [MAIN] if chip.get_attribute("aria-checked") == "true" else [action, MAIN]

    def tap(self, name: str) -> None:
        """By mouse: touches that follow each other as fast as this would be a double tap."""
        self.taps += 1
        target = self.target(name)
        target.wait_for()
        self.person.see()
        if name.startswith("keep ") and target.get_attribute("type") == "range":
            target.fill(name.removeprefix("keep "))
        else:
            target.click()

    def target(self, name: str) -> Locator:
        """What is tapped; a large hand is kept by a slider."""
        turn = self.person.turn
        if name == MAIN:
            return self.person.main.first
        if " " not in name:
            keys = [key for keys in RISKY.values() for key in keys if key.endswith(f".{name}")]
            return turn.get_by_role("button", name=self.person.like(*keys))
        chip = turn.locator(f"[data-action='{name}']:not([aria-disabled='true'])").first
        return chip.or_(turn.get_by_role("slider")) if name.startswith("keep ") else chip
