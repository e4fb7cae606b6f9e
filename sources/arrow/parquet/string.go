package parquet

import (
	"fmt"
	"math/bits"
	"strings"
)

// String returns the node as the specification writes schemas, without its name: its
// repetition, its physical type or its children, and its logical type and number if it
// has them.
func (n *Node) String() string { return n.describe("") }

// describe is String with the given name behind the type.
func (n *Node) describe(name string) string {
	text := "group"
	if n.Leaf >= 0 {
		text = n.physicalName()
		if n.Physical == FixedLenByteArray {
			text += fmt.Sprintf("(%d)", n.Length)
		}
	}
	text = nameOf(int(n.Repetition), "required", "optional", "repeated") + " " + text
	if name != "" {
		text += " " + name
	}
	if n.Logical.Kind != None {
		text += fmt.Sprintf(" (%v)", n.Logical)
	}
	if n.HasID {
		text += fmt.Sprintf(" = %d", n.ID)
	}
	if n.Leaf < 0 {
		within := make([]string, len(n.Children))
		for i, c := range n.Children {
			within[i] = c.describe(c.Name)
		}
		text += " {" + strings.Join(within, "; ") + "}"
	}
	return text
}

// String returns the logical type as the specification writes it.
func (l Logical) String() string {
	name := nameOf(int(l.Kind), "NONE", "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "INTEGER",
		"NULL", "JSON", "BSON", "UUID", "FLOAT16", "INTERVAL", "UNKNOWN")
	switch l.Kind {
	case Time, Timestamp:
		return fmt.Sprintf("%s(%s,%v)", name, nameOf(int(l.Unit), "?", "MILLIS", "MICROS", "NANOS"), l.UTC)
	case Decimal:
		return fmt.Sprintf("%s(%d,%d)", name, l.Precision, l.Scale)
	case Integer:
		return fmt.Sprintf("%s(%d,%v)", name, l.Bits, l.Signed)
	default:
		return name
	}
}

// physicalName returns the name of a leaf's physical type.
func (n *Node) physicalName() string {
	return nameOf(int(n.Physical), "boolean", "int32", "int64", "int96", "float", "double", "binary", "fixed_len_byte_array")
}

// Compression returns the name of a column chunk's compression.
func (c *Chunk) Compression() string {
	return nameOf(c.Codec, "uncompressed", "snappy", "gzip", "lzo", "brotli", "lz4 (Hadoop)", "zstd", "lz4_raw")
}

// Encodings returns the names of the encodings of a column chunk's pages and levels.
func (c *Chunk) Encodings() []string {
	var list []string
	for rest := c.encodings; rest != 0; rest &= rest - 1 {
		list = append(list, encodingName(bits.TrailingZeros32(rest)))
	}
	return list
}

// encodingName returns the name of an encoding. 31 stands for all numbers from 31 on.
func encodingName(n int) string {
	if n == 31 {
		return "number 31 or more"
	}
	return nameOf(n, "plain", "number 1", "plain_dictionary", "rle", "bit_packed",
		"delta_binary_packed", "delta_length_byte_array", "delta_byte_array", "rle_dictionary", "byte_stream_split")
}

// nameOf returns the name for a number, or the number itself if it has no name.
func nameOf(n int, names ...string) string {
	if n < 0 || n >= len(names) {
		return fmt.Sprint("number ", n)
	}
	return names[n]
}
