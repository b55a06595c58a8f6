"""Positions of Chain and their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from escadaria.game import (
    InvalidText,
    Word,
    read_enum,
    read_fields,
    read_list,
    read_number,
    replaced,
    write_list,
)
from escadaria.games.chain.boards import Board
from escadaria.games.chain.links import (
    ALIKE,
    LONGEST,
    NO_LINKS,
    Heading,
    Links,
    can_arise,
    can_link,
    headed,
    read_dice,
)


class Phase(Word):
    """What the position waits for (C8-C13)."""

    KEEP = "keep"
    """The player: how many dice of the hand to keep (C8)."""
    ROLL = "roll"
    """The dice of the hand, one at a time, the coloured die first (C9)."""
    BUILD = "build"
    """The player: which loose die is the next link (C10)."""
    DECIDE = "decide"
    """The player: stop and move a disc, or lengthen (C12)."""
    LENGTHEN = "lengthen"
    """The die from the pool (C13)."""
    OVER = "over"
    """Nothing: ``turn`` has won."""


DICE_EACH = 8
"""How many dice there are for each player, in hands, chain and pool (C2)."""


@dataclass(frozen=True, slots=True)
class State:
    """A Chain position. Equal positions are equal and hash alike, however they arose."""

    turn: int
    """The seat to play; the winner when the game is over."""
    phase: Phase
    hands: tuple[int, ...]
    """How many dice each seat has, in the hand or in the chain, the coloured one included."""
    pool: int
    """How many dice lie in the pool."""
    discs: tuple[tuple[int, ...], ...]
    """Where each seat's discs lie, sorted; 0 is the start, the board's length the centre."""
    piles: tuple[tuple[int, tuple[int, ...]], ...]
    """Every occupied space between start and centre with the seats of its discs, bottom first."""
    chain: Links = NO_LINKS
    """The chain of the turn; while the hand is rolled, the coloured die alone."""
    loose: tuple[int, ...] = ()
    """The black dice that were rolled and are not yet linked, sorted."""

    @property
    def stacks(self) -> dict[int, tuple[int, ...]]:
        """From each occupied space between start and centre to its seats, bottom first (C17)."""
        return dict(self.piles)

    def free_discs(self, seat: int) -> tuple[int, ...]:
        """The spaces of the seat's discs that are not immobilized, sorted (C7)."""
        free = [space for space, seats in self.piles if seats[-1] == seat]
        return (0, *free) if 0 in self.discs[seat] else tuple(free)

    def __str__(self) -> str:
        discs = write_list((write_list(spaces, "+") for spaces in self.discs), ",")
        stacks = write_list((f"{space}:{write_list(seats, '+')}" for space, seats in self.piles), ",")
        return (
            f"turn={self.turn} phase={self.phase.value} hands={write_list(self.hands, ',')} "
            f"pool={self.pool} discs={discs} stacks={stacks} "
            f"chain={self.chain} loose={write_list(self.loose, '')}"
        )


def with_chain(state: State, links: int) -> State:
    """The position as if the seat to play decided with a chain of this length. Its numbers do not matter."""
    hands = replaced(state.hands, state.turn, links)
    pool = state.pool + state.hands[state.turn] - links
    chain = Links((1,) * links, 1)
    return State(state.turn, Phase.DECIDE, hands, pool, state.discs, state.piles, chain)


def parse_state(text: str, players: int, board: Board) -> State:
    """The position with this text. :raises InvalidText: if it cannot be read, or breaks a ruling."""
    keys = ("turn", "phase", "hands", "pool", "discs", "stacks", "chain", "loose")
    fields = read_fields(text, keys)
    state = State(
        read_number(fields["turn"], "turn", 0, players - 1, "C5"),
        read_enum(Phase, "phase", fields["phase"], "C8"),
        tuple(
            read_number(part, "a hand", 1, LONGEST + 1, "C2")
            for part in _by_seat("hands", fields["hands"], players)
        ),
        read_number(fields["pool"], "pool", 0, players * DICE_EACH, "C2"),
        tuple(_read_discs(part, board) for part in _by_seat("discs", fields["discs"], players)),
        tuple(sorted(_read_pile(part, players, board) for part in read_list(fields["stacks"], ","))),
        Links.parse(fields["chain"]),
        read_dice(fields["loose"]),
    )
    for problem, ruling in _problems(state, board):
        raise InvalidText(f"{text!r}: {problem}", ruling=ruling)
    return state


def _by_seat(name: str, text: str, players: int) -> list[str]:
    parts = read_list(text, ",")
    if len(parts) != players:
        raise InvalidText(f"{name} must have {players} parts, not {text!r}", ruling="C2")
    return parts


def _read_discs(text: str, board: Board) -> tuple[int, ...]:
    spaces = (read_number(part, "a disc's space", 0, board.length, "C3") for part in text.split("+"))
    return tuple(sorted(spaces))


def _read_pile(text: str, players: int, board: Board) -> tuple[int, tuple[int, ...]]:
    space, _, seats = text.partition(":")
    return (
        read_number(space, "a stack's space", 1, board.length - 1, "C3"),
        tuple(read_number(seat, "a disc's seat", 0, players - 1, "C2") for seat in seats.split("+")),
    )


def _problems(state: State, board: Board) -> Iterator[tuple[str, str]]:
    """What makes a position impossible, with the ruling that it breaks."""
    dice = len(state.hands) * DICE_EACH
    if sum(state.hands) + state.pool != dice:
        yield f"hands and pool must have {dice} dice together", "C2"
    rolling = state.turn if state.phase is Phase.LENGTHEN else None  # who may hold one die more
    if any(hand > LONGEST for seat, hand in enumerate(state.hands) if seat != rolling):
        yield f"a hand has at most {LONGEST} dice, as many as the longest chain", "C11"
    if any(len(spaces) != 2 for spaces in state.discs):
        yield "each seat has two discs", "C2"
    lying = Counter(
        (space, seat)
        for seat, spaces in enumerate(state.discs)
        for space in spaces
        if 0 < space < board.length
    )
    if lying != Counter((space, seat) for space, seats in state.piles for seat in seats):
        yield "discs and stacks must name the same discs between start and centre", "C17"
    if len({space for space, _ in state.piles}) != len(state.piles):
        yield "a space has one stack", "C17"
    arrows = dict(board.arrows)
    for space, _ in state.piles:
        if space in arrows:
            yield f"no disc stays on the arrow at {space}", "C16"
    if bool(state.free_discs(state.turn)) == (state.phase is Phase.OVER):
        yield "the game is over when, and only when, no disc of the seat to play can move", "C6"
    yield from _problems_of_chain(state)


def _problems_of_chain(state: State) -> Iterator[tuple[str, str]]:
    chain, linked, hand = state.chain, len(state.chain.numbers), state.hands[state.turn]
    if state.phase in (Phase.KEEP, Phase.OVER) and (linked or state.loose):
        yield "between turns there is no chain and no loose die", "C8"
    if (chain.last in chain.numbers) != bool(linked) or (not linked and chain != NO_LINKS):
        yield "the last link must be one of the chain's numbers; no chain reads -/0/open", "C11"
    if linked and max(Counter(chain.numbers).values()) > ALIKE:
        yield f"no number may stand in a chain more than {ALIKE} times", "C11"
    straight = linked and chain.last not in (1, 6) and len(set(chain.numbers)) > 1
    if state.phase is not Phase.LENGTHEN and chain.last in (1, 6) and chain.heading is not Heading.OPEN:
        yield "at a 1 or 6 the direction is open", "C11"
    if straight and chain.heading is Heading.OPEN:
        yield "a chain of different numbers has a direction, except at a 1 or 6", "C11"
    if state.phase is Phase.ROLL and not (
        linked <= 1 and linked + len(state.loose) < hand and linked >= bool(state.loose)
    ):
        yield "while the hand is rolled the chain is the coloured die, and dice are left to roll", "C9"
    if state.phase is Phase.BUILD and not (
        linked and state.loose and linked + len(state.loose) == hand and can_link(chain, state.loose)
    ):
        yield "while the chain is built all dice of the hand lie there and can be linked", "C10"
    if state.phase is Phase.DECIDE and not (linked == hand and not state.loose):
        yield "when the chain is built it has all dice of the hand", "C12"
    if state.phase is Phase.LENGTHEN and not (
        linked and linked + 1 == hand and not state.loose and chain.heading is not Heading.OPEN
    ):
        yield "a chain that is lengthened has a named direction, and one die is to fall", "C13"
    if linked and not _can_stand(chain, state.phase):
        yield "no order of the dice makes a chain with this end and direction", "C11"


def _can_stand(chain: Links, phase: Phase) -> bool:
    """Whether play can lead to this chain in this phase (C11, C13)."""
    if phase is Phase.LENGTHEN:  # a direction was named at its end
        return any(chain.heading in way.ways and can_arise(headed(chain, way), True) for way in Heading)
    return can_arise(chain, named=phase is Phase.DECIDE)
