"""Chain: the race of discs along a spiral, driven by chains of dice (C1-C18)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, TypeAlias, cast

from escadaria.game import (
    CHANCE,
    TERMINAL,
    BadOptions,
    Fact,
    Game,
    IllegalAction,
    InvalidText,
    Option,
    Outcome,
    Word,
    check_options,
    read_enum,
    read_fields,
    read_list,
    read_number,
    replaced,
    write_list,
)
from escadaria.games.chain.boards import BOARDS, LONGEST_TRACK, Board, board_name
from escadaria.games.chain.links import ALIKE as ALIKE
from escadaria.games.chain.links import FACES as FACES
from escadaria.games.chain.links import LONGEST as LONGEST
from escadaria.games.chain.links import NO_LINKS, can_arise, headed, read_dice, without
from escadaria.games.chain.links import Heading as Heading
from escadaria.games.chain.links import Links as Links
from escadaria.games.chain.links import add_link as add_link
from escadaria.games.chain.links import can_link as can_link
from escadaria.games.chain.links import next_links as next_links


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


def dice_left(used: int) -> int:
    """How many of the dice used stay with the seat when its turn fails; half, rounded up, are lost (C14)."""
    return used - (used + 1) // 2


_NOBODY = {Phase.ROLL: CHANCE, Phase.LENGTHEN: CHANCE, Phase.OVER: TERMINAL}
"""Where no player is to decide."""


@dataclass(frozen=True, slots=True)
class Roll:
    """One die (C2)."""

    number: int

    def __str__(self) -> str:
        return str(self.number)


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep this number of dice of the hand, the coloured one included; discard the others (C8)."""

    dice: int

    def __str__(self) -> str:
        return f"keep {self.dice}"


@dataclass(frozen=True, slots=True)
class Link:
    """Make a loose die with this number the next link (C10)."""

    number: int

    def __str__(self) -> str:
        return f"link {self.number}"


@dataclass(frozen=True, slots=True)
class Move:
    """Stop, and move the own free disc that lies on this space; 0 is the start (C12)."""

    space: int

    def __str__(self) -> str:
        return f"move {self.space}"


@dataclass(frozen=True, slots=True)
class Lengthen:
    """Name a direction, take a die from the pool and roll it (C13)."""

    heading: Heading

    def __str__(self) -> str:
        return self.heading.value


Action: TypeAlias = Roll | Keep | Link | Move | Lengthen

UP, DOWN = Lengthen(Heading.UP), Lengthen(Heading.DOWN)
_WAYS = {heading: tuple(Lengthen(way) for way in heading.ways) for heading in Heading}
_ROLLS = tuple(Roll(number) for number in FACES)
_KEEPS = tuple(Keep(dice) for dice in range(1, LONGEST + 1))
_LINKS = tuple(Link(number) for number in FACES)
_MOVES = tuple(Move(space) for space in range(LONGEST_TRACK))
_FIRST_LINKS = tuple(Links((number,), number) for number in FACES)
_EACH = Fraction(1, len(FACES))
_OUTCOMES: tuple[tuple[Action, Fraction], ...] = tuple((roll, _EACH) for roll in _ROLLS)
_ALL: tuple[Action, ...] = (*_KEEPS, *_LINKS, *_MOVES, UP, DOWN, *_ROLLS)
_BY_TEXT = {str(action): action for action in _ALL}


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


@dataclass(frozen=True, slots=True)
class Kept(Fact):
    """The seat put dice of its hand back into the pool."""

    ruling: ClassVar[str] = "C8"
    dice: int
    discarded: int


@dataclass(frozen=True, slots=True)
class Rolled(Fact):
    """One die of the seat's hand fell."""

    ruling: ClassVar[str] = "C9"
    number: int
    coloured: bool


@dataclass(frozen=True, slots=True)
class Linked(Fact):
    """The seat linked one of its loose dice."""

    ruling: ClassVar[str] = "C10"
    number: int


@dataclass(frozen=True, slots=True)
class Lengthened(Fact):
    """The seat named a direction and took a die from the pool."""

    ruling: ClassVar[str] = "C13"
    heading: str


@dataclass(frozen=True, slots=True)
class Added(Fact):
    """The new die fitted and is the last link."""

    ruling: ClassVar[str] = "C13"
    number: int
    links: int


@dataclass(frozen=True, slots=True)
class Missed(Fact):
    """The new die did not fit."""

    ruling: ClassVar[str] = "C13"
    number: int


@dataclass(frozen=True, slots=True)
class Unlinkable(Fact):
    """The rolled dice cannot all be linked."""

    ruling: ClassVar[str] = "C10"
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Failed(Fact):
    """The turn ended without a move, and half of the dice went back into the pool."""

    ruling: ClassVar[str] = "C14"
    used: int
    lost: int


@dataclass(frozen=True, slots=True)
class Moved(Fact):
    """The seat stopped, and one of its discs walked as many spaces as the chain has links."""

    ruling: ClassVar[str] = "C12"
    start: int
    end: int
    links: int


@dataclass(frozen=True, slots=True)
class WalkedBack(Fact):
    """The disc went past the centre and walked back the surplus."""

    ruling: ClassVar[str] = "C15"
    surplus: int
    space: int


@dataclass(frozen=True, slots=True)
class TookArrow(Fact):
    """The disc ended on an arrow and followed it."""

    ruling: ClassVar[str] = "C16"
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Covered(Fact):
    """The disc came to lie on another disc, which cannot move while it does."""

    ruling: ClassVar[str] = "C17"
    victim: int
    space: int


@dataclass(frozen=True, slots=True)
class Freed(Fact):
    """The disc that lay on this seat's disc left, so it may move again."""

    ruling: ClassVar[str] = "C7"
    space: int


@dataclass(frozen=True, slots=True)
class Arrived(Fact):
    """The disc ended its move at the centre and stays there."""

    ruling: ClassVar[str] = "C15"


@dataclass(frozen=True, slots=True)
class Won(Fact):
    """The seat's turn started, and none of its discs can move."""

    ruling: ClassVar[str] = "C6"


@dataclass(frozen=True)
class Chain(Game[State, Action]):
    """The rules of Chain for a number of players and a board."""

    players: int = 3
    board: Board | str = "default"
    """One of ``BOARDS`` by name, a board, or its text; kept as the name or the text."""
    balanced: bool = False
    """Whether the later seats start with a third die (C18)."""

    name: ClassVar[str] = "chain"
    rules_version: ClassVar[int] = 1
    OPTIONS: ClassVar[tuple[Option, ...]] = (
        Option("players", default=3, low=2, high=6, ruling="C2"),
        Option("board", default="default", choices=tuple(BOARDS), free_text=True, ruling="C3"),
        Option("balanced", default=False, ruling="C18"),
    )
    FACTS: ClassVar[tuple[type[Fact], ...]] = (
        Kept, Rolled, Linked, Lengthened, Added, Missed, Unlinkable, Failed,
        Moved, WalkedBack, TookArrow, Covered, Freed, Arrived, Won,
    )  # fmt: skip

    def __post_init__(self) -> None:
        if isinstance(self.board, Board):
            object.__setattr__(self, "board", board_name(self.board))
        check_options(self.OPTIONS, self.options)
        object.__setattr__(self, "board", board_name(self.track))

    @property
    def options(self) -> dict[str, int | str]:
        return {"players": self.players, "board": cast(str, self.board), "balanced": self.balanced}

    def _repr_svg_(self) -> str:
        """The board, as a notebook shows it."""
        from escadaria import notebook

        return notebook.show(self)._repr_svg_()

    @property
    def colours(self) -> int:
        return 1  # C2

    @cached_property
    def track(self) -> Board:
        """The board that is played on."""
        text = cast(str, self.board)
        if not text[:1].isdigit() and text not in BOARDS:
            names = ", ".join(BOARDS)
            raise BadOptions(
                f"board must be {names}, or a board's text such as 34 7>11, not {text!r:.80}", ruling="C3"
            )
        return BOARDS.get(text) or Board.parse(text)

    @cached_property
    def dice(self) -> int:
        """How many dice there are in all: in hands, chain and pool (C2)."""
        return self.players * DICE_EACH

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        return (*_KEEPS, *_LINKS, *_MOVES[: self.track.length], UP, DOWN)

    @cached_property
    def _arrows(self) -> dict[int, int]:
        return dict(self.track.arrows)

    def initial_state(self) -> State:
        later = {2: (1,), 3: (1, 2), 4: (2, 3), 5: (3, 4), 6: (3, 4, 5)}[self.players]  # C18
        hands = tuple(3 if self.balanced and seat in later else 2 for seat in range(self.players))
        return State(0, Phase.KEEP, hands, self.dice - sum(hands), ((0, 0),) * self.players, ())

    def current_player(self, state: State) -> int:
        return _NOBODY.get(state.phase, state.turn)

    def legal_actions(self, state: State) -> tuple[Action, ...]:
        self._check(state)
        if state.phase is Phase.KEEP:
            return _KEEPS[: state.hands[state.turn]]
        if state.phase is Phase.BUILD:
            return tuple([_LINKS[number - 1] for number in next_links(state.chain, state.loose)])
        if state.phase is Phase.DECIDE:
            moves = [_MOVES[space] for space in self.free_discs(state, state.turn)]
            return (*moves, *self._lengthenings(state))
        return ()

    def free_discs(self, state: State, seat: int) -> tuple[int, ...]:
        """The spaces of the seat's discs that are not immobilized, sorted (C7)."""
        free = [space for space, seats in state.piles if seats[-1] == seat]
        return (0, *free) if 0 in state.discs[seat] else tuple(free)

    def _lengthenings(self, state: State) -> tuple[Lengthen, ...]:
        return _WAYS[state.chain.heading] if state.pool else ()  # C13

    def chance_outcomes(self, state: State) -> tuple[tuple[Action, Fraction], ...]:
        return _OUTCOMES if _NOBODY.get(state.phase) == CHANCE else ()

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.turn, "C6") if state.phase is Phase.OVER else None

    def apply(self, state: State, action: Action) -> State:
        return self._after(state, action, None)

    def facts(self, state: State, action: Action) -> tuple[Fact, ...]:
        facts: list[Fact] = []
        self._after(state, action, facts)
        return tuple(facts)

    def parse(self, text: str) -> Action:
        action = _BY_TEXT.get(text)
        if action is None or (isinstance(action, Move) and action.space >= self.track.length):
            raise InvalidText(
                f"{text[:40]!r} is no action of Chain: keep 1 … keep {LONGEST}, link 1 … link 6, "
                f"move 0 … move {self.track.length - 1}, up, down, or a die from 1 to 6"
            )
        return action

    # The transitions. ``facts`` collects the facts, if they are wanted.

    def _check(self, state: State) -> None:
        if len(state.hands) != self.players:
            raise BadOptions(
                f"a position for {len(state.hands)} players in a game for {self.players}: {state}",
                ruling="C2",
            )

    def _after(self, state: State, action: Action, facts: list[Fact] | None) -> State:
        self._check(state)
        phase = state.phase
        # 5.0 == 5, but no die shows it and no space has that number.
        if isinstance(action, Roll):
            if type(action.number) is int and action.number in FACES:
                if phase is Phase.ROLL:
                    return self._roll(state, action.number, facts)
                if phase is Phase.LENGTHEN:
                    return self._add(state, action.number, facts)
        elif isinstance(action, Link) and type(action.number) is int:
            if phase is Phase.BUILD and action.number in next_links(state.chain, state.loose):
                return self._link(state, action.number, facts)
        elif isinstance(action, Keep) and type(action.dice) is int:
            if phase is Phase.KEEP and action.dice in range(1, state.hands[state.turn] + 1):
                return self._keep(state, action.dice, facts)
        elif phase is Phase.DECIDE:
            if isinstance(action, Move) and type(action.space) is int:
                if action.space in self.free_discs(state, state.turn):
                    return self._move(state, action.space, facts)
            elif isinstance(action, Lengthen) and action in self._lengthenings(state):
                return self._lengthen(state, action.heading, facts)
        raise self._refusal(state, action)

    def _keep(self, state: State, dice: int, facts: list[Fact] | None) -> State:
        discarded = state.hands[state.turn] - dice  # C8
        if facts is not None:
            facts.append(Kept(state.turn, dice, discarded))
        hands = replaced(state.hands, state.turn, dice)
        return State(state.turn, Phase.ROLL, hands, state.pool + discarded, state.discs, state.piles)

    def _roll(self, state: State, number: int, facts: list[Fact] | None) -> State:
        first = not state.chain.numbers
        if facts is not None:
            facts.append(Rolled(state.turn, number, coloured=first))
        chain, loose = state.chain, state.loose
        if first:  # the coloured die is the first link (C10)
            chain = _FIRST_LINKS[number - 1]
        else:
            loose = tuple(sorted((*loose, number)))
        used = state.hands[state.turn]
        phase = Phase.ROLL
        if 1 + len(loose) == used:
            if not can_link(chain, loose):
                if facts is not None:
                    facts.append(Unlinkable(state.turn, tuple(sorted((*chain.numbers, *loose)))))
                return self._fail(state, used, facts)
            phase = Phase.BUILD if loose else Phase.DECIDE
        return State(state.turn, phase, state.hands, state.pool, state.discs, state.piles, chain, loose)

    def _link(self, state: State, number: int, facts: list[Fact] | None) -> State:
        if facts is not None:
            facts.append(Linked(state.turn, number))
        chain = add_link(state.chain, number)
        assert chain is not None, "a legal link can be added"
        loose = without(state.loose, number)
        phase = Phase.BUILD if loose else Phase.DECIDE
        return State(state.turn, phase, state.hands, state.pool, state.discs, state.piles, chain, loose)

    def _lengthen(self, state: State, heading: Heading, facts: list[Fact] | None) -> State:
        if facts is not None:
            facts.append(Lengthened(state.turn, heading.value))
        hands = replaced(state.hands, state.turn, state.hands[state.turn] + 1)
        chain = headed(state.chain, heading)  # the named direction binds (C13)
        return State(state.turn, Phase.LENGTHEN, hands, state.pool - 1, state.discs, state.piles, chain)

    def _add(self, state: State, number: int, facts: list[Fact] | None) -> State:
        chain = add_link(state.chain, number)
        if chain is None:
            if facts is not None:
                facts.append(Missed(state.turn, number))
            return self._fail(state, state.hands[state.turn], facts)
        if facts is not None:
            facts.append(Added(state.turn, number, len(chain.numbers)))
        return State(state.turn, Phase.DECIDE, state.hands, state.pool, state.discs, state.piles, chain)

    def _fail(self, state: State, used: int, facts: list[Fact] | None) -> State:
        left = dice_left(used)  # the coloured die among them, since a single die cannot fail
        if facts is not None:
            facts.append(Failed(state.turn, used, used - left))
        hands, pool = replaced(state.hands, state.turn, left), state.pool + used - left
        return self.start_turn(state.turn, hands, pool, state.discs, state.piles, facts)

    def _move(self, state: State, start: int, facts: list[Fact] | None) -> State:
        seat, links, centre = state.turn, len(state.chain.numbers), self.track.length
        surplus = max(0, start + links - centre)
        walked = start + links - 2 * surplus  # C15
        end = self._arrows.get(walked, walked)  # C16
        stacks = dict(state.piles)
        below = stacks.pop(start, ())[:-1]
        if below:
            stacks[start] = below
        covered = stacks.get(end, ())
        if end != centre:  # C17
            stacks[end] = (*covered, seat)
        if facts is not None:
            facts.append(Moved(seat, start, walked, links))
            if surplus:
                facts.append(WalkedBack(seat, surplus, walked))
            if end != walked:
                facts.append(TookArrow(seat, walked, end))
            if end == centre:
                facts.append(Arrived(seat))
            if below and end != start:
                facts.append(Freed(below[-1], start))
            if covered and end != start:
                facts.append(Covered(seat, covered[-1], end))
        discs = replaced(state.discs, seat, tuple(sorted((*without(state.discs[seat], start), end))))
        piles = tuple(sorted(stacks.items()))
        return self.start_turn(seat, state.hands, state.pool, discs, piles, facts)

    def start_turn(
        self,
        previous: int,
        hands: tuple[int, ...],
        pool: int,
        discs: tuple[tuple[int, ...], ...],
        piles: tuple[tuple[int, tuple[int, ...]], ...],
        facts: list[Fact] | None = None,
    ) -> State:
        """The start of the turn after ``previous``, or the end of the game (C5, C6)."""
        seat = (previous + 1) % self.players  # C5
        state = State(seat, Phase.KEEP, hands, pool, discs, piles)
        if self.free_discs(state, seat):
            return state
        if facts is not None:
            facts.append(Won(seat))
        return State(seat, Phase.OVER, hands, pool, discs, piles)  # C6

    def _refusal(self, state: State, action: object) -> IllegalAction:
        why, ruling = {
            Phase.KEEP: ("the player is to say how many dice to keep", "C8"),
            Phase.ROLL: ("the dice of the hand are still to fall", "C9"),
            Phase.BUILD: ("the rolled dice are to be linked first", "C10"),
            Phase.DECIDE: ("the player is to move a disc or to lengthen the chain", "C12"),
            Phase.LENGTHEN: ("the die from the pool is still to fall", "C13"),
            Phase.OVER: ("the game is over", "C6"),
        }[state.phase]
        legal = write_list(self.legal_actions(state), ", ")
        if isinstance(action, Keep) and state.phase is Phase.KEEP:
            why = f"the hand has {state.hands[state.turn]} dice"
        elif isinstance(action, Link) and state.phase is Phase.BUILD:
            why, ruling = f"that would not be a chain of all the dice; possible: {legal}", "C11"
        elif isinstance(action, Move) and state.phase is Phase.DECIDE:
            why, ruling = f"no free disc of seat {state.turn} lies there; possible: {legal}", "C7"
        elif isinstance(action, Lengthen) and state.phase is Phase.DECIDE:
            why, ruling = f"the chain goes the other way until it stands at 1 or 6; possible: {legal}", "C11"
            if state.pool == 0:
                why, ruling = "the pool is empty", "C13"
        elif isinstance(action, Roll) and self.current_player(state) == CHANCE:
            why, ruling = "a die shows 1 to 6", "C2"
        return IllegalAction(f"{action} is not possible at {state}: {why}", ruling=ruling)

    # The text of a position.

    def parse_state(self, text: str) -> State:
        keys = ("turn", "phase", "hands", "pool", "discs", "stacks", "chain", "loose")
        fields = read_fields(text, keys)
        turn = read_number(fields["turn"], "turn", 0, self.players - 1, "C5")
        phase = read_enum(Phase, "phase", fields["phase"], "C8")
        hands = self._by_seat("hands", fields["hands"])
        state = State(
            turn,
            phase,
            tuple(read_number(part, "a hand", 1, LONGEST + 1, "C2") for part in hands),
            read_number(fields["pool"], "pool", 0, self.dice, "C2"),
            tuple(self._read_discs(part) for part in self._by_seat("discs", fields["discs"])),
            tuple(sorted(self._read_pile(part) for part in read_list(fields["stacks"], ","))),
            Links.parse(fields["chain"]),
            read_dice(fields["loose"]),
        )
        for wrong, ruling in self._wrongs(state):
            raise InvalidText(f"{text!r}: {wrong}", ruling=ruling)
        return state

    def _by_seat(self, name: str, text: str) -> list[str]:
        parts = read_list(text, ",")
        if len(parts) != self.players:
            raise InvalidText(f"{name} must have {self.players} parts, not {text!r}", ruling="C2")
        return parts

    def _read_discs(self, text: str) -> tuple[int, ...]:
        spaces = (read_number(part, "a disc's space", 0, self.track.length, "C3") for part in text.split("+"))
        return tuple(sorted(spaces))

    def _read_pile(self, text: str) -> tuple[int, tuple[int, ...]]:
        space, _, seats = text.partition(":")
        return (
            read_number(space, "a stack's space", 1, self.track.length - 1, "C3"),
            tuple(read_number(seat, "a disc's seat", 0, self.players - 1, "C2") for seat in seats.split("+")),
        )

    def _wrongs(self, state: State) -> Iterator[tuple[str, str]]:
        """What makes a position impossible, with the ruling that it breaks."""
        if sum(state.hands) + state.pool != self.dice:
            yield f"hands and pool must have {self.dice} dice together", "C2"
        rolling = state.turn if state.phase is Phase.LENGTHEN else None  # who may hold one die more
        if any(hand > LONGEST for seat, hand in enumerate(state.hands) if seat != rolling):
            yield f"a hand has at most {LONGEST} dice, as many as the longest chain", "C11"
        if any(len(spaces) != 2 for spaces in state.discs):
            yield "each seat has two discs", "C2"
        lying = Counter(
            (space, seat)
            for seat, spaces in enumerate(state.discs)
            for space in spaces
            if 0 < space < self.track.length
        )
        if lying != Counter((space, seat) for space, seats in state.piles for seat in seats):
            yield "discs and stacks must name the same discs between start and centre", "C17"
        if len({space for space, _ in state.piles}) != len(state.piles):
            yield "a space has one stack", "C17"
        for space, _ in state.piles:
            if space in self._arrows:
                yield f"no disc stays on the arrow at {space}", "C16"
        if bool(self.free_discs(state, state.turn)) == (state.phase is Phase.OVER):
            yield "the game is over when, and only when, no disc of the seat to play can move", "C6"
        yield from _chain_wrongs(state)


def _chain_wrongs(state: State) -> Iterator[tuple[str, str]]:
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
