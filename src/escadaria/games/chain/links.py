"""The chain of dice that a turn of Chain is about: which links may follow each other (C10, C11)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from escadaria.game import InvalidText, Word, read_enum, read_number, write_list

FACES = range(1, 7)  # C2
ALIKE = 3  # no number stands in a chain more often (C11)
LONGEST = ALIKE * len(FACES)


class Heading(Word):
    """A chain's direction (C11)."""

    OPEN = "open"
    """Either way: nothing but equal links yet, or a 1 or 6 at the end."""
    UP = "up"
    DOWN = "down"

    @property
    def ways(self) -> tuple[Heading, ...]:
        """The directions that may be named when the chain is lengthened (C13)."""
        return (Heading.UP, Heading.DOWN) if self is Heading.OPEN else (self,)

    def allows(self, last: int, number: int) -> bool:
        """Whether ``number`` may follow ``last`` (C11)."""
        return number == last or self is Heading.OPEN or (number > last) == (self is Heading.UP)


@dataclass(frozen=True, slots=True)
class Links:
    """The chain of the turn, without the order of its links: only its end matters for what follows."""

    numbers: tuple[int, ...] = ()
    """All links, sorted."""
    last: int = 0
    """The link at the end; 0 before the first."""
    heading: Heading = Heading.OPEN

    def __str__(self) -> str:
        return f"{write_list(self.numbers, '')}/{self.last}/{self.heading.value}"

    @classmethod
    def parse(cls, text: str) -> Links:
        """The inverse of ``str``. :raises InvalidText: if that is no text of a chain."""
        if text.count("/") != 2:
            raise InvalidText(
                f"a chain reads numbers/last/direction, as in 345/3/down, not {text!r}", ruling="C11"
            )
        numbers, last, heading = text.split("/")
        return cls(
            read_dice(numbers),
            read_number(last, "the last link", 0, 6, "C2"),
            read_enum(Heading, "direction", heading, "C11"),
        )


NO_LINKS = Links()
"""Between turns, and until the coloured die has fallen (C8, C9)."""


def read_dice(text: str) -> tuple[int, ...]:
    digits = "" if text == "-" else text
    return tuple(sorted(read_number(digit, "a die", 1, 6, "C2") for digit in digits))


@lru_cache(maxsize=2**14)
def add_link(chain: Links, number: int) -> Links | None:
    """The chain with one more link, or None if it cannot be added (C11)."""
    if chain.numbers.count(number) == ALIKE or not chain.heading.allows(chain.last, number):
        return None
    heading = chain.heading
    if number in (1, 6):
        heading = Heading.OPEN
    elif number != chain.last:
        heading = Heading.UP if number > chain.last else Heading.DOWN
    return Links(tuple(sorted((*chain.numbers, number))), number, heading)


@lru_cache(maxsize=2**14)
def headed(chain: Links, heading: Heading) -> Links:
    """The chain with this direction."""
    return Links(chain.numbers, chain.last, heading)


@lru_cache(maxsize=2**16)
def next_links(chain: Links, loose: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers that may be the next link, so that all loose dice can still be linked (C10)."""
    return tuple(
        number
        for number in sorted(set(loose))
        if (longer := add_link(chain, number)) and can_link(longer, without(loose, number))
    )


def fitting(chain: Links) -> int:
    """How many of the six numbers can be the next link (C11)."""
    return sum(add_link(chain, number) is not None for number in FACES)


@lru_cache(maxsize=2**14)
def most_fitting(chain: Links, loose: tuple[int, ...] = ()) -> int:
    """How many numbers fit at best, in a direction of choice (C13), once all loose dice are linked (C10)."""
    if not loose:
        return max(fitting(headed(chain, way)) for way in chain.heading.ways)
    longer = ((add_link(chain, number), without(loose, number)) for number in next_links(chain, loose))
    return max(most_fitting(link, rest) for link, rest in longer if link)


def can_link(chain: Links, loose: tuple[int, ...]) -> bool:
    """Whether all loose dice can be linked to the chain, in some order (C10).

    In one direction all numbers ahead can be linked, sorted; the others too if the number at its end is among
    the loose dice, where the chain turns (C11).
    """
    if not loose:
        return True
    if any(chain.numbers.count(number) + loose.count(number) > ALIKE for number in set(loose)):
        return False
    up = 6 in loose or min(loose) >= chain.last
    down = 1 in loose or max(loose) <= chain.last
    return any(up if way is Heading.UP else down for way in chain.heading.ways)


def orders(chain: Links, loose: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All legal orders of the loose dice, those first that change the number least (C10, C11).

    Dice with the same number are alike. There may be millions: take as many as needed.
    """
    if not loose:
        yield ()
    for number in _nearest(chain, next_links(chain, loose)):
        longer = add_link(chain, number)
        assert longer is not None
        for rest in orders(longer, without(loose, number)):
            yield (number, *rest)


def _nearest(chain: Links, numbers: tuple[int, ...]) -> list[int]:
    """The different numbers, those next to the last link first."""
    return sorted(set(numbers), key=lambda number: abs(number - chain.last))


@lru_cache(maxsize=2**14)
def can_arise(chain: Links, named: bool) -> bool:
    """Whether links can be added one by one to make this chain, or with ``named`` also lengthened (C13)."""
    if len(chain.numbers) == 1:
        return chain.heading is Heading.OPEN
    shorter = without(chain.numbers, chain.last)
    return any(
        _leads_to(before, chain, named) and can_arise(before, named)
        for last in set(shorter)
        for heading in Heading
        for before in [Links(shorter, last, heading)]
    )


def _leads_to(before: Links, chain: Links, named: bool) -> bool:
    ways = [headed(before, way) for way in before.heading.ways] if named else []
    return any(add_link(way, chain.last) == chain for way in (before, *ways))


def without(items: tuple[int, ...], item: int) -> tuple[int, ...]:
    """All but one of the items that are equal to this one."""
    index = items.index(item)
    return (*items[:index], *items[index + 1 :])
