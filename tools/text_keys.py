"""Generate the text keys of the web client from the English texts.

    python3 run.py tool text_keys

writes ``web/src/texts/keys.ts``: each key with the placeholders of its text, so that a misspelt key or a
missing placeholder is a type error. ``add_texts`` runs it too.
After a merge conflict in that file, run it again.
"""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

from escadaria.i18n import LANGUAGES, PARTS, messages_of

FILE = Path(__file__).parents[1] / "web/src/texts/keys.ts"
HEADER = """\
// The texts of the client, generated from the English texts by tools/text_keys.py. Do not edit.

/** Each key, with the placeholders of its text. */
export interface TextArgs {
"""


def generate() -> str:
    """The contents of keys.ts."""
    lines = []
    for key, message in sorted(messages_of(LANGUAGES[0]).items()):
        if message.area not in PARTS:
            continue
        names = {name for form in message.forms for name in _placeholders(form)} | {message.counted} - {""}
        quoted = [f"'{name}'" for name in sorted(names)]
        lines.append(f"  '{key}': {' | '.join(quoted) or 'never'};\n")
    return HEADER + "".join(lines) + "}\n\nexport type Key = keyof TextArgs;\n"


def _placeholders(form: str) -> set[str]:
    """The names in ``{name}`` and ``{dice[0]}``."""
    return {re.split(r"[.\[]", field)[0] for _, field, _, _ in Formatter().parse(form) if field}


def write() -> None:
    FILE.write_text(generate(), "utf-8")


if __name__ == "__main__":
    write()
