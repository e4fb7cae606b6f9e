#!/usr/bin/env bash
# Tries the files of a release on this machine, a Linux on amd64: check.sh FOLDER [PYTHON].
# It installs packages, so it needs root. A tool that is not there costs its check, with a line.
set -euo pipefail
dist=$(cd "${1:?the folder of a release}" && pwd)
python=${2:-python3}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=$(basename "$dist"/zmigrate_*_linux_amd64.tar.gz _linux_amd64.tar.gz)

has() { command -v "$1" >/dev/null || { echo "SKIPPED: no $1: $2"; return 1; }; }
passed() { echo "ok: $*"; }

# migrate FOLDER COMMAND… does the migration of the README in a copy of the example, and prints
# the digest of the target. The command gets the path of the job file.
migrate() {
	local folder=$1
	shift
	mkdir -p "$folder/data"
	cp "$here/../examples/coads.yaml" "$folder"
	cp "$here/../examples/data/coads_climatology.cdf" "$folder/data"
	"$@" >"$work/printed" || { cat "$work/printed" >&2; return 1; }
	digest "$folder/coads.zarr"
}
digest() { (cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum); }
same() { [[ $1 == "$want" ]] || { echo "FAILED: $2 makes another target" >&2; exit 1; }; }

(cd "$dist" && sha256sum --check --quiet SHA256SUMS)
[[ $(cut -c67- "$dist/SHA256SUMS") == "$(cd "$dist" && ls -I SHA256SUMS)" ]]
passed "checksums of $(wc -l <"$dist/SHA256SUMS") files"

# Archives, and the program for arm64.
tar -xzf "$dist/${name}_linux_amd64.tar.gz" -C "$work"
program=$work/${name}_linux_amd64/zmigrate
"$program" version
want=$(migrate "$work/amd64" "$program" run "$work/amd64/coads.yaml")
passed "the program for linux/amd64 migrates"
tar -xzf "$dist/${name}_linux_arm64.tar.gz" -C "$work"
if has qemu-aarch64 "the program for linux/arm64 has not run"; then
	same "$(migrate "$work/arm64" qemu-aarch64 "$work/${name}_linux_arm64/zmigrate" run "$work/arm64/coads.yaml")" linux/arm64
	passed "the program for linux/arm64 makes the same target"
fi
tar -xzf "$dist/${name}_source.tar.gz" -C "$work"
(cd "$work/$name" && CGO_ENABLED=0 GOFLAGS='' go build -trimpath -ldflags '-X github.com/zmigrate/zmigrate/jobs/environment.version=v9.8.7' -o "$work/built" ./cmd/zmigrate)
[[ $("$work/built" --version) == *' v9.8.7' ]]
passed "the program from the archive of the source knows its version"
for system in darwin_amd64 darwin_arm64; do
	tar -xzf "$dist/${name}_$system.tar.gz" -C "$work"
	go version -m "$work/${name}_$system/zmigrate" | grep -q 'CGO_ENABLED=0'
	echo "NOT RUN: the program for $system"
done
"$python" -m zipfile -t "$dist/${name}_windows_amd64.zip" >/dev/null
echo "NOT RUN: the program for windows_amd64"
for page in "$work/${name}_linux_amd64/man/man1"/*.1; do
	if has mandoc "manual pages are not checked"; then mandoc -T lint -W warning "$page"; else break; fi
done
bash -n "$work/${name}_linux_amd64/completions/zmigrate.bash"
passed "manual pages and completions"

# Packages.
if has dpkg "the package for Debian is not installed"; then
	had=$(id -u zmigrate 2>/dev/null || true)
	dpkg --install "$dist/${name}_linux_amd64.deb" >/dev/null
	same "$(migrate "$work/deb" /usr/bin/zmigrate run "$work/deb/coads.yaml")" "the package for Debian"
	id zmigrate >/dev/null
	if has systemd-analyze "units are not checked"; then
		units=$(systemd-analyze verify --man=no zmigrate@nightly.service zmigrate@nightly.timer 2>&1 | grep zmigrate || true)
		[[ -z $units ]] || { echo "$units" >&2; exit 1; }
		passed "units of systemd"
	fi
	if has man "man does not show a page"; then
		MANPATH=/usr/share/man man -w zmigrate-run >/dev/null || echo "SKIPPED: this machine leaves out manual pages (dpkg path-exclude)"
	fi
	dpkg --purge zmigrate >/dev/null
	[[ -n $had ]] || userdel zmigrate
	[[ ! -e /usr/bin/zmigrate ]]
	passed "the package for Debian is installed, works, and is removed"
	# Not a part of Debian: no changelog in its form. The rpm has the same files, and no /usr/share/common-licenses.
	if has lintian "the package is not checked by Debian's rules"; then
		lintian --allow-root --fail-on error --suppress-tags no-changelog,statically-linked-binary,unstripped-binary-or-object,copyright-file-contains-full-apache-2-license "$dist/${name}_linux_amd64.deb"
	fi
fi
if has rpm "the package for Red Hat is not installed"; then
	root=$work/rpm
	mkdir -p "$root"
	rpm --root "$root" --initdb
	rpm --root "$root" --install --noscripts --nodigest "$dist/${name}_linux_amd64.rpm"
	rpm --root "$root" --verify --noscripts zmigrate --nouser --nogroup || { rpm --root "$root" -V zmigrate; exit 1; }
	same "$(migrate "$work/rpm-run" "$root/usr/bin/zmigrate" run "$work/rpm-run/coads.yaml")" "the package for Red Hat"
	rpm --root "$root" --erase --noscripts zmigrate
	[[ ! -e $root/usr/bin/zmigrate ]]
	passed "the package for Red Hat is installed, works, and is removed"
fi

# The image: other programs read it, and the program runs in it as a user without rights.
if has skopeo "the image is not read" && has umoci "the image is not run"; then
	for arch in amd64 arm64; do
		skopeo --override-arch $arch copy --quiet "oci-archive:$dist/${name}_image.tar" "oci:$work/oci-$arch:release"
		skopeo inspect --config "oci:$work/oci-$arch:release" | "$python" -c '
import json, sys
image = json.load(sys.stdin)
assert image["architecture"] == sys.argv[1], image
assert image["config"]["User"] == "65532:65532" and image["config"]["Entrypoint"] == ["/usr/bin/zmigrate"], image
' $arch
		umoci unpack --image "$work/oci-$arch:release" "$work/box-$arch"
		root=$work/box-$arch/rootfs
		[[ $(grep -c 'BEGIN CERTIFICATE' "$root/etc/ssl/certs/ca-certificates.crt") -gt 100 ]]
		chmod 755 "$work" "$work/box-$arch"
		in_image() { # as the user of the image, in its file system
			chown -R 65532:65532 "$root/work"
			env -i PATH=/usr/sbin:/usr/bin chroot --userspec=65532:65532 "$root" /usr/bin/zmigrate run /work/coads.yaml
		}
		emulated() { # the emulator needs the file system of this machine
			chown -R 65532:65532 "$root/work"
			setpriv --reuid 65532 --regid 65532 --clear-groups qemu-aarch64 "$root/usr/bin/zmigrate" run "$root/work/coads.yaml"
		}
		if [[ $arch == amd64 ]]; then
			same "$(migrate "$root/work" in_image)" "the image for $arch"
		elif has qemu-aarch64 "the image for arm64 is read, but not run"; then
			same "$(migrate "$root/work" emulated)" "the image for $arch"
		fi
		passed "the image for $arch"
	done
fi

# Wheels, formula, recipe, bills of materials.
wheels=("$dist"/*.whl)
if [[ -e ${wheels[0]} ]]; then
	[[ ${#wheels[@]} == 5 ]]
	"$python" -m venv "$work/venv"
	"$work/venv/bin/python" -m pip install --quiet --no-index --disable-pip-version-check "$dist"/*manylinux*x86_64*.whl
	same "$(migrate "$work/wheel" "$work/venv/bin/zmigrate" run "$work/wheel/coads.yaml")" "the wheel"
	for wheel in "${wheels[@]}"; do
		"$python" -m zipfile -l "$wheel" | grep THIRD-PARTY-NOTICES.txt >/dev/null
	done
	passed "wheels: one is installed and works, and all have licences"
	if "$python" -c 'import twine' 2>/dev/null; then "$python" -m twine check --strict "${wheels[@]}"; else echo "SKIPPED: no twine: the metadata of wheels are not checked"; fi
else
	echo "SKIPPED: the release has no wheels"
fi
if has ruby "the formula is not read"; then
	ruby -c "$dist/zmigrate.rb" >/dev/null
	passed "the formula is Ruby"
fi
if "$python" -c 'import rattler_build' 2>/dev/null; then
	"$python" "$here/check_recipe.py" "$dist/conda-recipe.yaml"
else
	echo "SKIPPED: no py-rattler-build: the recipe is not read"
fi
if "$python" -c 'import cyclonedx.validation.json, jsonschema' 2>/dev/null; then
	"$python" "$here/check_bill.py" "$dist"/*.cdx.json
else
	echo "SKIPPED: no cyclonedx-python-lib[json-validation]: bills of materials are not checked"
fi
echo "the release works"
