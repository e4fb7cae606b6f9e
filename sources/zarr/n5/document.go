package n5

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// Key is the key of the document of a node.
const Key = "attributes.json"

// ErrDocument is the cause of an error about a document of an array.
var ErrDocument = errors.New("N5")

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDocument, fmt.Errorf(format, args...))
}

// document are the fields of a document that N5 gives a meaning.
type document struct {
	Version    any             `json:"n5"`
	Dimensions []int           `json:"dimensions"`
	Blocks     []int           `json:"blockSize"`
	Type       string          `json:"dataType"`
	Codec      json.RawMessage `json:"compression"`
	CodecName  string          `json:"compressionType"`
}

// Is reports whether a document is that of a node of N5, and whether the node is an array.
func Is(text []byte) (node, array bool) {
	var d struct {
		Version    json.RawMessage `json:"n5"`
		Dimensions json.RawMessage `json:"dimensions"`
		Type       json.RawMessage `json:"dataType"`
	}
	if json.Unmarshal(text, &d) != nil {
		return false, false
	}
	array = d.Dimensions != nil && d.Type != nil
	return array || d.Version != nil, array
}

// Attributes returns the attributes that a document has besides what N5 gives a meaning.
func Attributes(text []byte) (zarr.Attributes, error) {
	list, err := zarr.ParseAttributesV2(text)
	if err != nil {
		return nil, wrong("%w", err)
	}
	_, array := Is(text)
	own := []string{"n5"}
	if array {
		own = append(own, "dimensions", "blockSize", "dataType", "compression", "compressionType")
	}
	return slices.DeleteFunc(list, func(a zarr.Attribute) bool { return slices.Contains(own, a.Name) }), nil
}

// Array is an array in the terms of Zarr v3. Its dimensions are reversed. The keys of its chunks
// are those of the indices in the order of N5.
type Array struct {
	zarr.Array
	// LZ4: [Block] decompresses the blocks.
	LZ4 bool
}

// Parse reads the document of an array.
func Parse(text []byte, types *dtype.Registry, r *codecs.Registry) (*Array, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, wrong("%w", err)
	}
	rank := len(d.Dimensions)
	if rank == 0 || len(d.Blocks) != rank {
		return nil, wrong("dimensions %v in blocks of %v", d.Dimensions, d.Blocks)
	}
	for k, n := range d.Dimensions {
		if n < 0 || d.Blocks[k] < 1 {
			return nil, wrong("dimensions %v in blocks of %v", d.Dimensions, d.Blocks)
		}
	}
	for _, shape := range [][]int{d.Dimensions, d.Blocks} {
		all := 8 // bytes of an element, at most
		for _, n := range shape {
			if n > 0 && all > math.MaxInt/n {
				return nil, wrong("dimensions %v in blocks of %v: too large", d.Dimensions, d.Blocks)
			}
			all *= max(n, 1)
		}
	}
	slices.Reverse(d.Dimensions)
	slices.Reverse(d.Blocks)
	a := &Array{Array: zarr.Array{
		Grid: zarr.Grid{Shape: d.Dimensions, Chunk: d.Blocks}, Keys: zarr.KeyEncoding{Name: "v2", Separator: "/"},
	}}
	var err error
	switch d.Type {
	case "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64":
		a.Type, err = types.ParseV3(json.RawMessage(`"` + d.Type + `"`))
	default:
		err = fmt.Errorf("dataType %q: only arrays of numbers are read: %w", d.Type, errors.ErrUnsupported)
	}
	if err != nil {
		return nil, wrong("%w", err)
	}
	a.Fill = a.Type.Default() // blocks that do not exist hold zeros
	if a.Attributes, err = Attributes(text); err != nil {
		return nil, err
	}
	compressor, lz4, err := d.compressor()
	if err != nil {
		return nil, err
	}
	a.LZ4 = lz4
	order := make([]int, rank)
	for k := range order {
		order[k] = rank - 1 - k
	}
	reverse := codecs.Spec{Name: standard.TransposeName, Configuration: mustJSON(map[string]any{"order": order})}
	inner := []codecs.Spec{reverse, {Name: standard.BytesName, Configuration: json.RawMessage(`{"endian":"big"}`)}}
	if compressor != nil {
		inner = append(inner, *compressor)
	}
	a.Codecs = []codecs.Spec{reverse, {Name: "n5_default", Configuration: mustJSON(map[string]any{"codecs": inner})}}
	a.names()
	return a, nil
}

// names takes the names of the dimensions from an attribute: _ARRAY_DIMENSIONS, which xarray
// writes in the order of Zarr, or axes, which programs of N5 write in the order of N5.
func (a *Array) names() {
	var names []string
	rank := len(a.Grid.Shape)
	if json.Unmarshal(a.Attributes.Get(zarr.DimensionsAttribute), &names) == nil && len(names) == rank {
		a.DimensionNames = names
		a.Attributes = a.Attributes.With(zarr.DimensionsAttribute, nil)
		return
	}
	names = nil
	if json.Unmarshal(a.Attributes.Get("axes"), &names) == nil && len(names) == rank {
		slices.Reverse(names)
		a.DimensionNames = names
	}
}

// compressor returns the codec that decompresses the elements of a block, nil if they are not
// compressed. The parameters of the compressor do not matter for that.
func (d *document) compressor() (_ *codecs.Spec, lz4 bool, err error) {
	var c struct {
		Type    string `json:"type"`
		UseZlib bool   `json:"useZlib"`
	}
	c.Type = d.CodecName
	if d.Codec != nil && string(d.Codec) != "null" {
		if json.Unmarshal(d.Codec, &c.Type) != nil { // a name alone
			c.Type = ""
			if err := json.Unmarshal(d.Codec, &c); err != nil {
				return nil, false, wrong("compression: %w", err)
			}
		}
	}
	name := c.Type
	if c.UseZlib {
		name += " with zlib"
	}
	spec, known := compressors()[name]
	switch {
	case !known:
		return nil, false, wrong("compression %q: %w", name, errors.ErrUnsupported)
	case spec.Name == "":
		return nil, spec.Configuration != nil, nil
	}
	return &spec, false, nil
}

// compressors returns, for each name that N5 has for a compression, the codec that decompresses it.
// The empty codec stands for elements that are not compressed, and with a configuration for LZ4,
// which [Block] decompresses.
func compressors() map[string]codecs.Spec {
	spec := func(name, configuration string) codecs.Spec {
		return codecs.Spec{Name: name, Configuration: json.RawMessage(configuration)}
	}
	return map[string]codecs.Spec{
		"":               {},
		"raw":            {},
		"gzip":           spec("gzip", `{"level":1}`),
		"gzip with zlib": spec("numcodecs.zlib", `{"level":1}`),
		"bzip2":          spec("numcodecs.bz2", `{"level":1}`),
		"xz":             spec("numcodecs.lzma", `{"format":1,"preset":6}`),
		"lz4":            spec("", `{}`),
		"blosc":          spec("blosc", `{"cname":"lz4","clevel":5,"shuffle":"noshuffle","blocksize":0}`),
		"zstd":           spec("zstd", `{"level":0,"checksum":false}`),
	}
}

// mustJSON returns the JSON of a value that always has one.
func mustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
