"""The wire format: commands (client to server) and frames (server to client), which contain events.

``docs/protocol.md`` documents them. The JSON Schema and the types of the web client are generated from here.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from escadaria.events import AnyEvent, Bot, TableSettings
from escadaria.record import COLOURS
from escadaria.refusals import Ending, Refused
from escadaria.views import FactView, Preview, Sequences, StepView

Id = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Version = Annotated[int, Meta(ge=0, le=2**31)]
SeatNumber = Annotated[int, Meta(ge=0, le=5)]
Name = Annotated[str, Meta(min_length=1, max_length=40)]
Token = Annotated[str, Meta(min_length=22, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Entropy = Annotated[str, Meta(max_length=64, pattern=r"^[0-9a-f]*$")]
Colour = Literal["red", "blue", "green", "yellow", "black", "white"]
assert Colour.__args__ == COLOURS  # type: ignore[attr-defined]  # a Literal has its values there


Role = Literal["host", "player", "watcher", "guest"]
Status = Literal["waiting", "playing", "over"]
Source = Literal["exact", "estimated"]
"""How an evaluation was computed: solved exactly, or learned from self-play."""


class WantedSettings(TableSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Table settings in a request: unknown fields are refused."""

    def granted(self) -> TableSettings:
        """The settings to store."""
        return TableSettings(**msgspec.structs.asdict(self))


# Commands. Each has an id, which makes it idempotent and is repeated in the answer, and the version of the
# match that it was made for.


class Command(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="type"):
    """The base of all commands."""

    id: Id
    version: Version


class Sit(Command, frozen=True, tag="sit"):
    """Take a free seat while the match waits."""

    name: Name
    seat: SeatNumber | None = None
    """Default: the next free seat."""
    colours: list[Colour] | None = None
    entropy: Entropy = ""
    """The seat's contribution to the dice, in hexadecimal."""


class AddBot(Command, frozen=True, tag="add_bot"):
    """The host seats a bot while the match waits."""

    bot: Bot
    seat: SeatNumber | None = None
    name: Name | None = None


class Free(Command, frozen=True, tag="free"):
    """Free a seat while the match waits: one's own, or any seat as the host."""

    seat: SeatNumber


class Resize(Command, frozen=True, tag="resize"):
    """The host changes the number of seats while the match waits: the last free ones go, or new ones come."""

    players: Annotated[int, Meta(ge=1, le=6)]


class Start(Command, frozen=True, tag="start"):
    """The host starts the match. All seats must be taken."""


class Act(Command, frozen=True, tag="act"):
    """Play one of the legal actions."""

    action: Annotated[str, Meta(max_length=40)]
    seat: SeatNumber | None = None
    """Default: the seat to act."""
    dice: Annotated[list[Annotated[str, Meta(max_length=20)]], Meta(max_length=60)] = []
    """What real dice show, with ``roll``: one of each list of ``to_enter``."""


class Undo(Command, frozen=True, tag="undo"):
    """Undo the last decision at a practice table, or the last decision or dice at one with real dice.

    If all other seats are bots, also after rolls and turns of bots; else only if no dice were rolled since.
    With real dice, every player may undo what another one entered, also the last entry of a finished match
    until the next match is open.
    """


class Hurry(Command, frozen=True, tag="hurry"):
    """Let bots act without waiting until a person is to act, if all other seats are bots."""


class Resign(Command, frozen=True, tag="resign"):
    """Resign."""

    seat: SeatNumber | None = None


class TakeBack(Command, frozen=True, tag="take_back"):
    """Take a seat back from the bot that stands in."""

    seat: SeatNumber | None = None


class Configure(Command, frozen=True, tag="configure"):
    """The host changes the table settings; see ``TableSettings`` for what may be changed when."""

    settings: WantedSettings


class SetUp(Command, frozen=True, tag="set_up"):
    """Set up a position, at a practice table."""

    position: Annotated[str, Meta(max_length=1000)]


class Hint(Command, frozen=True, tag="hint"):
    """Ask for the best action, at a practice table."""


class Rematch(Command, frozen=True, tag="rematch"):
    """Open the next match at the same table, once this one is over."""


class Recover(Command, frozen=True, tag="recover"):
    """Ask for a code that moves one's seats to another device."""


class Ping(Command, frozen=True, tag="ping"):
    """Check that the connection works."""


class Hello(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="type", tag="hello"):
    """The first frame of a connection: identifies the client and the events that it has."""

    token: Token | None = None
    """A member's token. Without ``token``, ``watch`` or ``recover`` the client is a guest."""
    guest: Token | None = None
    """A random secret of the client. It lets a guest repeat ``sit`` after a lost connection and still get the
    token."""
    watch: Token | None = None
    """The key from the watchers' link."""
    recover: Token | None = None
    """A recovery code from another device. It works once; the answer has a new token."""
    since: Version | None = None
    """The last version that the client has."""
    previews: bool = False
    """Whether to send ``previews``."""


AnyCommand = (
    Sit | AddBot | Free | Resize | Start | Act | Undo | Hurry | Resign | TakeBack | Configure | SetUp | Hint
    | Rematch | Recover | Ping
)  # fmt: skip


# Frames.


class SeatView(Struct, frozen=True, kw_only=True):
    """The public state of a seat."""

    name: str | None
    """null while the seat is free."""
    bot: str | None
    """The bot that plays it now: its owner, or a stand-in."""
    owner: Literal["person", "bot", "nobody"]
    colours: list[str]
    here: bool
    """Whether its owner is connected; true for a bot."""
    resigned: bool
    stand_in_at: float | None = None
    """When a bot stands in for its absent owner, in seconds since 1970; null if none will."""


class Now(Struct, frozen=True, kw_only=True):
    """The current state of the match."""

    status: Status
    seats: list[SeatView] | None = None
    """null in an event that did not change them."""
    to_act: int | None = None
    legal: list[str] = []
    """The legal actions of the seat to act."""
    undo: list[int] | None = None
    """The seats that may undo; null except at a practice table in play, or with real dice."""
    to_enter: list[list[str]] | None = None
    """With real dice, for each roll to enter now what it can show; null if there is none."""
    deadline: float | None = None
    """The end of its time, in seconds since 1970."""
    position: Any = None
    """null while the match waits, and for guests."""
    text: str | None = None
    """The position as text."""
    winner: int | None = None
    ruling: str | None = None
    """The ruling that decided the win; ``resignation`` if all others resigned."""
    secret: str | None = None
    """The secret of the dice, once the match is over."""
    next: str | None = None
    """The next match at this table."""


class Standing(Now, frozen=True, kw_only=True):
    """The current state of a match over HTTP."""

    options: dict[str, bool | int | str]
    mine: list[int] = []
    """The seats of the member whose token was sent."""


class Frame(Struct, frozen=True, kw_only=True, tag_field="type"):
    """The base of all frames."""


class Welcome(Frame, frozen=True, tag="welcome"):
    """The answer to ``hello``."""

    match: str
    role: Role
    mine: list[int]
    """The seats of this client."""
    version: int
    time: float
    """The server's clock, for deadlines."""
    token: str | None = None
    """A new token after ``recover``; it replaces the old one."""
    watch: str | None = None
    """The watchers' key, for the host."""
    next_token: str | None = None
    """The member's token at the next match, once that is open."""


class You(Frame, frozen=True, tag="you"):
    """The client's own data changed: its seats, role or keys."""

    role: Role
    mine: list[int]
    watch: str | None = None
    """The new watchers' key, for the host, after watching was switched on again."""
    next_token: str | None = None
    """The member's token at the next match, once that is open."""


class Snapshot(Frame, frozen=True, tag="snapshot"):
    """The whole state at a version. It follows ``welcome`` unless the missed events are sent."""

    version: int
    game: str
    options: dict[str, bool | int | str]
    settings: TableSettings
    commitment: str
    entropy: list[str]
    now: Now
    turn: list[FactView] = []
    """The facts since the start of the turn."""
    plies: int = 0


class EventFrame(Frame, frozen=True, tag="event"):
    """An event was stored."""

    version: int
    time: float
    event: AnyEvent
    now: Now
    steps: list[StepView] = []


class Previews(Frame, frozen=True, tag="previews"):
    """The effects of each legal decision, for the client whose seat is to act."""

    version: int
    seat: int
    choices: dict[str, Preview]
    sequences: Sequences | None = None


class Evaluation(Struct, frozen=True, kw_only=True):
    """The evaluation of a position: the win probability of the seat whose turn it is."""

    source: Source
    win: float
    shares: list[float]
    """The win probability of each seat."""
    wins: dict[str, float]
    """The win probability after each legal decision; empty if there is none."""


class Accepted(Frame, frozen=True, tag="accepted"):
    """The command was accepted. Its event, if any, was broadcast before."""

    id: str
    version: int
    """The version that the command made, or the current one."""
    token: str | None = None
    """After ``sit`` of a guest: the new token. After ``rematch``: the token at the next match."""
    code: str | None = None
    """After ``recover``."""
    action: str | None = None
    """After ``hint``."""
    advice: Evaluation | None = None
    """After ``hint``, if the game has an evaluator and there is a decision."""
    match: str | None = None
    """After ``rematch``."""


class Refusal(Struct, frozen=True, kw_only=True):
    """A command or request was refused and changed nothing. The body of an HTTP error response."""

    code: Ending
    message: str
    """In English, for developers. Clients translate the code for players."""
    ruling: str = ""
    """The ruling that forbids it, if any."""


class RefusalFrame(Refusal, frozen=True, kw_only=True, tag_field="type", tag="refused"):
    """A refusal as a frame."""

    id: str | None
    """The id of the command; null if it could not be read."""
    version: int


class PresenceChanged(Frame, frozen=True, tag="presence"):
    """The owner of a seat connected or disconnected, or the time of the stand-in changed."""

    seat: int
    here: bool
    stand_in_at: float | None = None
    """As in ``SeatView``."""


class ClockWarning(Frame, frozen=True, tag="clock"):
    """The time of a seat is running out."""

    seat: int
    deadline: float


class Bye(Frame, frozen=True, tag="bye"):
    """The server closes the connection."""

    code: Ending


AnyFrame = (
    Welcome
    | You
    | Snapshot
    | EventFrame
    | Previews
    | Accepted
    | RefusalFrame
    | PresenceChanged
    | ClockWarning
    | Bye
)

_hello = msgspec.json.Decoder(Hello)
_command: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(AnyCommand)
_encoder = msgspec.json.Encoder()


class _Head(Struct):
    id: Any = None


_head = msgspec.json.Decoder(_Head)


def parse_hello(text: str | bytes) -> Hello:
    """Parse the first frame. :raises Refused: ``malformed``."""
    try:
        return _hello.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("malformed", f"the first frame must be a hello: {error}") from None


def parse(text: str | bytes) -> AnyCommand:
    """Parse a command. :raises Refused: ``malformed``."""
    try:
        return _command.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("malformed", str(error)) from None


def command_id(text: str | bytes) -> str | None:
    """The id of a malformed command, for the answer; None if it cannot be read."""
    try:
        found = _head.decode(text).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found[:64] if isinstance(found, str) else None


def encode(message: Any) -> str:
    """Encode a message as JSON."""
    return _encoder.encode(message).decode()


def frame(message: Any) -> bytes:
    """Encode a frame as JSON. A broadcast encodes it once."""
    return _encoder.encode(message)
