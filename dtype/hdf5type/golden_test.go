package hdf5type_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/hdf5type"
)

// golden is a case of testdata/cases.json; see generate.py there.
type golden struct {
	Name    string
	Message string
	Size    int
	DType   json.RawMessage
	H5py    string // why h5py has no DType
	Shape   []int
	Raw     string
	Packed  string
}

func (g golden) message(t testing.TB) []byte { return fromHex(t, g.Message) }

// key is the name without the version of the file format.
func (g golden) key() string { return strings.TrimSuffix(g.Name, ", latest") }

func fromHex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func goldens(t testing.TB) []golden {
	t.Helper()
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []golden
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// refused maps datatypes without a counterpart to a word of the error.
var refused = map[string]string{
	"float128/little":                        "rewrite the data as float64",
	"float128/big":                           "rewrite the data as float64",
	"long double":                            "15 exponent bits, 64 mantissa bits",
	"vax32":                                  "VAX floats of 4 bytes",
	"vax64":                                  "H5T_IEEE_F64LE",
	"time/little":                            "units attribute",
	"time/big":                               "units attribute",
	"int of 3 bytes":                         "fixed-point of 3 bytes",
	"vlen of int32":                          "padded to the longest",
	"vlen of vlen":                           "padded to the longest",
	"compound with vlen":                     `member "b": a field of a struct has no variable length`,
	"nc4_features.nc:c_bzip2@DIMENSION_LIST": "variable length of class reference",
	"nc4_features.nc:forecast/m@REFERENCE_LIST": `member "dataset": a field of a struct has no variable length`,
}

// typed has the types of datatypes for which h5py has no equal type.
var typed = map[string]string{
	"native complex32/little": `"complex_float16"`,
	"native complex32/big":    `"complex_float16"`,
	"bfloat16/little":         `"bfloat16"`,
	"bfloat16/big":            `"bfloat16"`,
	"float8_e4m3":             `"float8_e4m3"`,
	"float8_e5m2":             `"float8_e5m2"`,
	"vlen string":             `"string"`,
	"object reference":        `"string"`,
	"region reference":        `"string"`,
	"new reference":           `"string"`,
	"vlen string, ascii":      `"string"`,
	"vlen of uint8":           `"bytes"`,
	"array of vlen strings":   `"string"`,
	"nc4_features.nc:s":       `"string"`,
	"compound with array": `{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int32"},{"name":"b","data_type":{"name":"struct","configuration":{"fields":[` +
		`{"name":"0_0","data_type":"float32"},{"name":"0_1","data_type":"float32"},{"name":"1_0","data_type":"float32"},{"name":"1_1","data_type":"float32"}]}}}]}}`,
}

func TestGoldenMessage(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			message := g.message(t)
			d, used, err := hdf5type.Parse(append(message, 1, 2, 3))
			if err != nil {
				t.Fatal(err)
			}
			if used != len(message) || d.Size != g.Size {
				t.Errorf("%d bytes used and elements of %d, want %d and %d", used, d.Size, len(message), g.Size)
			}
			written, err := d.Append([]byte("before"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append([]byte("before"), message...), written); diff != "" {
				t.Errorf("Append (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGoldenType(t *testing.T) {
	registry := dtype.Standard()
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			d, _, err := hdf5type.Parse(g.message(t))
			if err != nil {
				t.Fatal(err)
			}
			n, err := d.Type()
			if hint, ok := refused[g.key()]; ok {
				if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), hint) {
					t.Errorf("error %v, want one with %q", err, hint)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(g.Shape, n.Shape); diff != "" {
				t.Errorf("shape (-want +got):\n%s", diff)
			}
			if v3, ok := typed[g.key()]; ok {
				if got, err := n.Type.V3(); string(got) != v3 {
					t.Errorf("type %s (%v), want %s", got, err, v3)
				}
				if n.Type.Size() > 0 {
					checkDecode(t, g, n)
				}
				return
			}
			if g.DType == nil {
				t.Fatalf("no type known (h5py: %s), got %v", g.H5py, n.Type)
			}
			want, order, err := registry.ParseV2(g.DType, "")
			if err != nil {
				t.Fatal(err)
			}
			if !dtype.Same(n.Type, want) || n.Order != order {
				t.Errorf("%v in order %v, want %v in order %v", n.Type, n.Order, want, order)
			}
			checkDecode(t, g, n)
		})
	}
}

// checkDecode compares decoded elements with those that h5py reads.
func checkDecode(t *testing.T, g golden, n hdf5type.Native) {
	t.Helper()
	raw, want := fromHex(t, g.Raw), fromHex(t, g.Packed)
	if len(raw) == 0 {
		return
	}
	count := len(raw) / n.Element.Size
	got := make([]byte, count*n.Type.Size())
	n.Decode(got, raw)
	if o, ok := n.Type.(dtype.Ordered); ok && dtype.Native == dtype.Big {
		o.SwapInto(got, got)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("elements %x\n  read as %x,\n     want %x\nby %+v", raw, got, want, n.Moves)
	}
}

// TestGoldenTruncated cuts every message at every byte.
func TestGoldenTruncated(t *testing.T) {
	for _, g := range goldens(t) {
		message := g.message(t)
		for n := range message {
			if _, _, err := hdf5type.Parse(message[:n]); !errors.Is(err, hdf5type.ErrCorrupt) {
				t.Errorf("%s: the first %d of %d bytes: error %v, want %v", g.Name, n, len(message), err, hdf5type.ErrCorrupt)
			}
		}
	}
}

// TestGoldenFlipped flips every bit of every message: a message that still parses must
// give a sound datatype.
func TestGoldenFlipped(t *testing.T) {
	errs, sound := 0, 0
	for _, g := range goldens(t) {
		message := g.message(t)
		for bit := range 8 * len(message) {
			message[bit/8] ^= 1 << (bit % 8)
			if checkSound(t, message) {
				sound++
			} else {
				errs++
			}
			message[bit/8] ^= 1 << (bit % 8)
		}
	}
	if errs == 0 || sound == 0 {
		t.Errorf("%d flips gave errors, %d others: some of both were expected", errs, sound)
	}
}

// checkSound parses a message. If that succeeds, it formats the datatype, writes it,
// reads it back, maps it to a Zarr type and decodes elements. It returns false for an
// error of Parse.
func checkSound(t *testing.T, message []byte) bool {
	t.Helper()
	d, used, err := hdf5type.Parse(message)
	if err != nil {
		if !errors.Is(err, hdf5type.ErrCorrupt) && !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("%x: error without cause: %v", message, err)
		}
		return false
	}
	if used > len(message) {
		t.Fatalf("%x: %d bytes used", message, used)
	}
	written, err := d.Append(nil)
	if err != nil {
		t.Fatalf("%x: Append: %v", message, err)
	}
	again, used, err := hdf5type.Parse(written)
	if err != nil || used != len(written) {
		t.Fatalf("%x: written as %x, of which %d bytes are read: %v", message, written, used, err)
	}
	if !reflect.DeepEqual(d, again) { // cmp is too slow for so many datatypes
		t.Fatalf("%x: written as %x, read as (-want +got):\n%s", message, written, cmp.Diff(d, again))
	}
	n, err := d.Type()
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("%x: error without cause: %v", message, err)
		}
		return true
	}
	const most = 1 << 16
	if n.Type.Size() > 0 && n.Element.Size <= most {
		n.Decode(make([]byte, 3*n.Type.Size()), bytes.Repeat([]byte{0xa5}, 3*n.Element.Size))
	}
	return true
}

func FuzzParse(f *testing.F) {
	for _, g := range goldens(f) {
		f.Add(g.message(f))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		checkSound(t, message)
		d, _, err := hdf5type.Parse(message)
		if err != nil || d.Size > 1<<10 {
			return
		}
		none := func([]byte, int) ([]byte, error) { return nil, nil }
		if text, err := d.Format(make([]byte, d.Size), none); err != nil || d.String() == "" {
			t.Errorf("%v: %q, %v", d, text, err)
		}
	})
}
