package sources

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
	"github.com/zmigrate/zmigrate/zarr"
)

// onlyInfo is an array that is never read.
type onlyInfo struct{ info Info }

func (o *onlyInfo) Info() *Info                                            { return &o.info }
func (o *onlyInfo) ReadRegion(context.Context, ndarray.Array, []int) error { panic("it is never read") }

// TestCharacters describes arrays of characters as texts and as numbers.
func TestCharacters(t *testing.T) {
	attributes := zarr.Attributes{{Name: "_Encoding", Value: []byte(`"utf-8"`)}, {Name: "_FillValue", Value: []byte("32")}, {Name: "a", Value: []byte("1")}}
	characters := func(c Characters, shape ...int) *onlyInfo {
		return &onlyInfo{Info{Type: dtype.Uint8, Shape: shape, DimensionNames: []string{"x", "n"}[2-len(shape):], Chunks: shape, Characters: c, Attributes: attributes, Fill: []byte{' '}}}
	}
	for name, test := range map[string]struct {
		array *onlyInfo
		size  int // of a text; 0: there are no texts
		shape []int
		fill  string
	}{
		"texts":               {characters(LastDimension, 7, 3), 3, []int{7}, "   "},
		"one text":            {characters(LastDimension, 3), 3, []int{}, "   "},
		"single characters":   {characters(SingleCharacters, 7, 3), 1, []int{7, 3}, " "},
		"numbers":             {characters(NoCharacters, 7, 3), 0, nil, ""},
		"a single character":  {characters(SingleCharacters), 0, nil, ""},
		"texts of no length":  {characters(LastDimension, 7, 0), 0, nil, ""},
		"texts too long":      {characters(LastDimension, 7, dtype.MaxSize+1), 0, nil, ""},
		"the longest of them": {characters(LastDimension, 7, 9), 9, []int{7}, "         "},
	} {
		t.Run(name, func(t *testing.T) {
			numbers := Numbers(test.array).Info()
			if numbers.Type != dtype.Uint8 || numbers.Characters != NoCharacters || (numbers.Attributes.Get("_Encoding") == nil) != (test.array.info.Characters != NoCharacters) ||
				numbers.Attributes.Get("_FillValue") == nil || len(numbers.Findings) != len(numbers.Notes) {
				t.Errorf("numbers: %+v", numbers)
			}
			texts, ok := Texts(test.array)
			if ok != (test.size > 0) {
				t.Fatalf("texts: %v", ok)
			}
			if !ok {
				return
			}
			info := texts.Info()
			if !dtype.Same(info.Type, dtype.NullTerminated(test.size)) || string(info.Fill) != test.fill || info.Characters != NoCharacters || len(info.Notes) != 1 {
				t.Errorf("%+v", info)
			}
			if info.Attributes.Get("_Encoding") == nil || info.Attributes.Get("_FillValue") != nil || info.Attributes.Get("a") == nil {
				t.Errorf("attributes %v", info.Attributes)
			}
			for _, list := range [][]int{info.Shape, info.Chunks} {
				if diff := cmp.Diff(test.shape, list); diff != "" {
					t.Error(diff)
				}
			}
			if len(info.DimensionNames) != len(test.shape) {
				t.Errorf("dimensions %q", info.DimensionNames)
			}
			if before := test.array.info; len(before.Attributes) != 3 || before.Notes != nil {
				t.Errorf("the description of the characters has changed: %+v", before)
			}
		})
	}
}
