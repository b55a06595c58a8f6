"""Chain, ruling by ruling (C1-C18). Most cases are in ``chain.cases``; here is what is no single line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, groupby, permutations, product
from typing import Any

import pytest

from escadaria.game import BadOptions, IllegalAction, InvalidText
from escadaria.games.chain.boards import BOARDS
from escadaria.games.chain.links import Heading, Links, add_link, can_link, next_links, without
from escadaria.games.chain.positions import with_chain
from escadaria.games.chain.rules import Chain, Keep, Lengthen, Link, Move, Phase, Roll, State
from escadaria.games.chain.sequences import MOST, sequences
from rules.cases import Case, blocks, cases, position, words_of

TWO, FOUR = Chain(players=2), Chain(players=4)
CENTRE = 34


@pytest.mark.parametrize("case", cases("chain"))
def test_chain(case: Callable[[], Case]) -> None:
    case().check()


def at(words: str, game: Chain = TWO) -> State:
    """The position with these words, as in ``chain.cases``."""
    return game.parse_state(position("chain", words_of(words))[1])


def play(game: Chain, state: State, *texts: str) -> State:
    """The position after these decisions and dice."""
    for text in texts:
        state = game.apply(state, game.parse(text))
    return state


def landing(start: int, links: int, game: Chain = TWO) -> int:
    """Where a disc comes to lie that moves alone on the track."""
    discs = ",".join([f"0+{start}", *["0+0"] * (game.players - 1)])
    state = with_chain(at(f"discs={discs} stacks={start}:0", game), links)
    return max(game.apply(state, Move(start)).discs[0])


def refusal(state: State, action: Any) -> IllegalAction:
    with pytest.raises(IllegalAction) as caught:
        TWO.apply(state, action)
    with pytest.raises(IllegalAction, match="is not possible at"):
        TWO.facts(state, action)
    return caught.value


# C1-C7: the aim, the material, the start, the end.


def test_c2_every_die_shows_1_to_6_alike() -> None:
    for words in ("phase=roll", "phase=roll hands=3,2 chain=3/3/open", "phase=lengthen chain=3/3/up"):
        state = at(words)
        assert TWO.chance_outcomes(state) == tuple((Roll(n), Fraction(1, 6)) for n in (1, 2, 3, 4, 5, 6))
        for number in (0, 7, -1, "3"):
            refused = refusal(state, Roll(number))  # type: ignore[arg-type]
            assert refused.ruling == "C2" and "a die shows 1 to 6" in str(refused)


def test_c2_two_to_six_players() -> None:
    for players in (1, 7):
        with pytest.raises(BadOptions, match=f"a whole number from 2 to 6, not {players} .C2"):
            Chain(players)


def test_c3_the_track_is_as_long_as_the_board_says() -> None:
    for board in BOARDS.values():
        game = Chain(players=2, board=board)
        assert landing(board.length - 1, 1, game) == board.length
        assert landing(board.length - 1, 2, game) == board.length - 1
        moves = [action for action in game.actions if isinstance(action, Move)]
        assert moves == [Move(space) for space in range(board.length)]


def test_c7_there_is_no_move_from_the_centre() -> None:
    refused = refusal(at("phase=decide chain=12/2/up discs=5+34,0+0"), Move(CENTRE))
    assert (refused.code, refused.ruling) == ("illegal_action", "C7")
    assert "no free disc of seat 0 lies there; possible: move 5, up" in str(refused)


# C8-C10: discard, roll, build.


def test_c8_the_coloured_die_is_never_discarded_and_what_is_no_action_is_refused() -> None:
    for action in (Keep(0), "keep 2", None):
        assert refusal(TWO.initial_state(), action).ruling == "C8"
    assert Keep(0) not in TWO.actions


# C11: what a chain is. ``is_chain`` says it once more, in another way than the engine.


def is_chain(links: tuple[int, ...]) -> bool:
    """Without repeats of a number beside itself, every peak is a 6 and every valley is a 1."""
    runs = [number for number, _ in groupby(links)]
    turns = [b for a, b, c in zip(runs, runs[1:], runs[2:], strict=False) if (a < b) != (b < c)]
    return set(turns) <= {1, 6} and max(Counter(links).values()) <= 3


LEGAL = "5 334 332 2345 5432 2355 365 3665 213 2113 26165 2615 222 56515 111666 111222333444555666"
ILLEGAL = "3554 342 324 26142 2222 565155"  # other turns than at 1 and 6, and four times the same number


@pytest.mark.parametrize("links", LEGAL.split() + ILLEGAL.split())
def test_c11_legal_chains(links: str) -> None:
    numbers = tuple(map(int, links))
    assert is_chain(numbers) == offered(numbers) == (links in LEGAL.split())


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
    return play(FOUR, at(f"hands={len(dice)},2,2,2", FOUR), f"keep {len(dice)}", *map(str, dice))


@pytest.mark.parametrize("dice", range(1, 6))
def test_c10_c11_the_engine_offers_all_legal_orders_and_no_others(dice: int) -> None:
    """One link at a time, and as one choice."""
    for coloured, black in product(range(1, 7), combinations_with_replacement(range(1, 7), dice - 1)):
        check_orders(coloured, black)


def check_orders(coloured: int, black: tuple[int, ...]) -> None:
    """And nobody may fail on purpose (C14): building ends with a chain, or is never begun."""
    state = rolled((coloured, *black))
    legal_orders = {order for order in permutations(black) if is_chain((coloured, *order))}
    assert set(orders(state)) == legal_orders
    assert bool(legal_orders) == (state.turn == 0)
    if state.phase is Phase.BUILD:
        check_sequences(state, legal_orders)


def orders(state: State) -> Iterator[tuple[int, ...]]:
    """Every order in which the engine lets the loose dice be linked; none after a failure."""
    if state.phase is Phase.DECIDE:
        yield ()
    if state.phase is Phase.BUILD:
        assert FOUR.legal_actions(state), "a roll that can be linked can be linked to the end"
    for action in FOUR.legal_actions(state):
        if isinstance(action, Link):
            for rest in orders(FOUR.apply(state, action)):
                yield (action.number, *rest)


def check_sequences(state: State, legal_orders: set[tuple[int, ...]]) -> None:
    """The sequences that are offered are the legal orders, or one of them if all end alike."""
    sequences_found, complete = sequences(FOUR, state)
    found = [tuple(link.number for link in order) for order in sequences_found]
    ends = {play(FOUR, state, *(f"link {number}" for number in order)) for order in legal_orders}
    assert complete and set(found) <= legal_orders
    assert len(set(found)) == len(found) == (len(legal_orders) if len(ends) > 1 else 1)


def test_c11_the_order_that_leaves_the_chain_most_open_is_proposed() -> None:
    found, _ = sequences(TWO, at("phase=build hands=3,2 chain=3/3/open loose=26"))
    assert found == [(Link(6), Link(2))]  # the only one
    found, _ = sequences(TWO, at("phase=build hands=4,2 chain=2/2/open loose=356"))
    assert [link.number for link in found[0]] == [3, 5, 6]  # after the 6 every number fits
    assert {order[-1].number for order in found} == {3, 5, 6}


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
    assert sequences(TWO, TWO.initial_state()) == ([], True)
    assert sequences(TWO, at("phase=decide hands=3,2 chain=345/5/up")) == ([], True)


@pytest.mark.parametrize("dice", range(1, 6))
def test_c10_dice_can_all_be_linked_if_a_search_finds_an_order(dice: int) -> None:
    check_can_link(dice)


def check_can_link(dice: int) -> None:
    """``can_link`` says what a search over all orders finds, for every chain and every roll."""

    @cache
    def found(chain: Links, loose: tuple[int, ...]) -> bool:
        longer = ((add_link(chain, number), without(loose, number)) for number in set(loose))
        return not loose or any(link is not None and found(link, rest) for link, rest in longer)

    for last in range(1, 7):
        for heading in Heading if last in range(2, 6) else [Heading.OPEN]:
            for loose in combinations_with_replacement(range(1, 7), dice):
                chain = Links((last,), last, heading)
                assert can_link(chain, loose) == found(chain, loose), (chain, loose)


@pytest.mark.parametrize("links", range(1, 5))
def test_c11_a_new_die_fits_in_some_direction_just_when_the_chain_stays_legal(links: int) -> None:
    for built in filter(is_chain, product(range(1, 7), repeat=links)):
        state = play(FOUR, rolled(built), *(f"link {number}" for number in built[1:]))
        named = [FOUR.apply(state, a) for a in FOUR.legal_actions(state) if isinstance(a, Lengthen)]
        for number in range(1, 7):
            fits = any(FOUR.apply(one, Roll(number)).phase is Phase.DECIDE for one in named)
            assert fits == is_chain((*built, number))


FITTING = """
3 up 3456, 34 up 456, 333 up 456, 6 up 6, 1 up 123456, 666 up -, 56515 up 6,
3 down 123, 43 down 123, 333 down 12, 6 down 123456, 1 down 1, 112236665 down 12345
"""
"""A chain, the direction that is named, and the dice that fit."""


@pytest.mark.parametrize("chain, named, fitting", [text.split() for text in FITTING.split(",")])
def test_c13_the_named_direction_binds_the_new_die(chain: str, named: str, fitting: str) -> None:
    state = rolled(tuple(map(int, chain)))
    falling = play(FOUR, state, *(f"link {number}" for number in chain[1:]), named)
    assert "".join(n for n in "123456" if play(FOUR, falling, n).phase is Phase.DECIDE) == fitting.strip("-")


# C15-C18: the centre, arrows, covering, our own option.


def test_c15_a_disc_walks_back_what_it_has_too_much() -> None:
    for start, links, end in [(33, 1, 34), (28, 6, 34), (33, 2, 33), (33, 6, 29), (31, 4, 33)]:
        assert landing(start, links) == end
    assert landing(30, 6) == 25  # back to the arrow at 32
    assert landing(33, 14) == 26  # back to the arrow at 21
    assert landing(17, 18, Chain(players=3, board="18")) == 1  # the longest chain, the shortest track


@pytest.mark.parametrize("board", BOARDS)
def test_c16_a_disc_that_ends_on_an_arrow_follows_it(board: str) -> None:
    game = Chain(players=2, board=board)
    for space, end in BOARDS[board].arrows:
        start = next(s for s in range(space - 1, 0, -1) if s not in dict(BOARDS[board].arrows))
        assert landing(start, space - start, game) == end


def test_c16_an_arrow_that_is_passed_does_nothing_and_it_counts_after_walking_back() -> None:
    assert landing(6, 2) == 8
    assert landing(33, 4) == 31  # back over the arrow at 32
    assert landing(33, 3) == 25  # 34, back to 32
    assert landing(33, 8) == 30  # 34, back to 27, which leads forward


def test_c18_balanced_is_off_by_default() -> None:
    assert Chain(players=2) == Chain(players=2, balanced=False) != Chain(players=2, balanced=True)
    option = next(option for option in Chain.OPTIONS if option.name == "balanced")
    assert (option.default, option.ruling) == (False, "C18")


# Numbers: how likely it is that a roll of k dice can be linked (C10, C11).

LINKABLE = {1: 6, 2: 36, 3: 208, 4: 1230, 5: 7300, 6: 42840}  # of 6**k rolls


@pytest.mark.parametrize("dice", LINKABLE)
def test_the_chance_of_a_chain_by_the_engines_own_nodes(dice: int) -> None:
    rolls = {play(TWO, at(f"hands={dice},2"), f"keep {dice}"): Fraction(1)}
    for _ in range(dice):
        fallen: dict[State, Fraction] = defaultdict(Fraction)
        for state, chance in rolls.items():
            for outcome, share in TWO.chance_outcomes(state):
                fallen[TWO.apply(state, outcome)] += chance * share
        rolls = fallen
    assert sum(rolls.values()) == 1
    linked = sum((chance for state, chance in rolls.items() if state.turn == 0), Fraction(0))
    assert linked == Fraction(LINKABLE[dice], 6**dice)


# Facts and texts.


def test_every_kind_of_fact_is_in_the_cases_and_names_its_ruling() -> None:
    rulings = {
        "Kept": "C8", "Rolled": "C9", "Linked": "C10", "Lengthened": "C13", "Added": "C13", "Missed": "C13",
        "Unlinkable": "C10", "Failed": "C14", "Moved": "C12", "WalkedBack": "C15", "TookArrow": "C16",
        "Covered": "C17", "Freed": "C7", "Arrived": "C15", "Won": "C6",
    }  # fmt: skip
    assert {fact.__name__: fact.ruling for fact in Chain.FACTS} == rulings
    lines = [line for _, _, line, _ in blocks("chain") if "facts: " in line]
    kinds = {part.split()[0] for line in lines for part in line.partition("facts: ")[2].split("; ")}
    assert {kind.title().replace("_", "") for kind in kinds} == set(rulings)


def test_the_moves_that_can_be_read_are_those_of_the_board() -> None:
    assert len(TWO.actions) == 18 + 6 + CENTRE + 2
    assert Chain(board="long").parse("move 38") == Move(38)
    with pytest.raises(InvalidText, match="move 0 … move 25,"):
        Chain(board="short").parse("move 26")
