#!/bin/sh
# The user that zmigrate@.service runs as. Its folder is made by the service.
set -e
if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers zmigrate.conf
elif command -v useradd >/dev/null 2>&1 && ! getent passwd zmigrate >/dev/null; then
	useradd --system --home-dir /var/lib/zmigrate --no-create-home --shell /usr/sbin/nologin zmigrate
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
