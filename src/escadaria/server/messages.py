"""Everything that goes over the wire, as closed types with one parse.

Three families: commands (client to server), events (what is stored and sent to everyone) and frames (server
to client). ``docs/protocol.md`` explains them; JSON Schema is generated from here.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from escadaria.record import COLOURS
from escadaria.refusals import Ending, Refused
from escadaria.table import Event
from escadaria.views import Preview, StepView

Id = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Version = Annotated[int, Meta(ge=0, le=2**31)]
SeatNumber = Annotated[int, Meta(ge=0, le=5)]
Name = Annotated[str, Meta(min_length=1, max_length=40)]
Token = Annotated[str, Meta(min_length=22, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Entropy = Annotated[str, Meta(max_length=64, pattern=r"^[0-9a-f]*$")]
Bot = Annotated[str, Meta(min_length=1, max_length=40)]
Colour = Literal["red", "blue", "green", "yellow", "black", "white"]
assert Colour.__args__ == COLOURS  # type: ignore[attr-defined]  # a Literal has its values there


Role = Literal["host", "player", "watcher", "guest"]
Status = Literal["waiting", "playing", "over"]
Source = Literal["exact", "estimated"]
"""How sure a figure is: computed to the end, or learned from many games."""


class TableSettings(Struct, frozen=True, kw_only=True):
    """How a table is run. The host chooses it before the match starts.

    After that ``pace`` and ``watch`` can still be changed; the rest only where all people play at the
    host's device, since it affects the others. ``practice`` is fixed when the match is opened.
    """

    practice: bool = False
    """Whether decisions may be taken back, hints asked for and positions set up."""
    starts: Literal["first", "random", "loser"] = "first"
    """Who starts: the first seat, a seat by chance, or whoever lost the match before."""
    clock: Annotated[int, Meta(ge=0, le=30 * 86400)] = 0
    """Seconds for a turn; 0 is none. A day has 86400."""
    grace: Annotated[int, Meta(ge=5, le=30 * 86400)] | None = 60
    """Seconds that a seat may be gone before a bot plays for it; null is for ever."""
    pace: Annotated[int, Meta(ge=0, le=10_000)] = 900
    """Milliseconds that a bot takes for each thing it does."""
    stand_in: Bot = "simple"
    """The bot that plays for those who are gone."""
    watch: bool = True
    """Whether the watchers' link works."""


class WantedSettings(TableSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The same in a request, where an unknown field is a mistake."""

    def granted(self) -> TableSettings:
        """As they are stored."""
        return TableSettings(**msgspec.structs.asdict(self))


# Commands. Each has an id, by which it is answered and by which repeating it is harmless, and the
# version of the match that it was made for.


class Command(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="type"):
    """What all commands have."""

    id: Id
    version: Version


class Sit(Command, frozen=True, tag="sit"):
    """Take a free seat while the match waits."""

    name: Name
    seat: SeatNumber | None = None
    """The next free one if none is named."""
    colours: list[Colour] | None = None
    entropy: Entropy = ""
    """The seat's own part in the dice, in hexadecimal."""


class AddBot(Command, frozen=True, tag="add_bot"):
    """The host seats a bot while the match waits."""

    bot: Bot
    seat: SeatNumber | None = None
    name: Name | None = None


class Free(Command, frozen=True, tag="free"):
    """Make a seat free while the match waits: one's own, or as the host any."""

    seat: SeatNumber


class Start(Command, frozen=True, tag="start"):
    """The host starts the match; all seats are taken."""


class Act(Command, frozen=True, tag="act"):
    """Do one of the legal actions that the server sent."""

    action: Annotated[str, Meta(max_length=40)]
    seat: SeatNumber | None = None
    """Needed only by a client that plays several seats and means another than the one to act."""


class Undo(Command, frozen=True, tag="undo"):
    """Take the last decision back; at practice tables, where no dice fell since."""


class Resign(Command, frozen=True, tag="resign"):
    """Give up."""

    seat: SeatNumber | None = None


class TakeBack(Command, frozen=True, tag="take_back"):
    """Play again where a bot stood in."""

    seat: SeatNumber | None = None


class Configure(Command, frozen=True, tag="configure"):
    """The host changes how the table is run; see ``TableSettings`` for what may be changed when."""

    settings: WantedSettings


class SetUp(Command, frozen=True, tag="set_up"):
    """Set up a position, at a practice table."""

    position: Annotated[str, Meta(max_length=1000)]


class Hint(Command, frozen=True, tag="hint"):
    """Ask what a good player would do, at a practice table."""


class Rematch(Command, frozen=True, tag="rematch"):
    """Open the next match at the same table, once this one is over."""


class Recover(Command, frozen=True, tag="recover"):
    """Ask for a code that moves one's seats to another device."""


class Ping(Command, frozen=True, tag="ping"):
    """Ask whether the server is there."""


class Hello(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="type", tag="hello"):
    """The first frame of a connection: who is there, and how much they know already."""

    token: Token | None = None
    """A member's; without any the connection is a guest's."""
    guest: Token | None = None
    """A random text of the client's own. With it a guest whose connection broke while sitting down can
    repeat the request and still get the token."""
    watch: Token | None = None
    """From the watchers' link."""
    recover: Token | None = None
    """A code from another device; it works once and brings a new token."""
    since: Version | None = None
    """The last version that the client has."""
    previews: bool = False
    """Whether the client wants to know what each of its choices would bring."""


AnyCommand = (
    Sit | AddBot | Free | Start | Act | Undo | Resign | TakeBack | Configure | SetUp | Hint | Rematch
    | Recover | Ping
)  # fmt: skip


# Over HTTP.


class Person(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Somebody who sits down where the match is opened: the host, or several people at one device."""

    name: Name
    seat: SeatNumber | None = None
    colours: list[Colour] | None = None
    entropy: Entropy = ""


class Sealed(Struct, frozen=True, kw_only=True):
    """The promise of a match that is not open yet: its name, and the SHA-256 of its dice's secret."""

    match: str
    commitment: str


class Open(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What it takes to open a match."""

    game: Annotated[str, Meta(max_length=40)]
    match: Id | None = None
    """From ``Sealed``: then people may bring entropy, since the dice are promised already."""
    options: dict[str, bool | int | str] = {}
    settings: WantedSettings = WantedSettings()
    people: Annotated[list[Person], Meta(max_length=6)] = []
    bots: Annotated[list[Bot], Meta(max_length=6)] = []
    start: bool = False
    """Whether to start at once; all seats must be taken then."""
    start_from: Annotated[str, Meta(max_length=1000)] | None = None
    """A position to start from, at a practice table."""


class Opened(Struct, frozen=True, kw_only=True):
    """A new match. ``match`` makes the link that is shared; ``token`` is the host's own secret."""

    match: str
    token: str
    watch: str
    """The key of the watchers' link."""


class Advice(Struct, frozen=True, kw_only=True):
    """What a position is worth to the seat whose turn it is: how often it wins by good play."""

    source: Source
    win: float
    wins: dict[str, float]
    """The same after each legal decision; empty where there is none."""


class Position(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A position to look at."""

    game: str
    options: dict[str, bool | int | str] = {}
    position: Annotated[str, Meta(max_length=1000)] | None = None
    """Its text; null is the start."""


class PositionSeen(Struct, frozen=True, kw_only=True):
    """A position, what may be done there and what that would bring."""

    game: str
    options: dict[str, bool | int | str]
    text: str
    position: Any
    turn: int
    """The seat whose turn it is."""
    legal: list[str]
    """Its decisions; empty where the dice are to fall or the game is over."""
    choices: dict[str, Preview]
    over: bool
    advice: Advice | None
    """null if there is no coach for this game, or the game is over."""


class RecordText(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A record file to look at."""

    record: str


# Events. Stored as they are; what they mean for the match is in ``match.py``. What a seat does in play is an
# ``Event`` of the table, of the kind ``acted``.


class EventBase(Struct, frozen=True, kw_only=True, tag_field="kind"):
    """The base of the events that are not the table's."""


class Created(EventBase, frozen=True, tag="created"):
    """The match was opened, and its dice are promised."""

    match: str
    game: str
    options: dict[str, bool | int | str]
    settings: TableSettings
    commitment: str
    """The SHA-256 of the secret that the dice will come from."""
    start: str | None = None
    """The position to start from, at a practice table."""
    previous: str | None = None
    """The match that this one follows at the same table."""
    rules_version: int = 1
    """The version of the game's rules that it is played by."""


class Sat(EventBase, frozen=True, tag="sat"):
    """Somebody sat down."""

    seat: int
    name: str
    colours: list[str]
    entropy: str = ""


class BotSat(EventBase, frozen=True, tag="bot_sat"):
    """A bot was seated."""

    seat: int
    name: str
    bot: str
    colours: list[str]


class Freed(EventBase, frozen=True, tag="freed"):
    """A seat became free."""

    seat: int


class Started(EventBase, frozen=True, tag="started"):
    """The match began. Seats are renumbered so that the one who starts is seat 0."""

    first: int
    """The number that seat 0 had before."""


class Configured(EventBase, frozen=True, tag="configured"):
    """The host changed how the table is run."""

    settings: TableSettings


class PositionSet(EventBase, frozen=True, tag="position_set"):
    """A position was set up, at a practice table."""

    position: str


class Continued(EventBase, frozen=True, tag="continued"):
    """The next match at this table is open."""

    match: str


class Moved(EventBase, frozen=True, tag="moved"):
    """Somebody moved to another device."""

    seats: list[int]


AnyEvent = (
    Created | Sat | BotSat | Freed | Started | Event | Configured | PositionSet | Continued | Moved
)  # fmt: skip


# Frames.


class SeatView(Struct, frozen=True, kw_only=True):
    """A seat as everyone sees it."""

    name: str | None
    """null while the seat is free."""
    bot: str | None
    """The bot that plays it now, of its own or for somebody who is gone."""
    owner: Literal["person", "bot", "nobody"]
    colours: list[str]
    here: bool
    """Whether its owner is connected; a bot always is."""
    resigned: bool


class Now(Struct, frozen=True, kw_only=True):
    """How things stand."""

    status: Status
    seats: list[SeatView] | None = None
    """null in an event that changed nothing about them."""
    to_act: int | None = None
    legal: list[str] = []
    """What the seat to act may do."""
    deadline: float | None = None
    """When its clock runs out, in seconds since 1970."""
    position: Any = None
    """null while the match waits, and for guests."""
    text: str | None = None
    """The position in one line."""
    winner: int | None = None
    ruling: str | None = None
    """By which it won; ``resignation`` if all others gave up."""
    secret: str | None = None
    """Revealed when the match is over."""
    next: str | None = None
    """The next match at this table."""


class Frame(Struct, frozen=True, kw_only=True, tag_field="type"):
    """What all frames have: nothing."""


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
    """A new one, after ``recover``: keep it, and only it."""
    watch: str | None = None
    """The watchers' key, for the host."""
    next_token: str | None = None
    """For a member, once the next match at this table is open: the token there."""


class You(Frame, frozen=True, tag="you"):
    """What is this client's own has changed: its seats, or a key that it alone may know."""

    role: Role
    mine: list[int]
    watch: str | None = None
    """The watchers' new key, for the host who switched watching on again."""
    next_token: str | None = None
    """For a member, when the next match at this table is opened: the token there."""


class Snapshot(Frame, frozen=True, tag="snapshot"):
    """All there is to know at a version; follows ``welcome`` where events cannot tell it."""

    version: int
    game: str
    options: dict[str, bool | int | str]
    settings: TableSettings
    commitment: str
    entropy: list[str]
    now: Now
    turn: list[dict[str, Any]] = []
    """The facts since the turn started."""
    plies: int = 0


class EventFrame(Frame, frozen=True, tag="event"):
    """Something happened."""

    version: int
    time: float
    event: AnyEvent
    now: Now
    steps: list[StepView] = []


class Previews(Frame, frozen=True, tag="previews"):
    """What each choice would bring, for the client whose seat is to act."""

    version: int
    seat: int
    choices: dict[str, Preview]


class Accepted(Frame, frozen=True, tag="accepted"):
    """The command was granted. Its event, if it has one, has been sent to everyone before."""

    id: str
    version: int
    """The version that it made, or the current one."""
    token: str | None = None
    """After ``sit``, for a guest: proves who they are. After ``rematch``: the token at the next match."""
    code: str | None = None
    """After ``recover``."""
    action: str | None = None
    """After ``hint``."""
    advice: Advice | None = None
    """After ``hint``, if there is a coach for the game and something to decide."""
    match: str | None = None
    """After ``rematch``."""


class Refusal(Struct, frozen=True, kw_only=True):
    """A command or a request was refused and changed nothing. This is the body of an HTTP answer."""

    code: Ending
    message: str
    """In English, for developers. Clients have texts for players by the code."""
    ruling: str = ""
    """The ruling by which it was refused, if there is one."""


class RefusalFrame(Refusal, frozen=True, kw_only=True, tag_field="type", tag="refused"):
    """The same as a frame."""

    id: str | None
    """The command's; null if the frame could not be read far enough to know it."""
    version: int


class Presence(Frame, frozen=True, tag="presence"):
    """Somebody came or went."""

    seat: int
    here: bool


class ClockWarning(Frame, frozen=True, tag="clock"):
    """A seat's time is nearly up."""

    seat: int
    deadline: float


class Bye(Frame, frozen=True, tag="bye"):
    """The server closes the connection."""

    code: Ending


AnyFrame = (
    Welcome | You | Snapshot | EventFrame | Previews | Accepted | RefusalFrame | Presence | ClockWarning | Bye
)

_hello = msgspec.json.Decoder(Hello)
_command: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(AnyCommand)
_event: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_encoder = msgspec.json.Encoder()


class _Head(Struct):
    id: Any = None


class _Kind(Struct):
    kind: str = ""


_head = msgspec.json.Decoder(_Head)
_kind = msgspec.json.Decoder(_Kind)
_KINDS = {kind.__struct_config__.tag for kind in get_args(AnyEvent)}


def parse_hello(text: str | bytes) -> Hello:
    """The first frame. :raises Refused: ``malformed``."""
    try:
        return _hello.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("malformed", f"the first frame must be a hello: {error}") from None


def parse(text: str | bytes) -> AnyCommand:
    """The one parse of a command. :raises Refused: ``malformed``."""
    try:
        return _command.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("malformed", str(error)) from None


def command_id(text: str | bytes) -> str | None:
    """The id of a frame that is no command, so that even it can be answered."""
    try:
        found = _head.decode(text).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found[:64] if isinstance(found, str) else None


def read_event(text: str) -> AnyEvent:
    """A stored event. Fields that a later version added are passed over.

    :raises Refused: ``later_version`` if it is of a kind that only a later version knows.
    """
    try:
        return _event.decode(text)
    except msgspec.ValidationError:
        kind = _kind.decode(text).kind
        if kind and kind not in _KINDS:
            raise Refused("later_version", f"{kind!r} was stored by a later version of Escadaria") from None
        raise


def encode(message: Any) -> str:
    """The text of an event, as it is stored."""
    return _encoder.encode(message).decode()


def frame(message: Any) -> bytes:
    """A message to a client, as the WebSocket frame that carries it: final, text, not masked (RFC 6455, 5.2).

    It is made once however many clients get it, and much faster than by the library's general way.
    """
    text = _encoder.encode(message)
    size = len(text)
    if size < 126:
        return bytes((0x81, size)) + text
    if size < 65_536:
        return b"\x81\x7e" + size.to_bytes(2) + text
    return b"\x81\x7f" + size.to_bytes(8) + text
