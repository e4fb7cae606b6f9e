package zarr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// MetadataKey is the name of the document of every node.
const MetadataKey = "zarr.json"

// DigestAttribute is the name of the attribute in which an array has the digest of its
// values, if the job wants that.
const DigestAttribute = "values_digest"

// MaxDocument bounds the bytes of one document that is read. The consolidated metadata
// of large hierarchies have tens of MiB.
const MaxDocument = 256 << 20

// Array is the metadata document of an array.
type Array struct {
	Type           dtype.Type
	Grid           Grid
	Keys           KeyEncoding // zero: the default encoding
	Fill           dtype.Scalar
	Codecs         []codecs.Spec
	DimensionNames []string // nil: none; "": a dimension without a name
	Attributes     Attributes
}

// ChunkAt returns the region of the array that is the chunk with a key below the array. It
// returns false if the array has no chunk with this key.
func (a *Array) ChunkAt(key string) (ndarray.Region, bool) {
	counts := a.Grid.Count()
	if len(counts) == 0 {
		return a.Grid.Region(nil), a.Keys.Key(nil) == key
	}
	index, ok := a.Keys.Parse(key)
	if !ok || len(index) != len(counts) {
		return ndarray.Region{}, false
	}
	for k, n := range index {
		if n >= counts[k] {
			return ndarray.Region{}, false
		}
	}
	return a.Grid.Region(index), true
}

// Group is the metadata document of a group.
type Group struct {
	Attributes Attributes
	// Consolidated holds the documents of the nodes below, by their paths. nil: the
	// group has no consolidated metadata.
	Consolidated map[string]json.RawMessage
}

// arrayDocument has the fields of an array's document in the order in which
// they are written.
type arrayDocument struct {
	ZarrFormat       int             `json:"zarr_format"`
	NodeType         string          `json:"node_type"`
	Shape            []int           `json:"shape"`
	DataType         json.RawMessage `json:"data_type"`
	ChunkGrid        named           `json:"chunk_grid"`
	ChunkKeyEncoding named           `json:"chunk_key_encoding"`
	FillValue        json.RawMessage `json:"fill_value"`
	Codecs           []named         `json:"codecs"`
	Attributes       Attributes      `json:"attributes"`
	DimensionNames   []*string       `json:"dimension_names,omitempty"`
}

// MarshalJSON writes the document. The same metadata gives the same bytes.
func (a *Array) MarshalJSON() ([]byte, error) {
	if a.Grid.Runs != nil {
		return nil, fmt.Errorf("a rectilinear chunk grid cannot be written: %w", errors.ErrUnsupported)
	}
	chunk, err := json.Marshal(map[string][]int{"chunk_shape": append([]int{}, a.Grid.Chunk...)})
	if err != nil {
		return nil, err
	}
	dataType, err := a.Type.V3()
	if err != nil {
		return nil, err
	}
	fill, err := dtype.FormatFill(a.Type, dtype.V3, a.Fill)
	if err != nil {
		return nil, err
	}
	d := arrayDocument{
		ZarrFormat:       3,
		NodeType:         "array",
		Shape:            append([]int{}, a.Grid.Shape...),
		DataType:         dataType,
		ChunkGrid:        named{"regular", chunk},
		ChunkKeyEncoding: a.Keys.named(),
		FillValue:        fill,
		Attributes:       a.Attributes,
	}
	d.Codecs = make([]named, 0, len(a.Codecs)) // so that an empty list is not written as null
	for _, c := range a.Codecs {
		d.Codecs = append(d.Codecs, named(c))
	}
	for _, name := range a.DimensionNames {
		if name == "" {
			d.DimensionNames = append(d.DimensionNames, nil)
			continue
		}
		d.DimensionNames = append(d.DimensionNames, &name)
	}
	return marshal(d)
}

// MarshalJSON writes the document. The same metadata gives the same bytes: consolidated
// nodes are ordered by their paths.
func (g *Group) MarshalJSON() ([]byte, error) {
	type consolidated struct {
		Kind           string                     `json:"kind"`
		MustUnderstand bool                       `json:"must_understand"`
		Metadata       map[string]json.RawMessage `json:"metadata"`
	}
	d := struct {
		ZarrFormat   int           `json:"zarr_format"`
		NodeType     string        `json:"node_type"`
		Attributes   Attributes    `json:"attributes"`
		Consolidated *consolidated `json:"consolidated_metadata,omitempty"`
	}{ZarrFormat: 3, NodeType: "group", Attributes: g.Attributes}
	if g.Consolidated != nil {
		d.Consolidated = &consolidated{Kind: "inline", Metadata: g.Consolidated}
	}
	return marshal(d)
}

// Document returns the text of a document as it is stored. It is indented, for people
// who open it, and ends in a newline.
func Document(node json.Marshaler) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(node); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// WriteConsolidated writes the [Document] of a group with consolidated metadata: the
// documents of nodes, which come in the order of their paths. It holds one node in
// memory at a time.
func WriteConsolidated(w io.Writer, attributes Attributes, nodes iter.Seq2[string, json.Marshaler]) error {
	group, err := Document(&Group{Attributes: attributes, Consolidated: map[string]json.RawMessage{}})
	if err != nil {
		return err
	}
	const none, end = "{}", "\n  }\n}\n" // the end of the text of a group without nodes
	var b bytes.Buffer
	b.Write(bytes.TrimSuffix(group, []byte(none+end)))
	next := "{"
	for p, node := range nodes {
		if err := appendNode(&b, next, p, node); err != nil {
			return fmt.Errorf("metadata of %q: %w", p, err)
		}
		next = ","
		if _, err := w.Write(b.Bytes()); err != nil {
			return err
		}
		b.Reset()
	}
	if next == "{" {
		b.WriteString(none + end)
	} else {
		b.WriteString("\n    }" + end)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// appendNode appends a member of consolidated metadata behind a separator.
func appendNode(b *bytes.Buffer, separator, p string, node json.Marshaler) error {
	const prefix, indent = "      ", "  "
	name, err := marshal(p)
	if err != nil {
		return err
	}
	text, err := marshal(node)
	if err != nil {
		return err
	}
	b.WriteString(separator + "\n" + prefix)
	b.Write(name)
	b.WriteString(": ")
	return json.Indent(b, text, prefix, indent)
}

// CheckPath refuses paths of nodes that a hierarchy cannot hold: paths with an empty
// name, with a name of periods alone, with a reserved name, or with a name that cannot be
// an object key. The empty path is the root.
func CheckPath(p string) error {
	if p == "" {
		return nil
	}
	for name := range strings.SplitSeq(p, "/") {
		switch {
		case name == "":
			return fmt.Errorf("path %q has an empty name", p)
		case strings.Trim(name, ".") == "":
			return fmt.Errorf("path %q: the name %q has only periods", p, name)
		case strings.HasPrefix(name, "__"):
			return fmt.Errorf("path %q: names that begin with __ are reserved", p)
		case len(name) > 255:
			return fmt.Errorf("path %.60q…: a name of %d bytes is too long for a file, 255 at most", p, len(name))
		case name == MetadataKey:
			return fmt.Errorf("path %q: the name %s is reserved", p, MetadataKey)
		case strings.IndexFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '\\' || r == utf8.RuneError }) >= 0:
			return fmt.Errorf("path %q: the name %q has a character that not all stores can hold", p, name)
		}
	}
	return nil
}

// Parent returns the path of the group that contains a node. It is "" for the root's
// children, and Parent returns false for the root itself.
func Parent(p string) (group string, ok bool) {
	if p == "" {
		return "", false
	}
	return p[:max(strings.LastIndexByte(p, '/'), 0)], true
}

// Parents lists the paths of all groups above the given nodes, each once, in the order
// of their paths. The root is the first.
func Parents(paths []string) []string {
	list, known := []string{""}, map[string]bool{"": true}
	for _, p := range paths {
		for above, ok := Parent(p); ok && !known[above]; above, ok = Parent(above) {
			known[above] = true
			list = append(list, above)
		}
	}
	slices.Sort(list)
	return list
}
