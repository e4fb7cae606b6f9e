package standard

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// Tolerance is the error that values of floating-point types may have. 0 allows none.
type Tolerance struct {
	Absolute float64 // the greatest difference
	Relative float64 // the greatest difference, as a part of the value
}

// Values describes the values of an array, or of a sample. The fill value is not among them.
type Values struct {
	Min, Max float64
	NaN      bool // some are NaN
	Infinite bool // some are infinite
}

// Candidates returns chains that are worth a trial for chunks, the plainest first. All are
// lossless without a tolerance. With one, there are also chains that keep to it for values as
// those described; some of these need not bind.
func Candidates(c codecs.Chunk, most Tolerance, values Values) [][]codecs.Spec {
	if _, ok := c.Type.(dtype.Object); ok {
		serializer := DefaultChain(c.Type)[0]
		var list [][]codecs.Spec
		for _, end := range plainEnds() {
			list = append(list, []codecs.Spec{serializer, end})
		}
		return list
	}
	list := lossless(c)
	n, ok := c.Type.(dtype.Numeric)
	if !ok || n.Kind() != dtype.Float {
		return list
	}
	if most.Relative > 0 {
		list = append(list, rounded(c, keepbits(most.Relative))...)
	}
	if most.Absolute > 0 {
		list = append(list, keepingTo(c, most.Absolute, values)...)
	}
	return list
}

// configured returns the codec of a name with a configuration in JSON.
func configured(name, format string, args ...any) codecs.Spec {
	s := codecs.Spec{Name: name}
	if format != "" {
		s.Configuration = fmt.Appendf(nil, format, args...)
	}
	return s
}

// plainEnds are the bytes → bytes codecs that know nothing of elements.
func plainEnds() []codecs.Spec {
	return []codecs.Spec{
		configured(ZstdName, `{"level":1}`), configured(ZstdName, `{"level":3}`), configured(ZstdName, `{"level":9}`),
		configured(gzipName, `{"level":6}`),
	}
}

// bloscOf returns Blosc with one of its compressors.
func bloscOf(compressor string, level int, shuffle string) codecs.Spec {
	return configured(BloscName, `{"cname":%q,"clevel":%d,"shuffle":%q}`, compressor, level, shuffle)
}

// lossless returns chains that change no value of a fixed size.
func lossless(c codecs.Chunk) [][]codecs.Spec {
	raw := codecs.Spec{Name: BytesName}
	var list [][]codecs.Spec
	for _, end := range plainEnds() {
		list = append(list, []codecs.Spec{raw, end})
	}
	size := c.Type.Size()
	shuffle := "shuffle"
	if size == 1 {
		shuffle = "noshuffle"
	}
	for _, end := range []codecs.Spec{
		bloscOf("lz4", 5, shuffle), bloscOf("zstd", 1, shuffle), bloscOf("zstd", 5, shuffle), bloscOf("zstd", 9, shuffle), bloscOf("zstd", 5, "bitshuffle"),
	} {
		list = append(list, []codecs.Spec{raw, end})
	}
	if size == 1 {
		return list
	}
	list = append(list, []codecs.Spec{raw, configured(ShuffleName, `{"elementsize":%d}`, size), configured(ZstdName, `{"level":3}`)})
	end := bloscOf("zstd", 5, "shuffle")
	if slices.ContainsFunc(c.Shape[:max(len(c.Shape)-1, 0)], func(n int) bool { return n > 1 }) {
		// Neighbours along the first dimension lie side by side.
		order := make([]int, len(c.Shape))
		for i := range order {
			order[i] = (i + 1) % len(order)
		}
		list = append(list, []codecs.Spec{configured(TransposeName, `{"order":%s}`, strings.ReplaceAll(fmt.Sprint(order), " ", ",")), raw, end})
	}
	n, ok := c.Type.(dtype.Numeric)
	if !ok {
		return list
	}
	if n.Kind() != dtype.Float {
		list = append(list, []codecs.Spec{configured(deltaName, "{}"), raw, end})
	}
	return append(list, []codecs.Spec{configured(pcodecName, "{}")}, []codecs.Spec{configured(zfpName, `{"mode":"reversible"}`)})
}

// keepbits returns how many bits of the mantissa keep rounded values within a relative error.
func keepbits(relative float64) int {
	return max(int(math.Ceil(-math.Log2(relative)))-1, 0)
}

// ends are the chains behind a lossy codec that leaves floats.
func ends() [][]codecs.Spec {
	raw := codecs.Spec{Name: BytesName}
	return [][]codecs.Spec{{raw, bloscOf("zstd", 5, "shuffle")}, {raw, bloscOf("lz4", 5, "shuffle")}, {raw, configured(ZstdName, `{"level":3}`)}}
}

// rounded returns chains that keep some bits of the mantissa.
func rounded(c codecs.Chunk, bits int) [][]codecs.Spec {
	mantissa := map[int]int{2: 10, 4: 23, 8: 52}[c.Type.Size()]
	if bits >= mantissa {
		return nil
	}
	var list [][]codecs.Spec
	for _, end := range ends() {
		list = append(list, append([]codecs.Spec{configured(roundName, `{"keepbits":%d}`, bits)}, end...))
	}
	return list
}

// keepingTo returns chains that change no value by more than most, for values as described.
func keepingTo(c codecs.Chunk, most float64, values Values) [][]codecs.Spec {
	var list [][]codecs.Spec
	// numcodecs.quantize rounds to multiples of a power of two, of which it has the least that
	// is at least 10^digits.
	for digits := -300; digits <= 300; digits++ {
		if step := math.Exp2(-math.Ceil(math.Log2(math.Pow10(digits)))); step/2 <= most && step > 0 {
			for _, end := range ends() {
				list = append(list, append([]codecs.Spec{configured(quantizeName, `{"digits":%d}`, digits)}, end...))
			}
			break
		}
	}
	if greatest := math.Max(math.Abs(values.Min), math.Abs(values.Max)); greatest > 0 && !values.Infinite {
		// Half a unit of the last bit that is kept, of the greatest value.
		_, exponent := math.Frexp(greatest)
		list = append(list, rounded(c, max(int(math.Ceil(float64(exponent-1)-math.Log2(most)))-1, 0))...)
	}
	if !values.NaN && !values.Infinite {
		list = append(list,
			[]codecs.Spec{configured(zfpName, `{"mode":"fixed_accuracy","tolerance":%s}`, decimal(most, 64))},
			[]codecs.Spec{configured(zfpyName, `{"mode":4,"tolerance":%s}`, decimal(most, 64))})
	}
	return append(list, packed(c, most, values)...)
}

// packed returns chains that store integers, with NaN as the least of them. The integers have
// room for values beyond those described by as much as they extend; a run refuses values
// beyond that.
func packed(c codecs.Chunk, most float64, values Values) [][]codecs.Spec {
	bits := 8 * c.Type.Size()
	extent := values.Max - values.Min
	greatest := math.Max(math.Abs(values.Min), math.Abs(values.Max))
	ulp := map[int]float64{32: 0x1p-22, 64: 0x1p-51}[bits]
	step := 2 * (most - 2*greatest*ulp) // what arithmetic in the type of the array rounds is part of the error
	if bits < 32 || values.Infinite || !(step > 0) || !(extent >= 0) || math.IsInf(extent, 0) {
		return nil
	}
	middle := values.Min + extent/2
	var list [][]codecs.Spec
	for _, stored := range []int{8, 16, 32} {
		room := math.Exp2(float64(stored-1)) - 2
		if stored >= bits || extent/step > room { // twice the extent, both signs
			continue
		}
		cast := fmt.Sprintf(`{"data_type":"int%d"}`, stored)
		if values.NaN || isNaN(c) {
			least := -int64(1) << (stored - 1)
			cast = fmt.Sprintf(`{"data_type":"int%d","scalar_map":{"encode":[["NaN",%d]],"decode":[[%d,"NaN"]]}}`, stored, least, least)
		}
		for _, end := range [][]codecs.Spec{
			{{Name: BytesName}, bloscOf("zstd", 5, map[bool]string{true: "noshuffle", false: "shuffle"}[stored == 8])},
			{{Name: BytesName}, configured(ZstdName, `{"level":3}`)},
		} {
			list = append(list, append([]codecs.Spec{
				configured(ScaleOffsetName, `{"offset":%s,"scale":%s}`, decimal(middle, bits), decimal(1/step, bits)), {Name: CastValueName, Configuration: []byte(cast)},
			}, end...))
		}
		break // more bits only take more room
	}
	return list
}

// isNaN reports whether the fill value of chunks of floats is NaN.
func isNaN(c codecs.Chunk) bool {
	return c.Fill != nil && string(c.Type.FormatScalar(dtype.V3, c.Fill)) == `"NaN"`
}

// decimal spells a number so that a type of floats with this many bits has it.
func decimal(x float64, bits int) string {
	if bits == 32 {
		x = float64(float32(x))
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}
