"""Write python.json: what Python's lzma module (liblzma) makes of some bytes.

usage: python3 make.py > python.json
"""

import base64
import json
import lzma
import random

random.seed(1)
text = b"".join(b"%d bottles of beer on the wall, " % i for i in range(40))
noise = random.randbytes(200)
contents = [b"", b"a", text, noise, text[:999] + noise + bytes(1000) + noise[50:150]]
delta = {"id": lzma.FILTER_DELTA, "dist": 4}
chains = [{"format": lzma.FORMAT_XZ, "check": check} for check in (0, 1, 4, 10)] + [
    {"format": lzma.FORMAT_XZ, "preset": 9 | lzma.PRESET_EXTREME},
    {"format": lzma.FORMAT_XZ, "filters": [delta, {"id": lzma.FILTER_DELTA, "dist": 1}, {"id": lzma.FILTER_LZMA2}]},
    {"format": lzma.FORMAT_ALONE},
    {"format": lzma.FORMAT_RAW, "filters": [delta, {"id": lzma.FILTER_LZMA2, "preset": 1}]},
    {"format": lzma.FORMAT_RAW, "filters": [{"id": lzma.FILTER_LZMA1, "lc": 1, "lp": 2, "pb": 3}]},
]
cases = []
for chain in chains:
    for content in contents:
        last = chain.get("filters", [{}])[-1]
        cases.append({
            "Format": chain["format"],
            "Check": chain.get("check", 4) if chain["format"] == lzma.FORMAT_XZ else 0,
            "Deltas": [f["dist"] for f in chain.get("filters", []) if f["id"] == lzma.FILTER_DELTA],
            "LZMA1": last.get("id") == lzma.FILTER_LZMA1,
            "LC": last.get("lc", 3), "LP": last.get("lp", 0), "PB": last.get("pb", 2),
            "Content": base64.b64encode(content).decode(),
            "Encoded": base64.b64encode(lzma.compress(content, **chain)).decode(),
        })
print("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]")
