"""The table: turns, rolls, undo, stand-ins, and restoring it from events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import escadaria
from escadaria.dice import BadDice, Dice, FairDice, ScriptedDice, SeededDice, commitment
from escadaria.game import AnyGame, GameError, IllegalAction, InvalidText, Outcome
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.facts import Rolled, RolledAgain
from escadaria.games.rapido.rules import Rapido
from escadaria.play import Event, Play
from escadaria.record import RESIGNED, Proof, Remark, Seat, read, verify
from escadaria.refusals import Refused
from strategies import games, possible


@contextmanager
def refused(code: str, text: str | None = None) -> Iterator[None]:
    """Expect a refusal with this code, and with this text in its message."""
    with pytest.raises(Refused, match=text) as error:
        yield
    assert error.value.code == code


def seated(game: AnyGame, dice: Dice | None, bots: Collection[int] = (), **options: Any) -> Play:
    """A table with bots in these seats, and with real dice if there are no others."""
    names = enumerate("ABCDEF"[: game.players])
    return Play(game, tuple(Seat(name, "simple" if n in bots else "") for n, name in names), dice, **options)


def table(game: AnyGame, *dice: object, **options: Any) -> Play:
    return seated(game, ScriptedDice(*dice), **options)


def rapido(*dice: object, players: int = 3) -> Play:
    return table(Rapido(players), *dice)


def chain(*dice: object, players: int = 2) -> Play:
    return table(Chain(players), *dice)


def play(at: Play, *texts: str) -> Play:
    """Play these actions, each by the seat whose turn it is."""
    for text in texts:
        assert at.to_act is not None
        at.add(at.act(at.to_act, text))
    return at


def visible_state(at: Play) -> tuple[Any, ...]:
    """The visible state of a table, including the next rolls."""
    record = at.record()
    bots = [at.bot_of(seat) for seat in range(at.game.players)]
    facts = (at.to_act, at.awaits_roll, at.choices(), at.outcome, at.turn_facts())
    return (at.version, record, str(record), at.state, bots, *facts)


# Turns.


def commands(at: Play) -> list[Callable[[Any], Event]]:
    """What a seat may ask for beside the actions of the game."""
    return [at.undo, at.resign, at.take_back, lambda seat: at.hand_over(seat, "simple")]


@pytest.mark.parametrize("seat", [1, 2, 3, -1, 99, None, "0"])
def test_only_the_seat_whose_turn_it_is_may_play(seat: Any) -> None:
    at = rapido("26")
    for text in ("roll", "place 3"):
        with refused("not_your_turn"):
            at.act(seat, text)
        play(at, text)
    for ask in commands(at) if seat not in (1, 2) else ():
        with refused("not_your_turn", "seats 0 to 2"):
            ask(seat)


def test_nothing_can_be_played_when_the_match_is_over() -> None:
    at = table(Rapido(3, finish=5), "33", "33")
    play(at, "roll", "again")
    assert (at.outcome, at.to_act, at.choices(), at.awaits_roll) == (Outcome(0, "R15"), None, (), False)
    before = visible_state(at)
    for ask in commands(at):
        with refused("over", "seat 0 has won"):
            ask(0)
    for text in ("roll", "place 3", "undo", "nonsense"):
        with refused("over"):
            at.act(0, text)
        with refused("over"):
            at.add(Event(0, text))
    assert visible_state(at) == before


def test_illegal_actions_are_refused_as_by_the_game() -> None:
    at = play(rapido("26", "13"), "roll", "place 3", "roll")
    before = visible_state(at)
    for text, error, why in [
        ("place 3", IllegalAction, "field 3 is taken.*R13"),
        ("7X", IllegalAction, "the dice have fallen.*R8"),
        ("up", InvalidText, "is no action"),
    ]:
        with pytest.raises(error, match=why):
            at.act(1, text)
    assert visible_state(at) == before


# Rolls.


def test_a_turn_of_rapido_starts_with_roll_and_nothing_else() -> None:
    at = rapido("26")
    assert (at.awaits_roll, at.choices()) == (True, ("roll",))
    for text in ("26", "place 3", "again"):
        with pytest.raises(IllegalAction, match="roll comes first"):
            at.act(0, text)
    with pytest.raises(InvalidText):
        at.act(0, "nonsense")


def test_rapidos_dice_fall_on_roll_and_on_again_and_not_on_place() -> None:
    at = rapido("26", "13", "X6", "45")
    assert at.act(0, "roll") == Event(0, "roll", ("26",))
    play(at, "roll")
    assert at.act(0, "again") == Event(0, "again", ("13",))
    play(at, "again")
    assert at.act(0, "place 3") == Event(0, "place 3")
    assert at.act(0, "again") == Event(0, "again", ("X6",))  # the turn is over; the next seat's dice wait
    play(at, "again")
    assert (at.to_act, at.awaits_roll) == (1, True)
    assert at.act(1, "roll") == Event(1, "roll", ("45",))
    play(at, "roll")
    before = visible_state(at)
    with pytest.raises(BadDice):  # there are no more
        at.act(1, "again")
    assert visible_state(at) == before


def test_chains_dice_fall_on_keep_and_on_lengthening() -> None:
    at = chain(3, 4, 5, 2)
    assert (at.awaits_roll, at.choices()) == (False, ("keep 1", "keep 2"))
    assert at.act(0, "keep 2") == Event(0, "keep 2", ("3", "4"))
    play(at, "keep 2")
    assert at.act(0, "link 4") == Event(0, "link 4")
    play(at, "link 4")
    assert at.act(0, "up") == Event(0, "up", ("5",))
    play(at, "up")
    assert at.act(0, "up") == Event(0, "up", ("2",))
    assert [str(step.action) for step in at.add(at.act(0, "up"))] == ["up", "2"]
    assert at.to_act == 1


def test_steps_have_the_facts_of_each_ply_and_a_turn_those_since_it_started() -> None:
    at = play(rapido("26", "13", "45"), "roll")
    again, roll = at.add(at.act(0, "again"))
    assert (str(again.action), again.facts) == ("again", (RolledAgain(0),))
    assert (str(roll.action), roll.facts) == ("13", (Rolled(0, "13", 31),))
    assert roll.state == at.state
    assert again.state == at.game.apply(at.record().position(1), again.action)
    assert at.turn_facts() == (Rolled(0, "26", 62), RolledAgain(0), Rolled(0, "13", 31))
    play(at, "place 3")
    assert at.turn_facts() == ()
    play(at, "roll")
    assert at.turn_facts() == (Rolled(1, "45", 54),)


# Undo.


def test_a_placing_can_be_undone_until_the_next_seat_rolls() -> None:
    at = play(rapido("26", "7X"), "roll")
    before = at.state
    play(at, "place 3")
    assert at.undo(0) == Event(0, "undo")
    assert at.add(at.undo(0)) == ()
    assert (at.state, at.to_act, at.version) == (before, 0, 3)
    play(at, "place 5", "roll")
    assert [str(ply) for ply in at.plies] == ["26", "place 5", "7X"]
    with refused("no_undo"):
        at.undo(0)


def test_links_are_undone_one_at_a_time() -> None:
    at = play(chain(3, 3, 4, 4), "keep 2", "link 3", "up")
    assert [str(ply) for ply in at.plies] == ["keep 2", "3", "3", "link 3", "up", "4"]
    with refused("no_undo"):
        at.undo(0)
    at = table(Chain(2), *(3, 4, 5, 6), start=Chain(2).parse_state(FOUR_DICE))
    play(at, "keep 4")
    states = [at.state]
    for link in ("link 4", "link 5", "link 6"):
        play(at, link)
        states.append(at.state)
    play(at, "move 0")
    for state in reversed(states):
        at.add(at.undo(0))
        assert at.state == state
    assert at.choices() == ("link 4", "link 5", "link 6")
    with refused("no_undo", "no decision after the last roll"):
        at.undo(0)


FOUR_DICE = "turn=0 phase=keep hands=4,2 pool=10 discs=0+0,0+0 stacks=- chain=-/0/open loose=-"


def test_a_move_can_be_undone_until_the_next_seat_keeps() -> None:
    at = play(chain(3, 4, 5), "keep 2", "link 4", "move 0")
    assert at.to_act == 1
    assert at.undo(0) == Event(0, "undo")
    play(at, "keep 1")
    for seat in (0, 1):
        with refused("no_undo"):
            at.undo(seat)


def test_there_is_nothing_to_undo_at_the_start_after_a_roll_or_for_another_seat() -> None:
    at = rapido("26", "13")
    for seat, then in [(0, ["roll"]), (0, ["again"]), (0, ["place 0"]), (1, []), (2, [])]:
        with refused("no_undo"):
            at.undo(seat)
        with refused("no_undo"):
            at.add(Event(seat, "undo"))
        play(at, *then)


def test_a_seat_that_a_bot_plays_cannot_undo_and_undo_keeps_remarks() -> None:
    at = play(rapido("26", "13"), "roll", "place 3")
    at.add(at.hand_over(0, "simple"))
    with refused("no_undo", "bot simple"):
        at.undo(0)
    at.add(at.take_back(0))
    at.add(at.undo(0))
    assert [str(ply) for ply in at.plies] == ["26"]
    assert at.remarks == [Remark(1, 0, "bot simple"), Remark(1, 0, "back")]
    play(at, "place 4")
    assert read(str(at.record())) == at.record()


def against_bots(game: AnyGame, *dice: object, people: int = 1, **options: Any) -> Play:
    """A table with people in the first seats and bots in the others."""
    return table(game, *dice, bots=range(people, game.players), **options)


def test_a_decision_is_undone_after_bots_have_played_and_the_same_dice_fall_again() -> None:
    at = play(against_bots(Rapido(3), "26", "13", "45", "7X", "66"), "roll")
    before = at.state
    play(at, "place 3", "roll", "place 1", "roll", "place 2")
    assert at.to_act == 0
    assert at.undo(0, far=True) == Event(0, "undo 5")
    with refused("no_undo"):
        at.undo(0)
    at.add(at.undo(0, far=True))
    assert (at.state, at.to_act, [str(ply) for ply in at.plies]) == (before, 0, ["26"])
    play(at, "place 5", "roll", "place 1", "roll", "place 2", "roll")
    assert [str(ply) for ply in at.plies][1::2] == ["place 5", "place 1", "place 2"]
    assert [str(ply) for ply in at.plies][::2] == ["26", "13", "45", "7X"], "the dice are those of the match"


def test_a_decision_is_undone_after_its_own_roll_and_during_the_turn_of_a_bot() -> None:
    at = play(against_bots(Rapido(3), "26", "13", "45"), "roll", "again")
    at.add(at.undo(0, far=True))
    assert [str(ply) for ply in at.plies] == ["26"]
    play(at, "place 3", "roll")
    assert at.to_act == 1
    at.add(at.undo(0, far=True))
    assert (at.to_act, [str(ply) for ply in at.plies]) == (0, ["26"])


def test_forced_decisions_are_undone_with_the_last_choice() -> None:
    start = Chain(2).parse_state(FOUR_DICE)
    at = against_bots(Chain(2), *(3, 4, 5, 6), start=start)
    play(at, "keep 4", "link 4", "link 5")
    assert at.choices() == ("link 6",)
    play(at, "link 6")
    assert at.undo(0, far=True) == Event(0, "undo 2")
    at.add(at.undo(0, far=True))
    assert at.choices() == ("link 5", "link 6")
    at.add(at.undo(0, far=True))  # and so on
    at.add(at.undo(0, far=True))
    assert at.state == start
    with refused("no_undo", "no choice yet"):
        at.undo(0, far=True)


def test_another_person_s_decision_is_not_undone() -> None:
    at = play(against_bots(Rapido(3), "26", "13", "45", people=2), "roll", "place 3", "roll", "place 1")
    play(at, "roll", "place 2")
    with refused("no_undo", "seat 1 made a decision since"):
        at.undo(0, far=True)
    assert at.undo(1, far=True) == Event(1, "undo 3")
    with refused("no_undo", "bot simple"):
        at.undo(2, far=True)
    with refused("no_undo"):
        at.add(Event(0, "undo 5"))
    with pytest.raises(GameError, match="does not fit"):
        at.add(Event(1, "undo 5"))


@pytest.mark.parametrize("name", escadaria.GAMES)
def test_a_restored_table_undoes_what_lies_before_its_snapshot(name: str) -> None:
    game = escadaria.load(name, players=6)
    at = seated(game, SeededDice(5), bots=range(1, 6))
    while at.to_act == 0:
        autoplay(at, 1)
    while at.to_act != 0:  # the rest of the round
        assert autoplay(at, 1), "the match goes on"
    undone = at.undo(0, far=True).undone
    assert undone > len(at.saved().positions), "the snapshot does not have that position"
    restored = Play.restored(at.saved(), game, at.seats, SeededDice(5))
    event = restored.undo(0, far=True)
    assert event == at.undo(0, far=True)
    restored.add(event)
    at.add(event)
    assert visible_state(restored) == visible_state(at)
    assert autoplay(restored, 10) == autoplay(at, 10)


# Resigning and stand-ins.


def test_with_two_seats_resigning_ends_the_match() -> None:
    for seat in (0, 1):
        at = play(rapido("26", players=2), "roll")
        assert at.add(at.resign(seat)) == ()
        assert at.outcome == Outcome(1 - seat, RESIGNED)
        assert at.to_act is None
        with refused("over"):
            at.resign(1 - seat)
        with refused("over"):
            at.add(Event(0, "place 3"))


def test_with_more_seats_a_bot_plays_on_and_the_last_one_wins() -> None:
    at = play(rapido("26"), "roll")
    at.add(at.resign(0))
    assert at.outcome is None
    assert [at.bot_of(seat) for seat in range(3)] == ["simple", "", ""]
    with refused("resigned", "resigned already"):
        at.resign(0)
    with refused("resigned", "cannot be taken back"):
        at.take_back(0)
    with refused("bot_plays", "already"):
        at.hand_over(0, "random")
    assert at.to_act == 0  # its bot plays through the table, too
    play(at, "place 3")
    at.add(at.resign(2))
    assert at.outcome == Outcome(1, RESIGNED)
    assert "result: B (seat 2) wins by resignation" in str(at.record())


def test_a_seat_that_resigned_can_still_win_by_its_bot() -> None:
    at = table(Rapido(3, finish=5), "33", "22", stand_in="random")
    at.add(at.resign(0))
    assert at.bot_of(0) == "random"
    play(at, "roll", "again")
    assert at.outcome == Outcome(0, "R15")


def test_a_seat_is_handed_over_and_taken_back() -> None:
    at = play(rapido("26"), "roll")
    with refused("not_replaced"):
        at.take_back(0)
    at.add(at.hand_over(0, "simple"))
    assert at.bot_of(0) == "simple"
    with refused("bot_plays", "already"):
        at.hand_over(0, "simple")
    play(at, "place 3")
    at.add(at.take_back(0))
    assert at.bot_of(0) == ""
    at.add(at.hand_over(0, "random"))
    at.add(at.resign(0))
    assert at.bot_of(0) == "simple"
    remarks = [f"{remark.ply} {remark.action}" for remark in at.remarks]
    assert remarks == ["1 bot simple", "2 back", "2 bot random", "2 resign"]


def test_the_seat_of_a_bot_cannot_be_taken_back() -> None:
    at = against_bots(Rapido(3), people=0)
    with refused("not_replaced"):
        at.take_back(0)
    with refused("bot_plays"):
        at.hand_over(0, "simple")


def test_a_bot_may_have_any_word_for_a_name_and_nothing_else() -> None:
    for malformed in ("", "two words", "a\nb", "x [26]", "[26]", 5):
        with pytest.raises(GameError, match="one word"):
            rapido().hand_over(0, malformed)  # type: ignore[arg-type]
    for bot in ("back", "resign", "undo", "bot"):
        at = rapido("26")
        at.add(at.hand_over(0, bot))
        assert at.bot_of(0) == bot
        assert read(str(at.record())) == at.record()


# Resuming a record, and restoring a table.


def test_a_table_starts_with_the_seats_of_its_game_and_from_a_given_position() -> None:
    game = Rapido(3)
    with pytest.raises(GameError, match="3 seats, not 2"):
        Play(game, (Seat("A"), Seat("B")), ScriptedDice())
    start = game.parse_state("turn=2 phase=first value=0 steps=3,9,0 tower=5:1:76")
    at = table(game, "26", start=start)
    assert (at.state, at.to_act) == (start, 2)
    play(at, "roll", "place 0")
    assert at.record().start == start
    assert read(str(at.record())) == at.record()


def autoplay(at: Play, events: int, salt: int = 0) -> list[Event]:
    """Play some events, with decisions that depend only on the position."""
    made: list[Event] = []
    while at.to_act is not None and len(made) < events:
        choices = at.choices()
        event = at.act(at.to_act, choices[(len(str(at.state)) + at.state.turn + salt) % len(choices)])
        at.add(event)
        made.append(event)
    return made


@pytest.mark.parametrize("players", [2, 6])
@pytest.mark.parametrize("name", escadaria.GAMES)
def test_a_resumed_table_continues_like_the_original(name: str, players: int) -> None:
    game = escadaria.load(name, players=players)
    dice = FairDice(bytes(32), "m", ("",) * players)
    whole = seated(game, dice)
    made = autoplay(whole, 60)
    assert len(made) > 5
    for stop in range(0, len(made), 7):
        first = seated(game, dice)
        autoplay(first, stop)
        again = Play.resumed(read(str(first.record())), dice)
        assert again.state == first.state
        assert autoplay(again, len(made) - stop) == made[stop:]
        assert again.record() == whole.record()
    proof = Proof("m", commitment(bytes(32)), ("",) * players, bytes(32).hex())
    assert verify(whole.record(dice="fair", proof=proof)).fair


def test_a_resumed_table_knows_who_plays_and_what_can_be_taken_back() -> None:
    at = play(rapido("26", "13"), "roll")
    at.add(at.resign(2))
    at.add(at.hand_over(1, "random"))
    play(at, "place 3")
    again = Play.resumed(at.record(), at.dice)
    assert visible_state(again)[1:] == visible_state(at)[1:]
    assert again.undo(0) == Event(0, "undo")
    assert again.act(1, "roll") == at.act(1, "roll") == Event(1, "roll", ("13",))
    again.add(again.undo(0))
    assert len(at.plies) == 2, "the tables share nothing"


@settings(max_examples=60)
@given(games(), st.integers(0, 2**32), st.binary(min_size=1, max_size=120))
def test_events_restore_the_table(game: AnyGame, seed: int, wishes: bytes) -> None:
    dice = SeededDice(seed)
    at = seated(game, dice)
    stored: list[str] = []
    for wish in wishes:
        seat = wish % game.players
        before = visible_state(at)
        try:
            event = ask(at, seat, wish)
        except Refused:
            assert visible_state(at) == before
            continue
        assert visible_state(at) == before, "asking changes nothing"
        at.add(event)
        assert at.version == before[0] + 1
        stored.append(str(event))
        assert Event.parse(stored[-1]) == event
        if at.outcome:
            break
    again = seated(game, ScriptedDice())  # the dice of the past are in the events
    for text in stored:
        again.add(Event.parse(text))
    again.dice = dice
    assert visible_state(again) == visible_state(at)
    assert read(str(at.record())) == at.record()
    assert verify(at.record(dice=f"seed {seed}")).fair, "dice are numbered through the match"
    assert autoplay(again, 10) == autoplay(at, 10)


def ask(at: Play, seat: int, wish: int) -> Event:
    """A random command of a seat: mostly an action."""
    kind = wish // 6 % 8
    if kind == 0:
        return at.undo(seat, far=wish % 2 == 1)
    if kind == 1:
        return at.hand_over(seat, "simple")
    if kind == 2:
        return at.take_back(seat)
    if 210 <= wish < 216:
        return at.resign(seat)
    choices = at.choices()
    assert at.to_act is not None
    return at.act(at.to_act, choices[wish % len(choices)])


@settings(max_examples=40)
@given(games(), st.integers(0, 2**32), st.integers(0, 40), st.integers(0, 50))
def test_choices_are_all_that_may_be_played(game: AnyGame, seed: int, events: int, salt: int) -> None:
    at = seated(game, SeededDice(seed))
    autoplay(at, events, salt)
    choices = at.choices()
    assert bool(choices) == (at.outcome is None)
    if at.to_act is None:
        return
    assert at.awaits_roll or choices == tuple(map(str, possible(game, at.state)))
    for text in {"roll", *map(str, game.actions)}:
        if text in choices:
            assert at.act(at.to_act, text).action == text
        else:
            with pytest.raises((IllegalAction, InvalidText)):
                at.act(at.to_act, text)


# Stored events.


UNFIT = {
    "the dice are other than the decision needs": "0 place 3 [26], 0 again, 0 again [13] [26], 0 again [44]",
    "no decision": "0 13, 0 nonsense, 0 place 9, 0 roll, 0 roll [13]",
    "not the turn of the seat": "1 place 3, 7 place 3",
    "nothing to undo": "0 undo, 0 undo [13]",
    "not for this seat, or with dice": "7 resign, 0 resign [13], 7 bot simple, 0 bot a b, 0 bot simple [13]",
    "not replaced": "0 back",
    "resigned already": "2 resign, 2 bot simple, 2 back",
}
"""Stored events after a roll of seat 0, and after seat 2 has resigned."""


@pytest.mark.parametrize(
    "event",
    [
        *(Event.parse(text) for texts in UNFIT.values() for text in texts.split(", ")),
        Event(0, ""),
        Event(0, "bot "),
        Event(0, "again", ("place 3",)),
    ],
    ids=str,
)
def test_an_event_that_does_not_fit_leaves_the_table_unchanged(event: Event) -> None:
    at = play(rapido("26", "31"), "roll")
    at.add(at.resign(2))
    before = visible_state(at)
    with pytest.raises(GameError):
        at.add(event)
    assert visible_state(at) == before
    assert at.act(0, "again") == Event(0, "again", ("31",))


MALFORMED = [
    "", "0", "0 ", "roll", "-1 roll", "x roll", "100 roll", "0 roll [26", "0 roll [26] 13", "٣ roll",
    " 0 roll", "0 [26", "0  [26]", "0 roll [26][13]", "0 roll []", "0 roll [[26]]", "0 a]b",
]  # fmt: skip


def test_an_event_reads_and_prints() -> None:
    assert Event.parse("1 keep 3 [4] [6] [1]") == Event(1, "keep 3", ("4", "6", "1"))
    for text in ("0 roll [26]", "5 place 3", "12 undo", "3 bot search:2.0-fast", "0 back"):
        assert str(Event.parse(text)) == text
    for text in MALFORMED:
        with pytest.raises(InvalidText, match="no event"):
            Event.parse(text)


@given(st.text(max_size=30))
def test_any_text_is_an_event_or_refused(text: str) -> None:
    try:
        event = Event.parse(text)
    except InvalidText:
        return
    assert Event.parse(str(event)) == event
    with pytest.raises(GameError):
        rapido("26").add(event)


# Real dice.


def real(game: AnyGame, *bots: int) -> Play:
    return seated(game, None, bots)


def enter(at: Play, *faces: str) -> Play:
    assert at.to_act is not None
    at.add(at.act(at.to_act, "roll", faces))
    return at


def test_real_dice_follow_a_decision_as_an_entry_of_their_own() -> None:
    at = play(real(Chain(2)), "keep 2")
    assert (at.choices(), at.to_enter()) == (("roll",), [list("123456")] * 2)
    enter(at, "4", "3")
    assert (at.to_enter(), at.choices()) == (None, ("link 3",))
    play(at, "link 3", "down")
    assert at.to_enter() == [list("123456")]
    enter(at, "2")
    assert "4, 3, link 3, down, 2" in str(at.record(dice="real"))


def test_real_dice_start_a_turn_of_rapido() -> None:
    at = real(Rapido(3))
    rolls = at.to_enter()
    assert rolls is not None and len(rolls) == 1 and len(rolls[0]) == 36
    enter(at, "26")
    play(at, "again")
    assert at.to_act == 0
    enter(at, "7X")  # R12: an X ends the turn
    assert at.to_act == 1


def test_dice_are_entered_only_where_they_are_real_due_and_possible() -> None:
    at = play(real(Chain(2)), "keep 2")
    before = visible_state(at)
    for faces in ((), ("4",), ("4", "7"), ("4", "3", "3"), ("43",)):
        with pytest.raises(BadDice):
            at.act(0, "roll", faces)
    assert visible_state(at) == before
    with pytest.raises(BadDice):
        rapido("26").act(0, "roll", ["26"])
    with pytest.raises(BadDice):
        real(Chain(2)).act(0, "keep 2", ["4", "3"])
    with pytest.raises(IllegalAction):
        real(Rapido(3)).act(0, "place 3")


def test_a_wrong_entry_is_taken_back_by_anybody_and_noted() -> None:
    at = enter(play(real(Chain(2)), "keep 2"), "4", "3")
    play(at, "link 3")  # forced
    event = at.undo(1)
    assert str(event) == "1 undo 3"
    at.add(event)
    assert at.to_enter() is not None
    assert at.remarks == [Remark(1, 1, "undo")]
    enter(at, "4", "5")
    record = at.record(dice="real")
    assert "* B (seat 2) takes back" in str(record)
    assert read(str(record)) == record
    assert at.bot_of(1) == ""
    assert verify(record).reason == "real"


def test_taking_back_goes_past_the_decisions_of_bots() -> None:
    at = enter(real(Rapido(3), 1, 2), "26")
    play(at, "place 5")
    enter(at, "13")  # for the bot
    play(at, "place 3")
    assert str(at.undo(0)) == "0 undo 2"
    at.add(at.undo(0))
    assert (at.to_act, at.awaits_roll) == (1, True)
    at.add(at.undo(0))
    assert (at.to_act, at.awaits_roll) == (0, False)
    at.add(at.undo(0))
    assert at.awaits_roll
    with refused("no_undo"):
        at.undo(0)


def test_the_entry_that_ended_a_match_is_taken_back() -> None:
    at = enter(play(enter(real(Rapido(3, finish=5)), "33"), "again"), "22")  # R10: doubles climb at once
    assert at.choices() == ()
    at.add(at.undo(2))
    assert (at.outcome, at.to_act, at.remarks) == (None, 0, [Remark(2, 2, "undo")])
    enter(at, "16")
    again = read(str(at.record(dice="real")))
    assert again == at.record(dice="real") and again.outcome is None
    for seat in (0, 1):
        at.add(at.resign(seat))
    with refused("over"):  # resigning is no entry
        at.undo(2)


@settings(max_examples=40)
@given(games(), st.data())
def test_a_table_with_real_dice_is_restored_from_its_events(game: AnyGame, data: st.DataObject) -> None:
    at, events = real(game, 1), []
    for _ in range(30):
        seat = at.to_act
        if seat is None or (at.plies and data.draw(st.integers(0, 5)) == 0):
            event = at.undo(0)
        elif rolls := at.to_enter():
            faces = [data.draw(st.sampled_from(outcomes)) for outcomes in rolls]
            event = at.act(seat, "roll", faces)
        else:
            event = at.act(seat, data.draw(st.sampled_from(at.choices())))
        at.add(event)
        events.append(event)
    again = real(game, 1)
    for event in events:
        again.add(Event.parse(str(event)))
    assert visible_state(again) == visible_state(at)
    restored = Play.restored(at.saved(), game, at.seats, None)
    assert visible_state(restored)[:5] == visible_state(at)[:5]
    record = at.record(dice="real")
    assert read(str(record)) == record
