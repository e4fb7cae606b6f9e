package target

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestPackedCoordinate spells packed times as the times that they mean, whether attributes
// of the target say so, or its codecs.
func TestPackedCoordinate(t *testing.T) {
	units := zarr.Attributes{{Name: "units", Value: json.RawMessage(`"days since 2001-01-01"`)}}
	packed := units.With("scale_factor", json.RawMessage("0.25")).With("add_offset", json.RawMessage("10"))
	for name, attributes := range map[string]zarr.Attributes{"attributes": packed, "codecs": units} {
		existing := func(values ...string) *Existing {
			old, own := column(t, dtype.Int16, "0", "4", "8"), column(t, dtype.Int16, values...)
			if name == "codecs" {
				p, err := cf.Read(dtype.Int16, packed, nil)
				if err != nil {
					t.Fatal(err)
				}
				own.info.Packing = p
			}
			meta := &zarr.Array{Grid: zarr.Grid{Shape: old.info.Shape}, Attributes: attributes}
			return &Existing{Path: "x", Meta: meta, Array: old, Incoming: own, Rows: 3}
		}
		_, hole := existing("6").Overlap(t.Context())
		_, _, known := existing("4", "12").CheckCoordinate(t.Context())
		_, _, turns := existing("12", "10").CheckCoordinate(t.Context())
		gaps, err := existing("40").Gaps(t.Context())
		if err != nil || hole == nil || known == nil || turns == nil {
			t.Fatal(hole, known, turns, err)
		}
		for _, c := range []struct{ got, want string }{
			{hole.Error(), "row 0 of the source, 11.5 days since 2001-01-01, belongs between rows 1 and 2 of the target, 11.0 days since 2001-01-01 and 12.0 days since 2001-01-01"},
			{known.Error(), "row 0 of the source, 11.0 days since 2001-01-01, is row 1 of the target already"},
			{turns.Error(), "row 1 of the source, 12.5 days since 2001-01-01, does not go on from row 0 of the source, 13.0 days since 2001-01-01"},
			{strings.Join(gaps, "\n"), "from 12.0 days since 2001-01-01 in row 2 of the target to 20.0 days since 2001-01-01 in row 0 of the source is a step of 8, and the step so far is 1: rows seem to be missing"},
		} {
			if !strings.Contains(c.got, c.want) {
				t.Errorf("%s: got  %s\nwant %s", name, c.got, c.want)
			}
		}
	}
}
