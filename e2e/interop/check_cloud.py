"""Reads a Zarr hierarchy in a bucket with zarr-python, through obstore, and
compares it with the same hierarchy in a local folder.

    check_cloud.py LOCAL URL…

Each URL names the hierarchy as it does for zmigrate: s3, gs or azblob, with endpoint
and path style, or domain and protocol, in the query. The environment has credentials,
and the emulator of Google Cloud Storage, as for zmigrate. Prints how many arrays are
equal, and one line for each difference. Exits with 1 if there is a difference.
"""

import json
import os
import sys
import urllib.parse

import obstore.store
import zarr
import zarr.storage

from check import little


def open_bucket(url):
    parts = urllib.parse.urlsplit(url)
    query = dict(urllib.parse.parse_qsl(parts.query))
    common = {"prefix": parts.path.strip("/"), "client_options": {"allow_http": True}}
    if parts.scheme == "s3":
        return obstore.store.S3Store(
            parts.netloc, endpoint=query["endpoint"], region=query["region"], virtual_hosted_style_request=False, **common
        )
    if parts.scheme == "gs":
        emulator = {"gcs_base_url": "http://" + os.environ["STORAGE_EMULATOR_HOST"], "disable_oauth": True,
                    "client_email": "", "private_key": "", "private_key_id": ""}
        return obstore.store.GCSStore(parts.netloc, service_account_key=json.dumps(emulator), **common)
    account = os.environ["AZURE_STORAGE_ACCOUNT"]
    return obstore.store.AzureStore(
        parts.netloc, account_name=account, account_key=os.environ["AZURE_STORAGE_KEY"],
        endpoint=f"{query['protocol']}://{query['domain']}/{account}", **common
    )


def arrays(group):
    """The arrays of a hierarchy by their paths, as its consolidated metadata names them."""
    return {path: node for path, node in group.members(max_depth=None) if isinstance(node, zarr.Array)}


def differences(path, want, got):
    for name, of in {
        "type": lambda a: a.dtype, "shape": lambda a: a.shape, "attributes": lambda a: a.attrs.asdict(),
        "codecs": lambda a: a.metadata.codecs, "elements": lambda a: little(a[...]),
    }.items():
        if of(want) != of(got):
            yield f"{path}: {name}"


def main(local, *urls):
    different = 0
    want = arrays(zarr.open_consolidated(local, mode="r", zarr_format=3))
    for url in urls:
        store = zarr.storage.ObjectStore(open_bucket(url), read_only=True)
        got = arrays(zarr.open_consolidated(store, mode="r", zarr_format=3))
        found = [f"arrays: {sorted(got)}, want {sorted(want)}"] if got.keys() != want.keys() else [
            line for path in want for line in differences(path, want[path], got[path])
        ]
        for line in found:
            print(f"DIFFERENT {url}: {line}")
        different += len(found)
        print(f"{urllib.parse.urlsplit(url).scheme}: {len(got)} arrays read with zarr-python and obstore")
    return different > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
