package parquet

import "fmt"

// String is the node as the specification writes schemas: how often it is there,
// its physical type, and its logical type if it has one.
func (n *Node) String() string {
	text := "group"
	if n.Leaf >= 0 {
		text = nameOf(int(n.Physical), "boolean", "int32", "int64", "int96", "float", "double", "binary", "fixed_len_byte_array")
		if n.Physical == FixedLenByteArray {
			text += fmt.Sprintf("(%d)", n.Length)
		}
	}
	text = nameOf(int(n.Repetition), "required", "optional", "repeated") + " " + text
	if n.Logical.Kind != None {
		text += fmt.Sprintf(" (%v)", n.Logical)
	}
	return text
}

// String is the logical type as the specification writes it.
func (l Logical) String() string {
	name := nameOf(int(l.Kind), "NONE", "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "INTEGER",
		"NULL", "JSON", "BSON", "UUID", "FLOAT16", "INTERVAL", "UNKNOWN")
	switch l.Kind {
	case Time, Timestamp:
		return fmt.Sprintf("%s(%s,%v)", name, nameOf(int(l.Unit), "?", "MILLIS", "MICROS", "NANOS"), l.UTC)
	case Integer:
		return fmt.Sprintf("%s(%d,%v)", name, l.Bits, l.Signed)
	default:
		return name
	}
}

// Compression names the codec of a column chunk.
func (c *Chunk) Compression() string {
	return nameOf(c.Codec, "uncompressed", "snappy", "gzip", "lzo", "brotli", "lz4 (Hadoop)", "zstd", "lz4_raw")
}

// nameOf is the name of a number, or the number where it has none.
func nameOf(n int, names ...string) string {
	if n < 0 || n >= len(names) {
		return fmt.Sprint("number ", n)
	}
	return names[n]
}
