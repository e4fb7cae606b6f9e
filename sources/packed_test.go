package sources

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/internal/cf"
	"github.com/zmigrate/zmigrate/zarr"
)

// counting is an array of int16 whose elements are their own indexes. It keeps what it
// was asked for, and has objects and regions that are stored.
type counting struct {
	info    *Info
	strides []int
	fail    error
}

func (c *counting) Info() *Info { return c.info }

func (c *counting) ShareInfo(s *Infos) { c.info = s.Share(c.info) }

func (c *counting) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(c.info, dst, start); err != nil || c.fail != nil {
		return errors.Join(err, c.fail)
	}
	c.strides = dst.Strides
	whole := ndarray.New(dtype.Int16, c.info.Shape)
	list, _ := ndarray.As[int16](whole)
	for i := range list {
		list[i] = int16(i)
	}
	ndarray.Copy(dst, whole.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}

func (c *counting) OpenStored(context.Context, []int) (codecs.Input, error) { return nil, nil }

func (c *counting) VerifyStored(context.Context, []int, codecs.Input) error { return nil }

func (c *counting) StoredRegions(context.Context, func(ndarray.Region)) (dtype.Scalar, error) {
	return nil, nil
}

// newCounting has 2 × 3 elements and these attributes.
func newCounting(attributes string) *counting {
	c := &counting{info: &Info{
		Path: "v", Type: dtype.Int16, Shape: []int{2, 3}, Codecs: []codecs.Spec{{Name: "bytes"}},
		Notes: []string{"of the source"}, Findings: []cf.Finding{{Code: "x"}}, Fill: dtype.Scalar{0, 0},
	}}
	if err := c.info.Attributes.UnmarshalJSON([]byte(attributes)); err != nil {
		panic(err)
	}
	return c
}

// texts are the elements of an array as JSON.
func texts(a ndarray.Array) string {
	var list []string
	for item := range a.Items() {
		list = append(list, string(a.Type.FormatScalar(dtype.V3, slices.Clone(dtype.Scalar(item)))))
	}
	return strings.Join(list, " ")
}

const halves = `{"scale_factor":0.5,"add_offset":10.0,"_FillValue":3,"missing_value":"none","comment":"c"}`

// TestUnpacked reads physical values into memory without gaps and with gaps.
func TestUnpacked(t *testing.T) {
	c := newCounting(halves)
	a, err := Packed(c, cf.Unpack, nil)
	if err != nil {
		t.Fatal(err)
	}
	info := a.Info()
	if info.Type != dtype.Float64 && info.Type != dtype.Float32 {
		t.Fatalf("type %s", info.Type.Name())
	}
	if info.Attributes.Get("scale_factor") != nil || info.Attributes.Get("comment") == nil || info.Codecs != nil || info.Obstacle == "" || info.Packing != nil ||
		string(info.Type.FormatScalar(dtype.V3, info.Fill)) != `"NaN"` || info.FillFrom == "" {
		t.Errorf("got %+v", info)
	}
	if c.info.Type != dtype.Int16 || c.info.Attributes.Get("scale_factor") == nil || c.info.Codecs == nil {
		t.Errorf("the description of the packed array was changed to %+v", c.info)
	}
	if n := info.Notes; len(n) < 2 || n[0] != "of the source" || !strings.HasPrefix(n[1], "unpacked from int16") {
		t.Errorf("notes %q", n)
	}
	if f := info.Findings; len(f) != 2 || f[0].Code != "x" || !strings.Contains(f[1].Message, "missing_value") {
		t.Errorf("findings %q", f)
	}
	size := info.Type.Size()
	for _, test := range []struct {
		memory  ndarray.Array
		strides []int // of the memory for the stored values
	}{
		{ndarray.New(info.Type, []int{2, 2}), []int{4, 2}},
		{ndarray.New(info.Type, []int{2, 5}).Sub(ndarray.Region{Start: []int{0, 1}, Shape: []int{2, 2}}), []int{5 * size, size}},
	} {
		if err := a.ReadRegion(t.Context(), test.memory, []int{0, 1}); err != nil {
			t.Fatal(err)
		}
		if got := texts(test.memory); got != "10.5 11.0 12.0 12.5" || !slices.Equal(c.strides, test.strides) {
			t.Errorf("got %s by way of strides %v, want strides %v", got, c.strides, test.strides)
		}
	}
	one := ndarray.New(info.Type, []int{1, 1})
	if err := a.ReadRegion(t.Context(), one, []int{1, 0}); err != nil {
		t.Fatal(err)
	}
	if got := texts(one); got != `"NaN"` {
		t.Errorf("the missing element is %s", got)
	}
	if AsStored(a) != nil || AsSparse(a) != nil {
		t.Error("the unpacked array has stored objects or regions, although its values are others")
	}
	if err := a.ReadRegion(t.Context(), one, []int{2, 0}); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("outside: %v", err)
	}
	if err := a.ReadRegion(t.Context(), ndarray.New(dtype.Int16, []int{1, 1}), []int{1, 0}); err == nil {
		t.Error("physical values fit into memory for stored ones")
	}
	c.fail = errors.New("failed")
	if err := a.ReadRegion(t.Context(), one, []int{1, 0}); !errors.Is(err, c.fail) {
		t.Errorf("got %v", err)
	}
}

// TestPackedAsCodecs keeps the elements and their stored objects and regions. The data type
// may get another sign.
func TestPackedAsCodecs(t *testing.T) {
	c := newCounting(`{"scale_factor":0.5,"_Unsigned":"true"}`)
	a, err := Packed(c, cf.Codecs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if info := a.Info(); info.Type != dtype.Uint16 || info.Packing == nil || info.Codecs == nil || info.Attributes.Get("scale_factor") == nil {
		t.Errorf("got %+v", info)
	}
	dst := ndarray.New(dtype.Uint16, []int{2, 3})
	if err := a.ReadRegion(t.Context(), dst, []int{0, 0}); err != nil {
		t.Fatal(err)
	}
	if got, _ := ndarray.As[uint16](dst); !slices.Equal(got, []uint16{0, 1, 2, 3, 4, 5}) {
		t.Errorf("got %v", got)
	}
	for _, a := range []Array{c, a, &described{a, a.Info()}, &described{c, c.info}} {
		if AsStored(a) != Stored(c) || AsSparse(a) != Sparse(c) {
			t.Errorf("%T has other objects", a)
		}
	}
}

// TestNotPacked returns arrays as they are if they are not packed, or if the mode keeps
// their packing.
func TestNotPacked(t *testing.T) {
	packed, plain, wrong := newCounting(halves), newCounting(`{"units":"K"}`), newCounting(`{"scale_factor":"much"}`)
	for _, test := range []struct {
		array *counting
		mode  cf.Mode
		same  bool
	}{
		{packed, cf.Keep, true}, {packed, "", true}, {packed, cf.Unpack, false}, {packed, cf.Codecs, false},
		{plain, cf.Keep, true}, {plain, cf.Unpack, true}, {plain, cf.Codecs, true}, {wrong, cf.Keep, true},
	} {
		a, err := Packed(test.array, test.mode, nil)
		if err != nil || (a == Array(test.array)) != test.same {
			t.Errorf("%q: %T, %v", test.mode, a, err)
		}
	}
	for _, mode := range []cf.Mode{cf.Unpack, cf.Codecs} {
		if _, err := Packed(wrong, mode, nil); err == nil || !strings.HasPrefix(err.Error(), `array "v": `) {
			t.Errorf("%q: got %v", mode, err)
		}
	}
}

// TestPackedShares has equal packed arrays. They share one description, and the arrays
// below them share one, too.
func TestPackedShares(t *testing.T) {
	var infos Infos
	var list [2]Array
	var below [2]*counting
	for i := range list {
		below[i] = newCounting(halves)
		a, err := Packed(below[i], cf.Unpack, nil)
		if err != nil {
			t.Fatal(err)
		}
		a.(Shared).ShareInfo(&infos)
		list[i] = a
	}
	if list[0].Info() != list[1].Info() || below[0].info != below[1].info || list[0].Info() == below[0].info {
		t.Error("equal descriptions are two")
	}
	plain := struct{ Array }{&held{info: &Info{Path: "w", Type: dtype.Int16, Attributes: zarr.Attributes{{Name: "scale_factor", Value: []byte("2.0")}}}}}
	a, err := Packed(plain, cf.Unpack, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.(Shared).ShareInfo(&infos) // the array below cannot share its description
}
