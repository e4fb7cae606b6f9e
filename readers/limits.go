package readers

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// numcodecsLimits are configurations that zarr-python's wrapper of numcodecs does not take.
func numcodecsLimits(a *zarr.Array, specs []codecs.Spec) Refusal {
	for _, s := range specs {
		if !strings.HasPrefix(s.Name, "numcodecs.") {
			continue
		}
		var c struct {
			Format  int               `json:"format"`
			Filters []json.RawMessage `json:"filters"`
			Prefix  []int             `json:"prefix"`
			AsType  string            `json:"astype"`
		}
		_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
		switch {
		case s.Name == "numcodecs.lzma" && c.Format != 3 && len(c.Filters) > 0:
			return Refusal{"codecs", "numcodecs.lzma with filters", "leave filters out"}
		case s.Name == "numcodecs.jenkins_lookup3" && len(c.Prefix) > 0:
			return Refusal{"codecs", "numcodecs.jenkins_lookup3 with a prefix", "leave prefix out"}
		case s.Name == "numcodecs.quantize" && c.AsType != "" && !sameAs(a.Type, c.AsType):
			return Refusal{"codecs", "numcodecs.quantize with another data type", "leave astype out"}
		}
	}
	return Refusal{}
}

// sameAs reports whether a Zarr v2 type string is that of a data type, in any byte order.
func sameAs(t dtype.Type, code string) bool {
	name, err := t.V2(dtype.Little)
	return err == nil && strings.TrimLeft(strings.Trim(string(name), `"`), "<>|") == strings.TrimLeft(code, "<>|")
}

// noPayload refuses fill values that are NaNs with other bits than the usual ones.
func noPayload(name string) limit {
	return func(a *zarr.Array, _ []codecs.Spec) Refusal {
		if text := string(a.Type.FormatScalar(dtype.V3, a.Fill)); a.Type.Name() == name && strings.HasPrefix(text, `"0x`) {
			return Refusal{"fill_value", "the fill value " + text + ", a NaN with bits of its own", `"NaN"`}
		}
		return Refusal{}
	}
}

func noBytesFill(a *zarr.Array, _ []codecs.Spec) Refusal {
	if a.Type.Name() == "bytes" && len(a.Fill) > 0 {
		return Refusal{"fill_value", "a fill value of bytes", `""`}
	}
	return Refusal{}
}

func noOpaqueShards(a *zarr.Array, specs []codecs.Spec) Refusal {
	if name := a.Type.Name(); (name == "raw_bytes" || name == "struct") && has(specs, "sharding_indexed") {
		return Refusal{"shards", "shards of the data type " + name, "leave out shards"}
	}
	return Refusal{}
}

func noCastOfBytes(a *zarr.Array, specs []codecs.Spec) Refusal {
	for _, s := range specs {
		if a.Type.Size() == 1 && slices.Contains([]string{"cast_value", "numcodecs.astype", "numcodecs.fixedscaleoffset"}, s.Name) {
			return Refusal{"codecs", "the codec " + s.Name + " over elements of one byte", "leave it out"}
		}
	}
	return Refusal{}
}

func has(specs []codecs.Spec, name string) bool {
	return slices.ContainsFunc(specs, func(s codecs.Spec) bool { return s.Name == name })
}

// namedDimensions is what xarray demands of names of dimensions.
func namedDimensions(a *zarr.Array, _ []codecs.Spec) Refusal {
	if len(a.Grid.Shape) > 0 && a.DimensionNames == nil {
		return Refusal{"dimension_names", "dimensions without names", "dimension_names: one for each dimension"}
	}
	for i, name := range a.DimensionNames { // null is a name, too
		k := slices.Index(a.DimensionNames, name)
		if n, first := a.Grid.Shape[i], a.Grid.Shape[k]; n != first {
			return Refusal{"dimension_names", fmt.Sprintf("%s and the lengths %d and %d", twoOf(name), first, n), "dimension_names: another name for one of them"}
		}
	}
	return Refusal{}
}

// twoOf names two dimensions that share a name, or have none.
func twoOf(name string) string {
	if name == "" {
		return "two dimensions without a name"
	}
	return fmt.Sprintf("two dimensions of the name %q", name)
}

// decodedAttributes is what xarray demands of _FillValue, and of the attributes by which it scales
// values: one number, or a list of one.
func decodedAttributes(a *zarr.Array, _ []codecs.Spec) Refusal {
	if refused := UnreadFill(a); refused.What != "" {
		return refused
	}
	if n, ok := a.Type.(dtype.Numeric); !ok || n.Kind() == dtype.Complex {
		return Refusal{}
	}
	for _, name := range []string{"scale_factor", "add_offset"} {
		value := a.Attributes.Get(name)
		if value == nil {
			continue
		}
		var one any
		list := []any{}
		if json.Unmarshal(value, &list) == nil && len(list) == 1 {
			one = list[0]
		} else if json.Unmarshal(value, &one) != nil {
			continue
		}
		switch one.(type) {
		case float64, bool:
		default:
			return Refusal{"attributes." + name, fmt.Sprintf("the attribute %s: %.80s", name, value), "a number, or null to leave it out"}
		}
	}
	return Refusal{}
}

// UnreadFill says why xarray does not open an array because of its attribute _FillValue. The
// result is zero if it does. xarray knows this attribute for numbers and booleans alone.
func UnreadFill(a *zarr.Array) Refusal {
	value := a.Attributes.Get("_FillValue")
	if value == nil {
		return Refusal{}
	}
	unread := func(of, instead string) Refusal {
		return Refusal{"attributes._FillValue", fmt.Sprintf("the attribute _FillValue: %.80s of %s", value, of), instead}
	}
	n, ok := a.Type.(dtype.Numeric)
	if !ok {
		return unread("the data type "+a.Type.Name(), "null to leave it out")
	}
	var text string
	var pair []string
	var number float64
	switch n.Kind() {
	case dtype.Float:
		if json.Unmarshal(value, &text) != nil || !isDouble(text) {
			return unread("floats", "the base64 of a little-endian float64")
		}
	case dtype.Complex:
		if json.Unmarshal(value, &pair) != nil || len(pair) != 2 || !isDouble(pair[0]) || !isDouble(pair[1]) {
			return unread("complex numbers", "a list of two: real and imaginary part, each the base64 of a little-endian float64")
		}
	case dtype.Int, dtype.Uint:
		if json.Unmarshal(value, &number) != nil {
			return unread("integers", "a number, or null to leave it out")
		}
	}
	return Refusal{}
}

// isDouble reports whether a text is the base64 of a float64.
func isDouble(text string) bool {
	data, err := base64.StdEncoding.DecodeString(text)
	return err == nil && len(data) == 8
}

// decodedTimes refuses times that xarray does not decode.
func decodedTimes(a *zarr.Array, _ []codecs.Spec) Refusal {
	if why := UndecodedTime(a.Attributes); why != "" {
		return Refusal{"attributes.units", "the times in " + why, "attributes: {units: null}, or open it with decode_times=False"}
	}
	return Refusal{}
}

// oneNameEach refuses two dimensions of one name.
func oneNameEach(a *zarr.Array, _ []codecs.Spec) Refusal {
	for i, name := range a.DimensionNames {
		if name != "" && slices.Contains(a.DimensionNames[:i], name) {
			return Refusal{"dimension_names", twoOf(name), "dimension_names: another name for one of them"}
		}
	}
	return Refusal{}
}

// dimensionsExist refuses arrays without dimensions.
func dimensionsExist(a *zarr.Array, _ []codecs.Spec) Refusal {
	if len(a.Grid.Shape) == 0 {
		return Refusal{"exclude", "an array without dimensions", "exclude the array"}
	}
	return Refusal{}
}

// shardsLast refuses codecs behind shards, also within shards.
func shardsLast(a *zarr.Array, _ []codecs.Spec) Refusal {
	for chain := a.Codecs; ; {
		at := slices.IndexFunc(chain, isShards)
		if at < 0 {
			return Refusal{}
		}
		if at < len(chain)-1 {
			return Refusal{"codecs", "a codec behind sharding_indexed", "that codec within sharding_indexed"}
		}
		var c struct {
			Codecs []codecs.Spec `json:"codecs"`
		}
		_ = json.Unmarshal(chain[at].Configuration, &c) // binding has checked it
		chain = c.Codecs
	}
}

// shardsDivide refuses shards whose inner chunks do not divide the chunk of the grid. Shards
// behind a transpose may be such ones. zarr-python compares the two as if they were not transposed.
func shardsDivide(a *zarr.Array, _ []codecs.Spec) Refusal {
	at := slices.IndexFunc(a.Codecs, isShards)
	if at <= 0 {
		return Refusal{}
	}
	var c struct {
		Chunk []int `json:"chunk_shape"`
	}
	_ = json.Unmarshal(a.Codecs[at].Configuration, &c) // binding has checked it
	for i, n := range c.Chunk {
		if i < len(a.Grid.Chunk) && a.Grid.Chunk[i]%n != 0 {
			return Refusal{"codecs", "transposed shards whose inner chunks do not divide the chunks of the array", "transpose within sharding_indexed"}
		}
	}
	return Refusal{}
}

func isShards(s codecs.Spec) bool { return s.Name == "sharding_indexed" }

// shardsAlone refuses what zarrita.js does not do with shards.
func shardsAlone(a *zarr.Array, specs []codecs.Spec) Refusal {
	at := slices.IndexFunc(a.Codecs, isShards)
	if at < 0 {
		return Refusal{}
	}
	var c struct {
		Location string `json:"index_location"`
	}
	_ = json.Unmarshal(a.Codecs[at].Configuration, &c) // binding has checked it
	nested := 0
	for _, s := range specs {
		if s.Name == "sharding_indexed" {
			nested++
		}
	}
	switch {
	case len(a.Codecs) > 1:
		return Refusal{"codecs", "a codec beside sharding_indexed", "that codec within sharding_indexed"}
	case c.Location == "start":
		return Refusal{"codecs", "shards with their index at the start", "index_location: end"}
	case nested > 1:
		return Refusal{"codecs", "shards within shards", "shards alone"}
	}
	return Refusal{}
}

// elementsExist refuses arrays without elements.
func elementsExist(a *zarr.Array, _ []codecs.Spec) Refusal {
	if slices.Contains(a.Grid.Shape, 0) {
		return Refusal{"exclude", "an array without elements", "exclude the array"}
	}
	return Refusal{}
}

// noScaleFill refuses fill values of float8_e8m0fnu that tensorstore takes for others.
func noScaleFill(a *zarr.Array, _ []codecs.Spec) Refusal {
	if a.Type.Name() == "float8_e8m0fnu" && a.Fill[0] != 0 && a.Fill[0] != 0xff {
		return Refusal{"fill_value", "a fill value of float8_e8m0fnu that is a number", `"NaN"`}
	}
	return Refusal{}
}

// zarrsNumbers refuses data types that codecs of zarrs do not take.
func zarrsNumbers(a *zarr.Array, specs []codecs.Spec) Refusal {
	for _, s := range specs {
		if s.Name == "numcodecs.pcodec" && a.Type.Size() == 1 || s.Name == "numcodecs.fixedscaleoffset" && (a.Type.Size() == 1 || a.Type.Name() == "float16") {
			return Refusal{"codecs", "the codec " + s.Name + " over " + a.Type.Name(), "leave it out"}
		}
	}
	return Refusal{}
}

// wholeBytes refuses packbits with a byte for the padding if it stores all bits of elements of whole bytes:
// zarrs takes such chunks for those of bytes, without that byte.
func wholeBytes(a *zarr.Array, specs []codecs.Spec) Refusal {
	t, ok := a.Type.(dtype.Packed)
	if ok && t.Packing().Bits%8 != 0 {
		return Refusal{}
	}
	for _, s := range specs {
		c := struct {
			Padding string `json:"padding_encoding"`
			First   int    `json:"first_bit"`
			Start   int    `json:"start_bit"`
			Last    *int   `json:"last_bit"`
			End     *int   `json:"end_bit"`
		}{Padding: "none"}
		_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
		last := cmp.Or(c.Last, c.End)
		if s.Name == "packbits" && c.Padding != "none" && c.First+c.Start == 0 && (last == nil || ok && *last == t.Packing().Bits-1) {
			return Refusal{"codecs", "packbits of whole bytes with padding_encoding", "padding_encoding: none"}
		}
	}
	return Refusal{}
}

// littleEndian refuses big-endian elements if the chain has one codec of each list. zarr-python
// hands the one codec an array in an order that it does not take.
func littleEndian(arithmetic, others string) limit {
	hasOne := func(specs []codecs.Spec, names string) bool {
		return slices.ContainsFunc(split(names), func(name string) bool { return has(specs, name) })
	}
	return func(_ *zarr.Array, specs []codecs.Spec) Refusal {
		big := slices.ContainsFunc(specs, func(s codecs.Spec) bool {
			var c struct {
				Endian string `json:"endian"`
			}
			_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
			return s.Name == "bytes" && c.Endian == "big"
		})
		if big && hasOne(specs, arithmetic) && hasOne(specs, others) {
			return Refusal{"codecs", "big-endian elements with " + strings.Join(split(arithmetic), " or "), "endian: little"}
		}
		return Refusal{}
	}
}

// transposedLate refuses a transpose behind one of some codecs. To decode these codecs, the reader
// takes the elements in the order in which they lie in memory, and transpose does not change that order.
func transposedLate(names string) limit {
	list := split(names)
	return func(_ *zarr.Array, specs []codecs.Spec) Refusal {
		before := ""
		for _, s := range specs {
			switch {
			case s.Name == "sharding_indexed":
				before = ""
			case s.Name == "transpose" && before != "":
				return Refusal{"codecs", "the codec " + before + " before transpose", "transpose as the first codec"}
			case slices.Contains(list, s.Name):
				before = s.Name
			}
		}
		return Refusal{}
	}
}

// alignedCasts refuses casts from numbers of eight bytes that do not begin at a multiple of eight
// bytes in a chunk or shard: zarr-python hands them to a library that does not take them there.
// A checksum moves what follows by four bytes, also that of the index of a shard. Codecs that
// compress give their numbers a new place.
func alignedCasts(_ *zarr.Array, specs []codecs.Spec) Refusal {
	var wide, moved, inShards, serialized bool
	for _, s := range specs {
		var c struct {
			Type     string `json:"data_type"`
			Location string `json:"location"`
			Index    string `json:"index_location"`
		}
		_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
		switch name := strings.TrimPrefix(s.Name, "numcodecs."); name {
		case "sharding_indexed":
			wide, inShards, moved, serialized = false, true, c.Index == "start", false
		case "cast_value":
			wide = wide || slices.Contains([]string{"int64", "uint64", "float64"}, c.Type)
		case "crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3":
			moved = moved || inShards || c.Location == "start"
		case "bytes":
			wide = wide && !serialized // the second bytes codec is that of the index
			serialized = true
		case "transpose", "scale_offset", "bitround", "quantize", "astype", "delta", "fixedscaleoffset", "packbits":
		default:
			wide = false
		}
		if wide && moved {
			return Refusal{"codecs", "cast_value to numbers of 8 bytes, which a checksum or the index of a shard moves", "zstd behind bytes"}
		}
	}
	return Refusal{}
}

// offsetsInShards refuses scale_offset within shards if the array's data type cannot hold its offset, its
// scale, or what becomes of zero. zarr-python checks the inner codecs with that data type and with
// zero, whatever codecs are before the shards and whatever the fill value is.
func offsetsInShards(a *zarr.Array, specs []codecs.Spec) Refusal {
	inShards, name := false, a.Type.Name()
	for _, s := range specs {
		var c struct {
			Type   string      `json:"data_type"`
			Offset json.Number `json:"offset"`
			Scale  json.Number `json:"scale"`
		}
		_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
		switch {
		case s.Name == "sharding_indexed":
			inShards = true
		case inShards && s.Name == "cast_value":
			name = c.Type
		case inShards && s.Name == "scale_offset":
			offset, okOffset := new(big.Rat).SetString(cmp.Or(c.Offset.String(), "0"))
			scale, okScale := new(big.Rat).SetString(cmp.Or(c.Scale.String(), "1"))
			if !okOffset || !okScale {
				continue // a float such as NaN
			}
			zero := new(big.Rat).Neg(offset)
			zero.Mul(zero, scale)
			if !integerHolds(name, offset) || !integerHolds(name, scale) || !integerHolds(name, zero) {
				return Refusal{"codecs", "scale_offset within shards, with an offset, a scale or a stored zero that " + name + " cannot hold", "scale_offset before sharding_indexed"}
			}
		}
	}
	return Refusal{}
}

// integerHolds reports whether a data type of integers holds a number. It returns true for other
// data types.
func integerHolds(name string, v *big.Rat) bool {
	unsigned := strings.HasPrefix(name, "uint")
	width, err := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(name, "u"), "int"))
	if !unsigned && !strings.HasPrefix(name, "int") || err != nil {
		return true
	}
	if !unsigned {
		width--
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if !unsigned {
		low.Neg(high)
	}
	return v.IsInt() && v.Num().Cmp(low) >= 0 && v.Num().Cmp(high) < 0
}

// oneTranspose refuses two transposes.
func oneTranspose(_ *zarr.Array, specs []codecs.Spec) Refusal {
	n := 0
	for _, s := range specs {
		if s.Name == "transpose" {
			n++
		}
	}
	if n > 1 {
		return Refusal{"codecs", "two transposes", "one transpose"}
	}
	return Refusal{}
}

// exactInDoubles refuses fill values that JavaScript rounds.
func exactInDoubles(a *zarr.Array, _ []codecs.Spec) Refusal {
	var far bool
	switch a.Type.Name() {
	case "int64":
		n := int64(binary.NativeEndian.Uint64(a.Fill))
		far = n > 1<<53 || n < -1<<53
	case "uint64":
		far = binary.NativeEndian.Uint64(a.Fill) > 1<<53
	case "float64":
		bits := binary.NativeEndian.Uint64(a.Fill)
		far = math.IsNaN(math.Float64frombits(bits)) && bits != 0x7ff8<<48
	}
	if far {
		return Refusal{"fill_value", "a fill value that JavaScript rounds", "a fill value of at most 2^53"}
	}
	return Refusal{}
}

// shuffleOfElements refuses a shuffle of other elements than those of the array, which
// zarrita.js takes for one of them.
func shuffleOfElements(a *zarr.Array, specs []codecs.Spec) Refusal {
	for _, s := range specs {
		if s.Name != "numcodecs.shuffle" {
			continue
		}
		c := struct {
			Size int `json:"elementsize"`
		}{4}
		_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
		if c.Size != a.Type.Size() {
			return Refusal{"codecs", "numcodecs.shuffle with another elementsize than that of the data type", "blosc with shuffle"}
		}
	}
	return Refusal{}
}

// typeSizeOfByte refuses Blosc with a typesize that c-blosc takes for 1.
func typeSizeOfByte(_ *zarr.Array, specs []codecs.Spec) Refusal {
	for _, s := range specs {
		var c struct {
			Size int `json:"typesize"`
		}
		_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
		if s.Name == "blosc" && c.Size > 255 {
			return Refusal{"codecs", "blosc with a typesize of more than 255", "typesize: 1, which means the same"}
		}
	}
	return Refusal{}
}
