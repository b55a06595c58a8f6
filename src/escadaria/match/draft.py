"""A match before it is stored: the first events of a request to open one."""

from __future__ import annotations

from escadaria import bodies, bots, catalogue, dice, wire
from escadaria.events import Created
from escadaria.game import AnyGame
from escadaria.match.match import Match, new_match
from escadaria.match.state import HOST, MatchEvent
from escadaria.refusals import Refused


def check_request(request: bodies.Open) -> AnyGame:
    """The game of a request. :raises GameError: if game, options, stand-in or position are wrong."""
    game = catalogue.load(request.game, **request.options)
    bots.check(request.settings.stand_in, game)
    if request.start_from is not None and not request.settings.practice:
        raise Refused("not_practice", "positions can be set up only at a practice table")
    if request.start_from is not None:
        game.parse_state(request.start_from)
    if request.match is None and any(person.entropy for person in request.people):
        raise Refused("not_sealed", "entropy needs a seal: request one first")
    return game


def first_events(
    request: bodies.Open, match: str, secret: bytes, token: str, *, opener: str = "", now: float = 0.0
) -> list[MatchEvent]:
    """Open the match, seat people and bots, and start it if requested.

    :param secret: of the dice; empty with real ones.
    :param token: of the host.
    :raises GameError: if the request is invalid.
    """
    game = check_request(request)
    created = Created(
        match=match,
        game=game.name,
        options=game.options,
        settings=request.settings.granted(),
        commitment=dice.commitment(secret) if secret else "",
        start=request.start_from,
        rules_version=game.rules_version,
    )
    draft, events = Match(), list[MatchEvent]()

    def add(new: list[MatchEvent]) -> None:
        for event in new:
            draft.apply(event, now)  # so that the next handler sees it
        events.extend(new)

    add([new_match(created, token, secret, opener)])
    for person in request.people:
        if person.seat in draft.seats_of(HOST):
            raise Refused("seat_taken", f"two people cannot sit at seat {person.seat}")
        seat = draft.free_seat(person.seat)
        sit = wire.Sit(
            id="open", version=0, name=person.name, seat=seat, colours=person.colours, entropy=person.entropy
        )
        add(draft.sit(HOST, sit, ""))
    for bot in request.bots:
        add(draft.add_bot(HOST, wire.AddBot(id="open", version=0, bot=bot)))
    if request.start:
        add(draft.start(HOST))
    return events
