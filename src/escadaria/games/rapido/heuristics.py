"""Heuristics for Rapido, and the decisions that follow from them (R1-R19).

The rules are encoded as one sequence of whole numbers, each at a fixed index. The numbers of a rule that is
switched off have no effect (``NOTHING``). Values of pairs are given by their rank among all values (R9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from escadaria.games.rapido.rules import TOP_FIELD, VALUES, Action, Again, Place, Rapido, State
from escadaria.strategy import Rule, Strategy, read

NEVER = len(VALUES)
"""A rank above that of every value."""
UNREACHABLE = 99
"""More fields and steps than the game has."""

FIELDS = 0
"""Five indices: the least rank for each of the fields 1 to 5."""
SECOND = FIELDS + TOP_FIELD
"""The same for the second pair in a game for two (R16); -1 if the first pair's ranks apply."""
STOLEN, THROWN, VICTIM, CHASED, BEATABLE, BLOCK, FINISH, AHEAD, LOW, SAFE, START, FREE = range(
    SECOND + TOP_FIELD, SECOND + TOP_FIELD + 12
)

RULE_INDICES: Mapping[str, tuple[int, ...]] = {
    "fields": tuple(range(FIELDS, FIELDS + TOP_FIELD)),
    "second": tuple(range(SECOND, SECOND + TOP_FIELD)),
    "throw_out": (STOLEN, THROWN, VICTIM),
    "chase": (CHASED, BEATABLE),
    "block": (BLOCK,),
    "finish": (FINISH,),
    "ahead": (AHEAD, LOW),
    "safe": (SAFE,),
    "start": (START,),
    "free": (FREE,),
}
"""The indices of each rule's numbers.

``fields``      place on the highest free field for which the value is at least the field's least value
``second``      the second pair has least values of its own
``throw_out``   throwing out adds to a field's worth: ``STOLEN`` quarters for each step that the victim loses,
                and ``THROWN`` for each pair, for victims on field ``VICTIM`` or higher
``chase``       if a pair on field ``CHASED`` or higher with a value up to ``BEATABLE`` is about to score,
                place only where that throws somebody out
``block``       if somebody is about to win, place only where that throws out one of their pairs
``finish``      if the next score can win, place a value of at least ``FINISH`` on the lowest sufficient field
``ahead``       with a lead of ``AHEAD`` steps, place any value of at least ``LOW``; on the lowest free field
                if no field is good
``safe``        field ``SAFE`` or higher is good for any value while no field below it is free
``start``       on the start square, roll again with less than ``START``, since there are no steps to lose
``free``        a field's least value depends on the number of free fields below it, not on its height
"""

NOTHING = (
    (NEVER,) * TOP_FIELD
    + (-1,) * TOP_FIELD
    + (0, 0, 1, UNREACHABLE, -1, 0, NEVER, UNREACHABLE, 0, UNREACHABLE, 0, 0)
)
"""All rules switched off: the player always rolls again."""


def choose(rules: Any, finish: int, steps: Any, fields: Any, ranks: Any, own: int, rank: int) -> int:
    """The field to place on, or -1 to roll again. ``research`` also compiles this function.

    Seat 0 decides, on the step ``own``. ``fields`` and ``ranks`` are by seat and pair; the field of a pair
    that is not on the tower is -1.
    """
    players, pairs = len(fields), len(fields[0])
    lies, waits = 0, 0
    for pair in range(pairs):
        lies += max(fields[0][pair], 0)
        waits += fields[0][pair] < 0
    least = SECOND if waits < pairs and rules[SECOND] >= 0 else FIELDS
    enough = finish - own - lies if waits == 1 and rules[FINISH] < NEVER else UNREACHABLE  # R18
    leader, chased, winning = 0, False, -1
    for seat in range(players - 1, 0, -1):
        leader = max(leader, steps[seat])
        total, ready, prey = 0, True, False
        for pair in range(pairs):
            total += fields[seat][pair]
            ready = ready and fields[seat][pair] >= 0
            prey = prey or (fields[seat][pair] >= rules[CHASED] and ranks[seat][pair] <= rules[BEATABLE])
        chased = chased or (ready and prey)
        if ready and rules[BLOCK] and steps[seat] + total >= finish:
            winning = seat  # the loop ends with the seat that moves first
    best, where, lowest, height = 0, -1, 0, 0
    for field in range(TOP_FIELD + 1):
        taken = False
        for seat in range(players):
            for pair in range(pairs):
                taken = taken or 0 < field == fields[seat][pair]
        if taken:
            height += 1 - rules[FREE]
            continue
        good = field >= rules[SAFE] and lowest == 0
        if field > 0:
            lowest = lowest or field
            height += 1
            good = good or rank >= rules[least + height - 1]
        stolen, thrown, blocks = 0, 0, winning < 0
        for seat in range(1, players):
            for pair in range(pairs):
                lies = fields[seat][pair]
                if lies > field and ranks[seat][pair] <= rank:  # R14
                    blocks = blocks or seat == winning
                    if lies >= rules[VICTIM]:
                        stolen += lies
                        thrown += 1
        worth = rules[STOLEN] * stolen + rules[THROWN] * thrown
        if field >= enough and rank >= rules[FINISH]:
            worth += 4 * TOP_FIELD + 1  # as much as the top field
        elif good:
            worth += 4 * field + 1
        if winning >= 0 and blocks:
            worth += 1
        if not blocks or (chased and thrown == 0):
            worth = 0
        if worth > best or (worth == best > 0 and field <= enough):
            best, where = worth, field
    if own == 0 and rank < rules[START]:
        return -1
    if best == 0 and not chased and winning < 0 and own - leader >= rules[AHEAD] and rank >= rules[LOW]:
        return lowest
    return where


# Texts, and a bot.


def rules_of(numbers: Sequence[int], names: Sequence[str], losses: Sequence[float]) -> list[dict[str, Any]]:
    """The arguments of ``Rule`` for each rule: values instead of ranks, and a name for each wording."""
    rules = []
    for name, loss in zip(names, losses, strict=True):
        args, least, way = dict[str, int](), dict[str, int](), ""
        if name in ("fields", "second"):
            ranks = (numbers[place] for place in RULE_INDICES[name])
            least = {str(field): VALUES[rank] for field, rank in enumerate(ranks, 1) if rank < NEVER}
        elif name == "throw_out":
            args = {"bonus": numbers[THROWN] // 4, "field": numbers[VICTIM]}
            way = "_half" if numbers[STOLEN] == 2 else ""
        elif name == "chase":
            args = {"field": numbers[CHASED], "value": VALUES[numbers[BEATABLE]]}
        elif name == "safe":
            args = {"field": numbers[SAFE]}
        elif name == "ahead":
            args = {"steps": numbers[AHEAD], "value": VALUES[numbers[LOW]]}
        elif name in ("finish", "start"):
            args = {"value": VALUES[numbers[RULE_INDICES[name][0]]]}
        if args.get("value") == 0:
            del args["value"]
            way = "_any"
        rules.append({"name": name + way, "args": args, "least": least, "loss": loss})
    return rules


def numbers_of(rules: Sequence[Rule]) -> list[int]:
    """The numbers of rules; the inverse of ``rules_of``."""
    numbers = list(NOTHING)
    for rule in rules:
        name, args = rule.name.removesuffix("_any").removesuffix("_half"), rule.args
        rank = VALUES.index(args.get("value", 0))
        if name in ("fields", "second"):
            for field, place in enumerate(RULE_INDICES[name], 1):
                value = rule.least.get(str(field))
                numbers[place] = NEVER if value is None else VALUES.index(value)
        elif name == "throw_out":
            numbers[STOLEN] = 2 if rule.name.endswith("_half") else 4
            numbers[THROWN], numbers[VICTIM] = 4 * args["bonus"], args["field"]
        elif name == "chase":
            numbers[CHASED], numbers[BEATABLE] = args["field"], rank
        elif name == "safe":
            numbers[SAFE] = args["field"]
        elif name == "ahead":
            numbers[AHEAD], numbers[LOW] = args["steps"], rank
        elif name in ("finish", "start"):
            numbers[RULE_INDICES[name][0]] = rank
        else:
            numbers[RULE_INDICES[name][0]] = 1
    return numbers


def decide(numbers: Sequence[int], game: Rapido, state: State) -> Action:
    """The decision by these rules."""
    fields = [[-1] * game.pairs for _ in range(game.players)]
    ranks = [[0] * game.pairs for _ in range(game.players)]
    for pair in state.tower:
        seat = (pair.seat - state.turn) % game.players
        at = fields[seat].index(-1)
        fields[seat][at], ranks[seat][at] = pair.field, VALUES.index(pair.value)
    steps = [state.steps[(state.turn + seat) % game.players] for seat in range(game.players)]
    rank = VALUES.index(state.value)
    field = choose(numbers, game.finish, steps, fields, ranks, steps[0], rank)
    return Again() if field < 0 else Place(field)


def bot(game: Rapido, state: State) -> Action:
    """A bot that follows the shipped rules: ``arena rapido --bot escadaria.games.rapido.heuristics:bot``."""
    return decide(numbers_of(advice()[game.players].rules), game, state)


def advice() -> Mapping[int, Strategy]:
    """The shipped rules by number of players."""
    return read(__package__)
