"""Tests of the wheel, which pip installs into a fresh environment without a network."""

from __future__ import annotations

import array
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent
sys.path.insert(0, str(HERE))
import wheel  # noqa: E402


def test_wheel(tmp_path: Path) -> None:
    wheel.main(os.environ["ZMIGRATE_PROGRAM"], str(tmp_path))
    (built,) = tmp_path.glob("zmigrate-*-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl")
    venv.create(tmp_path / "v", with_pip=True)
    python, program = tmp_path / "v" / "bin" / "python", tmp_path / "v" / "bin" / "zmigrate"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", built], check=True)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    assert version == subprocess.run([os.environ["ZMIGRATE_PROGRAM"], "--version"], check=True, capture_output=True, text=True).stdout
    (tmp_path / "a.bin").write_bytes(array.array("i", range(64)).tobytes())
    job = tmp_path / "job.json"
    job.write_text(
        '{"zmigrate": 1, "source": {"driver": "raw", "arrays": {"a": {"url": "a.bin", "data_type": "int32", "endian": "little", "shape": [64]}}}, "target": {"url": "out.zarr"}}'
    )
    subprocess.run([program, "run", job], check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "out.zarr" / "zarr.json").exists()
    subprocess.run([python, "-c", "import zmigrate"], check=True, cwd=tmp_path)


def test_other_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that this machine cannot run, with its licences."""
    program, notices = tmp_path / "zmigrate.exe", tmp_path / "notices.txt"
    program.write_bytes(b"MZ")
    notices.write_text("licences")
    monkeypatch.setenv("ZMIGRATE_WHEEL_NOTICES", str(notices))
    wheel.main(str(program), str(tmp_path), "win_amd64", "v1.2.3")
    with zipfile.ZipFile(tmp_path / "zmigrate-1.2.3-py3-none-win_amd64.whl") as built:
        assert built.read("zmigrate-1.2.3.data/scripts/zmigrate.exe") == b"MZ"
        assert built.read("zmigrate-1.2.3.dist-info/extra_metadata/THIRD-PARTY-NOTICES.txt") == b"licences"


@pytest.mark.parametrize(
    ("version", "want"),
    [
        ("v1.2.3", "1.2.3"),
        ("v1.2.3-rc.1", "1.2.3rc1"),
        ("v0.0.0-20260102030405-0123456789ab", "0.0.0.dev20260102030405+g0123456789ab"),
        ("v1.2.4-0.20260102030405-0123456789ab+dirty", "1.2.4.dev20260102030405+g0123456789ab"),
        ("(devel)", "0.0.0.dev0"),
    ],
)
def test_version(version: str, want: str) -> None:
    assert wheel.python_version(version) == want
