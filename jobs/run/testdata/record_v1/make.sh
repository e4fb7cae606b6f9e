#!/bin/sh
# make.sh ZMIGRATE makes the records of this folder with a program that writes
# manifests of version 1.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cd "$(mktemp -d)"
printf '%0240d' 0 >a.raw
printf '%024d' 0 >b.raw
printf '%024d' 0 >c.raw
TZ=UTC touch -d 2026-01-02T03:04:05.678901234Z a.raw b.raw c.raw
cp "$here/job.yaml" "$here/append.yaml" .
"$1" run job.yaml
"$1" run append.yaml
"$1" run --set source.arrays.x.url=c.raw append.yaml
cp out.zarr.zmigrate/done.json "$here/done.json"
cp grow.zarr.zmigrate/done.json "$here/append.json"
