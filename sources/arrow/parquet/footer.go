package parquet

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
)

// Causes of errors about files. ErrUnsupported is an [errors.ErrUnsupported].
var (
	ErrCorrupt           = codecs.Corrupt("the Parquet data are corrupt")
	ErrUnsupported error = unsupported{}
)

type unsupported struct{}

func (unsupported) Error() string        { return "not supported" }
func (unsupported) Is(target error) bool { return target == errors.ErrUnsupported }

// File is the content of a file's footer.
type File struct {
	Rows     int
	Root     *Node
	Leaves   []*Node // in the order of the column chunks
	Groups   []Group
	Metadata []KeyValue
	Version  int    // of the format
	Writer   string // the program that wrote the file; "" if the file does not say
	// Faults describe errors of the footer and the values that are used instead, a
	// sentence for each.
	Faults []string
}

// KeyValue is an entry of a file's metadata.
type KeyValue struct{ Key, Value string }

// Group is a row group.
type Group struct {
	Rows   int
	Chunks []Chunk // one for each leaf
}

// Chunk describes a column chunk: its place in the file and its encoding.
type Chunk struct {
	Offset       int64 // of the first page
	Compressed   int64 // bytes of all pages with their headers
	Uncompressed int64 // the same before compression
	Codec        int
	Values       int // number of entries: values, nulls and empty lists
	Nulls        int // -1: unknown
	// Text is the bytes of all values in a column of byte arrays, repeated values
	// included; -1: unknown.
	Text      int64
	physical  Physical
	marked    bool   // pages of version 2 say that they are not compressed, although they are
	noSums    bool   // pages say that their checksum is 0, although they have none
	encodings uint32 // bit k: there are pages, or levels, in encoding number k, perhaps
	pages     uint32 // bit k: there are data pages in encoding number k
	external  bool
	encrypted bool
	fault     error // an impossible statement of the footer about the chunk
}

// Repetition says how often a node occurs in its parent.
type Repetition int

// The repetitions of the specification.
const (
	Required Repetition = iota
	Optional
	Repeated
)

// Physical is the storage type of a leaf's values.
type Physical int

// The physical types of the specification.
const (
	Boolean Physical = iota
	Int32
	Int64
	Int96
	Float
	Double
	ByteArray
	FixedLenByteArray
)

// Node is a node of the schema.
type Node struct {
	Name       string
	Repetition Repetition
	Logical    Logical
	Children   []*Node // none: a leaf
	Parent     *Node   // nil: the root
	// Levels of an entry in which the node is present, and of an entry in which it is
	// repeated.
	MaxDef, MaxRep int

	ID    int // the number by which writers know the node, if HasID
	HasID bool

	Leaf     int // number of the leaf, -1 for groups
	Physical Physical
	Length   int // bytes of a value of FixedLenByteArray
}

// Width returns the bytes of a decoded value, 0 if they vary.
func (n *Node) Width() int {
	switch n.Physical {
	case Boolean:
		return 1
	case Int32, Float:
		return 4
	case Int64, Double:
		return 8
	case Int96:
		return 12
	case FixedLenByteArray:
		return n.Length
	default:
		return 0
	}
}

// maxDepth bounds groups within groups, and so the levels.
const maxDepth = 60

// maxElements bounds the nodes of a schema.
const maxElements = 1 << 20

// Bytes of structures that have little more than the required fields.
const (
	leastElement = 5
	leastGroup   = 7
	leastChunk   = 16
	leastPair    = 3
)

// ParseFooter reads the footer of a file of size bytes. Column chunks that are
// [Chunk.Readable] are within the file. The number of rows is that of the row groups.
func ParseFooter(data []byte, size int64) (*File, error) {
	t := &thrift{data: data}
	f := &File{}
	var elements []element
	read := t.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftInt32:
			f.Version = int(t.int())
		case id == 2 && kind == thriftList:
			t.list(leastElement, func(byte) {
				if len(elements) == maxElements {
					t.bad = true
					return
				}
				elements = append(elements, t.element())
			})
		case id == 3 && kind == thriftInt64:
			f.Rows = int(t.int())
		case id == 4 && kind == thriftList:
			t.list(leastGroup, func(byte) { f.Groups = append(f.Groups, t.group()) })
		case id == 5 && kind == thriftList:
			t.list(leastPair, func(byte) { f.Metadata = append(f.Metadata, t.keyValue()) })
		case id == 6 && kind == thriftBinary:
			f.Writer = string(t.bytes())
		default:
			return false
		}
		return true
	})
	t.require(read, "the file", []string{1: "version", 2: "schema", 3: "num_rows", 4: "row_groups"})
	if t.missing != "" {
		return nil, fmt.Errorf("%w: the footer lacks %s", ErrCorrupt, t.missing)
	}
	if t.failed() {
		return nil, fmt.Errorf("%w: the footer of %d bytes breaks off at byte %d", ErrCorrupt, len(data), t.at)
	}
	tree := &tree{elements: elements}
	root, err := tree.node(nil)
	if err == nil && len(tree.elements) > 0 {
		err = fmt.Errorf("%d nodes have no parent", len(tree.elements))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: schema: %w", ErrCorrupt, err)
	}
	f.Root, f.Leaves = root, tree.leaves
	if n := len(tree.unstated); n > 0 {
		f.Faults = append(f.Faults, fmt.Sprintf("%d nodes of the schema, the first of them %q, lack their repetition and are taken for required", n, tree.unstated[0].Name))
	}
	f.knownFaults(size)
	if err := f.check(size); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return f, nil
}

// Readable returns nil, or the reason why the pages of a chunk cannot be read, whatever
// they contain.
func (c *Chunk) Readable() error {
	switch {
	case c.external:
		return fmt.Errorf("%w: the column lies in another file", ErrUnsupported)
	case c.encrypted:
		return fmt.Errorf("%w: the column is encrypted: write the file again without encryption", ErrUnsupported)
	case c.Codec == codecLZO:
		return fmt.Errorf("%w: compression LZO: write the file again with zstd", ErrUnsupported)
	case c.Codec < codecNone || c.Codec > codecLZ4Raw:
		return fmt.Errorf("%w: compression %d: write the file again with zstd", ErrUnsupported, c.Codec)
	default:
		return c.fault
	}
}

// check compares the parts of the footer with each other and with the file.
func (f *File) check(size int64) error {
	var faulty, strange []string
	rows, flat := 0, slices.ContainsFunc(f.Leaves, func(n *Node) bool { return n.MaxRep == 0 })
	for g := range f.Groups {
		group := &f.Groups[g]
		if group.Rows < 0 || group.Rows > math.MaxInt-rows {
			return fmt.Errorf("row group %d has %d rows", g, group.Rows)
		}
		rows += group.Rows
		if len(group.Chunks) != len(f.Leaves) {
			return fmt.Errorf("row group %d has %d columns, but the schema has %d", g, len(group.Chunks), len(f.Leaves))
		}
		for i := range group.Chunks {
			c := &group.Chunks[i]
			switch {
			case c.Readable() != nil: // opening the column is an error
			case c.Offset < 0 || c.Compressed < 0 || c.Values < 0 && f.Leaves[i].MaxRep > 0 || c.Compressed > size || c.Offset > size-c.Compressed:
				c.fault = fmt.Errorf("%w: %d bytes at byte %d of a file of %d", ErrCorrupt, c.Compressed, c.Offset, size)
			case c.physical < 0 || c.physical > FixedLenByteArray:
				strange = append(strange, fmt.Sprintf("row group %d, column %q: %d", g, f.Leaves[i].Name, c.physical))
			case c.physical != f.Leaves[i].Physical:
				c.fault = fmt.Errorf("%w: physical type %d, but the schema says %d", ErrCorrupt, c.physical, f.Leaves[i].Physical)
			case c.Values > 0 && c.Values != c.Nulls:
				c.fault = c.checkEncodings(f.Leaves[i])
			}
		}
		fault, err := f.checkValues(g)
		if err != nil {
			return err
		}
		if fault != "" {
			faulty = append(faulty, fault)
		}
	}
	if n := len(strange); n > 0 {
		f.Faults = append(f.Faults, fmt.Sprintf("%d column chunks have unknown physical types, and are read with those of the schema: %s", n, strange[0]))
	}
	if n := len(faulty); n > 0 {
		f.Faults = append(f.Faults, fmt.Sprintf("in %d row groups, some columns have another number of values than there are rows; one value for each row is read: %s", n, faulty[0]))
	}
	if rows != f.Rows {
		if !flat {
			return fmt.Errorf("the footer says %d rows, but its row groups have %d", f.Rows, rows)
		}
		// In columns without lists, the number of values agrees with the row groups.
		f.Faults = append(f.Faults, fmt.Sprintf("the footer says %d rows, but its row groups have %d: these are read", f.Rows, rows))
		f.Rows = rows
	}
	return nil
}

// pageEncoding reads how many pages of a kind a chunk has in an encoding.
func (t *thrift) pageEncoding(c *Chunk, kind byte) {
	if kind != thriftStruct {
		t.skipElement(kind)
		return
	}
	page, encoding, count := int64(-1), int64(-1), int64(0)
	t.fields(func(id int, kind byte) bool {
		if kind != thriftInt32 {
			return false
		}
		switch id {
		case 1:
			page = t.int()
		case 2:
			encoding = t.int()
		case 3:
			count = t.int()
		default:
			return false
		}
		return true
	})
	if (page == pageData || page == pageDataV2) && count > 0 && encoding >= 0 {
		c.pages |= 1 << min(encoding, 31)
	}
}

// checkEncodings returns an error if the footer counts pages in an encoding in which values of
// a leaf cannot be. The list of encodings alone proves nothing: some writers list encodings
// that no page has.
func (c *Chunk) checkEncodings(leaf *Node) error {
	for rest := c.pages; rest != 0; rest &= rest - 1 {
		if n := bits.TrailingZeros32(rest); !suits(leaf, n) {
			return unsuited(leaf, n)
		}
	}
	return nil
}

// checkValues compares the numbers of values in a row group with its rows. If some
// columns disagree and another one agrees, it sets their numbers of values to the
// number of rows, and returns the fault.
func (f *File) checkValues(g int) (fault string, err error) {
	group := &f.Groups[g]
	agrees, other := false, -1
	for i := range group.Chunks {
		switch c := &group.Chunks[i]; {
		case f.Leaves[i].MaxRep > 0 || c.Readable() != nil:
		case c.Values == group.Rows:
			agrees = true
		default:
			other = i
		}
	}
	if other < 0 {
		return "", nil
	}
	fault = fmt.Sprintf("row group %d, column %q: %d values for %d rows", g, f.Leaves[other].Name, group.Chunks[other].Values, group.Rows)
	if !agrees {
		return "", errors.New(fault)
	}
	for i := range group.Chunks {
		if f.Leaves[i].MaxRep == 0 {
			group.Chunks[i].Values = group.Rows
		}
	}
	return fault, nil
}

func (t *thrift) keyValue() (kv KeyValue) {
	read := t.fields(func(id int, kind byte) bool {
		if kind != thriftBinary || id != 1 && id != 2 {
			return false
		}
		if text := string(t.bytes()); id == 1 {
			kv.Key = text
		} else {
			kv.Value = text
		}
		return true
	})
	t.require(read, "a pair of metadata", []string{1: "key"})
	return kv
}

func (t *thrift) group() (g Group) {
	read := t.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftList:
			t.list(leastChunk, func(byte) { g.Chunks = append(g.Chunks, t.chunk()) })
		case id == 2 && kind == thriftInt64:
			t.int()
		case id == 3 && kind == thriftInt64:
			g.Rows = int(t.int())
		default:
			return false
		}
		return true
	})
	t.require(read, "a row group", []string{1: "columns", 2: "total_byte_size", 3: "num_rows"})
	return g
}

func (t *thrift) chunk() Chunk {
	c := Chunk{Nulls: -1, Text: -1}
	there := false
	read := t.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftBinary:
			c.external = len(t.bytes()) > 0
		case id == 2 && kind == thriftInt64:
			t.int()
		case id == 3 && kind == thriftStruct:
			there = true
			t.chunkMetadata(&c)
		case id == 8:
			c.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	t.require(read, "a column chunk", []string{2: "file_offset"})
	c.encrypted = c.encrypted || !there
	return c
}

func (t *thrift) chunkMetadata(c *Chunk) {
	dictionary := int64(0)
	read := t.fields(func(id int, kind byte) bool {
		switch {
		case id == 1 && kind == thriftInt32:
			c.physical = Physical(t.int())
		case id == 2 && kind == thriftList:
			t.list(1, func(byte) { c.encodings |= 1 << min(uint64(t.int()), 31) })
		case id == 3 && kind == thriftList:
			t.list(1, t.skipElement)
		case id == 4 && kind == thriftInt32:
			c.Codec = int(t.int())
		case id == 5 && kind == thriftInt64:
			c.Values = int(t.int())
		case id == 6 && kind == thriftInt64:
			c.Uncompressed = t.int()
		case id == 7 && kind == thriftInt64:
			c.Compressed = t.int()
		case id == 9 && kind == thriftInt64:
			c.Offset = t.int()
		case id == 11 && kind == thriftInt64:
			dictionary = t.int()
		case id == 12 && kind == thriftStruct:
			t.fields(func(id int, kind byte) bool {
				if id != 3 || kind != thriftInt64 {
					return false
				}
				c.Nulls = int(t.int())
				return true
			})
		case id == 13 && kind == thriftList:
			t.list(1, func(kind byte) { t.pageEncoding(c, kind) })
		case id == 16 && kind == thriftStruct:
			t.fields(func(id int, kind byte) bool {
				if id != 1 || kind != thriftInt64 {
					return false
				}
				c.Text = t.int()
				return true
			})
		default:
			return false
		}
		return true
	})
	t.require(read, "a column chunk", []string{
		1: "type", 2: "encodings", 3: "path_in_schema", 4: "codec", 5: "num_values",
		6: "total_uncompressed_size", 7: "total_compressed_size", 9: "data_page_offset",
	})
	if dictionary > 0 && dictionary < c.Offset {
		c.Offset = dictionary
	}
}
