"""A match in the terminal: shows what happened and prompts for decisions."""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence

from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from escadaria.bots import GRANDMASTER
from escadaria.bots import load as load_bot
from escadaria.game import Fact, GameError
from escadaria.play import ROLL, Event, Play
from escadaria.record import Record
from escadaria.refusals import Refused
from escadaria.terminal.choices import Choice, matching, offers
from escadaria.terminal.pictures import Scene, draw
from escadaria.terminal.saves import MatchFile, records_folder
from escadaria.terminal.screen import KEY, PREVIEW, QUIET, Screen, command
from escadaria.terminal.sentences import bot_name, paragraphs, result

PAUSE = 0.8
"""Seconds to read the actions of a bot, on a terminal."""

COMMANDS = ("help", "undo", "hint", "look", "resign", "save", "quit")
"""Commands at any prompt, in English or in the user's language; ``?`` shows the rules."""


class Quit(Exception):
    """A player interrupts the match."""


def read_dice(line: str, rolls: list[list[str]]) -> list[str]:
    """What was typed as the outcomes of these rolls; the dice of one roll may be typed in any order."""
    typed = "".join(line.upper().replace(",", " ").split())
    sizes = [len(outcomes[0]) for outcomes in rolls]
    if any(len(outcome) != size for outcomes, size in zip(rolls, sizes, strict=True) for outcome in outcomes):
        return line.upper().replace(",", " ").split()
    parts = []
    for size, outcomes in zip(sizes, rolls, strict=True):
        part, typed = typed[:size], typed[size:]
        parts.append(part if part in outcomes or part[::-1] not in outcomes else part[::-1])
    return [*parts, typed] if typed else parts


class TerminalMatch:
    """A match between people at one keyboard and bots."""

    def __init__(self, play: Play, saved: MatchFile, screen: Screen, pause: float = PAUSE) -> None:
        self.play = play
        self.saved = saved
        self.screen = screen
        self.texts = screen.texts
        self.pause = pause if screen.out.is_terminal else 0
        self.names = [seat.name for seat in play.seats]
        people = [seat for seat, player in enumerate(play.seats) if not player.bot]
        self.you = people[0] if len(people) == 1 else None
        """The seat that sentences address as "you": a person who plays alone against bots."""
        self.unseen = list(play.turn_facts())
        """Facts that were not shown yet. In a resumed match it starts with those of the current turn."""
        self.typed: deque[str] = deque()
        """Typed words that were not run yet: ``2 3 5`` links three dice."""
        self.drawn_for = -1
        """The seat for whose turn the position was last drawn."""
        self.mistaken = False
        """Whether the last answer was invalid: then the choices are still on the screen."""

    def run(self) -> None:
        """Play to the end. :raises Quit, EOFError, KeyboardInterrupt: if a player stops earlier."""
        self.saved.save(self.play)
        self.introduce()
        self.play_on()
        while self.takes_back_the_end():
            self.play_on()
        self.finish()

    def play_on(self) -> None:
        """Play until the match is over."""
        while (seat := self.play.to_act) is not None:
            try:
                if rolls := self.play.to_enter():
                    self.ask_dice(seat, rolls)
                elif self.play.bot_of(seat):
                    self.play_bot(seat)
                else:
                    self.ask(seat)
            except GameError as error:
                key = f"error.{error.code}"
                self.reject(self.texts(key) if key in self.texts else str(error))

    def introduce(self) -> None:
        game = self.play.game.name
        title = Text.assemble(
            (self.texts(f"{game}.name"), "bold"), "  ", (self.texts(f"{game}.tagline"), QUIET)
        )
        self.screen.show(title)
        for seat, player in enumerate(self.play.seats):
            about = [self.texts(f"colour.{colour}") for colour in player.colours]
            if player.bot:
                about.append(self.texts("play.bot", bot=bot_name(player.bot, self.texts)))
            self.screen.show(Text.assemble(f"{player.name}  ", (", ".join(about), QUIET)), self.token(seat))
        if self.saved.proof:
            self.screen.say("play.sealed", QUIET, commitment=self.saved.proof.commitment)
        elif self.saved.dice is None:
            self.screen.say("play.real", QUIET)
        elif self.saved.seed is not None:
            self.screen.say("play.seeded", QUIET, seed=self.saved.seed)
        if any(not seat.bot for seat in self.play.seats):
            self.screen.say("play.keys", QUIET)
        if any(seat.bot == GRANDMASTER for seat in self.play.seats):
            self.screen.say("lab.preparing", QUIET)
            load_bot(GRANDMASTER, self.play.game)

    # A turn.

    def play_bot(self, seat: int) -> None:
        """Let the bot make one decision; show what it did when its turn is over."""
        name = self.play.bot_of(seat)
        self.add(self.play.act(seat, ROLL if self.play.awaits_roll else str(self.bot(name))))
        if self.play.to_act != seat:
            self.show_facts(keep_for=self.play.to_act)
            time.sleep(self.pause)

    def bot(self, name: str) -> object:
        """The decision of the bot.

        With seeded dice its noise depends only on the seed and the ply, so that a resumed match continues
        as it would have without the interruption.
        """
        seed = self.saved.seed
        rng = random.Random() if seed is None else random.Random(f"{seed}/{len(self.play.plies)}")
        return load_bot(name, self.play.game, rng)(self.play.game, self.play.state)

    def ask(self, seat: int) -> None:
        """Ask a person for one decision."""
        choices = offers(self.play, self.texts, self.you)
        if self.is_forced(choices):
            self.add(self.play.act(seat, choices[0].text))
            return
        self.show_facts()
        if self.drawn_for != seat:
            self.look()
        if not self.typed:
            if not self.mistaken:
                self.offer(seat, choices)
            self.mistaken = False
            self.typed.extend(self.words(self.screen.ask(self.names[seat]), choices))
        self.run_line(seat, self.typed.popleft(), choices)

    def ask_dice(self, seat: int, rolls: list[list[str]]) -> None:
        """Ask what the real dice show, also those of a bot."""
        self.show_facts()
        if self.drawn_for != seat:
            self.look()
        key = f"{self.play.game.name}.enter"
        keys = [f"{key}.one", key] if len(rolls) == 1 else [key]
        ask = self.texts(next((known for known in keys if known in self.texts), "dice.ask"))
        example = self.texts("play.example.dice", example=" ".join(" ".join(faces[-2]) for faces in rolls))
        name = Text.assemble(self.token(seat), " ", (self.names[seat], "bold"))
        self.screen.show(Text.assemble(name, f"  {ask} ", (f"({example})", QUIET)))
        line = self.screen.ask(self.names[seat])
        if handler := self.command(line):
            handler(seat)
        elif line:
            self.add(self.play.act(seat, ROLL, read_dice(line, rolls)))

    def takes_back_the_end(self) -> bool:
        """With real dice, ask whether the entry that has ended the match was wrong, and take it back."""
        if self.play.dice is not None or not self.play.game.outcome(self.play.state):
            return False
        self.show_facts()
        self.screen.say("play.real.end", undo=self.texts("play.command.undo"))
        try:
            handler = self.command(self.screen.ask(""))
        except EOFError:
            return False
        if handler != self.do_undo:
            return False
        self.do_undo(0)
        return True

    def is_forced(self, choices: Sequence[Choice]) -> bool:
        """Whether the choice can be made automatically: a single one, without dice or the end of the turn."""
        if len(choices) != 1 or self.play.awaits_roll:
            return False
        game, state = self.play.game, self.play.state
        after = game.apply(state, game.parse(choices[0].text))
        return bool(game.current_player(after) == state.turn)

    def words(self, line: str, choices: Sequence[Choice]) -> list[str]:
        """Split a typed line into the keys of several choices, if it has several."""
        parts = line.replace(",", " ").split()
        several = len(parts) > 1 and not matching(line, choices) and all(part.isdigit() for part in parts)
        return parts if several else [line]

    def offer(self, seat: int, choices: Sequence[Choice]) -> None:
        """Print the question and the choices."""
        self.screen.draw(draw(self.scene()).turn)
        question = self.texts.question(self.play.game.name, self.play.state)
        self.screen.show(Text.assemble(self.token(seat), " ", (self.names[seat], "bold"), f"  {question}"))
        for choice in choices:
            line = Text(choice.label)
            if choice.preview:
                line.append(f" {self.screen.either('—', '-')} {choice.preview}", PREVIEW)
            self.screen.show(line, Text(f"{self.key(choice, choices):>5}", KEY))

    def key(self, choice: Choice, choices: Sequence[Choice]) -> str:
        return choice.key if len(choices) > 1 else self.texts("play.enter")

    def run_line(self, seat: int, line: str, choices: Sequence[Choice]) -> None:
        """Run the typed choice or command, or print why it is invalid."""
        choice = choices[0] if not line and len(choices) == 1 else matching(line, choices)
        if choice:
            self.add(self.play.act(seat, choice.text))
        elif handler := self.command(line):
            handler(seat)
        elif not line:
            self.look()
        else:
            keys = ", ".join(self.key(choice, choices) for choice in choices)
            self.reject(self.texts("play.what", text=line[:40], keys=keys))

    def reject(self, sentence: str) -> None:
        self.screen.error_line(sentence)
        self.typed.clear()
        self.mistaken = True

    def add(self, event: Event) -> None:
        """Add the event, save the match, and collect the facts to show."""
        steps = self.play.add(event)
        self.saved.save(self.play)
        if self.play.to_act != event.seat:
            self.drawn_for = -1
        facts = [fact for step in steps for fact in step.facts]
        chosen = not event.dice and self.play.to_act == event.seat and not self.play.bot_of(event.seat)
        if not chosen:  # people need not be shown their own choice
            self.unseen += facts
        if event.dice:
            self.typed.clear()

    # Output.

    def show_facts(self, keep_for: int | None = None) -> None:
        """Show the collected facts; those that begin a bot's turn are shown later with the rest of it."""
        kept: list[Fact] = []
        if keep_for is not None and self.play.bot_of(keep_for):
            while self.unseen and self.unseen[-1].seat == keep_for:
                kept.insert(0, self.unseen.pop())
        for seat, words in paragraphs(self.play.game.name, self.unseen, self.names, self.texts, self.you):
            self.screen.show(words, self.token(seat))
        self.unseen = kept

    def look(self) -> None:
        """Draw the position."""
        seat = self.play.to_act
        assert seat is not None, "the match goes on"
        self.screen.out.print(Rule(Text.assemble(self.token(seat), f" {self.names[seat]}"), style=QUIET))
        self.screen.draw(draw(self.scene()).board)
        self.drawn_for = seat

    def scene(self) -> Scene:
        play, screen = self.play, self.screen
        facts = play.turn_facts()
        return Scene(play.game, play.state, play.seats, facts, self.texts, screen.width, screen.fancy)

    def token(self, seat: int) -> Text:
        return self.screen.token(self.play.seats, seat)

    # Commands.

    def command(self, line: str) -> Callable[[int], None] | None:
        word = line.lower()
        if word == "?":
            return self.explain
        for name in COMMANDS:
            if word in (name, self.texts(f"play.command.{name}")) or (word == "q" and name == "quit"):
                found: Callable[[int], None] = getattr(self, f"do_{name}")
                return found
        return None

    def explain(self, seat: int) -> None:
        """Show the rules of the current phase."""
        game = self.play.game
        phase = getattr(self.play.state, "phase", None)
        keys = [f"{game.name}.help.{getattr(phase, 'value', phase)}", f"{game.name}.help.aim"]
        if game.players == 2:
            keys.append(f"{game.name}.help.two")
        for key in keys:
            if key in self.texts:
                self.screen.show(self.texts(key), " ")

    def do_help(self, seat: int) -> None:
        words = {"?": "rules"} | {self.texts(f"play.command.{name}"): name for name in COMMANDS}
        longest = max(map(len, words))
        for word, name in words.items():
            self.screen.show(self.texts(f"play.about.{name}"), Text(f" {word:<{longest}}", KEY))
        self.screen.say("play.about.keys")

    def do_undo(self, seat: int) -> None:
        """Take back the last decision of a person at this keyboard, and forced actions with it."""
        self.add(self.undo_event(seat))
        while self.is_forced(offers(self.play, self.texts, self.you)):
            self.add(self.undo_event(seat))
        self.unseen.clear()
        self.screen.say("play.undone")

    def undo_event(self, seat: int) -> Event:
        """The event that takes back a decision of this seat, or of another person."""
        people = [other for other in range(len(self.names)) if not self.play.bot_of(other)]
        for other in sorted(people, key=lambda other: other != seat) or [seat]:
            try:
                return self.play.undo(other)
            except Refused as error:
                refusal = error
        raise refusal

    def do_hint(self, seat: int) -> None:
        if self.play.awaits_roll:
            self.screen.say("play.hint", choice=self.texts("play.roll"))
            return
        choice = self.texts.action(self.play.game.name, self.bot(self.play.stand_in))
        self.screen.say("play.hint", choice=choice)

    def do_look(self, seat: int) -> None:
        self.look()

    def do_resign(self, seat: int) -> None:
        if self.play.bot_of(seat):  # its dice are asked for
            return
        answer = self.screen.ask(self.texts("play.sure", name=self.names[seat])).lower()
        if answer not in ("y", "yes", *self.texts("play.yes").split()):
            return
        self.add(self.play.resign(seat))
        name = self.names[seat]
        self.screen.say(self.texts.addressed("play.resigned", seat, self.you), name=name)
        if self.play.outcome is None:
            self.screen.say(self.texts.addressed("play.stand_in", seat, self.you), name=name)

    def do_save(self, seat: int) -> None:
        self.screen.say("play.saved", file=self.saved.path)

    def do_quit(self, seat: int) -> None:
        raise Quit

    # The end.

    def pause_match(self) -> None:
        """Save the match and show how to resume it."""
        self.saved.save(self.play)  # Ctrl-C may have come before the last save
        self.screen.show()
        self.screen.say("play.saved", file=self.saved.path)
        if self.play.outcome:
            return
        here = () if self.saved.path.parent == records_folder() else (self.saved.path,)
        self.screen.say("play.go_on", command=command("play", "--resume", *here))

    def finish(self) -> None:
        """Show the winner, the statistics and the file."""
        self.show_facts()
        outcome = self.play.outcome
        assert outcome is not None, "the match is over"
        self.screen.out.print(
            Rule(Text.assemble(self.token(outcome.winner), f" {self.names[outcome.winner]}"))
        )
        self.screen.draw(draw(self.scene()).board)
        star = self.screen.either("★", "*")
        won = result(outcome, self.names, self.texts, self.you)
        self.screen.show(Text(f"{star} {won} {star}", "bold"))
        show_statistics(self.play.record(), self.screen)
        self.screen.say("play.saved", QUIET, file=self.saved.path)
        if self.saved.dice is not None:
            self.screen.say("play.check", QUIET, command=command("verify", self.saved.path))


def show_statistics(record: Record, screen: Screen) -> None:
    """Print how often each kind of fact happened to each seat, for the kinds that have a text."""
    facts = (fact for ply in range(1, len(record.plies) + 1) for fact in record.facts(ply))
    counts = Counter((fact.kind, fact.seat) for fact in facts)
    counts.update(("turns", seat) for _, seat, _ in record.turns())
    seats = range(len(record.seats))
    table = Table("", box=None, padding=(0, 1))
    for name in screen.names(record.seats):
        table.add_column(name, justify="right")
    start = f"play.count.{record.game.name}."
    kinds = [key.removeprefix(start) for key in screen.texts.messages if key.startswith(start)]
    for key, kind in [("play.turns", "turns"), *((start + kind, kind) for kind in kinds)]:
        table.add_row(screen.texts(key), *(str(counts[kind, seat]) for seat in seats))
    screen.out.print(table)
