"""Decodes buffers that zmigrate wrote with c-blosc, by way of numcodecs.

    check.py FOLDER

FOLDER holds index.json, a list of buffers (label, size of the content, length
of the buffer), and buffers.bin and contents.bin, buffers and contents in the
same order without gaps. Prints one line with the number of buffers that are
equal, one for each difference, and exits with 1 when there is any.
"""

import json
import pathlib
import sys

from numcodecs import blosc


def main(folder):
    index = json.loads((folder / "index.json").read_text())
    buffers = memoryview((folder / "buffers.bin").read_bytes())
    contents = memoryview((folder / "contents.bin").read_bytes())
    equal = different = 0
    for entry in index:
        buffer, buffers = buffers[: entry["encoded"]], buffers[entry["encoded"] :]
        want, contents = contents[: entry["size"]], contents[entry["size"] :]
        try:
            got = blosc.decompress(bytes(buffer))
        except RuntimeError as e:
            got = e
        if got == want:
            equal += 1
        else:
            different += 1
            print(f"DIFFERENT {entry['label']}: {got if isinstance(got, Exception) else 'other bytes'}")
    print(f"{equal} of {len(index)} buffers are equal")
    sys.exit(different > 0)


main(pathlib.Path(sys.argv[1]))
