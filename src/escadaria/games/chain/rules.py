"""Chain: the race of discs along a spiral, driven by chains of dice (C1-C18)."""

from __future__ import annotations

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
    Note,
    Noted,
    Option,
    Outcome,
    check_options,
    replaced,
    unnoted,
    write_list,
)
from escadaria.games.chain.boards import BOARDS, LONGEST_TRACK, Board, board_name
from escadaria.games.chain.facts import (
    Added,
    Arrived,
    Covered,
    Failed,
    Freed,
    Kept,
    Lengthened,
    Linked,
    Missed,
    Moved,
    Rolled,
    TookArrow,
    Unlinkable,
    WalkedBack,
    Won,
)
from escadaria.games.chain.links import (
    FACES,
    LONGEST,
    Heading,
    Links,
    add_link,
    can_link,
    headed,
    next_links,
    without,
)
from escadaria.games.chain.positions import DICE_EACH, Phase, State, parse_state

__all__ = [
    "DOWN", "UP", "Action", "Chain", "Keep", "Lengthen", "Link", "Move", "Phase", "Roll", "State",
    "dice_left",
]  # fmt: skip


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
        if len(state.hands) != self.players:
            raise self._mismatch(state)
        if state.phase is Phase.KEEP:
            return _KEEPS[: state.hands[state.turn]]
        if state.phase is Phase.BUILD:
            return tuple([_LINKS[number - 1] for number in next_links(state.chain, state.loose)])
        if state.phase is Phase.DECIDE:
            moves = [_MOVES[space] for space in state.free_discs(state.turn)]
            return (*moves, *self._lengthenings(state))
        return ()

    def _lengthenings(self, state: State) -> tuple[Lengthen, ...]:
        return _WAYS[state.chain.heading] if state.pool else ()  # C13

    def chance_outcomes(self, state: State) -> tuple[tuple[Action, Fraction], ...]:
        return _OUTCOMES if _NOBODY.get(state.phase) == CHANCE else ()

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.turn, "C6") if state.phase is Phase.OVER else None

    def apply(self, state: State, action: Action) -> State:
        return self._after(state, action, unnoted)

    def facts(self, state: State, action: Action) -> tuple[Fact, ...]:
        noted = Noted()
        self._after(state, action, noted)
        return tuple(noted)

    def parse(self, text: str) -> Action:
        action = _BY_TEXT.get(text)
        if action is None or (isinstance(action, Move) and action.space >= self.track.length):
            raise InvalidText(
                f"{text[:40]!r} is no action of Chain: keep 1 … keep {LONGEST}, link 1 … link 6, "
                f"move 0 … move {self.track.length - 1}, up, down, or a die from 1 to 6"
            )
        return action

    # The transitions. ``note`` takes their facts.

    def _mismatch(self, state: State) -> BadOptions:
        return BadOptions(
            f"a position for {len(state.hands)} players in a game for {self.players}: {state}",
            ruling="C2",
        )

    def _after(self, state: State, action: Action, note: Note) -> State:
        if len(state.hands) != self.players:
            raise self._mismatch(state)
        phase = state.phase
        # 5.0 == 5, but no die shows it and no space has that number.
        if isinstance(action, Roll):
            if type(action.number) is int and action.number in FACES:
                if phase is Phase.ROLL:
                    return self._roll(state, action.number, note)
                if phase is Phase.LENGTHEN:
                    return self._add(state, action.number, note)
        elif isinstance(action, Link) and type(action.number) is int:
            if phase is Phase.BUILD and action.number in next_links(state.chain, state.loose):
                return self._link(state, action.number, note)
        elif isinstance(action, Keep) and type(action.dice) is int:
            if phase is Phase.KEEP and action.dice in range(1, state.hands[state.turn] + 1):
                return self._keep(state, action.dice, note)
        elif phase is Phase.DECIDE:
            if isinstance(action, Move) and type(action.space) is int:
                if action.space in state.free_discs(state.turn):
                    return self._move(state, action.space, note)
            elif isinstance(action, Lengthen) and action in self._lengthenings(state):
                return self._lengthen(state, action.heading, note)
        raise self._refusal(state, action)

    def _keep(self, state: State, dice: int, note: Note) -> State:
        discarded = state.hands[state.turn] - dice  # C8
        note(Kept, state.turn, dice, discarded)
        hands = replaced(state.hands, state.turn, dice)
        return State(state.turn, Phase.ROLL, hands, state.pool + discarded, state.discs, state.piles)

    def _roll(self, state: State, number: int, note: Note) -> State:
        first = not state.chain.numbers
        note(Rolled, state.turn, number, first)
        chain, loose = state.chain, state.loose
        if first:  # the coloured die is the first link (C10)
            chain = _FIRST_LINKS[number - 1]
        else:
            loose = tuple(sorted((*loose, number)))
        used = state.hands[state.turn]
        phase = Phase.ROLL
        if 1 + len(loose) == used:
            if not can_link(chain, loose):
                note(Unlinkable, state.turn, tuple(sorted((*chain.numbers, *loose))))
                return self._fail(state, used, note)
            phase = Phase.BUILD if loose else Phase.DECIDE
        return State(state.turn, phase, state.hands, state.pool, state.discs, state.piles, chain, loose)

    def _link(self, state: State, number: int, note: Note) -> State:
        note(Linked, state.turn, number)
        chain = add_link(state.chain, number)
        assert chain is not None, "a legal link can be added"
        loose = without(state.loose, number)
        phase = Phase.BUILD if loose else Phase.DECIDE
        return State(state.turn, phase, state.hands, state.pool, state.discs, state.piles, chain, loose)

    def _lengthen(self, state: State, heading: Heading, note: Note) -> State:
        note(Lengthened, state.turn, heading.value)
        hands = replaced(state.hands, state.turn, state.hands[state.turn] + 1)
        chain = headed(state.chain, heading)  # the named direction binds (C13)
        return State(state.turn, Phase.LENGTHEN, hands, state.pool - 1, state.discs, state.piles, chain)

    def _add(self, state: State, number: int, note: Note) -> State:
        chain = add_link(state.chain, number)
        if chain is None:
            note(Missed, state.turn, number)
            return self._fail(state, state.hands[state.turn], note)
        note(Added, state.turn, number, len(chain.numbers))
        return State(state.turn, Phase.DECIDE, state.hands, state.pool, state.discs, state.piles, chain)

    def _fail(self, state: State, used: int, note: Note) -> State:
        left = dice_left(used)  # the coloured die among them, since a single die cannot fail
        note(Failed, state.turn, used, used - left)
        hands, pool = replaced(state.hands, state.turn, left), state.pool + used - left
        return self.start_turn(state.turn, hands, pool, state.discs, state.piles, note)

    def _move(self, state: State, start: int, note: Note) -> State:
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
        note(Moved, seat, start, walked, links)
        if surplus:
            note(WalkedBack, seat, surplus, walked)
        if end != walked:
            note(TookArrow, seat, walked, end)
        if end == centre:
            note(Arrived, seat)
        if below and end != start:
            note(Freed, below[-1], start)
        if covered and end != start:
            note(Covered, seat, covered[-1], end)
        discs = replaced(state.discs, seat, tuple(sorted((*without(state.discs[seat], start), end))))
        piles = tuple(sorted(stacks.items()))
        return self.start_turn(seat, state.hands, state.pool, discs, piles, note)

    def start_turn(
        self,
        previous: int,
        hands: tuple[int, ...],
        pool: int,
        discs: tuple[tuple[int, ...], ...],
        piles: tuple[tuple[int, tuple[int, ...]], ...],
        note: Note = unnoted,
    ) -> State:
        """The start of the turn after ``previous``, or the end of the game (C5, C6)."""
        seat = (previous + 1) % self.players  # C5
        state = State(seat, Phase.KEEP, hands, pool, discs, piles)
        if state.free_discs(seat):
            return state
        note(Won, seat)
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

    def parse_state(self, text: str) -> State:
        return parse_state(text, self.players, self.track)
