import base64
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe


class Keys(pe.KmsClient):
    """Keys that are their own names, for a file without secrets."""

    def __init__(self):
        super().__init__()

    def wrap_key(self, key, name):
        return base64.b64encode(key)

    def unwrap_key(self, key, name):
        return base64.b64decode(key)


how = pe.EncryptionConfiguration(footer_key="f", column_keys={"c": ["a"]}, plaintext_footer=True)
factory = pe.CryptoFactory(lambda _: Keys())
table = pa.table({"a": [1, 2], "b": [3, 4]})
properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), how)
with pq.ParquetWriter(sys.argv[1], table.schema, encryption_properties=properties, store_schema=False) as w:
    w.write_table(table)
