"""Generate the TypeScript types of the protocol, of the HTTP API, and of the games' positions and facts.

    python3 run.py tool protocol_types > web/src/protocol.ts

Frames from the server always have all of their fields. In frames to the server, fields with a default are
optional.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Set
from typing import Any

import msgspec

from escadaria import bodies, strategy, wire
from escadaria.catalogue import GAMES
from escadaria.refusals import Ending
from escadaria.server.compute.answers import AnalysisView, Replay, RollsView
from escadaria.server.compute.requests import Waiting
from escadaria.server.http.routes import frames_schema
from escadaria.teaching.lessons import LessonView
from escadaria.teaching.rulebook import RulesView

HEADER = "// The wire, generated from the server's types by tools/protocol_types.py. Do not edit.\n"
TO_SERVER = ("hello", "command", "Open", "PositionRequest")
WIDTH = 120
CLEARER = {"Option": "GameOption", "Replay": "ReplayData"}
FACT = """\
/** A fact of any game: what happened, as data. */
export type Fact = {
  kind: string;
  ruling: string;
  /** The seat that did it, or to which it happened. */
  seat: number;
  [field: string]: unknown;
};

type Head<K extends string> = { kind: K; ruling: string };"""

ENDING = msgspec.json.schema(Ending)


def generate() -> str:
    """The contents of protocol.ts."""
    schema = frames_schema()
    roots: dict[str, Any] = dict(schema["properties"])
    defs: dict[str, Any] = dict(schema["$defs"])
    kinds = (
        bodies.Games, bodies.Sealed, bodies.Open, bodies.Opened, wire.Standing, bodies.PositionRequest,
        bodies.PositionSeen, AnalysisView, Waiting, RollsView, RulesView, LessonView, Replay,
    )  # fmt: skip
    http = {kind.__name__: kind for kind in kinds}
    more, components = msgspec.json.schema_components(http.values(), ref_template="#/$defs/{name}")
    roots |= dict(zip(http, more, strict=True))
    defs |= components | _strategy()
    sent = _reachable([roots[name] for name in TO_SERVER], defs)
    received = _reachable([root for name, root in roots.items() if name not in TO_SERVER], defs)
    facts = _reachable([root for name, root in roots.items() if ".fact." in name], defs)
    parts = [
        _interface(
            name, schema, to_server=name in sent - received, partial=sent & received, is_fact=name in facts
        )
        for name, schema in defs.items()
    ]
    parts += [
        _alias("AnyCommand", _type(roots["command"])),
        _alias("RefusalCode", _type(ENDING["anyOf"][0])),
        _alias("Ending", f"RefusalCode | {_type(ENDING['anyOf'][1])}"),
        _alias("AnyFrame", _type(roots["frame"])),
        FACT,
    ]
    for game in GAMES:
        own = {name: root for name, root in roots.items() if name.startswith(f"{game}.fact.")}
        types = [f"(Head<'{_snake(name)}'> & {_type(fact)})" for name, fact in own.items()]
        parts.append(_alias(f"{game.title()}Fact", " | ".join(types)))
    return HEADER + "\n" + "\n\n".join(parts) + "\n"


def _strategy() -> dict[str, Any]:
    """The types of ``/api/strategy``."""
    return msgspec.json.schema_components([strategy.Strategy], ref_template="#/$defs/{name}")[1]


def _alias(name: str, type_: str) -> str:
    """``export type``; a union that does not fit into a line has a line for each member."""
    line = f"export type {name} = {type_};"
    if len(line) < WIDTH:
        return line
    return f"export type {name} =" + "".join(f"\n  | {part}" for part in type_.split(" | ")) + ";"


def _doc(text: str) -> str:
    """A comment, on several lines if it is long."""
    words = " ".join(text.split()).replace("``", "`")
    if len(words) + 7 < WIDTH:
        return f"/** {words} */\n"
    return "/**\n" + "\n".join(f" * {line}" for line in textwrap.wrap(words, WIDTH - 4)) + "\n */\n"


def _reachable(schemas: list[Any], defs: dict[str, Any]) -> set[str]:
    """The names of all definitions that these schemas refer to, directly or indirectly."""
    found: set[str] = set()
    waiting = list(schemas)
    while waiting:
        for name in re.findall(r"#/\$defs/([\w.]+)", str(waiting.pop())):
            if name not in found:
                found.add(name)
                waiting.append(defs[name])
    return found


def _interface(
    name: str, schema: dict[str, Any], *, to_server: bool, partial: set[str], is_fact: bool
) -> str:
    doc = _doc(schema["description"]) if "description" in schema else ""
    if "properties" not in schema:
        return doc + _alias(_name(name), _type(schema))
    required = schema.get("required", [])
    lines = []
    for field, inner in schema["properties"].items():
        optional = "?" if to_server and field not in required else ""
        line = f"  {field}{optional}: {_type(inner, partial if to_server else set())};"
        if len(line) >= WIDTH:
            line = line.replace(" | ", "\n    | ").replace(": ", ":\n    | ", 1)
        lines.append(line)
    if is_fact:  # only a type alias, not an interface, can be assigned to `Fact`
        return f"{doc}export type {_name(name)} = {{\n" + "\n".join(lines) + "\n};"
    return f"{doc}export interface {_name(name)} {{\n" + "\n".join(lines) + "\n}"


def _type(schema: dict[str, Any], partial: Set[str] = frozenset()) -> str:
    if schema.get("anyOf") == ENDING["anyOf"]:
        return "Ending"
    match schema:
        case {"title": "Fact"}:
            return "Fact"
        case {"$ref": ref}:
            name = ref.removeprefix("#/$defs/")
            return f"Partial<{_name(name)}>" if name in partial else _name(name)
        case {"anyOf": choices}:
            return " | ".join(_type(choice, partial) for choice in choices)
        case {"enum": values}:
            return " | ".join(f"'{value}'" for value in values)
        case {"const": value}:
            return f"'{value}'"
        case {"type": "array", "prefixItems": items}:
            return f"[{', '.join(_type(item, partial) for item in items)}]"
        case {"type": "array", "items": items}:
            inner = _type(items, partial)
            return f"({inner})[]" if " | " in inner and inner[0] != "(" else f"{inner}[]"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"Record<string, {_type(values, partial)}>"
        case {"type": "object"}:
            return "Record<string, unknown>"
        case {"type": kind}:
            return "number" if kind == "integer" else str(kind)
    return "unknown"


def _name(name: str) -> str:
    """The TypeScript name: ``RapidoState`` for ``escadaria.games.rapido.positions.State``."""
    name = re.sub(r"\.(positions|facts)\.", ".", name)
    short = "".join(part[0].upper() + part[1:] for part in name.split(".")[-2:])
    return CLEARER.get(short, short)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name.rpartition(".")[2]).lower()


if __name__ == "__main__":
    print(generate(), end="")
