package arrow_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/sources/arrow"
	"github.com/zmigrate/zmigrate/sources/sourcetest"
)

// more is a folder of all files from which the archive testdata/golden.zip was
// selected. It need not be present.
var more = filepath.Join(os.Getenv("ZMIGRATE_GOLDEN"), "arrow")

// golden is what pyarrow reads from a file.
type golden struct {
	Columns map[string]goldenColumn
}

type goldenColumn struct {
	Type   string
	Shape  []int
	Values []json.RawMessage // all values, or the first of the values of SHA256
	SHA256 string            `json:"sha256_json"` // of the JSON list of all values, or ""
	Error  string            // part of the error with which the column is refused
}

func readGolden(t *testing.T, dir string) map[string]golden {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Files map[string]golden }
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document.Files
}

// files returns files without keys.
func files(urls ...string) []arrow.File {
	list := make([]arrow.File, len(urls))
	for i, u := range urls {
		list[i].URL = u
	}
	return list
}

func open(t *testing.T, opt arrow.Options, urls ...string) sources.Source {
	t.Helper()
	src, err := arrow.OpenAll(t.Context(), files(urls...), opt)
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CloseLater(t, src)
	return src
}

// unpack writes the archive's files to a new folder.
func unpack(t *testing.T) string {
	t.Helper()
	return sourcetest.Unzip(t, "testdata/golden.zip")
}

// archived returns a file of the archive.
func archived(t testing.TB, name string) []byte {
	t.Helper()
	return sourcetest.Zipped(t, "testdata/golden.zip", name)
}

// null returns the value that replaces nulls.
func null(t *testing.T, typ dtype.Type) dtype.Scalar {
	t.Helper()
	text := "-77"
	switch name := typ.Name(); {
	case name == "bool":
		text = "true"
	case strings.HasPrefix(name, "uint"):
		text = "77"
	case name == "string":
		text = `"no value"`
	case name == "bytes":
		text = `[1,2]`
	case strings.HasPrefix(name, "float"):
		text = "-1.5"
	case name == "raw_bytes" || strings.HasPrefix(name, "r"):
		return bytes.Repeat([]byte{7}, typ.Size())
	}
	fill, err := typ.ParseScalar(dtype.V3, json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return fill
}

// TestGolden compares all columns of the archive, which e2e/interop/arrow_sources.py
// made.
func TestGolden(t *testing.T) {
	dir := unpack(t)
	if n := testGolden(t, dir); n < 300 {
		t.Errorf("only %d columns were read", n)
	}
}

// TestGoldenFolder does the same over a folder that the script wrote with another
// program.
func TestGoldenFolder(t *testing.T) {
	if _, err := os.Stat(more); err != nil {
		t.Skipf("set ZMIGRATE_GOLDEN to the folder of all goldens: %v", err)
	}
	if n := testGolden(t, more); n < 313 {
		t.Errorf("only %d columns were read", n)
	}
}

// testGolden compares every column of a folder with the expected values, and returns
// the number of columns.
func testGolden(t *testing.T, dir string) (columns int) {
	for name, want := range readGolden(t, dir) {
		t.Run(name, func(t *testing.T) {
			src := open(t, arrow.Options{Null: func(_ string, typ dtype.Type) (dtype.Scalar, error) { return null(t, typ), nil }}, filepath.Join(dir, name))
			if got := len(src.Arrays()); got != len(want.Columns) {
				t.Errorf("%d arrays, want %d", got, len(want.Columns))
			}
			for path, c := range want.Columns {
				columns++
				t.Run(path, func(t *testing.T) { checkColumn(t, src, path, c) })
			}
		})
	}
	return columns
}

func checkColumn(t *testing.T, src sources.Source, path string, want goldenColumn) {
	a, err := src.Array(t.Context(), path)
	if want.Error != "" {
		if err == nil || !strings.Contains(err.Error(), want.Error) {
			t.Errorf("got %v, want an error with %q", err, want.Error)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Info().Shape; !slices.Equal(got, want.Shape) {
		t.Fatalf("shape %v, want %v", got, want.Shape)
	}
	whole := sourcetest.ReadAll(t, a)
	var values []string
	for item := range whole.Items() {
		values = append(values, pythonJSON(t, whole.Type, item))
	}
	filled := pythonJSON(t, whole.Type, null(t, whole.Type))
	for i, v := range want.Values {
		switch text := pythonText(v); {
		case text == "null" && values[i] == filled:
			values[i] = text
		case text != values[i]:
			t.Fatalf("element %d is %s, want %s", i, values[i], v)
		}
	}
	if want.SHA256 == "" {
		if len(values) != len(want.Values) {
			t.Errorf("%d elements, want %d", len(values), len(want.Values))
		}
		return
	}
	for i, v := range values { // no value of these files equals the one that replaces nulls
		if strings.HasSuffix(path, "_nulls") && v == filled {
			values[i] = "null"
		}
	}
	sum := sha256.Sum256([]byte("[" + strings.Join(values, ", ") + "]"))
	if got := hex.EncodeToString(sum[:]); got != want.SHA256 {
		t.Errorf("the values of type %s differ", want.Type)
	}
}

// pythonText writes an expected value in the form of pythonJSON.
func pythonText(text json.RawMessage) string {
	var s string
	if json.Unmarshal(text, &s) == nil && text[0] == '"' {
		return quote(s)
	}
	var x struct{ Hex *string }
	if json.Unmarshal(text, &x) == nil && x.Hex != nil {
		return `{"hex": "` + *x.Hex + `"}`
	}
	return string(text)
}

// pythonJSON writes an element as Python's module json does.
func pythonJSON(t *testing.T, typ dtype.Type, item []byte) string {
	t.Helper()
	switch name := typ.Name(); {
	case name == "string":
		return quote(string(item))
	case name == "bytes" || strings.HasPrefix(name, "r"):
		return `{"hex": "` + hex.EncodeToString(item) + `"}`
	case strings.HasPrefix(name, "float"):
		return pythonFloat(t, typ, item)
	case strings.HasPrefix(name, "numpy."):
		return string(dtype.Int64.FormatScalar(dtype.V3, item))
	default:
		return string(typ.FormatScalar(dtype.V3, item))
	}
}

// pythonFloat writes a float, converted to float64, as Python's repr does.
func pythonFloat(t *testing.T, typ dtype.Type, item []byte) string {
	t.Helper()
	text := typ.FormatScalar(dtype.V3, item)
	wide, err := dtype.Float64.ParseScalar(dtype.V3, text)
	if err != nil || text[0] == '"' {
		return string(text)
	}
	// The text of a narrower type is the shortest only for that type.
	var v float64
	switch typ.Size() {
	case 2, 4:
		single, err := strconv.ParseFloat(string(text), 32)
		if err != nil {
			t.Fatal(err)
		}
		v = single
		if typ.Size() == 2 {
			v = math.Round(single*(1<<24)) / (1 << 24) // the exact value of a half
			exact := math.Exp2(math.Floor(math.Log2(math.Abs(single))) - 10)
			if single != 0 {
				v = math.Round(single/exact) * exact
			}
		}
	default:
		v, _ = strconv.ParseFloat(string(dtype.Float64.FormatScalar(dtype.V3, wide)), 64)
	}
	mantissa, exponent, scientific := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	e, err := strconv.Atoi(exponent)
	if err != nil || !scientific {
		t.Fatal(err)
	}
	if e < -4 || e >= 16 {
		return fmt.Sprintf("%se%+03d", mantissa, e)
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// quote writes a string with all characters but those that JSON has to escape.
func quote(s string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s) + `"`
}
