"""The distribution: version, licence, citation, and the contents of wheel and sdist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import metadata, version
from pathlib import Path

import pytest

import escadaria

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_version_has_one_source() -> None:
    assert escadaria.__version__ == version("escadaria") == PROJECT["version"]
    assert "__version__" in escadaria.__all__
    source = (ROOT / "src" / "escadaria" / "__init__.py").read_text("utf-8")
    assert PROJECT["version"] not in source


def test_the_citation_names_this_version_and_licence() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    fields = dict(re.findall(r"^([\w-]+): *(.+)$", text, re.M))
    assert fields["cff-version"] == "1.2.0"
    assert fields["version"] == PROJECT["version"]
    assert fields["license"] == PROJECT["license"] == "MIT"
    assert PROJECT["authors"][0]["name"] in text


def test_the_metadata_is_complete_and_has_no_invented_url() -> None:
    about = metadata("escadaria")
    assert about["License-Expression"] == "MIT"
    assert about["Author"] == "the Escadaria authors"
    assert "LICENSE" in (about.get_all("License-File") or [])
    assert about["Keywords"]
    assert "urls" not in PROJECT, "add the project's URL once it exists"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel and an sdist of the source as it is, with the web client that is already built."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    made = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "ESCADARIA_SKIP_WEB": "1"}, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    return folder


def test_the_wheel_has_the_package_and_its_data_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    info = f"escadaria-{PROJECT['version']}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"escadaria", info}
    assert f"{info}/licenses/LICENSE" in names
    packaged = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "escadaria").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packaged <= names
    assert "escadaria/py.typed" in names


def test_the_sdist_has_everything_that_is_in_the_repository(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"LICENSE", "CITATION.cff", "README.md", "run.py", "hatch_build.py", "constraints.txt"} <= names
    assert not any(name.startswith(("web/node_modules", ".venv", ".uv")) for name in names)
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:  # a source archive has no history
        assert {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()} <= names
