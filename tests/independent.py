"""A second, naive implementation of both games, written from docs/rulings.md in a different way.

The engine is compared with it, so it shares nothing with the engine: it imports nothing of ``escadaria``,
positions are mutable dicts, dice are objects, and chains are found by trying every order and every
direction. It is slow. Actions are the texts of the games; two positions are equal if their ``key`` is.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from itertools import pairwise, permutations
from typing import Any, Protocol

Position = dict[str, Any]


class Naive(Protocol):
    """The interface that the comparison needs."""

    def start(self) -> Position: ...

    def choices(self, position: Position) -> list[str]:
        """All texts that may come next, decisions and dice alike; none when the game is over."""

    def play(self, position: Position, text: str) -> None:
        """Change the position."""

    def key(self, position: Position) -> Hashable: ...


def layers(
    naive: Naive, allowed: Callable[[str], bool] = lambda text: True
) -> Iterator[dict[Hashable, Position]]:
    """The positions after exactly 0, 1, 2 … actions, by key; ``allowed`` filters the actions."""
    layer = {naive.key(start): start for start in [naive.start()]}
    while True:
        yield layer
        deeper: dict[Hashable, Position] = {}
        for position in layer.values():
            for text in filter(allowed, naive.choices(position)):
                successor = pickle.loads(pickle.dumps(position))
                naive.play(successor, text)
                deeper.setdefault(naive.key(successor), successor)
        layer = deeper


class NaiveRapido:
    """R1-R19. Every pair of dice is an object with its owner and its field."""

    def __init__(self, players: int, finish: int) -> None:
        self.players = players
        self.finish = finish

    def start(self) -> Position:
        colours = 2 if self.players == 2 else 1
        return {
            "seat": 0,
            "wait": "first",
            "climbed": [0] * self.players,
            "pairs": [
                {"owner": seat, "field": None, "worth": None}
                for seat in range(self.players)
                for _ in range(colours)
            ],
            "hand": None,  # the number of the pair that was rolled
        }

    def choices(self, position: Position) -> list[str]:
        if position["wait"] == "over":
            return []
        if position["wait"] != "decide":
            return [a + b for a in "12347X" for b in "12356X"]
        lying = [pair["field"] for pair in position["pairs"]]
        return ["again", "place 0"] + [f"place {field}" for field in range(1, 6) if field not in lying]

    def play(self, position: Position, text: str) -> None:
        seat, pairs = position["seat"], position["pairs"]
        if text == "again":
            position["wait"] = "later"
            position["hand"] = None
        elif text.startswith("place"):
            placed = pairs[position["hand"]]
            placed["field"] = int(text[-1])
            for other in pairs:
                higher = other["field"] is not None and other["field"] > placed["field"]
                if higher and other["owner"] != seat and other["worth"] <= placed["worth"]:
                    other["field"] = None
            self._pass_on(position)
        elif position["wait"] == "later" and "X" in text:
            for _ in range(text.count("X")):
                if position["climbed"][seat] > 0:
                    position["climbed"][seat] -= 1
            self._pass_on(position)
        else:
            in_front = [n for n, pair in enumerate(pairs) if pair["owner"] == seat and pair["field"] is None]
            position["hand"] = in_front[-1]
            pairs[in_front[-1]]["worth"] = int("".join(sorted(text.replace("X", "0"), reverse=True)))
            position["wait"] = "decide"
            if text in ("11", "22", "33"):
                self._climb(position, int(text[0]))

    def _pass_on(self, position: Position) -> None:
        position["seat"] = seat = (position["seat"] + 1) % self.players
        position["wait"] = "first"
        position["hand"] = None
        own = [pair for pair in position["pairs"] if pair["owner"] == seat]
        if all(pair["field"] is not None for pair in own):
            total = sum(pair["field"] for pair in own)
            for pair in own:
                pair["field"] = None
            self._climb(position, total)

    def _climb(self, position: Position, steps: int) -> None:
        position["climbed"][position["seat"]] += steps
        if position["climbed"][position["seat"]] >= self.finish:
            position["wait"] = "over"

    def key(self, position: Position) -> Hashable:
        deciding = position["wait"] == "decide"
        return (
            position["seat"],
            position["wait"],
            position["pairs"][position["hand"]]["worth"] if deciding else 0,
            tuple(min(self.finish, step) for step in position["climbed"]),
            tuple(
                sorted(
                    (pair["field"], pair["owner"], pair["worth"] if pair["field"] > 0 else 0)
                    for pair in position["pairs"]
                    if pair["field"] is not None
                )
            ),
        )


class NaiveChain:
    """C1-C18. Dice are words in lists, a chain is the list of its links in the order they were built."""

    def __init__(self, players: int, length: int, arrows: dict[int, int], balanced: bool) -> None:
        self.players = players
        self.length = length
        self.arrows = arrows
        self.balanced = balanced

    def start(self) -> Position:
        position: Position = {
            "seat": 0,
            "wait": "keep",
            "hands": [["coloured", "black"] for _ in range(self.players)],
            "pool": ["black"] * (6 * self.players),
            "start": [2] * self.players,
            "centre": [0] * self.players,
            "track": {},  # from a space to the seats of its discs, bottom first
            "rolled": [],
            "chain": [],
            "named": {},  # from the number of links to the direction that was named at the last of them
        }
        if self.balanced:
            for seat in {2: "2", 3: "23", 4: "34", 5: "45", 6: "456"}[self.players]:
                position["hands"][int(seat) - 1].append(position["pool"].pop())
        return position

    def choices(self, position: Position) -> list[str]:
        hand = position["hands"][position["seat"]]
        chain, named, loose = tuple(position["chain"]), named_at(position), position["rolled"]
        match position["wait"]:
            case "over":
                return []
            case "roll" | "lengthen":
                return list("123456")
            case "keep":
                return [f"keep {number}" for number in range(1, len(hand) + 1)]
            case "build":
                return [
                    f"link {number}"
                    for number in sorted(set(loose))
                    if some_order((*chain, number), minus(loose, number))
                ]
        moves = [f"move {space}" for space in self._free(position, position["seat"])]
        return moves + [way for way in ("up", "down") if position["pool"] and way in ways_on(chain, named)]

    def _free(self, position: Position, seat: int) -> list[int]:
        at_start = [0] if position["start"][seat] else []
        return at_start + sorted(space for space, pile in position["track"].items() if pile[-1] == seat)

    def play(self, position: Position, text: str) -> None:
        hand, pool = position["hands"][position["seat"]], position["pool"]
        word, _, number = text.partition(" ")
        if word == "keep":
            while len(hand) > int(number):
                hand.remove("black")
                pool.append("black")
            position["wait"] = "roll"
        elif word == "link":
            position["rolled"].remove(int(number))
            position["chain"].append(int(number))
            if not position["rolled"]:
                position["wait"] = "decide"
        elif word in ("up", "down"):
            position["named"][len(position["chain"])] = word
            hand.append(pool.pop())
            position["wait"] = "lengthen"
        elif word == "move":
            self._move(position, int(number))
            self._pass_on(position)
        elif position["wait"] == "roll":
            position["rolled"].append(int(word))
            if len(position["rolled"]) == len(hand):
                first, *loose = position["rolled"]
                position["chain"], position["rolled"] = [first], loose
                position["wait"] = "build" if loose else "decide"
                if not some_order((first,), tuple(sorted(loose))):
                    self._fail(position)
        else:
            position["chain"].append(int(word))
            position["wait"] = "decide"
            if not directions(tuple(position["chain"]), named_at(position)):
                self._fail(position)

    def _fail(self, position: Position) -> None:
        hand = position["hands"][position["seat"]]
        for _ in range(math.ceil(len(hand) / 2)):
            hand.remove("black")  # raises if the coloured die would have to be discarded
            position["pool"].append("black")
        self._pass_on(position)

    def _move(self, position: Position, space: int) -> None:
        seat, track = position["seat"], position["track"]
        if space == 0:
            position["start"][seat] -= 1
        else:
            assert track[space].pop() == seat
            if not track[space]:
                del track[space]
        inward = True
        for _ in position["chain"]:
            inward = inward and space < self.length
            space += 1 if inward else -1
        space = self.arrows.get(space, space)
        if space == self.length:
            position["centre"][seat] += 1
        else:
            track.setdefault(space, []).append(seat)

    def _pass_on(self, position: Position) -> None:
        position.update(seat=(position["seat"] + 1) % self.players, rolled=[], chain=[], named={})
        position["wait"] = "keep" if self._free(position, position["seat"]) else "over"

    def key(self, position: Position) -> Hashable:
        linked, loose = position["chain"], position["rolled"]
        if position["wait"] == "roll":
            linked, loose = loose[:1], loose[1:]
        on = ways_on(tuple(linked), named_at(position))
        spaces: list[list[int]] = [
            [0] * position["start"][seat] + [self.length] * position["centre"][seat]
            for seat in range(self.players)
        ]
        for space, pile in position["track"].items():
            for seat in pile:
                spaces[seat].append(space)
        return (
            position["seat"],
            position["wait"],
            tuple(len(hand) for hand in position["hands"]),
            len(position["pool"]),
            tuple(tuple(sorted(of_seat)) for of_seat in spaces),
            tuple(sorted((space, tuple(pile)) for space, pile in position["track"].items())),
            (tuple(sorted(linked)), linked[-1] if linked else 0, "open" if len(on) == 2 else on.pop()),
            tuple(sorted(loose)),
        )


Named = tuple[tuple[int, str], ...]


def named_at(position: Position) -> Named:
    """The named directions (C13) as a hashable value."""
    return tuple(position["named"].items())


@lru_cache(maxsize=2**14)
def directions(chain: tuple[int, ...], named: Named = ()) -> list[tuple[str, ...]]:
    """All sequences of directions along the chain, one for each step, that C11 and C13 allow.

    If there are none, the chain is not legal.
    """
    if any(chain.count(number) > 3 for number in chain):
        return []
    lists: list[tuple[str, ...]] = [()]
    for links, (last, number) in enumerate(pairwise(chain), start=1):
        fitting = [way for way in ("up", "down") if (number >= last if way == "up" else number <= last)]
        lists = [
            (*earlier, way)
            for earlier in lists
            for way in fitting
            if may_go(way, earlier, last) and dict(named).get(links, way) == way
        ]
    return lists


def may_go(way: str, earlier: tuple[str, ...], last: int) -> bool:
    """Whether this direction may follow the earlier ones at this link."""
    return not earlier or earlier[-1] == way or last in (1, 6)


def ways_on(chain: tuple[int, ...], named: Named) -> set[str]:
    """The directions that a legal chain may take after its last link."""
    if not chain:
        return {"up", "down"}
    return {
        way
        for earlier in directions(chain, named)
        for way in ("up", "down")
        if may_go(way, earlier, chain[-1]) and dict(named).get(len(chain), way) == way
    }


@lru_cache(maxsize=2**14)
def some_order(chain: tuple[int, ...], loose: tuple[int, ...]) -> bool:
    """Whether the loose dice can all be linked: every order is tried."""
    return any(directions((*chain, *order)) for order in permutations(loose))


def minus(numbers: list[int], number: int) -> tuple[int, ...]:
    """The numbers, sorted, without one that shows this."""
    rest = sorted(numbers)
    rest.remove(number)
    return tuple(rest)
