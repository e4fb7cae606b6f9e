package zarr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// Names of the documents of Zarr v2, below the node to which they belong. Only the root
// of a hierarchy has the last one.
const (
	ArrayKeyV2        = ".zarray"
	GroupKeyV2        = ".zgroup"
	AttributesKeyV2   = ".zattrs"
	ConsolidatedKeyV2 = ".zmetadata"
)

// DimensionsAttribute is the attribute in which xarray keeps the names of the
// dimensions of a Zarr v2 array, which has no field for them.
const DimensionsAttribute = "_ARRAY_DIMENSIONS"

// ErrNotZarrV2 is the cause of an error about a document that is not Zarr v2 metadata.
var ErrNotZarrV2 = errors.New("not a Zarr v2 document")

// ArrayV2 is the metadata of a Zarr v2 array, expressed in the terms of v3.
type ArrayV2 struct {
	// Array is the metadata of a v3 array with the same chunks. Order, filters and
	// compressor are codecs in it, and the names of dimensions are no longer in the
	// attributes. Fill is nil where the v2 fill value is null.
	Array
	// Mixed is set for records whose fields have different byte orders; Type declares
	// the orders. No codec can express this: the codecs of Array treat all fields as
	// little-endian.
	Mixed bool
	// Named says that the dimensions have their names from [DimensionsAttribute], as
	// xarray writes it.
	Named bool
	// FillNumber says that the fill value of strings is a number in the document.
	FillNumber bool
}

// ParseArrayV2 reads .zarray, the document of an array, and the document of its
// attributes, which may be nil. It follows the Zarr v2 specification: unknown fields
// are ignored. It reports all problems, joined, each with the field at fault.
func ParseArrayV2(text, attributes []byte, types *dtype.Registry, registry *codecs.Registry) (*ArrayV2, error) {
	d, err := openV2(text)
	if err != nil {
		return nil, err
	}
	a := &ArrayV2{Array: Array{Grid: d.gridV2(), Keys: d.keysV2()}}
	filters := d.filters()
	v := standard.V2{F: d.columnMajor(), Filters: filters, Compressor: d.fields["compressor"]}
	if text, ok := d.need("dtype"); ok {
		if a.Type, v.Order, err = types.ParseV2(text, objectFilter(registry, filters)); err != nil {
			d.problem("dtype", err)
		}
	}
	if a.Mixed = v.Order == dtype.Mixed; a.Mixed {
		v.Order = dtype.Little
	}
	if a.Type != nil {
		v.Type = a.Type
		if a.Codecs, err = standard.FromV2(registry, v); err != nil {
			if errors.Is(err, codecs.ErrUnknown) || errors.Is(err, errors.ErrUnsupported) {
				err = fmt.Errorf("%w: rewrite the array without it, such as with zarr-python 2", err)
			}
			d.problems = append(d.problems, err) // the error names the filter
		}
		if text, ok := d.need("fill_value"); ok {
			if a.Fill, err = dtype.ParseFill(a.Type, dtype.V2, text); err != nil {
				d.problem("fill_value", err)
			}
			a.FillNumber = a.Type == dtype.StringType && a.Fill != nil && !bytes.HasPrefix(bytes.TrimSpace(text), []byte(`"`))
		}
	}
	if a.Attributes, err = ParseAttributesV2(attributes); err != nil {
		d.problem(AttributesKeyV2, err)
	}
	if names, ok := dimensions(a.Attributes, len(a.Grid.Shape)); ok {
		a.DimensionNames, a.Named = names, true
		a.Attributes = a.Attributes.With(DimensionsAttribute, nil)
	}
	if len(d.problems) > 0 {
		return nil, errors.Join(d.problems...)
	}
	return a, nil
}

// CheckGroupV2 refuses a text that is not a valid .zgroup, the document of a group.
func CheckGroupV2(text []byte) error {
	_, err := openV2(text)
	return err
}

// ParseAttributesV2 reads .zattrs, the document of attributes. nil has no attributes. The
// values are parts of the text, which the caller must not change.
func ParseAttributesV2(text []byte) (Attributes, error) {
	if text == nil {
		return nil, nil
	}
	a, err := parseAttributes(text, 0)
	if err != nil {
		return nil, errors.New("want a JSON object")
	}
	return a, nil
}

// ParseConsolidatedV2 reads .zmetadata, the consolidated metadata: the documents of all
// nodes by their keys below the root, such as "group/array/.zarray". It does not read
// these documents.
func ParseConsolidatedV2(text []byte) (map[string]json.RawMessage, error) {
	var d struct {
		Format   int                        `json:"zarr_consolidated_format"`
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotZarrV2, err)
	}
	if d.Format != 1 || d.Metadata == nil {
		return nil, fmt.Errorf("%w: want zarr_consolidated_format 1, with metadata", ErrNotZarrV2)
	}
	return d.Metadata, nil
}

// openV2 reads the fields that .zarray and .zgroup have in common.
func openV2(text []byte) (*document, error) {
	d := &document{}
	err := json.Unmarshal(text, &d.fields)
	if other := (*json.UnmarshalTypeError)(nil); errors.As(err, &other) || err == nil && d.fields == nil {
		err = errors.New("want a JSON object")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotZarrV2, err)
	}
	var format float64 // 2.0 is a spelling of 2
	if err := json.Unmarshal(d.fields["zarr_format"], &format); err != nil || format != 2 {
		return nil, fmt.Errorf("%w: zarr_format is %s, want 2", ErrNotZarrV2, shown(d.fields["zarr_format"]))
	}
	return d, nil
}

// gridV2 reads shape and chunks. Along a dimension of extent 0, chunks may have the
// extent 0, too, which becomes 1.
func (d *document) gridV2() (g Grid) {
	read := func(field string) (list []int, err error) {
		text, ok := d.need(field)
		if !ok {
			return nil, errors.New("missing")
		}
		if list, err = extents(text); err != nil {
			d.problem(field, err)
		}
		return list, err
	}
	var err1, err2 error
	g.Shape, err1 = read("shape")
	g.Chunk, err2 = read("chunks")
	if err1 != nil || err2 != nil {
		return g
	}
	for i := range min(len(g.Shape), len(g.Chunk)) {
		if g.Shape[i] == 0 && g.Chunk[i] == 0 {
			g.Chunk[i] = 1
		}
	}
	if err := g.Check(); err != nil {
		d.problem("chunks", err)
	}
	return g
}

// keysV2 reads dimension_separator.
func (d *document) keysV2() KeyEncoding {
	k := KeyEncoding{Name: "v2", Separator: "."}
	if text, ok := d.fields["dimension_separator"]; ok && string(text) != "null" {
		if err := json.Unmarshal(text, &k.Separator); err != nil || k.Separator != "." && k.Separator != "/" {
			d.problem("dimension_separator", fmt.Errorf(`%s, want "." or "/"`, shown(text)))
		}
	}
	return k
}

// columnMajor reads order.
func (d *document) columnMajor() bool {
	text, ok := d.need("order")
	var order string
	if err := json.Unmarshal(text, &order); ok && (err != nil || order != "C" && order != "F") {
		d.problem("order", fmt.Errorf(`%s, want "C" or "F"`, shown(text)))
	}
	return order == "F"
}

func (d *document) filters() []json.RawMessage {
	var list []json.RawMessage
	if text, ok := d.fields["filters"]; ok {
		if err := json.Unmarshal(text, &list); err != nil {
			d.problem("filters", errors.New("want an array or null"))
		}
	}
	return list
}

// objectFilter returns the filter that says what the objects of an array are: the id of the
// first filter, or "". Filters of numcodecs that store texts in another way than the data type
// does are taken for the filter of the data type, if the registry has them.
func objectFilter(registry *codecs.Registry, filters []json.RawMessage) string {
	var first struct {
		ID string `json:"id"`
	}
	if len(filters) == 0 || json.Unmarshal(filters[0], &first) != nil {
		return ""
	}
	if _, err := registry.LookupV2(first.ID); err == nil && slices.Contains([]string{"categorize", "json2", "msgpack2"}, first.ID) {
		return dtype.StringType.V2Filter()
	}
	return first.ID
}

// dimensions returns the names in [DimensionsAttribute], and false if it does not have
// n names.
func dimensions(a Attributes, n int) ([]string, bool) {
	text := a.Get(DimensionsAttribute)
	var list []*string
	if text == nil || json.Unmarshal(text, &list) != nil || len(list) != n || slices.Contains(list, nil) {
		return nil, false
	}
	var names []string
	for _, name := range list {
		names = append(names, *name)
	}
	return names, true
}
