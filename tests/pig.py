"""Pig, the game of ``examples/pig``, installed into a folder as pip would do it."""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "examples" / "pig"


def install(folder: Path) -> dict[str, str]:
    """Install the package with its entry points into a folder; return an environment that uses it."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    shutil.copytree(EXAMPLE / "escadaria_pig", folder / "escadaria_pig")
    about = folder / f"escadaria_pig-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = project["entry-points"].items()
    lines = [f"[{group}]\n{name} = {value}\n" for group, names in groups for name, value in names.items()]
    (about / "entry_points.txt").write_text("".join(lines))
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}
