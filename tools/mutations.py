"""The mutation check: break each ruling on purpose, and check that a test fails.

    python tools/mutations.py               all mutants
    python tools/mutations.py --only R12    those of one ruling; repeatable

Each mutant is applied to a copy of the project, never to the working tree. The exit code is 0 if a test
failed for every mutant, 1 if a mutant survived, and 2 if a mutant could not be applied.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console
from rich.markup import escape
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src", "escadaria")
TESTS = {  # the tests that must fail, by the mutated file
    "games/rapido/rules.py": ["tests/rules/test_rapido.py"],
    "games/rapido/positions.py": ["tests/rules/test_rapido.py"],
    "games/chain/rules.py": ["tests/rules/test_chain.py"],
    "games/chain/positions.py": ["tests/rules/test_chain.py"],
    "games/chain/links.py": ["tests/rules/test_chain.py"],
    "games/chain/boards.py": ["tests/rules/test_boards.py"],
}
RULINGS = [*(f"R{n}" for n in range(1, 20)), *(f"C{n}" for n in range(1, 19))]
QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
TIMEOUT = 300  # seconds for one run of tests


@dataclass(frozen=True)
class Mutant:
    """One ruling, broken in one place."""

    ruling: str
    file: str
    meaning: str
    """What the mutated game does."""
    snippet: str
    """Occurs in the file exactly once."""
    replacement: str


def rapido(ruling: str, meaning: str, snippet: str, replacement: str) -> Mutant:
    return Mutant(ruling, "games/rapido/rules.py", meaning, snippet, replacement)


def chain(ruling: str, meaning: str, snippet: str, replacement: str) -> Mutant:
    return Mutant(ruling, "games/chain/rules.py", meaning, snippet, replacement)


def rapido_positions(ruling: str, meaning: str, snippet: str, replacement: str) -> Mutant:
    return Mutant(ruling, "games/rapido/positions.py", meaning, snippet, replacement)


def chain_positions(ruling: str, meaning: str, snippet: str, replacement: str) -> Mutant:
    return Mutant(ruling, "games/chain/positions.py", meaning, snippet, replacement)


def links(ruling: str, meaning: str, snippet: str, replacement: str) -> Mutant:
    return Mutant(ruling, "games/chain/links.py", meaning, snippet, replacement)


def boards(ruling: str, meaning: str, snippet: str, replacement: str) -> Mutant:
    return Mutant(ruling, "games/chain/boards.py", meaning, snippet, replacement)


MUTANTS = (
    rapido(
        "R1",
        "seven may play",
        'default=3, low=2, high=6, ruling="R1"',
        'default=3, low=2, high=7, ruling="R1"',
    ),
    rapido(
        "R1", "one may play", 'default=3, low=2, high=6, ruling="R1"', 'default=3, low=1, high=6, ruling="R1"'
    ),
    rapido_positions(
        "R2", "die A has a 5 for its 4", "DIE_A = (1, 2, 3, 4, 7, X)", "DIE_A = (1, 2, 3, 5, 7, X)"
    ),
    rapido_positions(
        "R2", "die B has a 4 for its 5", "DIE_B = (1, 2, 3, 5, 6, X)", "DIE_B = (1, 2, 3, 4, 6, X)"
    ),
    rapido("R3", "the finish is 21 by default", "finish: int = 20", "finish: int = 21"),
    rapido("R3", "the finish may be 51", "low=5, high=50", "low=5, high=51"),
    rapido("R3", "the finish may be 4", "low=5, high=50", "low=4, high=50"),
    rapido_positions(
        "R4",
        "field 0 holds one pair",
        "return (0, *(field for field in range(1, TOP_FIELD + 1) if field not in taken))",
        "return tuple(field for field in range(TOP_FIELD + 1) if field not in taken)",
    ),
    rapido_positions(
        "R4",
        "field 5 holds any number of pairs",
        "if field not in taken))",
        "if field not in taken or field == 5))",
    ),
    rapido("R5", "turns go the other way", "(seat + 1) % self.players", "(seat - 1) % self.players"),
    rapido(
        "R5",
        "the last seat starts",
        "return State(0, Phase.FIRST_ROLL, 0, (0,)",
        "return State(self.players - 1, Phase.FIRST_ROLL, 0, (0,)",
    ),
    rapido(
        "R6",
        "who places takes the next turn too",
        "return self._start_turn(self._next(seat), state.steps, in_order(stays), note)",
        "return self._start_turn(seat, state.steps, in_order(stays), note)",
    ),
    rapido(
        "R6",
        "nothing is scored after a placing",
        "return self._start_turn(self._next(seat), state.steps, in_order(stays), note)",
        "return State(self._next(seat), Phase.FIRST_ROLL, 0, state.steps, in_order(stays))",
    ),
    rapido(
        "R7",
        "one step too many is scored",
        "step = min(self.finish, steps[seat] + sum(fields))",
        "step = min(self.finish, steps[seat] + sum(fields) + 1)",
    ),
    rapido(
        "R7",
        "the scored pair stays on the tower",
        "tower = tuple(pair for pair in tower if pair.seat != seat)",
        "tower = tuple(tower)",
    ),
    rapido(
        "R8",
        "every roll counts as the first",
        "return State(state.turn, Phase.LATER_ROLL, 0,",
        "return State(state.turn, Phase.FIRST_ROLL, 0,",
    ),
    rapido(
        "R8",
        "nobody may roll again",
        "return (_DECISIONS[0], *(",
        "return (*(), *(",
    ),
    rapido_positions(
        "R9", "the lower digit is the tens", "if self.a > self.b else", "if self.a < self.b else"
    ),
    rapido_positions("R9", "die A is always the tens", "if self.a > self.b else", "if self.a != X else"),
    rapido(
        "R10",
        "doubles climb on the first roll only",
        "if roll.a == roll.b and not crosses:",
        "if roll.a == roll.b and not crosses and state.phase is Phase.FIRST_ROLL:",
    ),
    rapido("R10", "a double climbs one step", "steps[seat] + roll.a)", "steps[seat] + 1)"),
    rapido("R10", "X-X counts as a double", "if roll.a == roll.b and not crosses:", "if roll.a == roll.b:"),
    rapido(
        "R11", "X on the first roll fails", "if crosses and state.phase is Phase.LATER_ROLL:", "if crosses:"
    ),
    rapido("R12", "X-X costs one step", "max(0, steps[seat] - crosses)", "max(0, steps[seat] - 1)"),
    rapido("R12", "pieces fall below the start", "max(0, steps[seat] - crosses)", "steps[seat] - crosses"),
    rapido(
        "R12",
        "X on a later roll is harmless",
        "if crosses and state.phase is Phase.LATER_ROLL:",
        "if crosses > 1 and state.phase is Phase.LATER_ROLL:",
    ),
    rapido(
        "R13",
        "no placing above a pair of higher value",
        "and action.field in state.free_fields()",
        "and action.field in state.free_fields()\n                and all("
        "pair.value <= state.value or pair.field > action.field for pair in state.tower)",
    ),
    rapido(
        "R13",
        "a taken field may be taken again",
        "and action.field in state.free_fields()",
        "and action.field in range(6)",
    ),
    rapido("R14", "equal values stay", "pair.value <= value:", "pair.value < value:"),
    rapido("R14", "lower pairs are thrown out", "pair.field > field and", "pair.field < field and"),
    rapido("R14", "field 0 is thrown out from field 0", "pair.field > field and", "pair.field >= field and"),
    rapido(
        "R15",
        "an exact count is needed",
        "step = min(self.finish, steps[seat] + sum(fields))",
        "step = steps[seat] + sum(fields)\n        step = step if step <= self.finish else steps[seat]",
    ),
    rapido(
        "R15",
        "doubles do not win",
        "            if step == self.finish:\n                return _won(seat, steps, state.tower, note)\n",
        "",
    ),
    rapido(
        "R15",
        "the next seat wins",
        "return State(seat, Phase.OVER, 0,",
        "return State(seat ^ 1, Phase.OVER, 0,",
    ),
    rapido("R16", "two players have one pair", "return 2 if self.players == 2 else 1", "return 1"),
    rapido(
        "R16", "three players have two pairs", "if self.players == 2 else 1", "if self.players <= 3 else 1"
    ),
    rapido("R17", "own pairs are thrown out", "if pair.seat != seat and pair.field", "if pair.field"),
    rapido("R18", "one pair alone scores", "if len(fields) < self.pairs:", "if not fields:"),
    rapido(
        "R18",
        "only the higher field is scored",
        "step = min(self.finish, steps[seat] + sum(fields))",
        "step = min(self.finish, steps[seat] + max(fields))",
    ),
    rapido_positions(
        "R19",
        "pairs lie in the order they were placed",
        'return tuple(sorted(pairs, key=attrgetter("field", "seat")))',
        "return tuple(pairs)",
    ),
    chain(
        "C1",
        "the one before wins",
        "return State(seat, Phase.OVER, hands,",
        "return State(previous, Phase.OVER, hands,",
    ),
    chain_positions("C2", "five dice each in the pool", "DICE_EACH = 8", "DICE_EACH = 7"),
    chain("C2", "the hand starts as one die", "in later else 2 for seat", "in later else 1 for seat"),
    chain("C2", "three discs each", "((0, 0),) * self.players", "((0, 0, 0),) * self.players"),
    links("C2", "dice show 1 to 5", "FACES = range(1, 7)", "FACES = range(1, 6)"),
    chain(
        "C2",
        "seven may play",
        'default=3, low=2, high=6, ruling="C2"',
        'default=3, low=2, high=7, ruling="C2"',
    ),
    chain("C3", "arrows are missing", "return dict(self.track.arrows)", "return {}"),
    boards(
        "C3", "61 spaces", "SHORTEST_TRACK, LONGEST_TRACK = 18, 60", "SHORTEST_TRACK, LONGEST_TRACK = 18, 61"
    ),
    boards(
        "C3", "17 spaces", "SHORTEST_TRACK, LONGEST_TRACK = 18, 60", "SHORTEST_TRACK, LONGEST_TRACK = 17, 60"
    ),
    boards("C3", "an arrow leads to an arrow", "elif end in starts:", "elif False:"),
    boards("C3", "an arrow at or to the start", "if not 0 < space < self", "if not 0 <= space < self"),
    boards("C3", "an arrow at or to the centre", "0 < space < self.length]", "0 < space <= self.length]"),
    boards("C3", "an arrow leads out of the track", "for space in (start, end)", "for space in (start,)"),
    boards("C3", "an arrow starts outside the track", "for space in (start, end)", "for space in (end,)"),
    boards("C3", "two arrows on a space", "elif starts.count(start) > 1:", "elif starts.count(start) > 2:"),
    chain_positions(
        "C4",
        "one disc beside the start covers the others",
        "if 0 in self.discs[seat] else",
        "if 0 in self.discs[seat] and seat == 0 else",
    ),
    chain(
        "C4",
        "the start is a space with a stack",
        "if below:\n            stacks[start] = below",
        "if below or start == 0:\n            stacks[start] = below",
    ),
    chain("C5", "turns go the other way", "(previous + 1) % self.players", "(previous - 1) % self.players"),
    chain(
        "C5",
        "the last seat starts",
        "return State(0, Phase.KEEP, hands,",
        "return State(self.players - 1, Phase.KEEP, hands,",
    ),
    chain("C6", "nobody ever wins", "if state.free_discs(seat):", "if seat >= 0:"),
    chain(
        "C6",
        "it is looked at after every turn",
        "        seat = (previous + 1) % self.players  # C5\n",
        "        seat = (previous + 1) % self.players  # C5\n"
        "        if not State(previous, Phase.KEEP, hands, pool, discs, piles).free_discs(previous):\n"
        "            seat = previous\n",
    ),
    chain(
        "C6",
        "it is looked at in the turns of others",
        "if state.free_discs(seat):",
        "if all(state.free_discs(one) for one in range(self.players)):",
    ),
    chain_positions(
        "C7", "the lowest disc of a stack is free", "if seats[-1] == seat]", "if seats[0] == seat]"
    ),
    chain_positions(
        "C7",
        "discs at the centre are free",
        "else tuple(free)",
        "else (*free, *(space for space in self.discs[seat] if space and space not in dict(self.piles)))",
    ),
    chain(
        "C7",
        "the whole stack below is gone when the top leaves",
        "below = stacks.pop(start, ())[:-1]",
        "below = stacks.pop(start, ())[:0]",
    ),
    chain(
        "C8",
        "nothing may be discarded",
        "return _KEEPS[: state.hands[state.turn]]",
        "return _KEEPS[state.hands[state.turn] - 1 : state.hands[state.turn]]",
    ),
    chain("C8", "discarded dice are gone", "hands, state.pool + discarded,", "hands, state.pool,"),
    chain(
        "C8",
        "the coloured die is discarded too",
        "for dice in range(1, LONGEST + 1)",
        "for dice in range(LONGEST)",
    ),
    chain(
        "C9",
        "two dice are rolled at most",
        "if 1 + len(loose) == used:",
        "if 1 + len(loose) == min(used, 2):",
    ),
    chain(
        "C10",
        "the coloured die is a link like the others",
        "if not can_link(chain, loose):",
        "dice = (*chain.numbers, *loose)\n"
        "            if not any(can_link(Links((n,), n), without(dice, n)) for n in dice):",
    ),
    links(
        "C10",
        "links are offered that cannot take all dice",
        "if (longer := add_link(chain, number)) and can_link(longer, without(loose, number))",
        "if add_link(chain, number)",
    ),
    links(
        "C10",
        "one loose die may be left over",
        "    if not loose:\n        return True\n",
        "    if len(loose) < 2:\n        return True\n",
    ),
    links("C11", "four alike may stand in a chain", "ALIKE = 3", "ALIKE = 4"),
    links("C11", "two alike may stand in a chain", "ALIKE = 3", "ALIKE = 2"),
    links("C11", "equal numbers do not follow", "return number == last or self is", "return self is"),
    links("C11", "the direction does not change at 1", "if number in (1, 6):", "if number == 6:"),
    links("C11", "the direction does not change at 6", "if number in (1, 6):", "if number == 1:"),
    links("C11", "the direction changes at 5 too", "if number in (1, 6):", "if number in (1, 5, 6):"),
    links(
        "C11",
        "equal links have a direction",
        "elif number != chain.last:",
        "else:",
    ),
    chain(
        "C12",
        "a disc moves one space too few",
        "walked = start + links - 2 * surplus",
        "walked = start + links - 1 - 2 * surplus",
    ),
    chain(
        "C12",
        "the new dice go back after a stop",
        "return self.start_turn(seat, state.hands, state.pool, discs, piles, note)",
        "gone = state.hands[seat] - 1\n"
        "        hands = replaced(state.hands, seat, 1)\n"
        "        return self.start_turn(seat, hands, state.pool + gone, discs, piles, note)",
    ),
    chain(
        "C13",
        "the named direction does not bind",
        "chain = headed(state.chain, heading)",
        "chain = state.chain",
    ),
    links(
        "C13",
        "the named direction is forgotten at an equal link",
        "elif number != chain.last:",
        "elif len({number, *chain.numbers}) == 1:\n"
        "        heading = Heading.OPEN\n"
        "    elif number != chain.last:",
    ),
    chain(
        "C13", "an empty pool has dice", "if state.pool else ()  # C13", "if state.pool >= 0 else ()  # C13"
    ),
    chain(
        "C13",
        "the last die of the pool stays",
        "if state.pool else ()  # C13",
        "if state.pool > 1 else ()  # C13",
    ),
    links(
        "C13",
        "either direction may always be named",
        "return (Heading.UP, Heading.DOWN) if self is Heading.OPEN else (self,)",
        "return (Heading.UP, Heading.DOWN)",
    ),
    chain("C13", "the new die is not from the pool", "hands, state.pool - 1,", "hands, state.pool,"),
    chain("C14", "half is rounded down", "return used - (used + 1) // 2", "return used - used // 2"),
    chain("C14", "the coloured die goes too", "- (used + 1) // 2", "- min(used, (used + 2) // 2)"),
    chain("C14", "nothing is lost", "return used - (used + 1) // 2", "return used"),
    chain(
        "C14",
        "the new die does not count",
        "note(Missed, state.turn, number)\n"
        "            return self._fail(state, state.hands[state.turn], note)",
        "note(Missed, state.turn, number)\n"
        "            left = replaced(state.hands, state.turn, state.hands[state.turn] - 1)\n"
        "            back = State(state.turn, state.phase, left, state.pool + 1, state.discs, state.piles)\n"
        "            return self._fail(back, left[state.turn], note)",
    ),
    chain("C15", "discs stop at the centre", "start + links - 2 * surplus", "start + links - surplus"),
    chain("C15", "discs walk on past the centre", "start + links - 2 * surplus", "start + links"),
    chain(
        "C15",
        "passing the centre is enough",
        "end = self._arrows.get(walked, walked)",
        "end = centre if surplus else self._arrows.get(walked, walked)",
    ),
    chain("C16", "arrows do nothing", "end = self._arrows.get(walked, walked)", "end = walked"),
    chain(
        "C16",
        "arrows do nothing after walking back",
        "end = self._arrows.get(walked, walked)",
        "end = walked if surplus else self._arrows.get(walked, walked)",
    ),
    chain(
        "C16",
        "arrows only lead forward",
        "end = self._arrows.get(walked, walked)",
        "end = max(walked, self._arrows.get(walked, walked))",
    ),
    chain("C17", "a disc slips under a stack", "(*covered, seat)", "(seat, *covered)"),
    chain("C17", "a covered disc is thrown out", "(*covered, seat)", "(seat,)"),
    chain("C17", "discs lie on each other at the centre", "if end != centre:  # C17", "if end:  # C17"),
    chain(
        "C17",
        "the own disc slips under the stack of others",
        "(*covered, seat)",
        "(*covered, seat) if seat not in covered else (seat, *covered)",
    ),
    chain_positions(
        "C17",
        "an own disc below stays free",
        "if seats[-1] == seat]",
        "if seat in seats[-2:]]",
    ),
    chain("C18", "balanced for two favours seat 1", "{2: (1,),", "{2: (0,),"),
    chain("C18", "balanced for three: the last seat only", "3: (1, 2),", "3: (2,),"),
    chain("C18", "balanced for four: three seats", "4: (2, 3),", "4: (1, 2, 3),"),
    chain("C18", "balanced for five: three seats", "5: (3, 4),", "5: (2, 3, 4),"),
    chain("C18", "balanced for six: two seats", "6: (3, 4, 5)}", "6: (4, 5)}"),
    chain("C18", "balanced by default", "balanced: bool = False", "balanced: bool = True"),
    chain(
        "C18",
        "the third die is not from the pool",
        "hands, self.dice - sum(hands),",
        "hands, self.players * 6,",
    ),
)


class CannotTry(Exception):
    """A mutant that cannot be applied, or tests that do not run."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", metavar="RULING", action="append", type=str.upper, choices=RULINGS, help="such as R12"
    )
    parser.add_argument("--jobs", type=int, default=2, help="mutants in parallel (default: 2)")
    options = parser.parse_args(arguments)
    wanted = [mutant for mutant in MUTANTS if not options.only or mutant.ruling in options.only]
    progress = Console(stderr=True)
    started = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
            project = copy_project(ROOT, Path(folder))  # edits during the run change nothing
            check_list(project, wanted)
            killers: list[str] = []
            found = pool.map(partial(killer_of, project), wanted)
            for mutant, killer in zip(wanted, found, strict=True):
                killers.append(killer)
                progress.print(
                    f"{len(killers)}/{len(wanted)} {mutant.ruling} {mutant.meaning}: "
                    f"{'killed' if killer else 'SURVIVED'}",
                    highlight=False,
                )
    except CannotTry as error:
        progress.print(f"mutations: {error}", style="red", markup=False)
        return 2
    survivors = killers.count("")
    Console().print(table(wanted, killers))
    progress.print(f"{len(wanted)} mutants, {survivors} survived, {time.monotonic() - started:.0f} s")
    return 1 if survivors else 0


def check_list(project: Path, mutants: Sequence[Mutant]) -> None:
    """Check that every ruling has a mutant, every mutant applies, and the tests pass without one."""
    if missing := [ruling for ruling in RULINGS if all(mutant.ruling != ruling for mutant in MUTANTS)]:
        raise CannotTry(f"no mutant for {', '.join(missing)}")
    for mutant in mutants:
        mutated(mutant, (project / PACKAGE / mutant.file).read_text("utf-8"))
    for file in sorted({mutant.file for mutant in mutants}):
        if failed := failing_test(project, None, TESTS[file]):
            raise CannotTry(f"{' '.join(TESTS[file])} must pass without a mutant: {failed}")


def mutated(mutant: Mutant, source: str) -> str:
    if (times := source.count(mutant.snippet)) != 1:
        raise CannotTry(
            f"{mutant.ruling}, {mutant.meaning}: its snippet occurs {times} times in {mutant.file}, "
            f"not once:\n{mutant.snippet}"
        )
    broken = source.replace(mutant.snippet, mutant.replacement)
    try:
        compile(broken, mutant.file, "exec")
    except SyntaxError as error:
        raise CannotTry(f"{mutant.ruling}, {mutant.meaning}: {error}") from None
    return broken


def killer_of(project: Path, mutant: Mutant) -> str:
    """The test that fails, one named after the ruling if there is one; empty if none does."""
    tests = TESTS[mutant.file]
    named_after_it = ["-k", f"{mutant.ruling.lower()}_", *tests]  # a function, or a block of cases
    return failing_test(project, mutant, named_after_it) or failing_test(project, mutant, tests)


def failing_test(project: Path, mutant: Mutant | None, tests: Sequence[str]) -> str:
    """The first test that fails in a copy of the project with this mutant; empty if all pass."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = copy_project(project, Path(folder))
        if mutant:
            broken = copy / PACKAGE / mutant.file
            broken.write_text(mutated(mutant, broken.read_text("utf-8")), "utf-8")
        paths = os.pathsep.join(map(str, (copy / "src", copy / "tests", copy)))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-rfE",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            *tests,
        ]
        try:
            run = subprocess.run(
                command,
                cwd=copy,
                env=os.environ | QUICK | {"PYTHONPATH": paths, "COLUMNS": "500"},
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            return f"timeout after {TIMEOUT} s"
    if run.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return ""
    failed = re.search(r"^(FAILED|ERROR) (\S+?)(?:::(.*?))?(?: - .*)?$", run.stdout, re.MULTILINE)
    if not failed:
        broken_by = f"{mutant.ruling}, {mutant.meaning}" if mutant else "the tests"
        raise CannotTry(f"{broken_by}: pytest ended with {run.returncode}\n{run.stdout}{run.stderr}")
    return failed[3] or f"the import of {failed[2]}"  # positions created at import


def copy_project(project: Path, folder: Path) -> Path:
    for name in ("src", "tests"):
        shutil.copytree(project / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(project / "pyproject.toml", folder)
    return folder


def table(mutants: Sequence[Mutant], killers: Sequence[str]) -> Table:
    rows = Table("Ruling", "Mutant", "Killed by")
    for mutant, killer in zip(mutants, killers, strict=True):
        rows.add_row(mutant.ruling, mutant.meaning, escape(killer) or "[bold red]SURVIVED")
    return rows


if __name__ == "__main__":
    sys.exit(main())
