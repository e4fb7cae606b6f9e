"""Puts the program zmigrate into the wheel, among the scripts that pip installs.

$ZMIGRATE_WHEEL_PROGRAM is the program. It is static, so one wheel fits every Linux of its
processor: with glibc from 2.17 on, and with musl. $ZMIGRATE_WHEEL_NOTICES is a file with the licences
of what the program contains, if there is one.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProgramHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + os.environ["ZMIGRATE_WHEEL_PLATFORM"]
        build_data["shared_scripts"] = {os.environ["ZMIGRATE_WHEEL_PROGRAM"]: os.path.basename(os.environ["ZMIGRATE_WHEEL_PROGRAM"])}
        if notices := os.environ.get("ZMIGRATE_WHEEL_NOTICES"):
            build_data["extra_metadata"] = {notices: "THIRD-PARTY-NOTICES.txt"}
