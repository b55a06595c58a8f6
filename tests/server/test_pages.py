"""The client's files, as the build leaves them and as the server reads them."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from escadaria.server import pages


def test_the_build_compresses_what_the_server_sends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    from hatch_build import compress

    if not (pages.STATIC / "index.html").is_file():
        pytest.skip("the web client is not built")
    built = tmp_path / "static"
    shutil.copytree(pages.STATIC, built)
    (built / "assets" / "tiny.css").write_text("a{}")
    before = pages._read_files(built, 1)
    compress(built / "assets")
    compress(built / "assets")  # again changes nothing
    after = pages._read_files(built, 2)
    assert {name: file.body for name, file in after.items()} == {
        name: file.body for name, file in before.items()
    }
    names = {path.name for path in (built / "assets").iterdir()}
    assert "tiny.css" in names and "tiny.css.gz" not in names
    assert not [name for name in names if name.endswith(".js")], "only the compressed ones are left"
    for file in after.values():
        assert file.compressed is None or gzip.decompress(file.compressed) == file.body
