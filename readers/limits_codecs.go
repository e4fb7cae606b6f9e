package readers

import (
	"cmp"
	"encoding/json"
	"slices"
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

// zarrsNumbers refuses data types that codecs of zarrs do not take.
func zarrsNumbers(a *zarr.Array, specs []codecs.Spec) Refusal {
	for _, s := range specs {
		if s.Name == "numcodecs.pcodec" && a.Type.Size() == 1 || s.Name == "numcodecs.fixedscaleoffset" && (a.Type.Size() == 1 || a.Type.Name() == "float16") {
			return Refusal{"codecs", "the codec " + s.Name + " over " + a.Type.Name(), "leave it out"}
		}
	}
	return Refusal{}
}

// zarrsConfigurations refuses configurations of codecs that zarrs does not take: a transpose of an array
// without dimensions, and the default level of zlib.
func zarrsConfigurations(a *zarr.Array, specs []codecs.Spec) Refusal {
	for _, s := range specs {
		var c struct {
			Level int `json:"level"`
		}
		_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
		switch {
		case s.Name == "transpose" && len(a.Grid.Shape) == 0:
			return Refusal{"codecs", "transpose of an array without dimensions", "leave it out"}
		case s.Name == "numcodecs.zlib" && c.Level < 0:
			return Refusal{"codecs", "numcodecs.zlib with the level -1", "a level from 0 to 9"}
		}
	}
	return Refusal{}
}

// noBigPairs refuses big-endian complex numbers: where zarrs reads a part of a chunk, such as of a chunk
// beyond the edge, it exchanges their real and imaginary parts.
func noBigPairs(a *zarr.Array, specs []codecs.Spec) Refusal {
	if n, ok := a.Type.(dtype.Numeric); ok && n.Kind() == dtype.Complex && bigEndian(specs) {
		return Refusal{"codecs", "big-endian complex numbers", "endian: little"}
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

// bigEndian reports whether a chain stores big-endian elements.
func bigEndian(specs []codecs.Spec) bool {
	return slices.ContainsFunc(specs, func(s codecs.Spec) bool {
		var c struct {
			Endian string `json:"endian"`
		}
		_ = json.Unmarshal(s.Configuration, &c) // binding has checked it
		return s.Name == "bytes" && c.Endian == "big"
	})
}

// littleEndian refuses big-endian elements if the chain has one codec of each list. zarr-python
// hands the one codec an array in an order that it does not take.
func littleEndian(arithmetic, others string) limit {
	hasOne := func(specs []codecs.Spec, names string) bool {
		return slices.ContainsFunc(split(names), func(name string) bool { return has(specs, name) })
	}
	return func(_ *zarr.Array, specs []codecs.Spec) Refusal {
		if bigEndian(specs) && hasOne(specs, arithmetic) && hasOne(specs, others) {
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
