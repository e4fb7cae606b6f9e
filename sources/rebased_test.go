package sources

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/zarr"
)

// TestRebased reads hours as days. The error about a time without an exact number names the
// element in the array.
func TestRebased(t *testing.T) {
	clock := func(units string, t dtype.Type) Clock {
		return Clock{zarr.Attributes{}.With("units", TextAttribute(units)), t}
	}
	hours := counted(4, 6)
	for i := range hours.values {
		hours.values[i] *= 24
	}
	a, err := Rebased(hours, clock("hours since 2000-01-01", dtype.Float64), clock("days since 2000-01-01", dtype.Int32), "file.nc")
	if err != nil {
		t.Fatal(err)
	}
	dst := ndarray.New(dtype.Int32, []int{2, 3})
	if err := a.ReadRegion(t.Context(), dst, []int{1, 2}); err != nil {
		t.Fatal(err)
	}
	if got, _ := ndarray.As[int32](dst); !slices.Equal(got, []int32{8, 9, 10, 14, 15, 16}) {
		t.Errorf("got %v", got)
	}
	hours.values[2*6+3]++ // an hour behind midnight
	err = a.ReadRegion(t.Context(), dst, []int{1, 2})
	if _, refused := errors.AsType[*cf.RefusedTime](err); !refused || !strings.Contains(err.Error(), `file.nc: array "": element [2 3]: `) {
		t.Errorf("got %v", err)
	}
	broken, err := Rebased(&failing{*hours}, clock("hours since 2000-01-01", dtype.Float64), clock("days since 2000-01-01", dtype.Int32), "file.nc")
	if err == nil {
		err = broken.ReadRegion(t.Context(), dst, []int{1, 2})
	}
	if err == nil || err.Error() != "damaged" {
		t.Errorf("an array that cannot be read: %v", err)
	}
}

// TestRebasedAttributes: the attributes of the new clock replace those that an array has.
// Bounds without units have none afterwards.
func TestRebasedAttributes(t *testing.T) {
	list := func(text string) (list zarr.Attributes) {
		if err := list.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return list
	}
	from, to := `{"units":"hours since 2000-01-01","calendar":"standard"}`, `{"units":"days since 2000-01-01","calendar":"gregorian"}`
	for own, want := range map[string]string{
		`{"a":1,"units":"hours since 2000-01-01"}`:                       `{"a":1,"units":"days since 2000-01-01","calendar":"gregorian"}`,
		`{"units":"hours since 2000-01-01","calendar":"standard","a":1}`: `{"units":"days since 2000-01-01","calendar":"gregorian","a":1}`,
		`{"a":1,"calendar":"standard"}`:                                  `{"a":1,"calendar":"gregorian"}`,
		`{"a":1}`:                                                        `{"a":1}`,
		`{"valid_min":6,"units":"hours since 2000-01-01","valid_max":[48],"actual_range":["NaN",12],"valid_range":[-24,1e9]}`: `{"valid_min":0.25,"units":"days since 2000-01-01","valid_max":[2.0],"actual_range":["NaN",12],"valid_range":[-1.0,41666666.666666664],"calendar":"gregorian"}`,
	} {
		hours := counted(3)
		hours.info.Attributes = list(own)
		a, err := Rebased(hours, Clock{list(from), dtype.Float64}, Clock{list(to), dtype.Float64}, "file.nc")
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := a.Info().Attributes.MarshalJSON(); string(got) != want {
			t.Errorf("%s became %s, want %s", own, got, want)
		}
		if before, _ := hours.info.Attributes.MarshalJSON(); string(before) != own {
			t.Errorf("the attributes of the array itself became %s", before)
		}
	}
}

// TestRebasedRefuses names the file and the array if a clock cannot be read, or if two
// calendars never agree.
func TestRebasedRefuses(t *testing.T) {
	clock := func(units, calendar string) Clock {
		return Clock{zarr.Attributes{}.With("units", TextAttribute(units)).With("calendar", TextAttribute(calendar)), dtype.Float64}
	}
	sound := clock("days since 2000-01-01", "standard")
	for name, other := range map[string]Clock{
		"no units of time":   clock("metres", "standard"),
		"an odd calendar":    clock("days since 2000-01-01", "of the moon"),
		"calendars disagree": clock("days since 2000-01-01", "360_day"),
	} {
		for _, clocks := range [][2]Clock{{other, sound}, {sound, other}} {
			a, err := Rebased(counted(3), clocks[0], clocks[1], "file.nc")
			if a != nil || err == nil || !strings.HasPrefix(err.Error(), `file.nc: array "": `) {
				t.Errorf("%s: %v, %v", name, a, err)
			}
		}
	}
}

// TestReadThrough reads an array, or finds that it cannot be read.
func TestReadThrough(t *testing.T) {
	if err := ReadThrough(t.Context(), counted(100, 100)); err != nil {
		t.Error(err)
	}
	if err := ReadThrough(t.Context(), &failing{*counted(3)}); err == nil {
		t.Error("an array that cannot be read was read")
	}
}

// TestSelectedFails: an array that cannot be read has no parts.
func TestSelectedFails(t *testing.T) {
	for _, span := range []Span{{0, 3, 1}, {0, 3, 2}} {
		s := Selected(&failing{*counted(9)}, []Span{span})
		if err := s.ReadRegion(t.Context(), ndarray.New(dtype.Float64, []int{3}), []int{0}); err == nil || err.Error() != "damaged" {
			t.Errorf("%+v: %v", span, err)
		}
	}
}
