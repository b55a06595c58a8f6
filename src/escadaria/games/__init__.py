"""The games that ship, a folder each. A folder holds everything that knows its game."""

from collections.abc import Callable
from typing import Any, Literal, Protocol, cast, overload

from escadaria.game import AnyGame
from escadaria.games.chain.boards import Board
from escadaria.games.chain.kit import KIT as CHAIN
from escadaria.games.chain.rules import Chain
from escadaria.games.rapido.kit import KIT as RAPIDO
from escadaria.games.rapido.rules import Rapido

__all__ = ["BUILT_IN", "Board", "Load", "typed_load"]

BUILT_IN = (RAPIDO, CHAIN)


class Load(Protocol):
    """``load`` as type checkers see it: the name of a game that ships gives the type of that game."""

    @overload
    def __call__(self, name: Literal["rapido"], /, *, players: int = ..., finish: int = ...) -> Rapido: ...

    @overload
    def __call__(
        self, name: Literal["chain"], /, *, players: int = ..., board: str | Board = ..., balanced: bool = ...
    ) -> Chain: ...

    @overload
    def __call__(self, name: str, /, **options: Any) -> AnyGame: ...


def typed_load(load: Callable[..., AnyGame]) -> Load:
    """The same function, with the types of ``Load``."""
    return cast(Load, load)
