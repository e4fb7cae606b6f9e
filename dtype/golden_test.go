package dtype

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// document is the part of an array's metadata that concerns its data type.
type document struct {
	Path    string          `json:"path"`
	V3      json.RawMessage `json:"data_type,omitempty"`
	V2      json.RawMessage `json:"dtype,omitempty"`
	Filters []struct {
		ID string `json:"id"`
	} `json:"filters,omitempty"`
	Fill json.RawMessage `json:"fill_value"`
}

// TestGoldenDocuments reads types and fill values that zarr-python wrote, and writes
// them as they were.
func TestGoldenDocuments(t *testing.T) {
	text, err := os.ReadFile("testdata/zarr-python.json")
	if err != nil {
		t.Fatal(err)
	}
	var documents []document
	if err := json.Unmarshal(text, &documents); err != nil || len(documents) < 90 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	for _, d := range documents {
		d.check(t)
	}
}

// TestGoldenFolder does the same for all documents of the golden data.
func TestGoldenFolder(t *testing.T) {
	folder := filepath.Join(os.Getenv("ZMIGRATE_GOLDEN"), "zarr-python")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
	}
	count := 0
	err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		if base := filepath.Base(name); err != nil || base != "zarr.json" && base != ".zarray" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		d := document{Path: name}
		if err := json.Unmarshal(text, &d); err != nil {
			return err
		}
		if d.V2 != nil || d.V3 != nil { // other documents are groups
			count++
			d.check(t)
		}
		return nil
	})
	if err != nil || count < 250 {
		t.Errorf("%d arrays were read, %v", count, err)
	}
}

// readAlias replaces names that are read, and written as another name.
var readAlias = strings.NewReplacer(`"variable_length_bytes"`, `"bytes"`)

func (d document) check(t *testing.T) {
	t.Helper()
	r := Standard()
	var typ, again Type
	var written json.RawMessage
	var err error
	format, stated := V3, d.V3
	if d.V2 != nil {
		filter := ""
		if len(d.Filters) > 0 {
			filter = d.Filters[0].ID
		}
		var order Order
		format, stated = V2, d.V2
		if typ, order, err = r.ParseV2(stated, filter); err == nil {
			written, err = typ.V2(order)
		}
		if err == nil {
			again, err = throughV3(r, typ, order, stated)
		}
	} else if typ, err = r.ParseV3(stated); err == nil {
		stated = json.RawMessage(readAlias.Replace(string(stated)))
		written, err = typ.V3()
		again = typ
	}
	if err != nil || !sameJSON(t, stated, written) {
		t.Errorf("%s: %s becomes %s (%v)", d.Path, stated, written, err)
		return
	}
	if !Same(typ, again) {
		t.Errorf("%s: %s is another type after conversion", d.Path, stated)
	}
	value, err := ParseFill(typ, format, d.Fill)
	if err != nil {
		t.Errorf("%s: fill value %s: %v", d.Path, d.Fill, err)
		return
	}
	if out, err := FormatFill(typ, format, value); err != nil || !sameJSON(t, d.Fill, out) {
		t.Errorf("%s: fill value %s becomes %s (%v)", d.Path, d.Fill, out, err)
	}
	if value == nil {
		return
	}
	// The value has a spelling in Zarr v3, whatever its format.
	out := typ.FormatScalar(V3, value)
	if back, err := typ.ParseScalar(V3, out); err != nil || !slices.Equal(back, value) {
		t.Errorf("%s: fill value %s is %s in v3, read as % x (%v), want % x", d.Path, d.Fill, out, back, err, value)
	}
}

// throughV3 writes a v2 type in v3, reads it, and checks that its v2 spelling has not
// changed.
func throughV3(r *Registry, typ Type, order Order, stated json.RawMessage) (Type, error) {
	text, err := typ.V3()
	if err != nil {
		return nil, err
	}
	again, err := r.ParseV3(text)
	if err != nil {
		return nil, err
	}
	if order == Mixed {
		return again, nil // v3 has one order for all fields
	}
	back, err := again.V2(order)
	if err == nil && !bytes.Equal(compact(back), compact(stated)) {
		err = fmt.Errorf("v3 %s gives v2 %s", text, back)
	}
	return again, err
}

func compact(text json.RawMessage) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, text) // valid, because it was read
	return b.Bytes()
}

// sameJSON compares numbers by value and all other text literally.
func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	return fmt.Sprint(numbers(t, a)) == fmt.Sprint(numbers(t, b))
}

func numbers(t *testing.T, text json.RawMessage) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case json.Number:
			exact, ok := new(big.Rat).SetString(v.String())
			if !ok {
				t.Fatalf("%s is no number", v)
			}
			return exact.RatString() + strings.Repeat("-", min(1, strings.Count(v.String(), "-0.0")))
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for key := range v {
				v[key] = walk(v[key])
			}
		}
		return v
	}
	return walk(v)
}

// examples returns types of every family, several of some.
func examples() []Type {
	var types []Type
	for _, f := range Standard().Families() {
		types = append(types, f.Example)
	}
	hour, _ := Datetime64("h", 6)
	inner, _ := Struct(Field{Name: "re", Type: BFloat16}, Field{Name: "t", Type: hour, Order: Big})
	outer, _ := Struct(Field{Name: "a b\"", Type: Uint4}, Field{Name: "in", Type: inner}, Field{Name: "s", Type: FixedUTF32(3)}, Field{Name: "S", Type: NullTerminated(3)})
	return append(types, hour, inner, outer, RawBits(3), NullTerminated(1), FixedUTF32(1))
}

func FuzzDataTypeJSON(f *testing.F) {
	for _, t := range examples() {
		v3, err := t.V3()
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(v3), "")
		if v2, err := t.V2(Big); err == nil {
			f.Add([]byte(v2), "vlen-utf8")
		}
	}
	for _, text := range []string{
		`"nope"`, `null`, `"r99999999999999"`, `"<M8[25s]"`, `"<M8"`, `[["x","<f4"],["y",">i2",[2,3]],["",[["z","|u1",4]]]]`,
		`{"name":"structured","configuration":{"fields":[["x","float32"],["y","int2"]]}}`, `"|O"`, `"int4"`, `">bfloat16"`,
	} {
		f.Add([]byte(text), "vlen-bytes")
	}
	r := Standard()
	f.Fuzz(func(t *testing.T, text []byte, filter string) {
		if typ, err := r.ParseV3(text); err == nil {
			written, err := typ.V3()
			if err != nil {
				t.Fatal(err)
			}
			again, err := r.ParseV3(written)
			if err != nil || !Same(typ, again) || typ.Size() < 0 || typ.Size() > MaxSize || len(typ.Default()) != typ.Size() {
				t.Fatalf("%q: %s becomes %v (%v)", text, written, again, err)
			}
		}
		if typ, order, err := r.ParseV2(text, filter); err == nil {
			name, err := typ.V2(order)
			if err != nil {
				t.Fatal(err)
			}
			again, order2, err := r.ParseV2(name, filter)
			if err != nil || !Same(typ, again) || order != order2 {
				t.Fatalf("%q: %s becomes %v (%v)", text, name, again, err)
			}
			if _, err := typ.V3(); err == nil { // types that Zarr v3 can name are read back from their name
				if again, err = throughV3(r, typ, order, name); err != nil || !Same(typ, again) {
					t.Fatalf("%q: %s becomes %v by way of Zarr v3 (%v)", text, name, again, err)
				}
			}
		}
	})
}

func FuzzScalarJSON(f *testing.F) {
	types := examples()
	mixed, _, err := Standard().ParseV2([]byte(`[["x","<f4"],["y",">i2",[2]],["s","|S4"],["r",[["q",">f8"]]]]`), "")
	if err != nil {
		f.Fatal(err)
	}
	types = append(types, mixed)
	for i, t := range types {
		f.Add([]byte(t.FormatScalar(V3, t.Default())), uint8(i))
		f.Add([]byte(t.FormatScalar(V2, t.Default())), uint8(i))
	}
	for _, text := range []string{"true", "0", "-1", "1.5", "-0.0", "1e400", `"NaN"`, `"0x7fc00001"`, `[1,"-Infinity"]`, `"Af8="`, "[1,2]", "18446744073709551615", "null", `"\ud800\udc00\ud800"`, `"NaT"`} {
		f.Add([]byte(text), uint8(len(text)))
	}
	f.Fuzz(func(t *testing.T, text []byte, pick uint8) {
		typ := types[int(pick)%len(types)]
		for _, format := range []Format{V2, V3} {
			s, err := ParseFill(typ, format, text)
			if err != nil || s == nil {
				continue
			}
			written := typ.FormatScalar(format, s)
			again, err := typ.ParseScalar(format, written)
			if err != nil || len(s) != typ.Size() && typ.Size() > 0 || !slices.Equal(s, again) || !json.Valid(written) {
				t.Fatalf("%s v%d: %q is % x, written as %s, read as % x (%v)", typ.Name(), format, text, s, written, again, err)
			}
		}
	})
}

func TestNullFill(t *testing.T) {
	for _, typ := range examples() {
		value, err := ParseFill(typ, V2, []byte(" null "))
		if err != nil || value != nil {
			t.Errorf("%s: null in v2 is % x (%v), want no value", typ.Name(), value, err)
		}
		if text, err := FormatFill(typ, V2, nil); err != nil || string(text) != "null" {
			t.Errorf("%s: no value is written as %s (%v) in v2", typ.Name(), text, err)
		}
		if _, err := FormatFill(typ, V3, nil); err == nil {
			t.Errorf("%s: no value is written in v3", typ.Name())
		}
		if _, err := ParseFill(typ, V3, []byte("null")); err == nil || !strings.Contains(err.Error(), "null is not a") {
			t.Errorf("%s: null in v3: %v", typ.Name(), err)
		}
		if typ.Default() == nil {
			t.Errorf("%s: the default is no value", typ.Name())
		}
		for _, format := range []Format{V2, V3} {
			text, err := FormatFill(typ, format, typ.Default())
			if err != nil {
				t.Fatal(err)
			}
			back, err := ParseFill(typ, format, text)
			if err != nil || back == nil || !slices.Equal(back, typ.Default()) {
				t.Errorf("%s: the default is %s in v%d, read as % x (%v)", typ.Name(), text, format, back, err)
			}
		}
	}
}
