package sources

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/internal/store"
)

// two is a source of an array that can be opened, and of one that cannot.
type two struct{ Source }

func (two) Groups() []Group  { return []Group{{Path: ""}} }
func (two) Arrays() []string { return []string{"good", "bad"} }

func (two) Array(_ context.Context, path string) (Array, error) {
	if path == "bad" {
		return nil, errors.New("damaged")
	}
	return counted(4, 5), nil
}

// Details implements [Detailed].
func (two) Details(_ context.Context, path string) ([]Detail, error) {
	if path == "bad" {
		return []Detail{{Name: "size", Text: "5"}}, errors.New("no more")
	}
	return nil, nil
}

// TestNodes lists the nodes of a source, also those that cannot be opened.
func TestNodes(t *testing.T) {
	nodes := Nodes(t.Context(), two{})
	if len(nodes) != 3 || nodes[0].Kind != "group" || nodes[1].Path != "good" || nodes[1].Problem != "" || nodes[2].Path != "bad" || nodes[2].Problem != "damaged" {
		t.Errorf("%+v", nodes)
	}
	if got := nodes[2].Details; len(nodes[1].Details) != 0 || len(got) != 2 || got[1] != (Detail{Name: "problem", Text: "no more"}) {
		t.Errorf("%+v", got)
	}
}

// TestNodeOfShards: the chunks of an array in shards are its shards, as in Zarr.
func TestNodeOfShards(t *testing.T) {
	for _, shards := range [][]int{nil, {4, 4}} {
		n := NodeOf(&Info{Type: dtype.Float64, Shape: []int{8, 8}, Chunks: []int{2, 2}, Shards: shards})
		want := []int{2, 2}
		if shards != nil {
			want = shards
		}
		if !slices.Equal(n.ChunkShape, want) || n.Problem != "" {
			t.Errorf("%v: %+v", shards, n)
		}
	}
}

// TestIsFolder: in a bucket, what has an object below it is a folder.
func TestIsFolder(t *testing.T) {
	opt := store.Options{Memory: &store.Memory{}, Retries: -1}
	s, err := store.Open(t.Context(), "mem://bucket/a", opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Put(t.Context(), "k", nil), s.Close()); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]bool{"mem://bucket/a": true, "mem://bucket/b": false, t.TempDir(): true, t.TempDir() + "/none": false} {
		if got := newProbe(url, opt).IsFolder(t.Context()); got != want {
			t.Errorf("%s: %t", url, got)
		}
	}
	if text, ok := Beginning(t.Context(), "s3://bucket/k", opt); ok {
		t.Errorf("a store that cannot be opened begins with %q", text)
	}
	p := newProbe("mem://bucket/a", opt)
	*p.failure = errors.New("the server is away")
	if p.IsFolder(t.Context()) || p.Holds(t.Context(), "k") || p.Below(t.Context()) != nil {
		t.Error("a server that is away has a folder")
	}
}

// TestHolds looks for files in a folder. After the server has failed, the probe does not
// ask for the other files.
func TestHolds(t *testing.T) {
	opt := store.Options{Memory: &store.Memory{}, Retries: -1}
	s, err := store.Open(t.Context(), "mem://bucket/a", opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Put(t.Context(), "k", nil), s.Close()); err != nil {
		t.Fatal(err)
	}
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, test := range []struct {
		keys []string
		err  error
		want bool
		asks int
	}{
		{[]string{"k"}, nil, true, 1},
		{[]string{"i", "j", "k", "l"}, nil, true, 3},
		{[]string{"i", "j"}, nil, false, 2},
		{[]string{"i", "j", "k"}, refused, false, 1},
		{[]string{"i", "j", "k"}, errors.New("no permission"), false, 3},
	} {
		asks := 0
		opt.Fault = func(string, string) error { asks++; return test.err }
		p := newProbe("mem://bucket/a", opt)
		if got := p.Holds(t.Context(), test.keys...); got != test.want || asks != test.asks || errors.Is(*p.failure, refused) != errors.Is(test.err, refused) {
			t.Errorf("%q with %v: %t after %d requests, failure %v", test.keys, test.err, got, asks, *p.failure)
		}
		if p.At("mem://bucket/b").failure != p.failure {
			t.Error("a probe of the same server does not know that it failed")
		}
	}
}

// TestUnsupported tells errors about what the program cannot read from others.
func TestUnsupported(t *testing.T) {
	for _, err := range []error{errors.ErrUnsupported, dtype.ErrUnknown, codecs.ErrUnknown} {
		if !Unsupported(fmt.Errorf("array: %w", err)) {
			t.Errorf("%v", err)
		}
	}
	for _, err := range []error{nil, errors.New("other"), codecs.ErrCorrupt} {
		if Unsupported(err) {
			t.Errorf("%v", err)
		}
	}
}

// TestOpenResolves: the URLs of a source are those that its driver finds at a location.
func TestOpenResolves(t *testing.T) {
	broken := errors.New("broken")
	var opened []string
	d := Driver{
		Detect: func(context.Context, *Probe) Confidence { return Certain },
		Expand: func(_ context.Context, location string, _ store.Options) ([]string, error) {
			if location == "bad" {
				return nil, broken
			}
			return []string{location + "/1", location + "/2"}, nil
		},
		Open: func(_ context.Context, r Request) (Source, error) {
			opened = r.URLs
			return two{}, nil
		},
	}
	if s, err := (Drivers{d}).Open(t.Context(), "good", Request{}); err != nil || s == nil || !slices.Equal(opened, []string{"good/1", "good/2"}) {
		t.Errorf("%v of %q, %v", s, opened, err)
	}
	if s, err := (Drivers{d}).Open(t.Context(), "bad", Request{}); !errors.Is(err, broken) {
		t.Errorf("%v, %v", s, err)
	}
	for sure, want := range map[Confidence]string{Certain: "broken", Likely: "none of the drivers d reads it: broken"} {
		guess := Driver{
			Name:   "d",
			Detect: func(context.Context, *Probe) Confidence { return sure },
			Open:   func(context.Context, Request) (Source, error) { return nil, broken },
		}
		if s, err := (Drivers{guess}).Open(t.Context(), "place", Request{}); s != nil || !errors.Is(err, broken) || err.Error() != want {
			t.Errorf("%v, %v, want %s", s, err, want)
		}
	}
}
