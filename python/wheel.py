"""Builds the wheel of zmigrate: wheel.py PROGRAM FOLDER [PLATFORM [VERSION]].

It needs hatchling, and no network. The version of the wheel is that of the program, in the words
of Python: v1.2.3 becomes 1.2.3, and a build between versions becomes 0.0.0.dev with its time.
Without VERSION, the program is asked, so this machine must be able to run it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

PLATFORM = "manylinux_2_17_x86_64.musllinux_1_1_x86_64"


def python_version(version: str) -> str:
    """Spells a version of Go modules as Python does."""
    if found := re.search(r"v(\d+\.\d+\.\d+)-(?:.*\.)?(\d{14})-([0-9a-f]{12})", version):
        number, time, commit = found.groups()
        return f"{number}.dev{time}+g{commit}"
    if found := re.search(r"v(\d+\.\d+\.\d+)(?:-([a-z]+)\.?(\d+))?$", version.partition("+")[0].strip()):
        number, phase, count = found.groups()
        return number + ({"alpha": "a", "beta": "b", "rc": "rc"}[phase] + count if phase else "")
    return "0.0.0.dev0"


def main(program: str, folder: str, platform: str = PLATFORM, version: str = "") -> None:
    program, folder = os.path.abspath(program), os.path.abspath(folder)
    if not version:
        version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    environment = {
        **os.environ,
        "ZMIGRATE_WHEEL_VERSION": python_version(version),
        "ZMIGRATE_WHEEL_PROGRAM": program,
        "ZMIGRATE_WHEEL_PLATFORM": platform,
        "SOURCE_DATE_EPOCH": "1577836800",  # the same files make the same wheel
    }
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], check=True, cwd=here, env=environment)


if __name__ == "__main__":
    main(*sys.argv[1:])
