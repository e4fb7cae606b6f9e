package cf

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/zarr"
)

// header is a variable in the form in which tests write it: a JSON object of
// attributes, and the types of attributes that JSON does not tell.
type header struct {
	stored     dtype.Type
	attributes string
	types      map[string]dtype.Type
}

func (h header) read(t testing.TB) (*Packing, error) {
	t.Helper()
	var attributes zarr.Attributes
	if err := json.Unmarshal([]byte(h.attributes), &attributes); err != nil {
		t.Fatal(err)
	}
	return Read(h.stored, attributes, func(name string) dtype.Type { return h.types[name] })
}

func (h header) packing(t testing.TB) *Packing {
	t.Helper()
	p, err := h.read(t)
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		t.Fatal("not packed")
	}
	return p
}

func floats(names ...string) map[string]dtype.Type {
	m := map[string]dtype.Type{}
	for _, name := range names {
		m[name] = dtype.Float32
	}
	return m
}

// codesOf lists the codes of findings.
func codesOf(list []Finding) string {
	var codes []string
	for _, f := range list {
		codes = append(codes, strings.TrimPrefix(f.Code, "cf-"))
	}
	return strings.Join(codes, " ")
}

func (p *Packing) show(list []dtype.Scalar) string {
	var texts []string
	for _, s := range list {
		texts = append(texts, string(p.Stored.FormatScalar(dtype.V3, s)))
	}
	return strings.Join(texts, " ")
}

func TestNotPacked(t *testing.T) {
	for name, attributes := range map[string]string{
		"nothing":      `{}`,
		"missing data": `{"_FillValue": -1, "missing_value": [-1, -2], "valid_range": [0, 9]}`,
		"unsigned":     `{"_Unsigned": "true"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := (header{dtype.Int16, attributes, nil}).read(t); p != nil || err != nil {
				t.Errorf("got %v, %v", p, err)
			}
		})
	}
}

func TestReadRefused(t *testing.T) {
	for name, test := range map[string]struct {
		stored     dtype.Type
		attributes string
		want       string
	}{
		"text":          {dtype.Int16, `{"scale_factor": "0.1"}`, `scale_factor is "0.1": want one finite number`},
		"two":           {dtype.Int16, `{"add_offset": [1, 2]}`, `add_offset is [1,2]`},
		"none":          {dtype.Int16, `{"add_offset": []}`, `want one finite number`},
		"nested":        {dtype.Int16, `{"add_offset": [[1]]}`, `want one finite number`},
		"null":          {dtype.Int16, `{"scale_factor": null}`, `want one finite number`},
		"NaN":           {dtype.Int16, `{"scale_factor": "NaN"}`, `want one finite number`},
		"infinite":      {dtype.Int16, `{"add_offset": "-Infinity"}`, `want one finite number`},
		"huge":          {dtype.Int16, `{"scale_factor": 1e999999999}`, `want one finite number`},
		"large integer": {dtype.Int16, `{"add_offset": 9007199254740993}`, `which float64 does not hold`},
		"bool":          {dtype.BoolType, `{"scale_factor": 2}`, `bool values have scale_factor or add_offset`},
		"half":          {dtype.Float16, `{"scale_factor": 2}`, `float16 values`},
		"complex":       {dtype.Complex64, `{"scale_factor": 2}`, `complex64 values`},
		"many missing":  {dtype.Int32, `{"scale_factor": 2, "missing_value": [0` + strings.Repeat(`, 1`, mostSentinels) + `]}`, `missing_value lists 257 values for missing data, but at most 256`},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := header{test.stored, strings.ReplaceAll(test.attributes, ", ", ","), nil}.read(t)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v, want an error with %q", p, err, test.want)
			}
		})
	}
}

// TestTypes has the rules for float32 and float64 of the package comment.
func TestTypes(t *testing.T) {
	both, scale, offset := `{"scale_factor": 0.5, "add_offset": 1.0}`, `{"scale_factor": 0.5}`, `{"add_offset": 1.0}`
	one := floats("scale_factor", "add_offset")
	for name, test := range map[string]struct {
		header
		physical dtype.Type
	}{
		"byte, float":             {header{dtype.Int8, both, one}, dtype.Float32},
		"unsigned short, float":   {header{dtype.Uint16, both, one}, dtype.Float32},
		"short, scale float":      {header{dtype.Int16, scale, one}, dtype.Float32},
		"short, offset float":     {header{dtype.Int16, offset, one}, dtype.Float32},
		"short, double":           {header{dtype.Int16, both, nil}, dtype.Float64},
		"short, one float":        {header{dtype.Int16, both, floats("scale_factor")}, dtype.Float64},
		"int, float":              {header{dtype.Int32, both, one}, dtype.Float64},
		"int64, float":            {header{dtype.Int64, scale, one}, dtype.Float64},
		"short, integers":         {header{dtype.Int16, `{"scale_factor": 2, "add_offset": 1}`, map[string]dtype.Type{"scale_factor": dtype.Int16}}, dtype.Float64},
		"short, float, integer":   {header{dtype.Int16, `{"scale_factor": 0.5, "add_offset": 1}`, floats("scale_factor")}, dtype.Float64},
		"float, float":            {header{dtype.Float32, both, one}, dtype.Float32},
		"float, double":           {header{dtype.Float32, both, nil}, dtype.Float64},
		"double, float":           {header{dtype.Float64, both, one}, dtype.Float64},
		"list of one":             {header{dtype.Int16, `{"scale_factor": [0.5]}`, one}, dtype.Float32},
		"unsigned bytes, in JSON": {header{dtype.Int8, `{"scale_factor": 1e-3, "_Unsigned": "true"}`, nil}, dtype.Float64},
	} {
		t.Run(name, func(t *testing.T) {
			if p := test.packing(t); p.Physical != test.physical {
				t.Errorf("physical type %s, want %s", p.Physical.Name(), test.physical.Name())
			}
		})
	}
}

// TestMissing has attributes of missing data, with the values and the findings that
// follow.
func TestMissing(t *testing.T) {
	i1, u1, i2, i4, f4, f8 := dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Int32, dtype.Float32, dtype.Float64
	for name, test := range map[string]struct {
		stored     dtype.Type
		attributes string // in addition to scale_factor 0.5
		sentinels  string
		low, high  string // least and greatest valid integers; "": all are valid
		findings   string
	}{
		"none":                   {i2, ``, "", "", "", ""},
		"one":                    {i2, `,"_FillValue": -32768`, "-32768", "", "", ""},
		"the same twice":         {i2, `,"missing_value": -999, "_FillValue": -999`, "-999", "", "", ""},
		"two":                    {i2, `,"missing_value": -999, "_FillValue": -32768`, "-32768 -999", "", "", ""},
		"several":                {i2, `,"missing_value": [-1, -2, -1]`, "-1 -2", "", "", ""},
		"an integral double":     {i2, `,"_FillValue": -999.0`, "-999", "", "", ""},
		"beyond the type":        {i1, `,"_FillValue": -9999`, "", "", "", "ignored-attribute"},
		"a fraction":             {i2, `,"_FillValue": -1.5`, "", "", "", "ignored-attribute"},
		"NaN for integers":       {i2, `,"_FillValue": "NaN", "missing_value": 7`, "7", "", "", ""},
		"far beyond":             {i2, `,"missing_value": 1e30`, "", "", "", "ignored-attribute"},
		"text":                   {i2, `,"missing_value": "none"`, "", "", "", "ignored-attribute"},
		"an empty list":          {i2, `,"missing_value": []`, "", "", "", "ignored-attribute"},
		"unsigned":               {i1, `,"_Unsigned": "true", "_FillValue": -1`, "255", "", "", ""},
		"unsigned, said so":      {i1, `,"_Unsigned": "true", "_FillValue": 255`, "255", "", "", ""},
		"unsigned, range":        {i2, `,"_Unsigned": "true", "_FillValue": -1, "valid_range": [0, -6]`, "65535", "0", "65530", ""},
		"signed":                 {u1, `,"_Unsigned": "false", "_FillValue": 255`, "-1", "", "", ""},
		"signed, said so":        {u1, `,"_Unsigned": "false", "_FillValue": -1`, "-1", "", "", ""},
		"signed already":         {i1, `,"_Unsigned": "false", "_FillValue": -1`, "-1", "", "", ""},
		"unsigned is a riddle":   {i1, `,"_Unsigned": "maybe", "_FillValue": -1`, "-1", "", "", "ignored-attribute"},
		"unsigned floats":        {f4, `,"_Unsigned": "true"`, "", "", "", "ignored-attribute"},
		"range":                  {i2, `,"valid_range": [-10, 10]`, "", "-10", "10", ""},
		"least and most":         {i2, `,"valid_min": 0, "valid_max": 100`, "", "0", "100", ""},
		"least":                  {i4, `,"valid_min": -5`, "", "-5", "2147483647", ""},
		"beyond all integers":    {u1, `,"valid_range": [-1, 300]`, "", "0", "255", ""},
		"range in a fraction":    {i2, `,"valid_min": -1.5`, "", "-3", "32767", ""},
		"range in physical":      {i2, `,"valid_range": [-1.0, 2.25]`, "", "-2", "4", ""},
		"a sentinel within":      {i2, `,"_FillValue": 5, "valid_range": [0, 9]`, "5", "0", "9", "valid-sentinel"},
		"nothing is valid":       {i2, `,"valid_range": [9, 0]`, "", "9", "0", "outside-range"},
		"above all integers":     {u1, `,"valid_min": 256`, "", "0", "255", "outside-range"},
		"range and least":        {i2, `,"valid_range": [0, 9], "valid_min": 3`, "", "0", "9", "ignored-attribute"},
		"range of three":         {i2, `,"valid_range": [0, 9, 10], "valid_min": 3`, "", "3", "32767", "ignored-attribute"},
		"range of NaN":           {i2, `,"valid_range": ["NaN", 9.0]`, "", "-32768", "18", "ignored-attribute"},
		"infinite range":         {i2, `,"valid_range": ["-Infinity", "Infinity"]`, "", "-32768", "32767", ""},
		"least is text":          {i2, `,"valid_min": "0"`, "", "", "", "ignored-attribute"},
		"float fill in base64":   {f8, `,"_FillValue": "AAAAAAAA8D8="`, "1.0", "", "", ""},
		"float fill":             {f4, `,"_FillValue": 1e20, "missing_value": ["-Infinity", "NaN"]`, `1.0000000200408773e+20 "-Infinity" "NaN"`, "", "", ""},
		"float fill beyond":      {f4, `,"_FillValue": 1e300`, "", "", "", "ignored-attribute"},
		"one with many digits":   {i2, `,"_FillValue": 10000000000000000000000000000000000000000000000`, "", "", "", "ignored-attribute"},
		"unsigned long":          {dtype.Uint64, `,"_FillValue": 18446744073709551615`, "18446744073709551615", "", "", ""},
		"unsigned long, bounded": {dtype.Int64, `,"_Unsigned": "true", "valid_max": -2`, "", "0", "18446744073709551614", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := header{test.stored, `{"scale_factor": 0.5` + test.attributes + `}`, nil}.packing(t)
			if got := p.show(p.sentinels); got != test.sentinels {
				t.Errorf("sentinels %q, want %q", got, test.sentinels)
			}
			if got := codesOf(p.Findings); got != test.findings {
				t.Errorf("findings %q, want %q: %+v", got, test.findings, p.Findings)
			}
			if p.valid.given != (test.low != "") {
				t.Fatalf("a valid range: %v", p.valid.given)
			}
			if test.low != "" {
				low, high := p.exact(p.valid.low).String(), p.exact(p.valid.high).String()
				if low != test.low || high != test.high {
					t.Errorf("valid from %s to %s, want %s to %s", low, high, test.low, test.high)
				}
			}
		})
	}
}

// TestFallingRange has limits in physical units where physical values fall as stored
// values rise.
func TestFallingRange(t *testing.T) {
	for attributes, want := range map[string][2]string{
		`{"scale_factor": -0.5, "valid_min": -1.0}`:                       {"-128", "2"},
		`{"scale_factor": -0.5, "valid_max": 2.25}`:                       {"-4", "127"},
		`{"scale_factor": -0.5, "add_offset": 10.0, "valid_max": 10.0}`:   {"0", "127"},
		`{"scale_factor": -0.5, "add_offset": 10.0, "valid_min": 1000.0}`: {"-128", "127"}, // empty
		`{"scale_factor": 0.0, "valid_min": 0.0}`:                         {"-128", "127"},
	} {
		p := header{dtype.Int8, attributes, nil}.packing(t)
		got := [2]string{p.exact(p.valid.low).String(), p.exact(p.valid.high).String()}
		if diff := cmp.Diff(want, got); diff != "" || p.valid.empty != strings.Contains(attributes, "1000") {
			t.Errorf("%s: valid (-want +got):\n%s empty: %v", attributes, diff, p.valid.empty)
		}
	}
}

func TestPackingIsQuietAboutGoodHeaders(t *testing.T) {
	p := header{dtype.Int16, `{"units": "K", "_FillValue": -32767, "missing_value": -32767, "scale_factor": 0.01, "add_offset": 273.15}`, nil}.packing(t)
	if len(p.Findings) > 0 {
		t.Errorf("findings %+v", p.Findings)
	}
}

// FuzzRead reads arbitrary attributes. No function of Packing may panic or hang, whatever
// the stored value.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32767, "valid_range": [-100, 1e3]}`,
		`{"scale_factor": -1e308, "add_offset": "NaN", "missing_value": ["NaN", 1e400, [], null]}`,
		`{"add_offset": 1e300, "_Unsigned": "true", "valid_min": 1e-320, "valid_max": "Infinity", "_FillValue": "AAAAAAAA8D8="}`,
	} {
		for i := range uint8(10) {
			f.Add(i, []byte(seed))
		}
	}
	types := []dtype.Type{
		dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Uint32, dtype.Int64, dtype.Uint64, dtype.Float32, dtype.Float64,
	}
	f.Fuzz(func(t *testing.T, stored uint8, text []byte) {
		var attributes zarr.Attributes
		if json.Unmarshal(text, &attributes) != nil {
			return
		}
		for _, one := range []map[string]dtype.Type{nil, floats(Names()...)} {
			p, err := Read(types[int(stored)%len(types)], attributes, func(name string) dtype.Type { return one[name] })
			if err != nil || p == nil {
				continue
			}
			if _, err := json.Marshal(p.Unpacked().Attributes); err != nil {
				t.Error(err)
			}
			o, err := p.AsCodecs()
			if err != nil {
				continue
			}
			for _, s := range o.Codecs {
				if !json.Valid(s.Configuration) {
					t.Errorf("%s: %s", s.Name, s.Configuration)
				}
			}
			if _, err := json.Marshal(o.Attributes); err != nil {
				t.Error(err)
			}
		}
	})
}
