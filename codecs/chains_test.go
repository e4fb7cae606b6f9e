package codecs_test

import (
	"testing"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

// TestChainsAreShared checks that arrays that are stored alike share one chain, and
// that others have chains of their own.
func TestChainsAreShared(t *testing.T) {
	shared := codecs.NewChains(standard.Registry(dtype.Standard()))
	specs := func(level string) []codecs.Spec {
		return []codecs.Spec{{Name: "bytes", Configuration: []byte(`{"endian":"little"}`)}, {Name: "zstd", Configuration: []byte(`{"level":` + level + `}`)}}
	}
	in := codecs.Chunk{Type: dtype.Int32, Shape: []int{4}, Fill: dtype.Int32.Default()}
	first, err := shared.Bind(specs("3"), in)
	if err != nil {
		t.Fatal(err)
	}
	again := in
	again.Shape, again.Fill = []int{4}, dtype.Int32.Default()
	if same, err := shared.Bind(specs("3"), again); err != nil || same != first {
		t.Errorf("equal arguments gave two chains (%v)", err)
	}
	for name, other := range map[string]func() (*codecs.Chain, error){
		"codecs": func() (*codecs.Chain, error) { return shared.Bind(specs("4"), in) },
		"shape": func() (*codecs.Chain, error) {
			return shared.Bind(specs("3"), codecs.Chunk{in.Type, []int{5}, in.Fill})
		},
		"fill": func() (*codecs.Chain, error) {
			return shared.Bind(specs("3"), codecs.Chunk{in.Type, in.Shape, []byte{1, 0, 0, 0}})
		},
		"no fill": func() (*codecs.Chain, error) {
			return shared.Bind(specs("3"), codecs.Chunk{in.Type, in.Shape, nil})
		},
		"type": func() (*codecs.Chain, error) {
			return shared.Bind(specs("3"), codecs.Chunk{dtype.Uint32, in.Shape, in.Fill})
		},
	} {
		chain, err := other()
		if err != nil || chain == first || chain == nil {
			t.Errorf("%s: the chain of different chunks was shared (%v)", name, err)
		}
	}
	if _, err := shared.Bind([]codecs.Spec{{Name: "nonsense"}}, in); err == nil {
		t.Error("an unknown codec was bound")
	}
}
