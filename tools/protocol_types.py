"""Generate the TypeScript types of the protocol from messages.py.

    python3 run.py tool protocol_types > web/src/protocol.ts

Frames from the server always have all of their fields. In frames to the server, fields with a default are
optional.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

import msgspec

from escadaria.catalogue import GAMES
from escadaria.refusals import Ending
from escadaria.server import messages
from escadaria.server.coach import AnalysisView, RollsView, Waiting
from escadaria.server.routes import frames_schema
from escadaria.teaching.views import LessonView, RulesView

HEADER = "// The wire, generated from the server's types by tools/protocol_types.py. Do not edit.\n"
TO_SERVER = ("hello", "command", "Open", "Position")


ENDING = msgspec.json.schema(Ending)


def generate() -> str:
    """The contents of protocol.ts."""
    schema = frames_schema()
    roots: dict[str, Any] = dict(schema["properties"])
    defs: dict[str, Any] = dict(schema["$defs"])
    kinds = (
        messages.Open, messages.Opened, messages.Position, messages.PositionSeen, AnalysisView, Waiting,
        RollsView, RulesView, LessonView,
    )  # fmt: skip
    http = {kind.__name__: kind for kind in kinds}
    more, components = msgspec.json.schema_components(http.values(), ref_template="#/$defs/{name}")
    roots |= dict(zip(http, more, strict=True))
    defs |= components
    sent = _reachable([roots[name] for name in TO_SERVER], defs)
    received = _reachable([root for name, root in roots.items() if name not in TO_SERVER], defs)
    parts = [_interface(name, defs[name], name in sent - received, sent & received) for name in defs]
    parts += [
        f"export type AnyCommand = {_type(roots['command'])};",
        f"export type RefusalCode = {_type(ENDING['anyOf'][0])};",
        f"export type Ending = RefusalCode | {_type(ENDING['anyOf'][1])};",
        f"export type AnyFrame = {_type(roots['frame'])};",
    ]
    for game in GAMES:
        facts = {name: root for name, root in roots.items() if name.startswith(f"{game}.fact.")}
        types = [
            f"({{ kind: '{_snake(name)}'; ruling: string }} & {_type(fact)})" for name, fact in facts.items()
        ]
        parts.append(f"export type {game.title()}Fact =\n  | " + "\n  | ".join(types) + ";")
    return HEADER + "\n" + "\n\n".join(parts) + "\n"


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


def _interface(name: str, schema: dict[str, Any], to_server: bool, partial: set[str]) -> str:
    doc = f"/** {' '.join(schema['description'].split())} */\n" if "description" in schema else ""
    if "properties" not in schema:
        return f"{doc}export type {_name(name)} = {_type(schema)};"
    required = schema.get("required", [])
    lines = []
    for field, inner in schema["properties"].items():
        optional = "?" if to_server and field not in required else ""
        lines.append(f"  {field}{optional}: {_type(inner, partial if to_server else set())};")
    return f"{doc}export interface {_name(name)} {{\n" + "\n".join(lines) + "\n}"


def _type(schema: dict[str, Any], partial: Set[str] = frozenset()) -> str:
    if schema.get("anyOf") == ENDING["anyOf"]:
        return "Ending"
    match schema:
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
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"Record<string, {_type(values, partial)}>"
        case {"type": "object"}:
            return "Record<string, unknown>"
        case {"type": kind}:
            return "number" if kind == "integer" else str(kind)
    return "unknown"


def _name(name: str) -> str:
    """The TypeScript name: ``RapidoState`` for ``escadaria.games.rapido.rules.State``."""
    return "".join(part[0].upper() + part[1:] for part in name.replace(".rules.", ".").split(".")[-2:])


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name.rpartition(".")[2]).lower()


if __name__ == "__main__":
    print(generate(), end="")
