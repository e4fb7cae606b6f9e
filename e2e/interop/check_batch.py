"""Compares inputs for AWS Batch with the model of its API that botocore has.

    check_batch.py FOLDER OPERATION=FILE...

FOLDER is that of botocore. Prints each difference and exits with 1 if there is one. Fields that
the model does not know are differences, too.
"""

import gzip
import json
import pathlib
import sys

folder, *inputs = sys.argv[1:]
packed = sorted(pathlib.Path(folder, "botocore", "data", "batch").glob("*/service-2.json.gz"))[-1]
model = json.loads(gzip.decompress(packed.read_bytes()))
shapes = model["shapes"]
kinds = {"string": str, "integer": int, "long": int, "boolean": bool, "float": float, "double": float}


def differences(value, name, at):
    """Yields where a value differs from the shape with a name."""
    shape = shapes[name]
    kind = shape["type"]
    if kind == "structure":
        if not isinstance(value, dict):
            yield f"{at}: no object"
            return
        for field in shape.get("required", []):
            if field not in value:
                yield f"{at}.{field} is missing"
        for field, inside in value.items():
            if field not in shape["members"]:
                yield f"{at}.{field} is unknown"
            else:
                yield from differences(inside, shape["members"][field]["shape"], f"{at}.{field}")
    elif kind == "list" and isinstance(value, list):
        for i, item in enumerate(value):
            yield from differences(item, shape["member"]["shape"], f"{at}[{i}]")
    elif kind == "map" and isinstance(value, dict):
        for field, inside in value.items():
            yield from differences(inside, shape["value"]["shape"], f"{at}.{field}")
    elif kind not in kinds or type(value) is not kinds[kind]:
        yield f"{at}: want a {kind}"
    elif "enum" in shape and value not in shape["enum"]:
        yield f"{at}: {value} is none of {shape['enum']}"


failed = False
for argument in inputs:
    operation, file = argument.split("=", 1)
    shape = model["operations"][operation]["input"]["shape"]
    for difference in differences(json.loads(pathlib.Path(file).read_text()), shape, operation):
        print(f"{file}: {difference}")
        failed = True
sys.exit(failed)
