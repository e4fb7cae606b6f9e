package cf

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

const nanMap = `{"data_type":"int16","scalar_map":{"encode":[["NaN",-32768]],"decode":[[-32768,"NaN"]]}}`

type codecsCase struct {
	header
	scaling    string // configuration of scale_offset; "": there is none
	cast       string // of cast_value
	fill       string
	stored     string // fill value
	attributes string // afterwards
	findings   string
}

var codecsCases = map[string]codecsCase{
	"temperatures": {
		header{dtype.Int16, `{"units": "K", "scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32768, "missing_value": -32768, "x": 1}`, nil},
		`{"offset":273.15,"scale":100.0}`, nanMap, `"NaN"`, "-32768", `{"units":"K","x":1}`, "",
	},
	"floats": {
		header{dtype.Int16, `{"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32768}`, floats(scaleFactor, addOffset)},
		`{"offset":273.1499938964844,"scale":100.0}`, nanMap, `"NaN"`, "-32768", `{}`, "",
	},
	"offset alone": {
		header{dtype.Int16, `{"add_offset": -2, "_FillValue": -32768}`, nil},
		`{"offset":-2.0}`, nanMap, `"NaN"`, "-32768", `{}`, "",
	},
	"nothing to scale": {
		header{dtype.Int16, `{"scale_factor": 1.0, "add_offset": 0.0, "_FillValue": -32768}`, nil},
		"", nanMap, `"NaN"`, "-32768", `{}`, "",
	},
	"no value for missing data": {
		header{dtype.Uint8, `{"scale_factor": 0.5, "add_offset": 10.0}`, nil},
		`{"offset":10.0,"scale":2.0}`, `{"data_type":"uint8"}`, "10.0", "0", `{}`, "",
	},
	"two values": {
		header{dtype.Int16, `{"scale_factor": 0.5, "_FillValue": -32768, "missing_value": [-999, -32768]}`, nil},
		`{"scale":2.0}`, `{"data_type":"int16","scalar_map":{"encode":[["NaN",-32768]],"decode":[[-32768,"NaN"],[-999,"NaN"]]}}`,
		`"NaN"`, "-32768", `{}`, "merged-sentinels",
	},
	"unsigned": {
		header{dtype.Int8, `{"_Unsigned": "true", "scale_factor": 0.5, "_FillValue": -1}`, nil},
		`{"scale":2.0}`, `{"data_type":"uint8","scalar_map":{"encode":[["NaN",255]],"decode":[[255,"NaN"]]}}`,
		`"NaN"`, "255", `{}`, "",
	},
	"a narrow valid range": {
		header{dtype.Int16, `{"valid_min": -32766, "scale_factor": -0.5, "_FillValue": -32768}`, nil},
		`{"scale":-2.0}`, `{"data_type":"int16","scalar_map":{"encode":[["NaN",-32768]],"decode":[[-32768,"NaN"],[-32767,"NaN"]]}}`,
		`"NaN"`, "-32768", `{"valid_max":16383.0}`, "",
	},
	"a wide valid range, no value for missing data": {
		header{dtype.Int8, `{"valid_range": [-126, 126], "scale_factor": 0.5}`, nil},
		`{"scale":2.0}`, `{"data_type":"int8","scalar_map":{"encode":[["NaN",-128]],"decode":[[-128,"NaN"],[-127,"NaN"],[127,"NaN"]]}}`,
		`"NaN"`, "-128", `{"valid_range":[-63.0,63.0]}`, "",
	},
	"a valid range that cannot be listed": {
		header{dtype.Int16, `{"valid_range": [-100, 100], "scale_factor": 0.1, "add_offset": 1.0, "_FillValue": -32768}`, nil},
		`{"offset":1.0,"scale":10.0}`, nanMap, `"NaN"`, "-32768", `{"valid_range":[-9.0,11.0]}`, "outside-range",
	},
	"most values are too large": {
		header{dtype.Int16, `{"valid_max": 100, "scale_factor": 0.5, "_FillValue": -32768}`, nil},
		`{"scale":2.0}`, nanMap, `"NaN"`, "-32768", `{"valid_max":50.0}`, "valid-sentinel outside-range",
	},
	"a valid range in physical units": {
		header{dtype.Int16, `{"valid_range": [-10.0, 10.5], "scale_factor": 0.5, "_FillValue": -32768}`, nil},
		`{"scale":2.0}`, nanMap, `"NaN"`, "-32768", `{"valid_range":[-10.0,10.5]}`, "outside-range",
	},
	"a large offset": {
		header{dtype.Int32, `{"scale_factor": 1e-9, "add_offset": 1e12}`, nil},
		`{"offset":1000000000000.0,"scale":999999999.9999999}`, `{"data_type":"int32"}`, "1000000000000.0", "0", `{}`, "no-return",
	},
	"a larger offset": {
		header{dtype.Int16, `{"scale_factor": 0.001, "add_offset": 300000.0, "_FillValue": -32768}`, floats(scaleFactor, addOffset)},
		`{"offset":300000.0,"scale":999.9999389648438}`, nanMap, `"NaN"`, "-32768", `{}`, "no-return",
	},
	"int64": {
		header{dtype.Int64, `{"scale_factor": 0.5, "_FillValue": -9223372036854775808}`, nil},
		`{"scale":2.0}`, `{"data_type":"int64","scalar_map":{"encode":[["NaN",-9223372036854775808]],"decode":[[-9223372036854775808,"NaN"]]}}`,
		`"NaN"`, "-9223372036854775808", `{}`, "no-return",
	},
	"int": {
		header{dtype.Int32, `{"scale_factor": 0.25, "_FillValue": -2147483648}`, floats(scaleFactor, addOffset)},
		`{"scale":4.0}`, `{"data_type":"int32","scalar_map":{"encode":[["NaN",-2147483648]],"decode":[[-2147483648,"NaN"]]}}`,
		`"NaN"`, "-2147483648", `{}`, "",
	},
}

func TestAsCodecs(t *testing.T) {
	for name, test := range codecsCases {
		t.Run(name, test.check)
	}
}

func (c codecsCase) check(t *testing.T) {
	p := c.packing(t)
	o, err := p.AsCodecs()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range o.Codecs {
		got[s.Name] = string(s.Configuration)
	}
	want := map[string]string{"cast_value": c.cast}
	if c.scaling != "" {
		want["scale_offset"] = c.scaling
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codecs (-want +got):\n%s", diff)
	}
	fill, stored := string(p.Physical.FormatScalar(dtype.V3, o.Fill)), string(p.Stored.FormatScalar(dtype.V3, o.StoredFill))
	if fill != c.fill || stored != c.stored {
		t.Errorf("fill value %s stored as %s, want %s and %s", fill, stored, c.fill, c.stored)
	}
	attributes, err := json.Marshal(o.Attributes)
	if err != nil || string(attributes) != c.attributes {
		t.Errorf("attributes %s, want %s (%v)", attributes, c.attributes, err)
	}
	if got := codesOf(o.Findings); got != c.findings {
		t.Errorf("findings %q, want %q: %+v", got, c.findings, o.Findings)
	}
}

func TestAsCodecsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		header
		want string
	}{
		"floats":           {header{dtype.Float32, `{"scale_factor": 0.5}`, nil}, "float32 values are scaled, not packed into integers"},
		"nothing is valid": {header{dtype.Int16, `{"scale_factor": 0.5, "valid_range": [2, 1]}`, nil}, "no stored value is within the valid range"},
		"zero":             {header{dtype.Int16, `{"scale_factor": 0.0}`, nil}, "scale_factor 0 has no reciprocal"},
		"tiny":             {header{dtype.Int16, `{"scale_factor": 1e-310}`, nil}, "scale_factor 1e-310 has no reciprocal"},
		"overflow":         {header{dtype.Int16, `{"scale_factor": 1e304}`, nil}, "the stored value -32768 has no finite value in float64"},
		"float overflow":   {header{dtype.Int16, `{"scale_factor": 2e34}`, floats(scaleFactor)}, "has no finite value in float32"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := test.packing(t).AsCodecs()
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "choose `cf: ") {
				t.Errorf("got %+v, %v, want an error with %q and a way out", o, err, test.want)
			}
		})
	}
}

func TestUnpacked(t *testing.T) {
	for name, test := range map[string]struct {
		header
		attributes, findings string
	}{
		"short": {
			header{dtype.Int16, `{"units":"K", "scale_factor": 0.01, "_FillValue": -1, "missing_value": -2, "valid_min": 0, "valid_max": 1.5, "_Unsigned": "false"}`, nil},
			`{"units":"K"}`, "",
		},
		"int64":    {header{dtype.Int64, `{"scale_factor": 0.01}`, nil}, `{}`, "inexact"},
		"infinite": {header{dtype.Uint8, `{"scale_factor": 1e307}`, nil}, `{}`, "inexact"},
		"doubles":  {header{dtype.Float64, `{"scale_factor": 1e307}`, nil}, `{}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := test.packing(t)
			o := p.Unpacked()
			attributes, err := json.Marshal(o.Attributes)
			if err != nil || string(attributes) != test.attributes {
				t.Errorf("attributes %s, want %s (%v)", attributes, test.attributes, err)
			}
			if got := codesOf(o.Findings); got != test.findings || o.Codecs != nil {
				t.Errorf("codecs %v, findings %q, want %q", o.Codecs, got, test.findings)
			}
			if fill := string(p.Physical.FormatScalar(dtype.V3, o.Fill)); fill != `"NaN"` {
				t.Errorf("fill value %s", fill)
			}
		})
	}
}

// TestUnpackedValidRange wants a note of the values that become NaN because of their range.
func TestUnpackedValidRange(t *testing.T) {
	for name, test := range map[string]struct {
		header
		want string
	}{
		"integers": {header{dtype.Int8, `{"scale_factor": 0.5, "_Unsigned": "true", "valid_range": [0, -56]}`, nil}, "0 to 200"},
		"physical": {header{dtype.Int16, `{"scale_factor": 0.01, "valid_min": 0, "valid_max": 1.5}`, nil}, "0 to 150"},
		"one end":  {header{dtype.Int16, `{"scale_factor": 0.01, "valid_min": -5}`, nil}, "-5 to 32767"},
		"floats":   {header{dtype.Float32, `{"scale_factor": 0.5, "valid_max": 1e3}`, nil}, "-Inf to 1000"},
		"none":     {header{dtype.Int16, `{"scale_factor": 0.5}`, nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			want := test.want
			if want != "" {
				want = "stored values outside of the valid range, " + want + ", become NaN"
			}
			got := ""
			for _, note := range test.packing(t).Unpacked().Notes {
				if strings.Contains(note, "valid range") {
					got = note
				}
			}
			if got != want {
				t.Errorf("note %q, want %q", got, want)
			}
		})
	}
}

// TestReadersNearCF computes how far the values that readers of the codecs get are from
// CF's values.
func TestReadersNearCF(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		scale := math.Exp(r.Float64()*20 - 10)
		h := header{dtype.Uint8, fmt.Sprintf(`{"scale_factor": %v, "add_offset": %v}`, scale, r.Float64()*100), nil}
		if r.IntN(2) == 0 {
			h.types = floats(scaleFactor, addOffset)
		}
		p := h.packing(t)
		readers, err := p.readers()
		if err != nil {
			t.Fatal(err)
		}
		if d := readers.apart(); d.units > 2 {
			t.Errorf("%s: %v units in the last place", h.attributes, d.units)
		}
	}
}

// TestRoundTrip runs the codecs themselves. If a value is read and written again, each
// stored value of 8 and 16 bits comes back, or a finding says that it does not. Of wider
// types, many values are tried.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	registry := standard.Registry(dtype.Standard())
	count := map[bool]int{} // number of packings with and without the finding
	for i := range 60 {
		stored := unpackable()[r.IntN(6)]
		span := math.Exp(r.Float64()*24 - 12)
		missing := []string{``, `, "_FillValue": 100`, `, "_FillValue": 100, "missing_value": [99]`}[r.IntN(3)]
		h := header{stored, fmt.Sprintf(`{"scale_factor": %v, "add_offset": %v%s}`,
			span*(r.Float64()-0.5), math.Exp(r.Float64()*64-12), missing), nil}
		if i%3 == 0 {
			h.types = floats(scaleFactor, addOffset)
		}
		p := h.packing(t)
		o, err := p.AsCodecs()
		if err != nil {
			t.Fatal(err)
		}
		all := ndarray.New(p.Stored, []int{1 << 16})
		p.random(r, all)
		if p.small() {
			for k := range uint64(1 << 16) {
				copy(all.Data[int(k)*p.Stored.Size():], p.scalar(k&p.last()))
			}
		}
		chain, err := registry.Bind(append(slices.Clip(o.Codecs), codecs.Spec{Name: "bytes", Configuration: []byte(`{"endian":"little"}`)}),
			codecs.Chunk{Type: p.Physical, Shape: all.Shape, Fill: o.Fill})
		if err != nil {
			t.Fatalf("%s: %v", h.attributes, err)
		}
		lossy := strings.Contains(codesOf(o.Findings), strings.TrimPrefix(NoReturn, "cf-"))
		count[lossy]++
		changed := p.changed(t, chain, all)
		if p.small() && changed > 0 != lossy || changed > 0 && !lossy {
			t.Errorf("%s %s: %d stored values change, findings: %+v", stored.Name(), h.attributes, changed, o.Findings)
		}
	}
	if count[true] < 8 || count[false] < 8 {
		t.Errorf("%d with the finding, %d without: the parameters are not random enough", count[true], count[false])
	}
}

func BenchmarkAsCodecs(b *testing.B) {
	p := header{dtype.Int16, `{"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32768}`, nil}.packing(b)
	for b.Loop() {
		if _, err := p.AsCodecs(); err != nil {
			b.Fatal(err)
		}
	}
}

// changed counts the stored values that do not come back: the chain reads a value that
// it writes as another stored value, or cannot write. It does not count the second
// value for missing data, which is read as NaN.
func (p *Packing) changed(t *testing.T, chain *codecs.Chain, all ndarray.Array) int {
	t.Helper()
	var pool ndarray.Pool
	physical := ndarray.New(p.Physical, all.Shape)
	if err := chain.Decode(&pool, physical, all.Data); err != nil {
		t.Fatal(err)
	}
	data, buffer, err := chain.Encode(&pool, physical)
	if err != nil {
		return 1 // a value that was read lies beyond the range of the stored type
	}
	n, size := 0, p.Stored.Size()
	for at := 0; at < len(data); at += size {
		before := string(all.Data[at : at+size])
		second := len(p.sentinels) > 1 && before == string(p.sentinels[1])
		if string(data[at:at+size]) != before && !second {
			n++
		}
	}
	if buffer != nil {
		buffer.Release()
	}
	return n
}
