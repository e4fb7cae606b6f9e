package sources

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
)

// chunked is an array with objects. It records the indices for which it is asked.
type chunked struct {
	*held
	name  string
	asked *[]string
}

func (c chunked) OpenStored(_ context.Context, index []int) (codecs.Input, error) {
	*c.asked = append(*c.asked, fmt.Sprint("open ", c.name, index))
	return nil, nil
}

func (c chunked) VerifyStored(_ context.Context, index []int, _ codecs.Input) error {
	*c.asked = append(*c.asked, fmt.Sprint("verify ", c.name, index))
	return nil
}

// TestJoinedObjects finds the part that has an object if the parts end with chunks.
// Otherwise there are no objects, and Obstacle says why.
func TestJoinedObjects(t *testing.T) {
	var asked []string
	part := func(name string, rows int, change ...func(*Info)) Array {
		info := &Info{Path: "a", Type: dtype.Float64, Shape: []int{4, rows}, Chunks: []int{2, 3}, Codecs: []codecs.Spec{{Name: "bytes"}}, Fill: dtype.Float64.Default()}
		for _, f := range change {
			f(info)
		}
		return chunked{&held{info: info}, name, &asked}
	}
	join := func(parts ...Array) (Array, *Info) {
		t.Helper()
		info := *parts[0].Info()
		j, err := Join(info, 1, parts)
		if err != nil {
			t.Fatal(err)
		}
		return j, j.Info()
	}
	a, info := join(part("p", 3), part("q", 6), part("r", 2))
	s := AsStored(a)
	if s == nil || info.Obstacle != "" {
		t.Fatalf("no objects: %q", info.Obstacle)
	}
	var want []string
	for column, name := range []string{"p[1 0]", "q[1 0]", "q[1 1]", "r[1 0]"} {
		index := []int{1, column}
		if _, err := s.OpenStored(t.Context(), index); err != nil {
			t.Error(err)
		}
		if err := s.VerifyStored(t.Context(), index, nil); err != nil {
			t.Error(err)
		}
		if index[1] != column {
			t.Errorf("the index of column %d has become %v", column, index)
		}
		want = append(want, "open "+name, "verify "+name)
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	narrow := func(i *Info) { i.Chunks = []int{2, 1} }
	a, _ = join(part("p", 1, narrow), part("q", 2, narrow))
	for column, want := range []string{"open p[0 0]", "open q[0 0]", "open q[0 1]"} {
		if _, err := AsStored(a).OpenStored(t.Context(), []int{0, column}); err != nil || asked[len(asked)-1] != want {
			t.Errorf("%v, %v; want %s", asked[len(asked)-1], err, want)
		}
	}
	for _, test := range []struct {
		parts []Array
		want  string
	}{
		{[]Array{part("p", 4), part("q", 3)}, "not all parts end where a chunk ends"},
		{[]Array{part("p", 3), part("q", 3, func(i *Info) { i.Chunks = []int{4, 3} })}, "chunks of different shapes"},
		{[]Array{part("p", 3), part("q", 3, func(i *Info) { i.Shards = []int{4, 3} })}, "chunks of different shapes"},
		{[]Array{part("p", 3), part("q", 3, func(i *Info) { i.Codecs = []codecs.Spec{{Name: "bytes"}, {Name: "crc32c"}} })}, "different codecs"},
		{[]Array{part("p", 3), part("q", 3, func(i *Info) { i.Codecs = []codecs.Spec{{Name: "bytes", Configuration: []byte(`{"endian":"big"}`)}} })}, "different codecs"},
		{[]Array{part("p", 3), part("q", 3, func(i *Info) { i.Fill = append(dtype.Scalar{1}, i.Fill[1:]...) })}, "different fill values"},
		{[]Array{part("p", 3), part("q", 3, func(i *Info) { i.Obstacle = "of its own" })}, "of its own"},
	} {
		a, info := join(test.parts...)
		if AsStored(a) != nil || !strings.Contains(info.Obstacle, test.want) {
			t.Errorf("objects %v, obstacle %q, want %q", AsStored(a), info.Obstacle, test.want)
		}
	}
}

// TestFillText reads what FillAttribute writes.
func TestFillText(t *testing.T) {
	for text, want := range map[string]string{"-7.5": "-7.5", "1e20": "1e+20", "0.1": "0.1", `"NaN"`: "NaN", `"-Infinity"`: "-Inf"} {
		fill, err := dtype.Float64.ParseScalar(dtype.V3, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := FillText(FillAttribute(dtype.Float64, fill)); got != want || !ok {
			t.Errorf("%s comes back as %s, %v", text, got, ok)
		}
	}
	for _, text := range []string{`7`, `"seven"`, `"AAAA"`, `null`, `"AAAAAAAAAAAA"`} {
		if got, ok := FillText([]byte(text)); ok {
			t.Errorf("%s is %s", text, got)
		}
	}
}
