package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// ErrNotZarr is the cause of an error about a document that is not Zarr v3 metadata.
var ErrNotZarr = errors.New("not a Zarr v3 document")

// document is the document of a node, by its top-level fields. It collects problems,
// each with the name of its field, so that one attempt reports all of them.
type document struct {
	fields   map[string]json.RawMessage
	problems []error
}

// NodeType returns "array" or "group".
func NodeType(text []byte) (string, error) {
	_, node, err := topLevel(text)
	return node, err
}

// open takes a document apart.
func open(text []byte) (*document, string, error) {
	members, node, err := topLevel(text)
	if err != nil {
		return nil, "", err
	}
	d := &document{fields: make(map[string]json.RawMessage, len(members))}
	for _, m := range members {
		d.fields[m.name] = m.value
	}
	return d, node, nil
}

// isDraft reports whether zarr_format is that of the drafts of Zarr v3 up to 2022: a URL.
// Their other documents lie below meta/, and their chunks below data/.
func isDraft(format json.RawMessage) bool {
	var text string
	return json.Unmarshal(format, &text) == nil && strings.HasPrefix(text, "https://purl.org/zarr/spec/")
}

// topLevel returns the fields of a document and the type of its node. It reads the fields
// that every document has, and accepts the numbers that only Python writes, see
// [FromPython]. Its errors wrap ErrNotZarr.
func topLevel(text []byte) (fields []member, node string, err error) {
	text, _ = FromPython(text)
	if fields, err = membersOf(text); err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrNotZarr, err)
	}
	var format, kind json.RawMessage
	for _, m := range fields {
		switch m.name {
		case "zarr_format":
			format = m.value
		case "node_type":
			kind = m.value
		}
	}
	var version float64 // 3.0 is a spelling of 3
	if isDraft(format) {
		return nil, "", fmt.Errorf("%w: zarr_format is %s, as in the draft of Zarr v3 that GDAL 3.4 to 3.7 and zarr-python 2.12 to 2.18 wrote, and which was given up: "+
			"rewrite it as Zarr v2 with one of these versions, as by gdalmdimtranslate -co FORMAT=ZARR_V2, or by zarr.copy_all in zarr-python 2.18 with ZARR_V3_EXPERIMENTAL_API=1", ErrNotZarr, shown(format))
	}
	if string(format) != "3" && (json.Unmarshal(format, &version) != nil || version != 3) {
		return nil, "", fmt.Errorf("%w: zarr_format is %s, want 3", ErrNotZarr, shown(format))
	}
	switch string(kind) {
	case `"array"`:
		return fields, "array", nil
	case `"group"`:
		return fields, "group", nil
	}
	if err := json.Unmarshal(kind, &node); err != nil || node != "array" && node != "group" {
		return nil, "", fmt.Errorf(`%w: node_type is %s, want "array" or "group"`, ErrNotZarr, shown(kind))
	}
	return fields, node, nil
}

func (d *document) problem(field string, err error) {
	d.problems = append(d.problems, fmt.Errorf("%s: %w", field, err))
}

// need returns a required field. If the field is missing, need adds a problem and
// returns false.
func (d *document) need(field string) (json.RawMessage, bool) {
	text, ok := d.fields[field]
	if !ok {
		d.problem(field, errors.New("missing"))
	}
	return text, ok
}

// refuseUnknown adds a problem for every unknown field that does not say that it may be
// ignored. Zarr v3 core, "Extension points".
func (d *document) refuseUnknown(known ...string) {
	known = append(known, "zarr_format", "node_type", "attributes")
	var unknown []string
	for name, text := range d.fields {
		if slices.Contains(known, name) {
			continue
		}
		var extension struct {
			Must *bool `json:"must_understand"`
		}
		mayIgnore := json.Unmarshal(text, &extension) == nil && extension.Must != nil && !*extension.Must
		if !mayIgnore {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		d.problem(fmt.Sprintf("%.60q", name), unknownExtension("unknown field that readers must understand"))
	}
}

func (d *document) attributes() Attributes {
	var a Attributes
	if text, ok := d.fields["attributes"]; ok {
		var err error
		if a, err = parseAttributes(text, longValue); err != nil {
			d.problem("attributes", errors.New("want a JSON object"))
		}
	}
	return a
}

// ParseArray reads the document of an array. It looks up the data type in types. Codecs
// stay specs, which a codec registry reads. It reports all problems of the document,
// joined, each with the field at fault.
func ParseArray(text []byte, types *dtype.Registry) (*Array, error) {
	d, err := OpenArray(text)
	if err != nil {
		return nil, err
	}
	return d.Array(types)
}

// ArrayDocument is the document of an array, taken apart but not yet understood.
type ArrayDocument struct{ document }

// OpenArray takes the document of an array apart. It checks only that the text is such a
// document, and reads none of its fields.
func OpenArray(text []byte) (*ArrayDocument, error) {
	d, node, err := open(text)
	if err != nil {
		return nil, err
	}
	if node != "array" {
		return nil, fmt.Errorf("node_type: a %s, not an array", node)
	}
	return &ArrayDocument{*d}, nil
}

// Kind returns the document without its attributes. Arrays with the same Kind differ only
// in their attributes.
func (d *ArrayDocument) Kind() string {
	var kind []byte
	for _, name := range slices.Sorted(maps.Keys(d.fields)) {
		if name != "attributes" {
			kind = append(strconv.AppendQuote(kind, name), d.fields[name]...)
		}
	}
	return string(kind)
}

// Attributes reads the attributes alone.
func (d *ArrayDocument) Attributes() (Attributes, error) {
	a := d.attributes()
	return a, errors.Join(d.problems...)
}

// Array is [ParseArray] of the document.
func (d *ArrayDocument) Array(types *dtype.Registry) (*Array, error) {
	return d.array(types, dtype.V3)
}

// ForeignArray is Array, but takes fill values that only Zarr v2 allows: null, as GDAL writes
// it, and the number of a boolean, as zarrita (in Python) writes it. Fill is nil for null.
func (d *ArrayDocument) ForeignArray(types *dtype.Registry) (*Array, error) {
	switch string(d.fields["fill_value"]) {
	case "null", "0", "1":
		return d.array(types, dtype.V2)
	}
	return d.array(types, dtype.V3)
}

// array is Array with a fill value of a format.
func (d *ArrayDocument) array(types *dtype.Registry, fill dtype.Format) (_ *Array, err error) {
	a := &Array{Attributes: d.attributes()}
	if text, ok := d.need("data_type"); ok {
		if a.Type, err = types.ParseV3(text); err != nil {
			d.problem("data_type", err)
		}
	}
	a.Codecs = d.codecs()
	if text, ok := d.need("fill_value"); ok && a.Type != nil {
		// The bytes of a record may be spelled in base64, in the stored byte order.
		t := dtype.InOrder(a.Type, storedOrder(a.Codecs))
		if a.Fill, err = dtype.ParseFill(t, fill, text); err != nil {
			var again error
			if a.Fill, again = dtype.ParseFill(t, dtype.V3, pythonFill(text)); again != nil {
				d.problem("fill_value", err)
			}
		}
	}
	a.Grid = d.grid()
	if text, ok := d.need("chunk_key_encoding"); ok {
		if a.Keys, err = parseKeys(text); err != nil {
			d.problem("chunk_key_encoding", err)
		}
	}
	a.DimensionNames = d.dimensionNames(a.Grid.Shape)
	var transformers []json.RawMessage
	if text, ok := d.fields["storage_transformers"]; ok {
		if err := json.Unmarshal(text, &transformers); err != nil {
			d.problem("storage_transformers", errors.New("want an array"))
		} else if len(transformers) > 0 {
			d.problem("storage_transformers", unknownExtension(fmt.Sprintf("none is known, the array has %s", shown(transformers[0]))))
		}
	}
	if string(d.fields["consolidated_metadata"]) == "null" {
		delete(d.fields, "consolidated_metadata") // it has no meaning for an array
	}
	d.refuseUnknown("shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value",
		"codecs", "dimension_names", "storage_transformers")
	if len(d.problems) > 0 {
		return nil, errors.Join(d.problems...)
	}
	return a, nil
}

// grid reads shape and chunk_grid.
func (d *document) grid() Grid {
	var g Grid
	shape, ok1 := d.need("shape")
	chunk, ok2 := d.need("chunk_grid")
	if !ok1 || !ok2 {
		return g
	}
	var err error
	if g.Shape, err = extents(shape); err != nil {
		d.problem("shape", err)
		return g
	}
	name, configuration, err := extension(chunk)
	switch {
	case err != nil:
		d.problem("chunk_grid", err)
		return g
	case name == "rectilinear":
		g, err = rectilinear(configuration, g.Shape)
	case name == "regular":
		g.Chunk, err = chunkShape(configuration)
	default:
		d.problem("chunk_grid", unknownExtension(fmt.Sprintf("%.60q is not known, want regular or rectilinear", name)))
		return g
	}
	if err == nil {
		err = g.Check()
	}
	if err != nil {
		d.problem("chunk_grid", err)
	}
	return g
}

// chunkShape reads the configuration of a regular grid.
func chunkShape(configuration json.RawMessage) ([]int, error) {
	fields, err := members(configuration, "chunk_shape")
	if err != nil {
		return nil, err
	}
	return extents(fields["chunk_shape"])
}

// extents reads an array of sizes.
func extents(text json.RawMessage) ([]int, error) {
	var list []*int
	err := json.Unmarshal(text, &list)
	if err != nil || list == nil {
		return nil, fmt.Errorf("%s: want an array of integers", shown(text))
	}
	values := make([]int, len(list))
	for i, n := range list {
		if n == nil || *n < 0 {
			return nil, fmt.Errorf("%s: entry %d: want an integer of at least 0", shown(text), i)
		}
		values[i] = *n
	}
	return values, nil
}

// codecs reads the list of codecs. Binding the chain refuses an empty list.
func (d *document) codecs() []codecs.Spec {
	text, ok := d.need("codecs")
	if !ok {
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil || list == nil {
		d.problem("codecs", errors.New("want an array"))
		return nil
	}
	specs := make([]codecs.Spec, len(list))
	for i, text := range list {
		if err := specs[i].UnmarshalJSON(text); err != nil {
			d.problem(fmt.Sprintf("codecs[%d]", i), err)
		}
	}
	return specs
}

// storedOrder returns the byte order that the bytes codec of a chain names, or the
// bytes codec of the chain inside its shards. It is little-endian if no codec names
// one.
func storedOrder(chain []codecs.Spec) dtype.Order {
	for _, spec := range chain {
		var c struct {
			Endian string        `json:"endian"`
			Codecs []codecs.Spec `json:"codecs"`
		}
		if json.Unmarshal(spec.Configuration, &c) != nil {
			continue // binding the chain reports such a configuration
		}
		if c.Endian == "big" || storedOrder(c.Codecs) == dtype.Big {
			return dtype.Big
		}
	}
	return dtype.Little
}

// dimensionNames reads the names of the dimensions of an array. shape is nil if it has
// a problem of its own.
func (d *document) dimensionNames(shape []int) []string {
	text, ok := d.fields["dimension_names"]
	if !ok {
		return nil
	}
	var list []*string
	if err := json.Unmarshal(text, &list); err != nil {
		d.problem("dimension_names", errors.New("want an array of strings and nulls"))
		return nil
	}
	if list == nil { // null, which zarr-python once wrote
		return nil
	}
	if shape != nil && len(list) != len(shape) {
		d.problem("dimension_names", fmt.Errorf("%d names for %d dimensions", len(list), len(shape)))
		return nil
	}
	names := make([]string, len(list))
	for i, name := range list {
		if name != nil {
			names[i] = *name
		}
	}
	return names
}

// ParseGroup reads the document of a group, with consolidated metadata of the kind
// "inline". It ignores other kinds, which no reader has to understand. It does not read
// the documents of the nodes below.
func ParseGroup(text []byte) (*Group, error) {
	d, node, err := open(text)
	if err != nil {
		return nil, err
	}
	if node != "group" {
		return nil, fmt.Errorf("node_type: an %s, not a group", node)
	}
	g := &Group{Attributes: d.attributes()}
	if text, ok := d.fields["consolidated_metadata"]; ok && string(text) != "null" {
		var c struct {
			Kind     string                     `json:"kind"`
			Metadata map[string]json.RawMessage `json:"metadata"`
		}
		switch err := json.Unmarshal(text, &c); {
		case err != nil:
			d.problem("consolidated_metadata", err)
		case c.Kind == "inline" && c.Metadata == nil:
			d.problem("consolidated_metadata", errors.New("metadata is missing"))
		case c.Kind == "inline":
			g.Consolidated = c.Metadata
		}
	}
	d.refuseUnknown("consolidated_metadata")
	if len(d.problems) > 0 {
		return nil, errors.Join(d.problems...)
	}
	return g, nil
}
