"""Chain, ruling by ruling (C1-C18); then its numbers, facts, refusals and texts.

Played on the default board, unless a test says otherwise: the centre is 34, the arrows are
7>11 10>5 14>19 17>12 21>26 24>18 27>30 32>25.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement, groupby, permutations, product
from typing import Any

import pytest

import escadaria
from escadaria.game import CHANCE, TERMINAL, BadOptions, Fact, IllegalAction, InvalidText, Outcome
from escadaria.games.chain.boards import BOARDS
from escadaria.games.chain.links import add_link, can_link, next_links, without
from escadaria.games.chain.rules import (
    Action,
    Added,
    Arrived,
    Chain,
    Covered,
    Failed,
    Freed,
    Heading,
    Keep,
    Kept,
    Lengthen,
    Lengthened,
    Link,
    Linked,
    Links,
    Missed,
    Move,
    Moved,
    Phase,
    Roll,
    Rolled,
    State,
    TookArrow,
    Unlinkable,
    WalkedBack,
    Won,
)
from escadaria.games.chain.sequences import MOST, sequences

TWO, THREE, FOUR = Chain(players=2), Chain(players=3), Chain(players=4)
CENTRE = 34
ASCENDING = "111222333444555666"  # its first k numbers are a chain of k links
SEATS = range(2, 7)
Make = Callable[[], State]  # a position for a table of cases, made when its test runs


def position(
    game: Chain = TWO,
    *,
    turn: int = 0,
    phase: Phase | None = None,
    chain: str = "",
    named: Heading | None = None,
    loose: str = "",
    hands: tuple[int, ...] = (),
    discs: tuple[tuple[int, ...], ...] = (),
    stacks: Mapping[int, tuple[int, ...]] | None = None,
) -> State:
    """A position; what is left out is as at the start of the game.

    ``chain`` has the links in the order they were built, ``named`` the direction that was named.
    Without ``phase`` the player is to keep, build or decide, whichever the chain tells.
    """
    phase = phase or (Phase.KEEP if not chain else Phase.BUILD if loose else Phase.DECIDE)
    lying = len(chain) + len(loose) + (phase is Phase.LENGTHEN)
    hands = hands or tuple(lying if chain and seat == turn else 2 for seat in range(game.players))
    discs = discs or ((0, 0),) * game.players
    if stacks is None:  # where the order does not matter
        stacks = {
            space: tuple(seat for seat, spaces in enumerate(discs) for mine in spaces if mine == space)
            for space in {space for spaces in discs for space in spaces} - {0, game.track.length}
        }
    links = tuple(map(int, chain))
    state = State(
        turn,
        phase,
        hands,
        game.dice - sum(hands),
        discs,
        tuple(sorted(stacks.items())),
        Links(tuple(sorted(links)), links[-1], named or heading_of(links)) if links else Links(),
        tuple(sorted(map(int, loose))),
    )
    assert game.parse_state(str(state)) == state, "tests stand on positions that can be"
    return state


def heading_of(links: tuple[int, ...]) -> Heading:
    """The direction of a chain that was built without naming one."""
    runs = [number for number, _ in groupby(links)]
    if runs[-1] in (1, 6) or len(runs) == 1:
        return Heading.OPEN
    return Heading.UP if runs[-1] > runs[-2] else Heading.DOWN


def play(game: Chain, state: State, *texts: str) -> State:
    """The position after these decisions and dice."""
    for text in texts:
        state = game.apply(state, game.parse(text))
    return state


def legal(game: Chain, state: State) -> list[str]:
    return [str(action) for action in game.legal_actions(state)]


def landing(start: int, links: int, game: Chain = TWO) -> int:
    """Where a disc comes to lie that moves alone on the track."""
    others = ((0, 0),) * (game.players - 1)
    state = position(game, chain=ASCENDING[:links], discs=((0, start), *others))
    return max(game.apply(state, Move(start)).discs[0])


def refusal(game: Chain, state: State, action: Any) -> IllegalAction:
    with pytest.raises(IllegalAction) as caught:
        game.apply(state, action)
    with pytest.raises(IllegalAction, match="is not possible at"):
        game.facts(state, action)
    return caught.value


# C1-C7: the aim, the material, the start, the end.


def test_c1_the_first_who_cannot_move_when_the_own_turn_comes_wins() -> None:
    state = position(discs=((9, 9), (11, CENTRE)), chain="12")
    after = play(TWO, state, "move 9")
    assert TWO.outcome(after) == Outcome(winner=1, ruling="C6")
    assert (after.turn, after.phase, TWO.current_player(after)) == (1, Phase.OVER, TERMINAL)
    assert TWO.legal_actions(after) == ()
    assert TWO.chance_outcomes(after) == ()


def test_c1_the_turn_that_comes_first_decides_between_two_who_cannot_move() -> None:
    state = position(THREE, turn=1, discs=((CENTRE, CENTRE), (0, 19), (20, CENTRE)), chain="3")
    after = play(THREE, state, "move 19")  # seat 0 waits for its turn, seat 2 is covered now
    assert THREE.outcome(after) == Outcome(winner=2, ruling="C6")
    assert THREE.outcome(play(THREE, state, "move 0")) is None


@pytest.mark.parametrize("players", SEATS)
def test_c2_what_everybody_starts_with(players: int) -> None:
    state = Chain(players=players).initial_state()
    assert state.hands == (2,) * players
    assert state.pool == 6 * players
    assert state.discs == ((0, 0),) * players
    assert (state.turn, state.phase, state.stacks, state.chain, state.loose) == (
        0,
        Phase.KEEP,
        {},
        Links(),
        (),
    )


@pytest.mark.parametrize("phase, chain", [(Phase.ROLL, ""), (Phase.ROLL, "3"), (Phase.LENGTHEN, "34")])
def test_c2_every_die_shows_1_to_6_alike(phase: Phase, chain: str) -> None:
    hands = (3, 2)
    named = Heading.UP if phase is Phase.LENGTHEN else None
    state = position(phase=phase, chain=chain, hands=hands, named=named)
    assert TWO.current_player(state) == CHANCE
    assert TWO.chance_outcomes(state) == tuple((Roll(n), Fraction(1, 6)) for n in (1, 2, 3, 4, 5, 6))
    for number in (0, 7, -1):
        assert refusal(TWO, state, Roll(number)).ruling == "C2"


@pytest.mark.parametrize("players", [1, 7, 0, -2, "3", 3.0, True, None])
def test_c2_two_to_six_players(players: Any) -> None:
    with pytest.raises(BadOptions) as caught:
        escadaria.load("chain", players=players)
    assert (caught.value.code, caught.value.ruling) == ("bad_options", "C2")
    assert str(caught.value) == f"players must be a whole number from 2 to 6, not {players!r} (C2)"


def test_c3_the_track_is_as_long_as_the_board_says() -> None:
    for board in BOARDS.values():
        game = Chain(players=2, board=board)
        assert landing(board.length - 1, 1, game) == board.length
        assert landing(board.length - 1, 2, game) == board.length - 1


@pytest.mark.parametrize("board, end", [("default", 11), ("short", 7), ("long", 12), ("18 7>2", 2)])
def test_c3_the_arrows_are_those_of_the_board(board: str, end: int) -> None:
    assert landing(6, 1, Chain(players=2, board=board)) == end


def test_c3_there_is_a_move_from_every_space_but_the_centre() -> None:
    for board in BOARDS.values():
        moves = [action for action in Chain(board=board).actions if isinstance(action, Move)]
        assert moves == [Move(space) for space in range(board.length)]


@pytest.mark.parametrize("players", SEATS)
def test_c4_nothing_is_covered_beside_the_start(players: int) -> None:
    game = Chain(players=players)
    state = game.initial_state()
    assert all(game.free_discs(state, seat) == (0,) for seat in range(players))
    after = play(game, state, "keep 1", "2", "move 0")
    assert after.discs[0] == (0, 1)
    assert after.stacks == {1: (0,)}
    assert all(game.free_discs(after, seat) == (0,) for seat in range(1, players))
    assert game.free_discs(after, 0) == (0, 1)


@pytest.mark.parametrize("players", SEATS)
def test_c5_seat_0_starts_then_clockwise(players: int) -> None:
    game = Chain(players=players)
    state, turns = game.initial_state(), []
    for _ in range(players + 1):
        turns.append(state.turn)
        state = play(game, state, "keep 1", "2", "move 0")
    assert turns == [*range(players), 0]


def test_c5_the_turn_goes_on_after_a_failure_too() -> None:
    assert play(THREE, position(THREE, turn=2, hands=(2, 2, 3)), "keep 3", "3", "2", "4").turn == 0


def test_c6_a_player_wins_when_the_own_turn_starts_and_no_disc_can_move() -> None:
    state = position(discs=((0, 19), (20, CENTRE)), chain="1")
    assert TWO.outcome(state) is None
    assert TWO.outcome(play(TWO, state, "move 19")) == Outcome(1, "C6")
    assert TWO.outcome(play(TWO, state, "move 0")) is None


def test_c6_a_player_wins_after_a_failure_of_the_one_before() -> None:
    state = position(discs=((0, 20), (20, CENTRE)), stacks={20: (1, 0)}, phase=Phase.LENGTHEN, chain="3",
                     named=Heading.UP)  # fmt: skip
    assert TWO.outcome(play(TWO, state, "2")) == Outcome(1, "C6")


def test_c6_one_disc_that_can_move_is_enough_to_play_on() -> None:
    for discs in ((0, CENTRE), (0, 20), (22, CENTRE)):
        state = position(discs=((0, 19), discs), chain="1")
        after = play(TWO, state, "move 19")
        assert (after.turn, after.phase) == (1, Phase.KEEP)


def test_c6_is_not_looked_at_when_the_own_move_ends() -> None:
    state = position(discs=((33, CENTRE), (0, 0)), chain="1")
    arrived = play(TWO, state, "move 33")
    assert arrived.discs[0] == (CENTRE, CENTRE)
    assert TWO.outcome(arrived) is None
    assert (arrived.turn, arrived.phase) == (1, Phase.KEEP)
    assert TWO.outcome(play(TWO, arrived, "keep 1", "3", "move 0")) == Outcome(0, "C6")


def test_c6_is_not_looked_at_in_the_turns_of_others() -> None:
    discs = ((0, 0), (0, 20), (20, CENTRE))
    state = position(THREE, discs=discs, stacks={20: (2, 1)}, chain="1")
    between = play(THREE, state, "move 0")  # seat 2 cannot move, but it is not its turn
    assert (between.turn, THREE.outcome(between)) == (1, None)
    freed = play(THREE, between, "keep 1", "2", "move 20")
    assert (freed.turn, freed.phase) == (2, Phase.KEEP)
    still = play(THREE, between, "keep 1", "2", "move 0")
    assert THREE.outcome(still) == Outcome(2, "C6")


def test_c7_a_disc_at_the_centre_does_not_move() -> None:
    state = position(discs=((5, CENTRE), (0, 0)), chain="12")
    assert TWO.free_discs(state, 0) == (5,)
    assert legal(TWO, state) == ["move 5", "up"]
    assert refusal(TWO, state, Move(CENTRE)).ruling == "C7"


def test_c7_a_disc_does_not_move_while_another_lies_on_it() -> None:
    state = position(discs=((5, 9), (5, 9)), stacks={5: (0, 1), 9: (1, 0)}, chain="12")
    assert TWO.free_discs(state, 0) == (9,)
    assert TWO.free_discs(state, 1) == (5,)
    assert legal(TWO, state) == ["move 9", "up"]
    assert refusal(TWO, state, Move(5)).ruling == "C7"


def test_c7_when_the_top_disc_leaves_only_the_next_one_down_is_free() -> None:
    discs = ((0, 9), (0, 9), (0, 9))
    state = position(THREE, discs=discs, stacks={9: (1, 2, 0)}, chain="12")
    after = play(THREE, state, "move 9")
    assert after.stacks == {9: (1, 2), 11: (0,)}
    assert THREE.free_discs(after, 2) == (0, 9)
    assert THREE.free_discs(after, 1) == (0,)


def test_c7_of_two_own_discs_on_a_space_the_top_one_moves() -> None:
    state = position(discs=((9, 9), (0, 0)), chain="12")
    assert legal(TWO, state) == ["move 9", "up"]
    after = play(TWO, state, "move 9")
    assert after.stacks == {9: (0,), 11: (0,)}
    assert TWO.free_discs(after, 0) == (9, 11)


# C8-C10: discard, roll, build.


@pytest.mark.parametrize("hand", range(1, 9))
def test_c8_any_number_of_black_dice_goes_back_into_the_pool(hand: int) -> None:
    state = position(hands=(hand, 2))
    assert legal(TWO, state) == [f"keep {dice}" for dice in range(1, hand + 1)]
    for kept in range(1, hand + 1):
        after = TWO.apply(state, Keep(kept))
        assert after.hands == (kept, 2)
        assert after.pool == state.pool + hand - kept
        assert (after.turn, after.phase, after.discs) == (0, Phase.ROLL, state.discs)


def test_c8_the_coloured_die_is_never_discarded() -> None:
    assert refusal(TWO, position(), Keep(0)).ruling == "C8"
    assert Keep(0) not in TWO.actions


def test_c8_nobody_keeps_more_dice_than_the_hand_has() -> None:
    assert refusal(TWO, position(hands=(3, 2)), Keep(4)).ruling == "C8"


def test_c8_discarded_dice_may_be_drawn_again_in_the_same_turn() -> None:
    state = position(hands=(8, 8))
    assert state.pool == 0
    decide = play(TWO, state, "keep 1", "3")
    assert legal(TWO, decide) == ["move 0", "up", "down"]
    assert (decide.pool, play(TWO, decide, "up").pool) == (7, 6)


@pytest.mark.parametrize("dice", range(1, 7))
def test_c9_every_die_left_in_the_hand_is_rolled(dice: int) -> None:
    state = play(TWO, position(hands=(6, 2)), f"keep {dice}")
    for rolled in range(dice):
        assert (state.turn, state.phase) == (0, Phase.ROLL)
        assert TWO.current_player(state) == CHANCE
        assert TWO.legal_actions(state) == ()
        assert len(state.chain.numbers) + len(state.loose) == rolled
        state = play(TWO, state, ASCENDING[rolled])
    assert TWO.current_player(state) == 0
    assert state.phase is (Phase.DECIDE if dice == 1 else Phase.BUILD)
    assert state.hands == (dice, 2)


def test_c10_the_coloured_die_falls_first_and_is_the_first_link() -> None:
    state = play(TWO, position(hands=(4, 2)), "keep 4", "5", "2", "6")
    assert (state.chain, state.loose) == (Links((5,), 5), (2, 6))
    assert play(TWO, state, "1").chain == Links((5,), 5)


def test_c10_no_other_die_can_be_the_first_link() -> None:
    failed = play(TWO, position(hands=(3, 2)), "keep 3", "3", "2", "4")  # 2-3-4 would be a chain
    assert (failed.turn, failed.hands) == (1, (1, 2))
    built = play(TWO, position(hands=(3, 2)), "keep 3", "2", "3", "4", "link 3", "link 4")
    assert (built.turn, built.phase) == (0, Phase.DECIDE)


def test_c10_the_player_chooses_the_order_of_the_black_dice() -> None:
    state = play(TWO, position(hands=(4, 2)), "keep 4", "1", "3", "6", "3")
    assert legal(TWO, state) == ["link 3", "link 6"]
    assert legal(TWO, play(TWO, state, "link 3")) == ["link 3", "link 6"]
    assert legal(TWO, play(TWO, state, "link 6")) == ["link 3"]


def test_c10_only_links_are_offered_that_can_still_take_all_dice() -> None:
    state = position(chain="3", loose="26")
    assert legal(TWO, state) == ["link 6"]  # 3-2 would leave the 6 over
    assert refusal(TWO, state, Link(2)).ruling == "C11"


def test_c10_all_dice_are_linked_before_the_player_decides() -> None:
    state = position(chain="3", loose="46")
    one_left = play(TWO, state, "link 4")
    assert (one_left.phase, one_left.loose, legal(TWO, one_left)) == (Phase.BUILD, (6,), ["link 6"])
    built = play(TWO, one_left, "link 6")
    assert (built.phase, built.loose) == (Phase.DECIDE, ())
    assert built.chain == Links((3, 4, 6), 6)
    assert (built.hands, built.pool, built.discs) == (state.hands, state.pool, state.discs)


# C11: what a chain is. ``is_chain`` says it once more, in another way than the engine.


def is_chain(links: tuple[int, ...]) -> bool:
    """Without repeats of a number beside itself, every peak is a 6 and every valley is a 1."""
    runs = [number for number, _ in groupby(links)]
    turns = [b for a, b, c in zip(runs, runs[1:], runs[2:], strict=False) if (a < b) != (b < c)]
    return set(turns) <= {1, 6} and max(Counter(links).values()) <= 3


@pytest.mark.parametrize(
    "links, legal_chain",
    [
        ("5", True),
        ("334", True),
        ("332", True),
        ("2345", True),
        ("5432", True),
        ("2355", True),
        ("3554", False),  # the direction changes at a 5
        ("342", False),
        ("324", False),
        ("365", True),  # at a 6
        ("3665", True),
        ("213", True),  # at a 1
        ("2113", True),
        ("26165", True),
        ("2615", True),
        ("26142", False),
        ("222", True),
        ("2222", False),  # four times the same number
        ("56515", True),
        ("565155", False),  # four times the 5, not side by side
        ("111666", True),
        (ASCENDING, True),
    ],
)
def test_c11_legal_chains(links: str, legal_chain: bool) -> None:
    numbers = tuple(map(int, links))
    assert is_chain(numbers) == legal_chain
    assert offered(numbers) == legal_chain


def offered(links: tuple[int, ...]) -> bool:
    """Whether the engine lets a hand that fell like this be linked in just this order."""
    state = rolled(links)
    for number in links[1:]:
        if Link(number) not in FOUR.legal_actions(state):
            return False
        state = FOUR.apply(state, Link(number))
    return state.phase is Phase.DECIDE


def rolled(dice: tuple[int, ...]) -> State:
    """The position after these dice fell, the coloured die first."""
    return play(FOUR, position(FOUR, hands=(len(dice), 2, 2, 2)), f"keep {len(dice)}", *map(str, dice))


@pytest.mark.parametrize("dice", range(1, 6))
def test_c11_the_engine_offers_all_legal_orders_and_no_others(dice: int) -> None:
    for coloured in range(1, 7):
        for black in combinations_with_replacement(range(1, 7), dice - 1):
            expected = {order for order in permutations(black) if is_chain((coloured, *order))}
            assert set(orders(rolled((coloured, *black)))) == expected


def orders(state: State) -> Iterator[tuple[int, ...]]:
    """Every order in which the engine lets the loose dice be linked; none after a failure."""
    if state.phase is Phase.DECIDE:
        yield ()
    for action in FOUR.legal_actions(state):
        if isinstance(action, Link):
            for rest in orders(FOUR.apply(state, action)):
                yield (action.number, *rest)


@pytest.mark.parametrize("dice", range(2, 7))
def test_c10_the_orders_offered_as_one_choice_are_the_legal_orders(dice: int) -> None:
    for coloured in range(1, 7):
        for black in combinations_with_replacement(range(1, 7), dice - 1):
            state = rolled((coloured, *black))
            found, complete = sequences(FOUR, state)
            legal_orders = set(orders(state)) if state.phase is Phase.BUILD else set()
            ends = {play(FOUR, state, *(f"link {number}" for number in order)) for order in legal_orders}
            assert complete and len(set(found)) == len(found)
            if len(ends) > 1:
                assert {tuple(link.number for link in order) for order in found} == legal_orders
            elif ends:  # nothing is to be chosen
                assert [sorted(link.number for link in order) for order in found] == [list(black)]
            else:
                assert found == []


def test_c11_the_order_that_leaves_the_chain_most_open_is_proposed() -> None:
    found, _ = sequences(TWO, position(chain="3", loose="26"))
    assert found == [(Link(6), Link(2))]  # the only one
    found, _ = sequences(TWO, position(chain="2", loose="356"))
    assert [link.number for link in found[0]] == [3, 5, 6]  # after the 6 every number fits
    assert {order[-1].number for order in found} == {3, 5, 6}


@pytest.mark.parametrize("dice", range(1, 8))
def test_c10_dice_can_all_be_linked_if_a_search_finds_an_order(dice: int) -> None:
    @cache
    def found(chain: Links, loose: tuple[int, ...]) -> bool:
        longer = ((add_link(chain, number), without(loose, number)) for number in set(loose))
        return not loose or any(link is not None and found(link, rest) for link, rest in longer)

    for last in range(1, 7):
        for heading in Heading if last in range(2, 6) else [Heading.OPEN]:
            for loose in combinations_with_replacement(range(1, 7), dice):
                chain = Links((last,), last, heading)
                assert can_link(chain, loose) == found(chain, loose), (chain, loose)


def test_c11_of_a_hand_of_eighteen_dice_a_bounded_number_of_orders_is_offered() -> None:
    state = rolled((3, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6))
    next_links.cache_clear()
    found, complete = sequences(FOUR, state)
    assert not complete and MOST // 2 <= len(found) <= MOST
    for first in FOUR.legal_actions(state):
        after = FOUR.apply(state, first)
        assert {order[1] for order in found if order[0] == first} == set(FOUR.legal_actions(after))
    assert all(is_chain((3, *(link.number for link in order))) and len(order) == 17 for order in found)
    assert next_links.cache_info().misses < 20 * MOST  # the work is bounded too


def test_c10_no_orders_are_offered_in_other_phases() -> None:
    assert sequences(TWO, position()) == ([], True)
    assert sequences(TWO, position(chain="345")) == ([], True)


@pytest.mark.parametrize("links", range(1, 5))
def test_c11_a_new_die_fits_in_some_direction_just_when_the_chain_stays_legal(links: int) -> None:
    for built in product(range(1, 7), repeat=links):
        if is_chain(built):
            state = position(chain="".join(map(str, built)))
            named = [TWO.apply(state, a) for a in TWO.legal_actions(state) if isinstance(a, Lengthen)]
            for number in range(1, 7):
                fits = any(TWO.apply(one, Roll(number)).phase is Phase.DECIDE for one in named)
                assert fits == is_chain((*built, number))


@pytest.mark.parametrize(
    "chain, directions",
    [
        ("3", ["up", "down"]),
        ("33", ["up", "down"]),
        ("333", ["up", "down"]),
        ("34", ["up"]),
        ("344", ["up"]),
        ("43", ["down"]),
        ("36", ["up", "down"]),
        ("31", ["up", "down"]),
        ("3665", ["down"]),
        ("3112", ["up"]),
        ("1", ["up", "down"]),
        ("12", ["up"]),
        ("65", ["down"]),
    ],
)
def test_c11_the_direction_is_open_at_equal_links_and_at_1_and_6(chain: str, directions: list[str]) -> None:
    state = rolled(tuple(map(int, chain)))
    for number in chain[1:]:
        state = play(FOUR, state, f"link {number}")
    assert legal(FOUR, state) == ["move 0", *directions]


# C12-C14: stop or lengthen, failure.


@pytest.mark.parametrize("links", range(1, 7))
def test_c12_a_disc_moves_as_many_spaces_as_the_chain_has_links(links: int) -> None:
    state = position(chain=ASCENDING[:links], discs=((2, 15), (0, 0)))
    expected = {2: {7: 11}.get(2 + links, 2 + links), 15: {17: 12, 21: 26}.get(15 + links, 15 + links)}
    for start, other in ((2, 15), (15, 2)):
        after = TWO.apply(state, Move(start))
        assert after.discs[0] == tuple(sorted((expected[start], other)))
        assert after.discs[1] == (0, 0)


def test_c12_the_dice_of_the_chain_are_the_hand_for_the_next_turn() -> None:
    state = play(TWO, position(hands=(4, 2)), "keep 3", "2", "3", "4", "link 3", "link 4", "up", "5")
    after = play(TWO, state, "move 0")
    assert after.hands == (4, 2)
    assert after.pool == TWO.dice - 6
    assert (after.turn, after.phase, after.chain, after.loose) == (1, Phase.KEEP, Links(), ())
    again = play(TWO, after, "keep 2", "2", "2", "link 2", "move 0")
    assert legal(TWO, again) == ["keep 1", "keep 2", "keep 3", "keep 4"]


def test_c12_only_own_discs_move() -> None:
    state = position(discs=((0, 5), (9, 13)), chain="12")
    assert legal(TWO, state) == ["move 0", "move 5", "up"]
    for space in (9, 13, 20):
        assert refusal(TWO, state, Move(space)).ruling == "C7"


def test_c13_a_die_from_the_pool_is_rolled() -> None:
    state = position(chain="34")
    falling = play(TWO, state, "up")
    assert (falling.turn, falling.phase, TWO.current_player(falling)) == (0, Phase.LENGTHEN, CHANCE)
    assert (falling.hands, falling.pool) == ((3, 2), state.pool - 1)
    assert TWO.legal_actions(falling) == ()
    added = play(TWO, falling, "5")
    assert added == position(chain="345")
    assert legal(TWO, added) == ["move 0", "up"]


@pytest.mark.parametrize(
    "chain, named, fitting",
    [
        ("3", "up", "3456"),
        ("3", "down", "123"),
        ("34", "up", "456"),
        ("43", "down", "123"),
        ("333", "up", "456"),
        ("333", "down", "12"),
        ("6", "up", "6"),
        ("6", "down", "123456"),
        ("1", "down", "1"),
        ("1", "up", "123456"),
        ("666", "up", ""),
        ("112236665", "down", "12345"),
        ("56515", "up", "6"),
    ],
)
def test_c13_the_named_direction_binds_the_new_die(chain: str, named: str, fitting: str) -> None:
    falling = play(TWO, position(chain=chain), named)
    assert "".join(n for n in "123456" if play(TWO, falling, n).phase is Phase.DECIDE) == fitting


def test_c13_a_direction_that_the_chain_does_not_have_cannot_be_named() -> None:
    assert refusal(TWO, position(chain="34"), Lengthen(Heading.DOWN)).ruling == "C11"
    assert refusal(TWO, position(chain="43"), Lengthen(Heading.UP)).ruling == "C11"


@pytest.mark.parametrize("named", ["up", "down"])
def test_c13_a_named_direction_stays_through_equal_links(named: str) -> None:
    state = play(TWO, position(chain="3"), named, "3")
    assert legal(TWO, state) == ["move 0", named]
    assert legal(TWO, play(TWO, state, named, "3")) == ["move 0", named]
    assert legal(TWO, position(chain="33")) == ["move 0", "up", "down"]  # built, not named (C11)


@pytest.mark.parametrize("named, end", [("up", "6"), ("down", "1")])
def test_c13_a_named_direction_ends_at_a_1_or_a_6(named: str, end: str) -> None:
    state = play(TWO, position(chain="3"), named, "3", named, end)
    assert legal(TWO, state) == ["move 0", "up", "down"]


def test_c13_with_an_empty_pool_nobody_can_lengthen() -> None:
    state = position(chain="34", hands=(2, 14))
    assert (state.pool, legal(TWO, state)) == (0, ["move 0"])
    for heading in (Heading.UP, Heading.DOWN):
        assert refusal(TWO, state, Lengthen(heading)).ruling == "C13"


def test_c13_the_last_die_of_the_pool_can_be_taken() -> None:
    state = position(chain="34", hands=(2, 13))
    assert state.pool == 1
    added = play(TWO, state, "up", "4")
    assert (added.pool, added.hands, legal(TWO, added)) == (0, (3, 13), ["move 0"])


@pytest.mark.parametrize(
    "dice, lost",
    [("324", 2), ("3245", 2), ("32455", 3), ("324455", 3), ("3244555", 4), ("2222", 2), ("55555", 3)],
)
def test_c14_half_of_the_dice_go_back_when_they_cannot_be_linked(dice: str, lost: int) -> None:
    state = position(hands=(len(dice) + 1, 2), discs=((0, 5), (0, 9)))
    after = play(TWO, state, f"keep {len(dice)}", *dice)
    assert (after.turn, after.phase, after.chain, after.loose) == (1, Phase.KEEP, Links(), ())
    assert after.hands == (len(dice) - lost, 2)
    assert after.pool == state.pool + 1 + lost  # the discarded die is not one of those used
    assert (after.discs, after.stacks) == (state.discs, state.stacks)


@pytest.mark.parametrize("links, lost", [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (7, 4)])
def test_c14_half_of_the_dice_go_back_when_the_new_one_does_not_fit(links: int, lost: int) -> None:
    state = position(chain="2223334"[:links], discs=((0, 5), (0, 9)))
    after = play(TWO, state, "up", "1")
    assert (after.turn, after.phase, after.chain, after.loose) == (1, Phase.KEEP, Links(), ())
    assert after.hands == (links + 1 - lost, 2)  # the new die counts
    assert after.pool == state.pool - 1 + lost
    assert (after.discs, after.stacks) == (state.discs, state.stacks)


def test_c14_the_longest_chain_can_only_fail() -> None:
    state = position(THREE, chain=ASCENDING)
    falling = play(THREE, state, "down")
    for number in "123456":
        after = play(THREE, falling, number)
        assert (after.hands, after.pool) == ((9, 2, 2), 24 - 13)


def test_c14_the_coloured_die_stays() -> None:
    failed = play(TWO, position(chain="3"), "up", "2", "keep 1", "4", "move 0")
    assert failed.hands == (1, 1)
    assert legal(TWO, failed) == ["keep 1"]
    coloured = play(TWO, failed, "keep 1", "5")
    assert (coloured.chain, coloured.phase) == (Links((5,), 5), Phase.DECIDE)


def test_c14_nobody_may_fail_on_purpose() -> None:
    for coloured in range(1, 7):
        for black in combinations_with_replacement(range(1, 7), 3):
            ends = list(last_positions(rolled((coloured, *black))))
            assert len({end.turn for end in ends}) == 1  # all orders offered succeed, or none is


def last_positions(state: State) -> Iterator[State]:
    """Where building ends, over all that the player may choose."""
    if state.phase is not Phase.BUILD:
        yield state
        return
    assert FOUR.legal_actions(state), "a roll that can be linked can be linked to the end"
    for action in FOUR.legal_actions(state):
        yield from last_positions(FOUR.apply(state, action))


# C15-C18: the centre, arrows, covering, our own option.


@pytest.mark.parametrize(
    "start, links, end",
    [(33, 1, 34), (28, 6, 34), (33, 2, 33), (33, 6, 29), (31, 4, 33), (30, 6, 32 - 7), (33, 14, 34 - 13 + 5)],
)
def test_c15_a_disc_walks_back_what_it_has_too_much(start: int, links: int, end: int) -> None:
    assert landing(start, links) == end


@pytest.mark.parametrize("start", [26, 28, 29, 30, 31, 33])
def test_c15_a_move_may_end_where_it_began(start: int) -> None:
    links = 2 * (CENTRE - start)
    hands = (links, 2, 2)
    state = position(
        THREE,
        chain=ASCENDING[:links],
        hands=hands,
        discs=((0, start), (0, start), (0, 0)),
        stacks={start: (1, 0)},
    )
    after = THREE.apply(state, Move(start))
    assert after.turn == 1
    assert (after.discs, after.stacks) == (state.discs, {start: (1, 0)})
    assert THREE.free_discs(after, 1) == (0,)


def test_c15_only_a_disc_that_ends_at_the_centre_is_immobilized_there() -> None:
    state = position(discs=((0, 33), (0, 0)), chain="1122")
    passed = play(TWO, state, "move 33")
    assert passed.discs[0] == (0, 31)
    assert TWO.free_discs(passed, 0) == (0, 31)
    arrived = play(TWO, position(discs=((0, 33), (0, 0)), chain="1"), "move 33")
    assert arrived.discs[0] == (0, CENTRE)
    assert TWO.free_discs(arrived, 0) == (0,)
    assert arrived.stacks == {}


def test_c15_the_longest_chain_on_the_shortest_track_walks_back_to_the_first_space() -> None:
    assert landing(17, 18, Chain(players=3, board="18")) == 1


@pytest.mark.parametrize("board", BOARDS)
def test_c16_a_disc_that_ends_on_an_arrow_follows_it(board: str) -> None:
    game = Chain(players=2, board=board)
    for space, end in BOARDS[board].arrows:
        start = next(s for s in range(space - 1, 0, -1) if s not in dict(BOARDS[board].arrows))
        assert landing(start, space - start, game) == end


def test_c16_an_arrow_that_is_passed_does_nothing() -> None:
    assert landing(6, 2) == 8
    assert landing(33, 4) == 31  # back over the arrow at 32


def test_c16_an_arrow_counts_after_walking_back() -> None:
    assert landing(33, 3) == 25  # 34, back to 32
    assert landing(33, 8) == 30  # 34, back to 27, which leads forward


def test_c16_an_arrow_may_lead_back_to_where_the_move_began() -> None:
    state = position(discs=((0, 25), (0, 25)), stacks={25: (1, 0)}, chain=ASCENDING[:7])
    after = play(TWO, state, "move 25")
    assert (after.discs, after.stacks) == (state.discs, {25: (1, 0)})


def test_c17_a_disc_covers_another() -> None:
    state = position(discs=((0, 9), (0, 11)), chain="12")
    after = play(TWO, state, "move 9")
    assert after.stacks == {11: (1, 0)}
    assert TWO.free_discs(after, 1) == (0,)
    assert TWO.free_discs(after, 0) == (0, 11)


def test_c17_a_disc_from_the_start_covers_too() -> None:
    after = play(TWO, position(discs=((0, 0), (0, 2)), chain="12"), "move 0")
    assert after.stacks == {2: (1, 0)}


def test_c17_a_disc_covers_by_an_arrow() -> None:
    after = play(TWO, position(discs=((0, 6), (0, 11)), chain="1"), "move 6")
    assert after.stacks == {11: (1, 0)}


def test_c17_a_disc_covers_after_walking_back() -> None:
    after = play(TWO, position(discs=((0, 33), (0, 31)), chain="1122"), "move 33")
    assert after.stacks == {31: (1, 0)}


def test_c17_the_own_disc_is_covered_too() -> None:
    state = position(discs=((9, 11), (0, 0)), chain="12")
    after = play(TWO, state, "move 9")
    assert after.stacks == {11: (0, 0)}
    assert TWO.free_discs(after, 0) == (11,)  # the one on top


def test_c17_a_disc_lies_on_top_of_others_with_an_own_one_among_them() -> None:
    state = position(discs=((9, 11), (0, 11)), stacks={9: (0,), 11: (0, 1)}, chain="12")
    after = play(TWO, state, "move 9")
    assert after.stacks == {11: (0, 1, 0)}
    assert (TWO.free_discs(after, 0), TWO.free_discs(after, 1)) == ((11,), (0,))


def test_c17_a_stack_grows_and_only_its_top_is_free() -> None:
    discs = ((0, 9), (0, 11), (0, 11))
    state = position(THREE, discs=discs, stacks={9: (0,), 11: (2, 1)}, chain="12")
    after = play(THREE, state, "move 9")
    assert after.stacks == {11: (2, 1, 0)}
    assert [THREE.free_discs(after, seat) for seat in range(3)] == [(0, 11), (0,), (0,)]


def test_c17_the_own_covered_disc_counts_as_immobilized() -> None:
    discs = ((0, 19), (20, 20))
    state = position(discs=discs, chain="1")
    assert TWO.outcome(play(TWO, state, "move 19")) == Outcome(1, "C6")  # under it both of seat 1


def test_c17_nothing_is_covered_at_the_centre() -> None:
    state = position(discs=((33, 33), (0, CENTRE)), chain="1")
    after = play(TWO, state, "move 33")
    assert after.discs == ((33, CENTRE), (0, CENTRE))
    assert after.stacks == {33: (0,)}


@pytest.mark.parametrize(
    "players, hands, pool",
    [
        (2, (2, 3), 11),
        (3, (2, 3, 3), 16),
        (4, (2, 2, 3, 3), 22),
        (5, (2, 2, 2, 3, 3), 28),
        (6, (2, 2, 2, 3, 3, 3), 33),
    ],
)
def test_c18_balanced_gives_the_later_seats_a_third_die(
    players: int, hands: tuple[int, ...], pool: int
) -> None:
    game = Chain(players=players, balanced=True)
    state = game.initial_state()
    assert (state.hands, state.pool) == (hands, pool)
    assert sum(hands) + pool == game.dice == Chain(players=players).dice == 8 * players
    assert game.parse_state(str(state)) == state


def test_c18_balanced_is_off_by_default() -> None:
    assert Chain(players=2) == Chain(players=2, balanced=False) != Chain(players=2, balanced=True)
    option = next(option for option in Chain.OPTIONS if option.name == "balanced")
    assert (option.default, option.ruling) == (False, "C18")


@pytest.mark.parametrize("balanced", [1, 0, "yes", None])
def test_c18_balanced_is_yes_or_no(balanced: Any) -> None:
    with pytest.raises(BadOptions) as caught:
        escadaria.load("chain", balanced=balanced)
    assert str(caught.value) == f"balanced must be True or False, not {balanced!r} (C18)"


# Numbers: how likely it is that a roll of k dice can be linked (C10, C11).

LINKABLE = {1: 6, 2: 36, 3: 208, 4: 1230, 5: 7300, 6: 42840}  # of 6**k rolls


@pytest.mark.parametrize("dice", LINKABLE)
def test_the_chance_of_a_chain_by_the_engines_own_nodes(dice: int) -> None:
    rolls = {play(TWO, position(hands=(dice, 2)), f"keep {dice}"): Fraction(1)}
    for _ in range(dice):
        fallen: dict[State, Fraction] = defaultdict(Fraction)
        for state, chance in rolls.items():
            for outcome, share in TWO.chance_outcomes(state):
                fallen[TWO.apply(state, outcome)] += chance * share
        rolls = fallen
    assert sum(rolls.values()) == 1
    linked = sum((chance for state, chance in rolls.items() if state.turn == 0), Fraction(0))
    assert linked == Fraction(LINKABLE[dice], 6**dice)


@pytest.mark.parametrize("dice", LINKABLE)
def test_the_chance_of_a_chain_by_trying_every_order(dice: int) -> None:
    linked = sum(
        in_some_order(first, tuple(sorted(rest))) for first, *rest in product(range(1, 7), repeat=dice)
    )
    assert linked == LINKABLE[dice]


@cache
def in_some_order(first: int, rest: tuple[int, ...]) -> bool:
    return any(is_chain((first, *order)) for order in permutations(rest))


# Canonical positions: the same future is the same position, however it arose.


def same(one: State, other: State) -> bool:
    return one == other and hash(one) == hash(other) and str(one) == str(other)


def test_a_direction_that_no_longer_matters_is_forgotten() -> None:
    lengthened = play(TWO, position(), "keep 1", "3", "up", "6")
    built = play(TWO, position(), "keep 2", "3", "6", "link 6")
    assert lengthened.chain.heading is Heading.OPEN
    assert same(lengthened, built)
    down = play(TWO, position(), "keep 1", "3", "down", "1")
    assert same(down, play(TWO, position(), "keep 2", "3", "1", "link 1"))


def test_the_order_of_the_links_does_not_matter_but_the_last_does() -> None:
    one = play(TWO, position(hands=(3, 2)), "keep 3", "5", "6", "2", "link 6", "link 2")
    other = play(TWO, position(hands=(3, 2)), "keep 3", "6", "5", "2", "link 5", "link 2")
    assert same(one, other)
    last_is_5 = play(TWO, position(hands=(3, 2)), "keep 3", "2", "6", "5", "link 6", "link 5")
    assert one != last_is_5
    up = play(TWO, position(hands=(3, 2)), "keep 3", "2", "6", "5", "link 5", "link 6")
    assert up != last_is_5


def test_a_named_direction_makes_another_position() -> None:
    ways = [position(chain="33"), *(play(TWO, position(chain="3"), way, "3") for way in ("up", "down"))]
    assert len(set(ways)) == 3


def test_the_order_in_which_black_dice_fall_does_not_matter() -> None:
    state = position(hands=(4, 2))
    rolls = [play(TWO, state, "keep 4", "3", *order) for order in permutations("456")]
    assert len(set(rolls)) == 1
    partial = [play(TWO, state, "keep 4", "3", *order) for order in ("46", "64")]
    assert same(*partial)


def test_which_of_two_alike_discs_moved_does_not_matter() -> None:
    behind = position(discs=((4, 8), (0, 0)), chain="123")
    level = position(discs=((8, 8), (0, 0)), chain="123")
    assert play(TWO, behind, "move 4").discs[0] == (8, 11)  # past the other, by the arrow at 7
    assert same(play(TWO, behind, "move 4"), play(TWO, level, "move 8"))


def test_equal_stacks_in_another_order_are_other_positions() -> None:
    discs = ((0, 9), (0, 9))
    one, other = position(discs=discs, stacks={9: (0, 1)}), position(discs=discs, stacks={9: (1, 0)})
    assert one != other
    assert one.stacks == {9: (0, 1)}


def test_moves_in_another_order_meet_in_one_position() -> None:
    two = ("keep 2", "5", "5", "link 5")
    first, second = (*two, "move 0"), (*two, "move 2")  # seat 1, both times
    last = ("keep 1", "2", "up", "3", "move 1")
    three = ("keep 1", "2", "up", "3", "up", "4", "move 0")
    one = play(TWO, position(), "keep 1", "2", "move 0", *first, *three, *second, *last)
    other = play(TWO, position(), *three, *first, "keep 1", "2", "move 0", *second, *last)
    assert same(one, other)
    assert (one.discs, one.stacks) == (((3, 3), (0, 4)), {3: (0, 0), 4: (1,)})


# Facts: what happened, as data, in order.

FACTS: list[tuple[str, Chain, Make, str, tuple[Fact, ...]]] = [
    ("keep", TWO, partial(position, hands=(5, 2)), "keep 2", (Kept(0, dice=2, discarded=3),)),
    ("keep all", TWO, position, "keep 2", (Kept(0, dice=2, discarded=0),)),
    ("coloured die", TWO, partial(position, phase=Phase.ROLL), "4", (Rolled(0, number=4, coloured=True),)),
    (
        "black die",
        TWO,
        partial(position, turn=1, phase=Phase.ROLL, chain="4", hands=(2, 3)),
        "3",
        (Rolled(1, number=3, coloured=False),),
    ),
    (
        "cannot be linked",
        TWO,
        partial(position, phase=Phase.ROLL, chain="4", loose="5", hands=(3, 2)),
        "3",
        (
            Rolled(0, number=3, coloured=False),
            Unlinkable(0, numbers=(3, 4, 5)),
            Failed(0, used=3, lost=2),
        ),
    ),
    ("link", TWO, partial(position, chain="4", loose="56"), "link 5", (Linked(0, number=5),)),
    ("lengthen", TWO, partial(position, chain="4"), "down", (Lengthened(0, heading="down"),)),
    (
        "added",
        TWO,
        partial(position, chain="4", phase=Phase.LENGTHEN, named=Heading.UP),
        "6",
        (Added(0, number=6, links=2),),
    ),
    (
        "missed",
        TWO,
        partial(position, chain="445", phase=Phase.LENGTHEN),
        "3",
        (Missed(0, number=3), Failed(0, used=4, lost=2)),
    ),
    (
        "failed before one who has won",
        TWO,
        partial(
            position, chain="4", phase=Phase.LENGTHEN, named=Heading.UP, discs=((0, 0), (CENTRE, CENTRE))
        ),
        "3",
        (Missed(0, number=3), Failed(0, used=2, lost=1), Won(1)),
    ),
    ("move", TWO, partial(position, chain="445"), "move 0", (Moved(0, start=0, end=3, links=3),)),
    (
        "arrived at the centre",
        TWO,
        partial(position, chain="4", discs=((5, 33), (0, CENTRE))),
        "move 33",
        (Moved(0, start=33, end=34, links=1), Arrived(0)),
    ),
    (
        "walked back",
        TWO,
        partial(position, chain="4455", discs=((5, 33), (0, 0))),
        "move 33",
        (Moved(0, start=33, end=31, links=4), WalkedBack(0, surplus=3, space=31)),
    ),
    (
        "arrow",
        TWO,
        partial(position, chain="44", discs=((0, 8), (0, 0))),
        "move 8",
        (Moved(0, start=8, end=10, links=2), TookArrow(0, start=10, end=5)),
    ),
    (
        "covered",
        TWO,
        partial(position, chain="44", discs=((0, 9), (0, 11)), turn=0),
        "move 9",
        (Moved(0, start=9, end=11, links=2), Covered(0, victim=1, space=11)),
    ),
    (
        "covered the own disc",
        TWO,
        partial(position, chain="44", discs=((9, 11), (0, 0))),
        "move 9",
        (Moved(0, start=9, end=11, links=2), Covered(0, victim=0, space=11)),
    ),
    (
        "freed",
        THREE,
        partial(position, THREE, chain="44", discs=((0, 9), (0, 9), (0, 9)), stacks={9: (1, 2, 0)}),
        "move 9",
        (Moved(0, start=9, end=11, links=2), Freed(2, space=9)),
    ),
    (
        "walked back where it began",
        TWO,
        partial(position, chain="44", discs=((0, 33), (0, 33)), stacks={33: (1, 0)}),
        "move 33",
        (Moved(0, start=33, end=33, links=2), WalkedBack(0, surplus=1, space=33)),
    ),
    (
        "all at once",
        THREE,
        partial(
            position,
            THREE,
            turn=1,
            chain="445",
            discs=((0, 33), (0, 33), (25, CENTRE)),
            stacks={25: (2,), 33: (0, 1)},
        ),
        "move 33",
        (
            Moved(1, start=33, end=32, links=3),
            WalkedBack(1, surplus=2, space=32),
            TookArrow(1, start=32, end=25),
            Freed(0, space=33),
            Covered(1, victim=2, space=25),
            Won(2),
        ),
    ),
]


@pytest.mark.parametrize(
    "game, make, text, expected", [case[1:] for case in FACTS], ids=[case[0] for case in FACTS]
)
def test_facts(game: Chain, make: Make, text: str, expected: tuple[Fact, ...]) -> None:
    assert game.facts(make(), game.parse(text)) == expected


def test_every_kind_of_fact_is_told_in_these_tests() -> None:
    assert {type(fact) for *_, expected in FACTS for fact in expected} == set(Chain.FACTS)


def test_facts_are_named_by_kind_and_ruling() -> None:
    assert {fact.kind: fact.ruling for *_, expected in FACTS for fact in expected} == {
        "kept": "C8",
        "rolled": "C9",
        "linked": "C10",
        "lengthened": "C13",
        "added": "C13",
        "missed": "C13",
        "unlinkable": "C10",
        "failed": "C14",
        "moved": "C12",
        "walked_back": "C15",
        "took_arrow": "C16",
        "covered": "C17",
        "freed": "C7",
        "arrived": "C15",
        "won": "C6",
    }
    assert Failed(1, used=3, lost=2).data() == {"seat": 1, "used": 3, "lost": 2}


# Refusals: the code, the ruling, what was given and what is allowed.

ROLLING = partial(position, phase=Phase.ROLL)
BUILDING = partial(position, chain="3", loose="26")
DECIDING = partial(position, chain="34", discs=((5, CENTRE), (0, 9)))
FALLING = partial(position, chain="34", phase=Phase.LENGTHEN)
ENDED = partial(position, turn=1, phase=Phase.OVER, discs=((0, 0), (CENTRE, CENTRE)))


@pytest.mark.parametrize(
    "make, action, ruling, why",
    [
        (position, Keep(3), "C8", "the hand has 2 dice"),
        (position, Keep(0), "C8", "the hand has 2 dice"),
        (position, Move(0), "C8", "the player is to say how many dice to keep"),
        (position, Roll(3), "C8", "the player is to say how many dice to keep"),
        (position, Link(3), "C8", "the player is to say how many dice to keep"),
        (position, "keep 2", "C8", "the player is to say how many dice to keep"),
        (position, None, "C8", "the player is to say how many dice to keep"),
        (ROLLING, Keep(2), "C9", "the dice of the hand are still to fall"),
        (ROLLING, Link(3), "C9", "the dice of the hand are still to fall"),
        (ROLLING, Roll(7), "C2", "a die shows 1 to 6"),
        (ROLLING, Roll("3"), "C2", "a die shows 1 to 6"),  # type: ignore[arg-type]
        (BUILDING, Link(2), "C11", "that would not be a chain of all the dice; possible: link 6"),
        (BUILDING, Link(4), "C11", "that would not be a chain of all the dice; possible: link 6"),
        (BUILDING, Move(0), "C10", "the rolled dice are to be linked first"),
        (BUILDING, Lengthen(Heading.UP), "C10", "the rolled dice are to be linked first"),
        (BUILDING, Roll(3), "C10", "the rolled dice are to be linked first"),
        (DECIDING, Move(9), "C7", "no free disc of seat 0 lies there; possible: move 5, up"),
        (DECIDING, Move(CENTRE), "C7", "no free disc of seat 0 lies there; possible: move 5, up"),
        (
            DECIDING,
            Lengthen(Heading.DOWN),
            "C11",
            "the chain goes the other way until it stands at 1 or 6; possible: move 5, up",
        ),
        (DECIDING, Link(3), "C12", "the player is to move a disc or to lengthen the chain"),
        (DECIDING, Keep(2), "C12", "the player is to move a disc or to lengthen the chain"),
        (DECIDING, Roll(3), "C12", "the player is to move a disc or to lengthen the chain"),
        (partial(position, chain="34", hands=(2, 14)), Lengthen(Heading.UP), "C13", "the pool is empty"),
        (FALLING, Move(0), "C13", "the die from the pool is still to fall"),
        (FALLING, Lengthen(Heading.UP), "C13", "the die from the pool is still to fall"),
        (FALLING, Roll(0), "C2", "a die shows 1 to 6"),
        (ENDED, Keep(2), "C6", "the game is over"),
        (ENDED, Roll(3), "C6", "the game is over"),
        (ENDED, Move(0), "C6", "the game is over"),
    ],
)
def test_refusals(make: Make, action: Any, ruling: str, why: str) -> None:
    state = make()
    refused = refusal(TWO, state, action)
    assert (refused.code, refused.ruling) == ("illegal_action", ruling)
    assert str(refused) == f"{action} is not possible at {state}: {why} ({ruling})"


# The text of actions.


@pytest.mark.parametrize(
    "text, action",
    [
        ("keep 1", Keep(1)),
        ("keep 18", Keep(18)),
        ("link 6", Link(6)),
        ("move 0", Move(0)),
        ("move 33", Move(33)),
        ("up", Lengthen(Heading.UP)),
        ("down", Lengthen(Heading.DOWN)),
        ("4", Roll(4)),
    ],
)
def test_the_text_of_an_action(text: str, action: Action) -> None:
    assert str(action) == text
    assert TWO.parse(text) == action


def test_every_action_reads_back_and_has_its_place() -> None:
    assert len(set(TWO.actions)) == len(TWO.actions) == 18 + 6 + CENTRE + 2
    assert [TWO.parse(str(action)) for action in TWO.actions] == list(TWO.actions)


@pytest.mark.parametrize(
    "text",
    ["", "keep", "keep 0", "keep 19", "keep 02", "keep  2", "Keep 2", "keep 2 ", "link 0", "link 7",
     "move 34", "move -1", "0", "7", "13", "open", "again", "place 3", "x" * 1_000_000],
)  # fmt: skip
def test_a_text_that_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(InvalidText) as caught:
        TWO.parse(text)
    assert caught.value.code == "invalid_text"
    assert str(caught.value) == (
        f"{text[:40]!r} is no action of Chain: keep 1 … keep 18, link 1 … link 6, "
        "move 0 … move 33, up, down, or a die from 1 to 6"
    )


def test_the_moves_that_can_be_read_are_those_of_the_board() -> None:
    assert Chain(board="long").parse("move 38") == Move(38)
    with pytest.raises(InvalidText, match="move 0 … move 25,"):
        Chain(board="short").parse("move 26")


# The text of positions.


@pytest.mark.parametrize(
    "make, text",
    [
        (
            TWO.initial_state,
            "turn=0 phase=keep hands=2,2 pool=12 discs=0+0,0+0 stacks=- chain=-/0/open loose=-",
        ),
        (
            partial(position, turn=1, phase=Phase.ROLL, chain="4", loose="53", hands=(2, 5)),
            "turn=1 phase=roll hands=2,5 pool=9 discs=0+0,0+0 stacks=- chain=4/4/open loose=35",
        ),
        (
            partial(
                position, discs=((5, 9), (9, CENTRE)), stacks={5: (0,), 9: (1, 0)}, chain="5", loose="63"
            ),
            "turn=0 phase=build hands=3,2 pool=11 discs=5+9,9+34 stacks=5:0,9:1+0 chain=5/5/open loose=36",
        ),
        (
            partial(position, chain="543"),
            "turn=0 phase=decide hands=3,2 pool=11 discs=0+0,0+0 stacks=- chain=345/3/down loose=-",
        ),
        (
            partial(position, chain="33", phase=Phase.LENGTHEN, named=Heading.UP),
            "turn=0 phase=lengthen hands=3,2 pool=11 discs=0+0,0+0 stacks=- chain=33/3/up loose=-",
        ),
        (
            partial(position, chain="36", phase=Phase.LENGTHEN, named=Heading.DOWN),
            "turn=0 phase=lengthen hands=3,2 pool=11 discs=0+0,0+0 stacks=- chain=36/6/down loose=-",
        ),
        (ENDED, "turn=1 phase=over hands=2,2 pool=12 discs=0+0,34+34 stacks=- chain=-/0/open loose=-"),
    ],
)
def test_the_text_of_a_position_reads_back(make: Make, text: str) -> None:
    state = make()
    assert str(state) == text
    assert same(TWO.parse_state(text), state)


def test_a_position_is_read_into_its_canonical_form() -> None:
    given = "loose=- turn=0 phase=decide hands=3,2 pool=11 discs=9+5,0+0 stacks=9:0,5:0 chain=543/3/down"
    assert same(TWO.parse_state(given), position(chain="543", discs=((5, 9), (0, 0))))


KEEP = "turn=0 phase=keep hands=2,2 pool=12 discs=5+9,0+9 stacks=5:0,9:0+1 chain=-/0/open loose=-"


@pytest.mark.parametrize(
    "changed, ruling, why",
    [
        # the form
        ("turn", "", "'turn' does not belong there: a position reads turn=… phase=… hands=…"),
        ("turn=", "", "'turn=' has no value"),
        ("turn=0 turn=0", "", "'turn=0' does not belong there"),
        ("turn=0 clock=5", "", "'clock=5' does not belong there"),
        ("", "", "turn is missing: a position reads turn=… phase=… hands=…"),
        ("turn=0" + " " * 1000, "", "a position is one short line, this text has 10"),
        # words by themselves
        ("turn=2", "C5", "turn must be a whole number from 0 to 1, not '2'"),
        ("turn=-1", "C5", "turn must be a whole number from 0 to 1, not '-1'"),
        ("turn=00", "C5", "turn must be a whole number from 0 to 1, not '00'"),
        ("turn=one", "C5", "turn must be a whole number from 0 to 1, not 'one'"),
        ("phase=think", "C8", "phase must be one of keep, roll, build, decide, lengthen, over, not 'think'"),
        ("hands=2", "C2", "hands must have 2 parts, not '2'"),
        ("hands=2,2,2", "C2", "hands must have 2 parts, not '2,2,2'"),
        ("hands=-", "C2", "hands must have 2 parts, not '-'"),
        ("hands=0,4", "C2", "a hand must be a whole number from 1 to"),
        ("hands=2,x", "C2", "a hand must be a whole number from 1 to"),
        ("hands=2,99", "C2", "a hand must be a whole number from 1 to"),
        ("pool=-1", "C2", "pool must be a whole number from 0 to 16, not '-1'"),
        ("pool=17", "C2", "pool must be a whole number from 0 to 16, not '17'"),
        ("pool=99999", "C2", "pool must be a whole number from 0 to 16, not '99999'"),
        ("discs=5+9", "C2", "discs must have 2 parts, not '5+9'"),
        ("discs=5+9,0+35", "C3", "a disc's space must be a whole number from 0 to 34, not '35'"),
        ("discs=5+9,+9", "C3", "a disc's space must be a whole number from 0 to 34, not ''"),
        ("stacks=0:1,5:0,9:0+1", "C3", "a stack's space must be a whole number from 1 to 33, not '0'"),
        ("stacks=34:1,5:0,9:0+1", "C3", "a stack's space must be a whole number from 1 to 33, not '34'"),
        ("stacks=5:0,9:0+2", "C2", "a disc's seat must be a whole number from 0 to 1, not '2'"),
        ("stacks=5:0,9", "C2", "a disc's seat must be a whole number from 0 to 1, not ''"),
        ("chain=-", "C11", "a chain reads numbers/last/direction, as in 345/3/down, not '-'"),
        ("chain=3/3", "C11", "a chain reads numbers/last/direction, as in 345/3/down, not '3/3'"),
        ("chain=3/3/up/up", "C11", "a chain reads numbers/last/direction"),
        ("chain=7/7/up", "C2", "a die must be a whole number from 1 to 6, not '7'"),
        ("chain=3/7/up", "C2", "the last link must be a whole number from 0 to 6, not '7'"),
        ("chain=3/3/left", "C11", "direction must be one of open, up, down, not 'left'"),
        ("loose=0", "C2", "a die must be a whole number from 1 to 6, not '0'"),
        ("loose=3x", "C2", "a die must be a whole number from 1 to 6, not 'x'"),
        # words together
        ("pool=11", "C2", "hands and pool must have 16 dice together"),
        ("hands=2,3", "C2", "hands and pool must have 16 dice together"),
        ("discs=5+9+12,0+9 stacks=5:0,9:0+1,12:0", "C2", "each seat has two discs"),
        ("discs=5+9,9 stacks=5:0,9:0+1", "C2", "each seat has two discs"),
        ("stacks=5:0,9:0", "C17", "discs and stacks must name the same discs between start and centre"),
        ("stacks=5:0,9:0+1+1", "C17", "discs and stacks must name the same discs"),
        ("stacks=5:1,9:0+1", "C17", "discs and stacks must name the same discs"),
        ("stacks=6:0,9:0+1", "C17", "discs and stacks must name the same discs"),
        ("stacks=-", "C17", "discs and stacks must name the same discs"),
        ("stacks=5:0,9:0,9:1", "C17", "a space has one stack"),
        ("discs=7+9,0+9 stacks=7:0,9:0+1", "C16", "no disc stays on the arrow at 7"),
        ("phase=over", "C6", "the game is over when, and only when, no disc of the seat to play can move"),
        ("discs=9+34,0+9 stacks=9:0+1", "C6", "the game is over when, and only when"),
        # the chain, by phase
        ("chain=3/3/open", "C8", "between turns there is no chain and no loose die"),
        ("loose=3", "C8", "between turns there is no chain and no loose die"),
        (
            "chain=-/3/open",
            "C11",
            "the last link must be one of the chain's numbers; no chain reads -/0/open",
        ),
        ("chain=-/0/up", "C11", "no chain reads -/0/open"),
        ("phase=decide chain=34/5/up", "C11", "the last link must be one of the chain's numbers"),
        ("phase=decide chain=34/0/up", "C11", "the last link must be one of the chain's numbers"),
        (
            "phase=decide hands=4,2 pool=10 chain=3333/3/open",
            "C11",
            "no number may stand in a chain more than 3 times",
        ),
        ("phase=decide chain=36/6/up", "C11", "at a 1 or 6 the direction is open"),
        ("phase=decide chain=13/1/down", "C11", "at a 1 or 6 the direction is open"),
        ("phase=decide chain=34/4/open", "C11", "a chain of different numbers has a direction"),
        (
            "phase=roll chain=3/3/open loose=4",
            "C9",
            "the chain is the coloured die, and dice are left to roll",
        ),
        ("phase=roll hands=3,2 pool=11 chain=33/3/open", "C9", "the chain is the coloured die"),
        ("phase=roll hands=3,2 pool=11 loose=4", "C9", "the chain is the coloured die"),
        ("phase=build loose=34", "C10", "while the chain is built all dice of the hand lie there"),
        ("phase=build chain=33/3/open", "C10", "while the chain is built all dice of the hand lie there"),
        ("phase=build hands=3,2 pool=11 chain=3/3/open loose=4", "C10", "all dice of the hand lie there"),
        ("phase=build hands=3,2 pool=11 chain=3/3/open loose=24", "C10", "and can be linked"),
        ("phase=decide chain=3/3/open", "C12", "when the chain is built it has all dice of the hand"),
        ("phase=decide", "C12", "when the chain is built it has all dice of the hand"),
        (
            "phase=decide chain=33/3/open loose=3",
            "C12",
            "when the chain is built it has all dice of the hand",
        ),
        ("phase=lengthen", "C13", "a chain that is lengthened has a named direction, and one die is to fall"),
        ("phase=lengthen chain=3/3/open", "C13", "a chain that is lengthened has a named direction"),
        ("phase=lengthen chain=34/4/up", "C13", "a chain that is lengthened has a named direction"),
        ("phase=lengthen chain=3/3/up loose=3", "C13", "a chain that is lengthened has a named direction"),
        ("phase=roll chain=3/3/up", "C11", "no order of the dice makes a chain"),
        (
            "phase=build hands=3,2 pool=11 chain=3/3/down loose=12",
            "C11",
            "no order of the dice makes a chain",
        ),
        ("phase=build hands=3,2 pool=11 chain=33/3/up loose=4", "C11", "no order of the dice makes a chain"),
        ("phase=decide hands=1,2 pool=13 chain=3/3/up", "C11", "no order of the dice makes a chain"),
        ("phase=decide chain=25/2/up", "C11", "no order of the dice makes a chain"),
        ("phase=decide hands=3,2 pool=11 chain=345/4/up", "C11", "no order of the dice makes a chain"),
        ("phase=lengthen hands=3,2 pool=11 chain=25/5/down", "C11", "no order of the dice makes a chain"),
    ],
)
def test_a_text_that_is_no_position_is_refused(changed: str, ruling: str, why: str) -> None:
    assert str(TWO.parse_state(KEEP)) == KEEP
    with pytest.raises(InvalidText) as caught:
        TWO.parse_state(with_words(KEEP, changed))
    assert (caught.value.code, caught.value.ruling) == ("invalid_text", ruling)
    assert why in str(caught.value)


def with_words(text: str, changed: str) -> str:
    """The position's text with the words that are given; without the first word if none is."""
    new = {word.partition("=")[0] for word in changed.split()} or {"turn"}
    kept = [word for word in text.split() if word.partition("=")[0] not in new]
    return " ".join([*kept, changed])
