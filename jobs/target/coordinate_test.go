package target

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/sources"
	"github.com/zmigrate/zmigrate/zarr"
)

// inMemory is an array of one dimension.
type inMemory struct {
	info   sources.Info
	values ndarray.Array
}

// column returns the array with these values, each as JSON.
func column(t *testing.T, kind dtype.Type, values ...string) *inMemory {
	t.Helper()
	a := &inMemory{sources.Info{Path: "x", Type: kind, Shape: []int{len(values)}}, ndarray.New(kind, []int{len(values)})}
	i := -1
	err := a.values.SetItems(func() ([]byte, error) {
		i++
		return kind.ParseScalar(dtype.V3, json.RawMessage(values[i]))
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *inMemory) Info() *sources.Info { return &a.info }

func (a *inMemory) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	ndarray.Copy(dst, a.values.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}

func TestCheckCoordinate(t *testing.T) {
	day, err := dtype.Datetime64("D", 1)
	if err != nil {
		t.Fatal(err)
	}
	const fine, known = "", "known"
	for _, test := range []struct {
		kind     dtype.Type
		old, new string
		want     string // fine, known, or a part of the error
	}{
		{dtype.Float64, "1 2 3", "4 5", fine},
		{dtype.Float64, "1 2 3", "3.5", fine},
		{dtype.Float64, "", "7 8", fine},
		{dtype.Float64, "", "8 7", fine},
		{dtype.Float64, "", "7 8 8", "rows 1 and 2 of the source have the same value, 8.0 m"},
		{dtype.Float64, "", "7 9 8", "row 2 of the source, 8.0 m, does not go on from row 1 of the source, 9.0 m"},
		{dtype.Float64, "1 2 3", "2 3", known},
		{dtype.Float64, "1 2 3", "1", known},
		{dtype.Float64, "1 2 3", "2 3 4", "row 0 of the source, 2.0 m, is row 1 of the target already"},
		{dtype.Float64, "1 2 3", "0 1", "row 1 of the source, 1.0 m, is row 0 of the target already"},
		{dtype.Float64, "1 2 3", "1 3", "row 0 of the source, 1.0 m, is row 0 of the target already"},
		{dtype.Float64, "1 2 3", "2.5", "row 0 of the source, 2.5 m, does not go on from row 2 of the target, 3.0 m"},
		{dtype.Float64, "1 2 3", "5 4", "row 1 of the source, 4.0 m, does not go on from row 0 of the source, 5.0 m"},
		{dtype.Float64, "1 2", `"NaN"`, `coordinate "x": row 0 of the source is NaN`},
		{dtype.Float64, `1 2 "NaN"`, "0 7", `coordinate "x": row 2 of the target is NaN`},
		{dtype.Float32, `"NaN" 2 3`, "4", `coordinate "x": row 0 of the target is NaN`},
		{dtype.Float64, "3 2", "1 0", fine},
		{dtype.Float64, "-1 0", "-0.0", known},
		{dtype.Float64, "-1 -0.0", "0 1", "row 0 of the source, -0.0 m, is row 1 of the target already"},
		{dtype.Float32, "5 0 7", "-0.0 5", "row 1 of the source, 5.0 m, is row 0 of the target already"},
		{dtype.Float32, "5 7 0 1", "7 -0.0", known},
		{dtype.Float64, "", "0 5 -0.0", "rows 0 and 2 of the source have the same value, -0.0 m"},
		{dtype.Float16, "2 0", "-0.0", known},
		{dtype.Float64, "3 2", "4", "does not go on from row 1 of the target"},
		{dtype.Float64, "3", "2 1", fine},
		{dtype.Float64, "3", "2", "if the coordinate falls"}, // one row rises
		{dtype.Float64, "3 2 2", "7 1", fine},                // no order to go on with
		{dtype.Float64, "3 2 2", "7 9 8", "row 2 of the source, 8.0 m, does not go on from row 1 of the source, 9.0 m"},
		{dtype.Float32, "1 2", "1.5", "does not go on"},
		{dtype.Int8, "-2 -1", "0 1", fine},
		{dtype.Int16, "-2 -1", "-3", "does not go on"},
		{dtype.Int32, "-2 -1", "-2", known},
		{dtype.Int64, "9007199254740992 9007199254740993", "9007199254740994", fine},
		{dtype.Uint8, "1 2", "255", fine},
		{dtype.Uint16, "1 2", "0", "does not go on"},
		{dtype.Uint32, "1 2", "4294967295", fine},
		{dtype.Uint64, "1 2", "18446744073709551615", fine},
		{dtype.Float16, "1 2", "0.5", "does not go on"},
		{dtype.Float16, "1 2", "3", fine},
		{dtype.Float16, `1 "0xfe01"`, "3", `row 1 of the target is NaN`},
		{dtype.Float8E5M2, "1 2", "-1", "does not go on"},
		{dtype.Int4, "-2 -1", "3", fine},
		{dtype.Int4, "-2 -1", "-3", "does not go on"},
		{dtype.Float16, "1 2", "0.5 2", "row 1 of the source, 2.0 m, is row 1 of the target already"},
		{day, "1 2", "3", fine},
		{day, "1 2", "0", "does not go on"},
		{day, "1 2", "-9223372036854775808", "row 0 of the source is NaT"},
		{dtype.StringType, `"b" "a"`, `"c" "0"`, fine},
		{dtype.StringType, `"b" "a"`, `"a"`, known},
		{dtype.StringType, `"b" "a"`, `"a" "c"`, `row 0 of the source, "a" m, is row 1 of the target already`},
	} {
		old, own := column(t, test.kind, strings.Fields(test.old)...), column(t, test.kind, strings.Fields(test.new)...)
		meta := &zarr.Array{Grid: zarr.Grid{Shape: old.info.Shape}, Attributes: zarr.Attributes{{Name: "units", Value: json.RawMessage(`"m"`)}}}
		is, _, err := (&Existing{Path: "x", Meta: meta, Array: old, Incoming: own, Rows: old.info.Shape[0]}).CheckCoordinate(t.Context())
		switch {
		case test.want == fine || test.want == known:
			if err != nil || is != (test.want == known) {
				t.Errorf("%s behind %s: %v, %v", test.new, test.old, is, err)
			}
		case err == nil || !strings.Contains(err.Error(), test.want):
			t.Errorf("%s behind %s: %v\nwant %s", test.new, test.old, err, test.want)
		}
	}
}

// TestOrderOfTexts appends texts, which may be in any order, but for a warning
// where those before had one.
func TestOrderOfTexts(t *testing.T) {
	for _, test := range []struct {
		kind           dtype.Type
		old, new, want string
	}{
		{dtype.StringType, `"2026-01-01" "2026-01-03"`, `"2026-01-04" "2026-01-05"`, ""},
		{dtype.StringType, `"2026-01-01" "2026-01-03"`, `"2025-01-03"`, `row 0 of the source, "2025-01-03", does not go on from row 1 of the target, "2026-01-03"`},
		{dtype.StringType, `"2026-01-01" "2026-01-03"`, `"2026-01-05" "2026-01-04"`, `row 1 of the source, "2026-01-04", does not go on from row 0 of the source, "2026-01-05"`},
		{dtype.StringType, `"2026-01-01"`, `"2025-01-03"`, `row 0 of the source, "2025-01-03"`},
		{dtype.StringType, `"b" "a" "c"`, `"0"`, ""},
		{dtype.StringType, `"c" "b"`, `"a"`, ""},
		{dtype.StringType, `"c" "b"`, `"d"`, `row 0 of the source, "d"`},
		{dtype.StringType, ``, `"b" "a"`, ""},
		{dtype.FixedUTF32(2), `"ā" "ab"`, `"a0"`, ""},
		{dtype.FixedUTF32(2), `"a" "\u0101"`, `"b"`, `row 0 of the source, "b"`},
		{dtype.FixedUTF32(2), `"a" "b"`, `"\u0101"`, ""},
	} {
		old, own := column(t, test.kind, strings.Fields(test.old)...), column(t, test.kind, strings.Fields(test.new)...)
		known, disorder, err := (&Existing{Path: "x", Meta: &zarr.Array{}, Array: old, Incoming: own, Rows: old.info.Shape[0]}).CheckCoordinate(t.Context())
		if known || err != nil || (disorder == "") != (test.want == "") || !strings.Contains(disorder, test.want) {
			t.Errorf("%s behind %s: %v, %q, %v\nwant %q", test.new, test.old, known, disorder, err, test.want)
		}
	}
}

// TestFirstOfMany has what is wrong at the border of what is read at a time, and
// values without an order.
func TestFirstOfMany(t *testing.T) {
	const n = coordinatePiece + 2
	many := func(at int, value string) *inMemory {
		list := make([]string, n)
		for i := range list {
			list[i] = strconv.Itoa(i)
		}
		list[at] = value
		return column(t, dtype.Float64, list...)
	}
	for _, test := range []struct {
		own  *inMemory
		want string
	}{
		{many(0, "0"), ""},
		{many(n-2, "7"), "row 65536 of the source, 7.0, does not go on from row 65535 of the source, 65535.0"},
		{many(n-1, "7"), "row 65537 of the source, 7.0, does not go on from row 65536 of the source, 65536.0"},
		{many(n-1, `"NaN"`), "row 65537 of the source is NaN"},
		{column(t, dtype.StringType, `"b"`, `"a"`, `"c"`), ""},
		{column(t, dtype.StringType, `"b"`, `"a"`, `"b"`), `rows 0 and 2 of the source have the same value, "b"`},
	} {
		err := (&Existing{Path: "x", Meta: &zarr.Array{}, Incoming: test.own}).CheckFirst(t.Context())
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v\nwant %q", err, test.want)
		}
	}
}
