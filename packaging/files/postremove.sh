#!/bin/sh
# The user stays: files of migrations may belong to it.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
