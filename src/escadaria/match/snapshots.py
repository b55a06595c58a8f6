"""The state of a match for clients: snapshots, and the current state in each event."""

from __future__ import annotations

import msgspec

from escadaria import wire
from escadaria.match.match import Match
from escadaria.match.presence import Presence
from escadaria.record import resigned
from escadaria.views import fact_data


def now(
    match: Match, presence: Presence, deadline: float | None, *, seats: bool = True, play: bool = True
) -> wire.Now:
    """The current state; without ``play`` only what guests may see."""
    table = match.play
    views = [_seat(match, presence, seat) for seat in range(len(match.chairs))] if seats else None
    if table is None or not play:
        return wire.Now(status=match.status, seats=views, next=match.next)
    outcome = table.outcome
    return wire.Now(
        status=match.status,
        seats=views,
        to_act=table.to_act,
        legal=list(table.choices()),
        undo=match.undo_seats(),
        to_enter=table.to_enter(),
        deadline=deadline,
        position=table.state,
        text=str(table.state),
        winner=outcome.winner if outcome else None,
        ruling=outcome.ruling if outcome else None,
        secret=match.revealed or None,
        next=match.next,
    )


def standing(match: Match, presence: Presence, deadline: float | None, member: int | None) -> wire.Standing:
    """The current state for a member, or what guests may see."""
    state = now(match, presence, deadline, play=member is not None)
    return wire.Standing(
        **msgspec.structs.asdict(state), options=match.game.options, mine=match.seats_of(member)
    )


def snapshot(match: Match, presence: Presence, deadline: float | None, *, play: bool) -> wire.Snapshot:
    """The whole state of the match."""
    shown = match.play if play else None
    return wire.Snapshot(
        version=match.version,
        game=match.game.name,
        options=match.game.options,
        settings=match.settings,
        commitment=match.commitment,
        entropy=list(match.entropy),
        now=now(match, presence, deadline, play=play),
        turn=[fact_data(fact) for fact in shown.turn_facts()] if shown else [],
        plies=len(shown.plies) if shown else 0,
    )


def _seat(match: Match, presence: Presence, seat: int) -> wire.SeatView:
    chair, table = match.chairs[seat], match.play
    bot = table.bot_of(seat) if table else chair.bot
    return wire.SeatView(
        name=chair.name or None,
        bot=bot or None,
        owner="bot" if chair.bot else "person" if chair.name else "nobody",
        colours=chair.colours,
        here=presence.is_here(seat),
        resigned=table is not None and seat in resigned(table.remarks),
        stand_in_at=presence.stand_in_at(seat),
    )
