#!/usr/bin/env bash
# Prints the command of a Python for the pinned peers, 3.12 or newer. It takes the first of
# these: $PYTHON, one on the PATH, one of pyenv. Without any, debootstrap (as root, from apt)
# puts the Python of Debian 13 into the folder that the argument names.
set -euo pipefail
root=${1:?the folder for a Python of our own}

new_enough() {
	"$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' 2>/dev/null
}

shopt -s nullglob
for python in ${PYTHON:-} python3 python3.13 python3.12 python3.14 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3 "$root/python3"; do
	if new_enough "$python"; then
		command -v "$python"
		exit
	fi
done

if ! command -v debootstrap >/dev/null; then
	apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends debootstrap >&2
fi
rm -rf "$root"
debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates trixie "$root" >&2
# There is no chroot into the folder, because tests and peers share one file system.
system=$(cd "$root" && pwd)
sed -i "s|'/usr/share/python-wheels/'|'$system/usr/share/python-wheels/'|" "$system"/usr/lib/python3.*/_sysconfigdata_*.py
cat >"$root/python3" <<END
#!/bin/sh
export PYTHONHOME="$system/usr"
exec "$system"/lib64/ld-linux-x86-64.so.2 --argv0 "\$0" --library-path "$system/usr/lib/x86_64-linux-gnu" "$system/usr/bin/python3" "\$@"
END
chmod +x "$root/python3"
new_enough "$root/python3" || { echo "the Python in $root does not run" >&2; exit 1; }
echo "$system/python3"
