package sources

import (
	"context"
	"errors"
	"slices"
	"strings"
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
		"texts of length 1":   {characters(LastDimension, 7, 1), 1, []int{7}, " "},
		"the longest text":    {characters(LastDimension, 0, dtype.MaxSize), dtype.MaxSize, []int{0}, strings.Repeat(" ", dtype.MaxSize)},
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
			if !dtype.Same(info.Type, dtype.NullTerminated(test.size)) || string(info.Fill) != test.fill || info.Characters != NoCharacters || len(info.Notes) != 2 || !strings.Contains(info.Notes[1], "_FillValue (32) is left out") {
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

// letters is an array of characters whose elements are the letters from a on. It describes
// itself by Characters, and fails if fail is set.
type letters struct {
	onlyInfo
	fail error
}

func (l *letters) ReadRegion(_ context.Context, dst ndarray.Array, start []int) error {
	if err := CheckRegion(&l.info, dst, start); err != nil || l.fail != nil {
		return errors.Join(err, l.fail)
	}
	whole := ndarray.New(dtype.Uint8, l.info.Shape)
	for i := range whole.Data {
		whole.Data[i] = byte('a' + i)
	}
	ndarray.Copy(dst, whole.Sub(ndarray.Region{Start: start, Shape: dst.Shape}))
	return nil
}

// TestReadTexts reads texts along the last dimension, and texts of one character, into
// memory with and without gaps.
func TestReadTexts(t *testing.T) {
	for name, test := range map[string]struct {
		characters    Characters
		within        []int // shape of the memory around the texts
		start, region []int
		want          string
	}{
		"texts":                      {LastDimension, []int{2}, []int{1}, []int{2}, "def ghi"},
		"texts between others":       {LastDimension, []int{4}, []int{1}, []int{2}, "def ghi"},
		"characters":                 {SingleCharacters, []int{2, 2}, []int{1, 1}, []int{2, 2}, "e f h i"},
		"characters between others":  {SingleCharacters, []int{4, 5}, []int{1, 1}, []int{2, 2}, "e f h i"},
		"no text":                    {LastDimension, []int{0}, []int{4}, []int{0}, ""},
		"texts behind the last one":  {LastDimension, []int{2}, []int{3}, []int{2}, "region"},
		"characters behind the last": {SingleCharacters, []int{2, 2}, []int{1, 2}, []int{2, 2}, "region"},
	} {
		t.Run(name, func(t *testing.T) {
			array := &letters{onlyInfo: onlyInfo{Info{Type: dtype.Uint8, Shape: []int{4, 3}, Characters: test.characters}}}
			a, ok := Texts(array)
			if !ok {
				t.Fatal("there are no texts")
			}
			memory := ndarray.New(a.Info().Type, test.within)
			dst := memory.Sub(ndarray.Region{Start: slices.Repeat([]int{0}, len(test.start)), Shape: test.region})
			err := a.ReadRegion(t.Context(), dst, test.start)
			if test.want == "region" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v", err)
				}
				return
			}
			var got []string
			for item := range dst.Items() {
				got = append(got, string(item))
			}
			if err != nil || strings.Join(got, " ") != test.want {
				t.Errorf("%q, %v; want %s", got, err, test.want)
			}
			if err := a.ReadRegion(t.Context(), ndarray.New(dtype.NullTerminated(2), test.region), test.start); err == nil {
				t.Error("texts were read as texts of another length")
			}
			array.fail = errors.New("damaged")
			if err := a.ReadRegion(t.Context(), dst, test.start); !errors.Is(err, array.fail) {
				t.Errorf("an array that cannot be read: %v", err)
			}
		})
	}
}
