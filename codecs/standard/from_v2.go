package standard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/xz"
	"github.com/zmigrate/zmigrate/dtype"
)

// V2 is how a Zarr v2 array stores its chunks. The fields are those of the array's
// document.
type V2 struct {
	// Type is the data type of the array. nil: it is not known, and codecs whose form in
	// Zarr v3 depends on it keep the names that numcodecs gives them.
	Type       dtype.Type
	Order      dtype.Order       // the byte order in the dtype's name
	F          bool              // whether "order" is "F"
	Filters    []json.RawMessage // nil if there are none
	Compressor json.RawMessage   // nil or null if there is none
}

// FromV2 returns the chain that encodes chunks as Zarr v2 stores them. The order "F"
// becomes transpose. The bytes codec gets the byte order of the last data type in front
// of it. Each filter and each compressor becomes the codec that makes the same bytes. A
// filter of objects takes the place of the bytes codec. Errors name the filter or
// compressor at fault.
func FromV2(r *codecs.Registry, v V2) ([]codecs.Spec, error) {
	var front, back []codecs.Spec // array → array codecs, and bytes → bytes codecs
	if v.F {
		front = append(front, codecs.Spec{Name: TransposeName, Configuration: json.RawMessage(`{"order":"F"}`)})
	}
	order, serializer := v.Order, codecs.Spec{Name: BytesName}
	list := slices.Clone(v.Filters)
	if v.Compressor != nil && string(v.Compressor) != "null" {
		list = append(list, v.Compressor)
	}
	for i, text := range list {
		spec, kind, next, err := fromV2(r, text)
		if err == nil && kind != codecs.KindBytesToBytes && (len(back) > 0 || serializer.Name != BytesName) {
			err = unsuited("it takes arrays, and a filter in front of it makes bytes")
		}
		if takes := statedOrder(text, "dtype", "decode_dtype"); err == nil && kind == codecs.KindArrayToArray && takes != dtype.NoOrder && order != dtype.NoOrder && takes != order {
			// numcodecs takes the bytes of the elements for numbers of this other order.
			err = unsuited("its data type has another byte order than the elements that it gets, so numcodecs exchanges their bytes")
		}
		if err != nil {
			where := fmt.Sprintf("filters[%d]", i)
			if i >= len(v.Filters) {
				where = "compressor"
			}
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		switch kind {
		case codecs.KindArrayToArray:
			front = append(front, inTwo(spec)...)
			if next != dtype.NoOrder {
				order = next
			}
		case codecs.KindArrayToBytes:
			serializer = spec
		default:
			back = append(back, spec)
		}
	}
	if serializer.Name == BytesName {
		switch order {
		case dtype.Mixed:
			return nil, errors.New("dtype: the fields of the record have different byte orders, and Zarr v3 has one for all")
		case dtype.Big:
			serializer.Configuration = json.RawMessage(`{"endian":"big"}`)
		default:
			serializer.Configuration = json.RawMessage(`{"endian":"little"}`)
		}
	}
	return preferred(r, slices.Concat(front, []codecs.Spec{serializer}, back), v.Type), nil
}

// preferred returns the specs with the names that most programs know, for codecs that have
// two names. It tries the chain with one element of type t. If the chain does not take it,
// the specs stay as they are: binding them to the chunks of the array says what is wrong.
func preferred(r *codecs.Registry, specs []codecs.Spec, t dtype.Type) []codecs.Spec {
	if t == nil {
		return specs
	}
	chain, err := r.Bind(specs, codecs.Chunk{Type: t, Shape: []int{1}, Fill: t.Default()})
	if err != nil {
		return specs
	}
	names, _ := chain.Preferred()
	for i, s := range names {
		if s.Name != specs[i].Name {
			specs[i] = s
		}
	}
	return specs
}

// ofGDAL gives fields that GDAL writes in its own way the values that numcodecs gives them.
// To GDAL, options are texts, and it copies some of them: how Blosc shuffles, and whether
// Zstandard adds checksums. Its LZMA has the distance of a delta filter, which the chunks
// state themselves.
func ofGDAL(id string, fields map[string]json.RawMessage) {
	replace := func(name string, values map[string]string) {
		var word string
		if json.Unmarshal(fields[name], &word) == nil && values[strings.ToUpper(word)] != "" {
			fields[name] = json.RawMessage(values[strings.ToUpper(word)])
		}
	}
	switch id {
	case "blosc":
		replace("shuffle", map[string]string{"NONE": "0", "BYTE": "1", "BIT": "2", "0": "0", "1": "1", "2": "2"})
	case "zstd":
		replace("checksum", map[string]string{"NO": "false", "FALSE": "false", "OFF": "false", "0": "false", "YES": "true", "TRUE": "true", "ON": "true", "1": "true"})
	case "lzma":
		delete(fields, "delta")
	}
}

// withoutStatedFilters removes the filters from a configuration of LZMA whose chunks state
// them themselves, as the formats .xz and .lzma do. numcodecs encodes with such filters, but
// does not decode if it finds them in the metadata.
func withoutStatedFilters(d codecs.Definition, text json.RawMessage) (json.RawMessage, error) {
	c := lzmaConfiguration{Format: int(xz.XZ), Check: -1}
	if _, err := d.Parse(text); err != nil || json.Unmarshal(text, &c) != nil || c.Filters == nil || c.Format == int(xz.Raw) {
		return text, nil // binding the codec says what is wrong
	}
	c.Filters = nil
	return json.Marshal(c)
}

// fromV2 returns the codec of a filter or compressor, {"id": name, …}. If it names the
// data type that it makes, order is the byte order of that type.
func fromV2(r *codecs.Registry, text json.RawMessage) (spec codecs.Spec, kind codecs.Kind, order dtype.Order, err error) {
	var fields map[string]json.RawMessage
	var id string
	if err := json.Unmarshal(text, &fields); err != nil || json.Unmarshal(fields["id"], &id) != nil {
		return spec, 0, 0, fmt.Errorf("%.60s: want an object with an id", text)
	}
	delete(fields, "id")
	ofGDAL(id, fields)
	if id == gzipName && string(fields["level"]) == "-1" {
		fields["level"] = json.RawMessage("6") // the level that zlib takes for -1, which Zarr v3 lacks
	}
	d, err := r.LookupV2(id)
	if err != nil {
		return spec, 0, 0, err
	}
	spec.Name = d.Name
	if spec.Configuration, err = json.Marshal(fields); err == nil && id == "lzma" {
		spec.Configuration, err = withoutStatedFilters(d, spec.Configuration)
	}
	if err != nil {
		return spec, 0, 0, err
	}
	return spec, d.Kind, statedOrder(text, "dtype", "astype", "encode_dtype"), nil
}

// statedOrder returns the byte order of the data type that a filter names in one of the
// fields: the last of them that has a byte order.
func statedOrder(filter json.RawMessage, names ...string) dtype.Order {
	var fields map[string]json.RawMessage
	if json.Unmarshal(filter, &fields) != nil {
		return dtype.NoOrder
	}
	order := dtype.NoOrder
	for _, name := range names {
		var given string
		if json.Unmarshal(fields[name], &given) != nil || given == "" {
			continue
		}
		switch given[0] {
		case '<':
			order = dtype.Little
		case '>':
			order = dtype.Big
		}
	}
	return order
}
