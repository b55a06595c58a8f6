"""Merge texts into the PO files of the five languages, and keep their order and format.

    python3 run.py tool add_texts texts.json

The JSON maps each key to its texts: ``{"web.home": {"en": "Home", "de": "Startseite", …}}``. A text with
plural forms is a list of them, and ``"counted"`` names the placeholder that is counted. An existing key is
replaced in place. New keys are added to the area ``"_area"`` (``play`` if not given), at the end of its
section ``"_section"``, which is created if necessary.
The keys of the web client (``text_keys``) are generated again.
Several processes may run concurrently.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from escadaria.i18n import AREAS, LANGUAGES, messages_of
from tools import text_keys

FOLDER = Path(__file__).parents[1] / "src" / "escadaria" / "i18n" / "texts"
WIDTH = 100


def main(paths: list[str]) -> int:
    if not paths:
        print(__doc__)
        return 2
    for path in paths:
        wanted = json.loads(Path(path).read_text("utf-8"))
        section, new_area = wanted.pop("_section", "The web client."), wanted.pop("_area", "play")
        check(wanted, new_area)
        lock = os.open(FOLDER, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            area_of = {key: message.area for key, message in messages_of(LANGUAGES[0]).items()}
            new = {}
            for area in AREAS:
                texts = {key: text for key, text in wanted.items() if area_of.get(key, new_area) == area}
                for language in LANGUAGES if texts else ():
                    file = FOLDER / language / f"{area}.po"
                    new[file] = merged(file.read_text("utf-8"), section, texts, language)
            for file, text in new.items():
                draft = file.with_suffix(".new")
                draft.write_text(text, "utf-8")
                draft.replace(file)
        finally:
            text_keys.write()
            os.close(lock)
        print(f"{path}: {len(wanted)} keys in {section!r}")
    return 0


def check(wanted: dict[str, Any], area: str) -> None:
    """Exit before any file is written if a text is missing or plural forms are inconsistent."""
    if area not in AREAS:
        sys.exit(f"there is no area {area!r}, there are {', '.join(AREAS)}")
    for key, texts in wanted.items():
        missing = [language for language in LANGUAGES if not texts.get(language)]
        if missing:
            sys.exit(f"{key}: no text in {', '.join(missing)}")
        plural = [language for language in LANGUAGES if isinstance(texts[language], list)]
        if bool(plural) != ("counted" in texts) or plural not in ([], list(LANGUAGES)):
            sys.exit(f"{key}: either all languages have plural forms and `counted` is set, or none has")


def merged(po: str, section: str, wanted: dict[str, Any], language: str) -> str:
    """The file with these texts: blocks separated by blank lines, with a comment before each section."""
    blocks = re.split(r"\n\n+", po.strip("\n"))
    at = {key: i for i, block in enumerate(blocks) if (key := key_of(block))}
    for key in [key for key in wanted if key in at]:
        blocks[at[key]] = entry(key, wanted[key], language)
    new = [entry(key, texts, language) for key, texts in wanted.items() if key not in at]
    if new:
        title = f"# -------- {section}"
        start = next((i for i, block in enumerate(blocks) if block == title), None)
        if start is None:
            blocks += [title, *new]
        else:
            ends = (i for i in range(start + 1, len(blocks)) if blocks[i].startswith("# --------"))
            end = next(ends, len(blocks))
            blocks[end:end] = new
    joined = "\n\n".join(blocks)
    return re.sub(r"\n+(?=# --------)", "\n\n\n", joined) + "\n"


def key_of(block: str) -> str:
    found = re.match(r'msgid "([^"]+)"', block)
    return found[1] if found else ""


def entry(key: str, texts: dict[str, Any], language: str) -> str:
    lines = [f'msgid "{key}"']
    text = texts[language]
    if isinstance(text, list):
        lines.append(f'msgid_plural "{texts["counted"]}"')
        lines += [line for i, form in enumerate(text) for line in quoted(f"msgstr[{i}]", form)]
    else:
        lines += quoted("msgstr", text)
    return "\n".join(lines)


def quoted(word: str, text: str) -> list[str]:
    """The text on one line, or as an empty string and several lines, broken after spaces."""
    if len(word) + len(text) + 3 <= WIDTH:
        return [f'{word} "{text}"']
    lines, line = [], ""
    for part in re.findall(r"[^ ]* ?", text):
        if len(line) + len(part) > WIDTH - 2:
            lines.append(line)
            line = ""
        line += part
    return [f'{word} ""', *(f'"{line}"' for line in [*lines, line] if line)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
