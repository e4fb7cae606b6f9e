package dtype

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	r := Standard()
	for _, c := range []struct {
		typ            Type
		size           int
		v3, little, be string
	}{
		{BoolType, 1, `"bool"`, `"|b1"`, `"|b1"`},
		{Int8, 1, `"int8"`, `"|i1"`, `"|i1"`},
		{Int16, 2, `"int16"`, `"<i2"`, `">i2"`},
		{Int32, 4, `"int32"`, `"<i4"`, `">i4"`},
		{Int64, 8, `"int64"`, `"<i8"`, `">i8"`},
		{Uint8, 1, `"uint8"`, `"|u1"`, `"|u1"`},
		{Uint16, 2, `"uint16"`, `"<u2"`, `">u2"`},
		{Uint32, 4, `"uint32"`, `"<u4"`, `">u4"`},
		{Uint64, 8, `"uint64"`, `"<u8"`, `">u8"`},
		{Float16, 2, `"float16"`, `"<f2"`, `">f2"`},
		{Float32, 4, `"float32"`, `"<f4"`, `">f4"`},
		{Float64, 8, `"float64"`, `"<f8"`, `">f8"`},
		{Complex64, 8, `"complex64"`, `"<c8"`, `">c8"`},
		{Complex128, 16, `"complex128"`, `"<c16"`, `">c16"`},
		{RawBits(3), 3, `"r24"`, `"|V3"`, `"|V3"`},
		{RawBytes(3), 3, `{"name":"raw_bytes","configuration":{"length_bytes":3}}`, `"|V3"`, `"|V3"`},
	} {
		if c.typ.Size() != c.size || len(c.typ.Default()) != c.size || strings.Trim(string(c.typ.Default()), "\x00") != "" {
			t.Errorf("%s: size %d, default % x", c.v3, c.typ.Size(), c.typ.Default())
		}
		if got := string(c.typ.V3()); got != c.v3 {
			t.Errorf("V3 = %s, want %s", got, c.v3)
		}
		if got, err := r.ParseV3(json.RawMessage(c.v3)); err != nil || !Same(got, c.typ) {
			t.Errorf("%s is read as %v (%v)", c.v3, got, err)
		}
		for order, want := range map[Order]string{Little: c.little, Big: c.be} {
			got, err := c.typ.V2(order)
			if err != nil || string(got) != want {
				t.Errorf("V2 = %s (%v), want %s", got, err, want)
			}
			typ, read, err := r.ParseV2(got)
			_, ordered := c.typ.(Ordered)
			if err != nil || typ.Size() != c.size || (read == order) != ordered || !ordered && read != NoOrder {
				t.Errorf("%s is read as %v, %v (%v)", want, typ, read, err)
			}
			if _, raw := c.typ.(*opaque); !raw && !Same(typ, c.typ) {
				t.Errorf("%s is read as %v", want, typ)
			}
		}
		if _, ordered := c.typ.(Ordered); ordered {
			if _, err := c.typ.V2(NoOrder); err == nil {
				t.Errorf("%s has a v2 name without byte order", c.v3)
			}
		}
	}
	for text, want := range map[string]Type{
		`{"name":"int8"}`:                           Int8,
		`{"name":"int8","configuration":{ }}`:       Int8,
		`{"name":"float32","must_understand":true}`: Float32,
		`"complex_float32"`:                         Complex64,
		`"complex_float64"`:                         Complex128,
		` {"name" : "r8"} `:                         RawBits(1),
		fmt.Sprintf(`"r%d"`, maxBits):               RawBits(maxBits / 8),
	} {
		if got, err := r.ParseV3(json.RawMessage(text)); err != nil || !Same(got, want) {
			t.Errorf("%s is read as %v (%v)", text, got, err)
		}
	}
	if Same(RawBits(2), RawBytes(2)) || Same(RawBits(2), RawBits(3)) || Same(Int8, Uint8) {
		t.Error("different types are the same")
	}
}

func TestNameRefusals(t *testing.T) {
	r := Standard()
	for text, want := range map[string]string{
		`"float31"`:               `did you mean "float32"`,
		`"Float64"`:               `did you mean "float64"`,
		`"r*"`:                    "unknown data type",
		`"r7"`:                    "multiple of 8",
		`"r0"`:                    "multiple of 8",
		`"r08"`:                   "multiple of 8",
		`"r99999999999999999999"`: "multiple of 8",
		`""`:                      "unknown data type",
		`null`:                    "want a name",
		`5`:                       "want a name",
		``:                        "want a name",
		`{}`:                      "want a name",
		`{"name":"int8","x":1}`:   "want a name",
		`{"name":"int8","configuration":{"a":1}}`:                          "takes no configuration",
		`{"name":"int8","configuration":5}`:                                "takes no configuration",
		`"raw_bytes"`:                                                      "length_bytes",
		`{"name":"raw_bytes","configuration":{}}`:                          "length_bytes",
		`{"name":"raw_bytes","configuration":{"length_bytes":0}}`:          "length_bytes 0",
		`{"name":"raw_bytes","configuration":{"length_bytes":1e3}}`:        "length_bytes 1e3",
		`{"name":"raw_bytes","configuration":{"length_bytes":99999999}}`:   "length_bytes 99999999",
		`{"name":"raw_bytes","configuration":{"length_bytes":2,"more":1}}`: `"more"`,
	} {
		if got, err := r.ParseV3(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
	}
	if _, err := r.ParseV3([]byte(`"nope"`)); !errors.Is(err, ErrUnknown) {
		t.Errorf("%v is not ErrUnknown", err)
	}
	for text, want := range map[string]string{
		`"|f4"`: "byte order", `"f4"`: "want <, > or |", `"=f4"`: "want <, > or |", `"<f5"`: "unknown", `"|O"`: "unknown",
		`"|V0"`: "length", `"|Vx"`: "length", `"<"`: "NumPy", `[["a","<f4"]]`: "NumPy", `null`: "NumPy", `"<M8[s]"`: "unknown",
	} {
		if got, _, err := r.ParseV2(json.RawMessage(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, got, err, want)
		}
	}
}

func TestRegister(t *testing.T) {
	var r Registry
	if err := r.Register(Family{Name: "pair", Aliases: []string{"two"}, Example: RawBytes(2),
		ParseV3: func(json.RawMessage) (Type, error) { return RawBytes(2), nil }}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.ParseV3([]byte(`"two"`)); err != nil || got.Size() != 2 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []Family{{}, {Name: "x"}, {Name: "pair", Example: Int8}, {Name: "new", Aliases: []string{"two"}, Example: Int8}} {
		if err := r.Register(bad); err == nil {
			t.Errorf("%q was registered", bad.Name)
		}
	}
	if _, err := r.ParseV3([]byte(`"new"`)); !errors.Is(err, ErrUnknown) {
		t.Errorf("a refused family left its name: %v", err)
	}
	for _, f := range Standard().Families() {
		if f.Summary == "" || f.Example == nil {
			t.Errorf("%s has no summary or example", f.Name)
		}
	}
}

func TestSwapWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, word := range []int{1, 2, 4, 8} {
		for n := range 80 {
			src := make([]byte, n*word)
			for i := range src {
				src[i] = byte(r.Uint32())
			}
			want := slices.Clone(src)
			for w := range slices.Chunk(want, word) {
				slices.Reverse(w)
			}
			memory := append(make([]byte, len(src)), 0xaa)
			dst, before := memory[:len(src)], slices.Clone(src)
			SwapWords(word, dst, src)
			if !bytes.Equal(dst, want) || !bytes.Equal(src, before) || memory[len(src)] != 0xaa {
				t.Fatalf("%d words of %d: % x, want % x", n, word, dst, want)
			}
			SwapWords(word, src, src)
			if !bytes.Equal(src, want) {
				t.Fatalf("%d words of %d in place: % x, want % x", n, word, src, want)
			}
		}
	}
}

func BenchmarkSwapWords(b *testing.B) {
	src, dst := make([]byte, 1<<20), make([]byte, 1<<20)
	for _, word := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(word), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				SwapWords(word, dst, src)
			}
		})
	}
}

// TestGoldenScalars: types and fill values that zarr-python wrote mean the
// same after they were read and written.
func TestGoldenScalars(t *testing.T) {
	const folder = "../../shared/golden/zarr-python"
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the golden folder is not here: %v", err)
	}
	r := Standard()
	count := map[Format]int{}
	err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		base := filepath.Base(name)
		if err != nil || base != "zarr.json" && base != ".zarray" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var array struct {
			V3   json.RawMessage `json:"data_type"`
			V2   json.RawMessage `json:"dtype"`
			Fill json.RawMessage `json:"fill_value"`
		}
		if err := json.Unmarshal(text, &array); err != nil {
			return err
		}
		var typ Type
		var written json.RawMessage
		format, stated := V3, array.V3
		switch {
		case array.V2 != nil:
			var order Order
			format, stated = V2, array.V2
			if typ, order, err = r.ParseV2(stated); err == nil {
				written, err = typ.V2(order)
			}
		case array.V3 == nil:
			return nil // a group
		default:
			if typ, err = r.ParseV3(stated); err == nil {
				written = typ.V3()
			}
		}
		if errors.Is(err, ErrUnknown) || format == V2 && stated[0] == '[' {
			return nil // a type of an extension
		}
		if err != nil || !sameJSON(t, stated, written) {
			t.Errorf("%s: %s becomes %s (%v)", name, stated, written, err)
			return nil
		}
		count[format]++
		if string(array.Fill) == "null" {
			return nil // in v2: no fill value
		}
		value, err := typ.ParseScalar(format, array.Fill)
		if err != nil || !sameJSON(t, array.Fill, typ.FormatScalar(format, value)) {
			t.Errorf("%s: fill value %s becomes %s (%v)", name, array.Fill, typ.FormatScalar(format, value), err)
		}
		return nil
	})
	if err != nil || count[V2] < 40 || count[V3] < 90 {
		t.Errorf("%v arrays were read, %v", count, err)
	}
}

// sameJSON compares numbers by their value and everything else as it is.
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
		}
		return v
	}
	return walk(v)
}

func FuzzDataTypeJSON(f *testing.F) {
	for _, text := range []string{`"float32"`, `"r16"`, `{"name":"raw_bytes","configuration":{"length_bytes":4}}`, `{"name":"int8","configuration":{}}`, `"<f4"`, `"|V8"`, `"nope"`, `null`, `"r99999999999999"`} {
		f.Add([]byte(text))
	}
	r := Standard()
	f.Fuzz(func(t *testing.T, text []byte) {
		if typ, err := r.ParseV3(text); err == nil {
			again, err := r.ParseV3(typ.V3())
			if err != nil || !Same(typ, again) || typ.Size() < 1 || typ.Size() > maxBits/8 {
				t.Fatalf("%q: %s becomes %v (%v)", text, typ.V3(), again, err)
			}
		}
		if typ, order, err := r.ParseV2(text); err == nil {
			name, err := typ.V2(order)
			if err != nil {
				t.Fatal(err)
			}
			again, order2, err := r.ParseV2(name)
			if err != nil || !Same(typ, again) || order != order2 {
				t.Fatalf("%q: %s becomes %v (%v)", text, name, again, err)
			}
		}
	})
}
