"""Checks bills of materials by the schema of CycloneDX: check_bill.py FILE…"""

import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(file.read()):
            sys.exit(f"{name}: {problem}")
print(f"ok: {len(sys.argv) - 1} bills of materials")
