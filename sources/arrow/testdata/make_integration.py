"""Writes what pyarrow reads from the integration files of apache/arrow-testing.

    make_integration.py ARROW_TESTING ARCHIVE

ARROW_TESTING is a clone of that repository. The archive gets the files of old and of
big-endian machines, and expected.json, which has their columns as arrow_sources.py
writes them. A column that pyarrow cannot show is not in it.
"""

import json
import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "e2e" / "interop"))

import arrow_sources
import pyarrow as pa
import pyarrow.ipc as ipc

# Decimals are large, and duplicate names have no paths.
LEFT_OUT = ("generated_decimal256", "generated_duplicate_fieldnames")


def columns(path):
    table = (ipc.open_file if path.suffix == ".arrow_file" else ipc.open_stream)(path.read_bytes()).read_all()
    found = {}
    for name in table.column_names:
        try:
            found.update(arrow_sources.expect(table.select([name])))
        except Exception as error:  # whatever pyarrow cannot turn into Python's objects
            print(f"{path.name}: {name}: {type(error).__name__}: {error}")
    return json.loads(json.dumps(found, default=str))


def main():
    root, archive = pathlib.Path(sys.argv[1]), sys.argv[2]
    files = {}
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        def add(name, data):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(info, data)

        for folder in ("0.14.1", "1.0.0-bigendian"):
            for path in sorted((root / "data" / "arrow-ipc-stream" / "integration" / folder).iterdir()):
                large = folder != "0.14.1" and path.name.startswith("generated_decimal")
                if path.suffix not in (".arrow_file", ".stream") or large or path.name.startswith(LEFT_OUT):
                    continue
                name = f"{folder}_{path.name}"
                try:
                    files[name] = {"columns": columns(path)}
                except (pa.ArrowException, OSError) as error:
                    print(f"{name}: {type(error).__name__}: {error}")
                    continue
                add(name, path.read_bytes())
        add("expected.json", json.dumps({"writer": f"pyarrow {pa.__version__}", "files": files}, ensure_ascii=False))


main()
