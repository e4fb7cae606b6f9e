package codecs

import (
	"testing"

	"github.com/zmigrate/zmigrate/dtype"
)

// Arrays that are stored alike share one chain, and what differs in anything has
// one of its own.
func TestChainsAreShared(t *testing.T) {
	shared := NewChains(Standard(dtype.Standard()))
	specs := func(level string) []Spec {
		return []Spec{{Name: "bytes", Configuration: []byte(`{"endian":"little"}`)}, {Name: "zstd", Configuration: []byte(`{"level":` + level + `}`)}}
	}
	in := Chunk{Type: dtype.Int32, Shape: []int{4}, Fill: dtype.Int32.Default()}
	first, err := shared.Bind(specs("3"), in)
	if err != nil {
		t.Fatal(err)
	}
	again := in
	again.Shape, again.Fill = []int{4}, dtype.Int32.Default()
	if same, err := shared.Bind(specs("3"), again); err != nil || same != first {
		t.Errorf("an equal chain is another one (%v)", err)
	}
	for name, other := range map[string]func() (*Chain, error){
		"codecs": func() (*Chain, error) { return shared.Bind(specs("4"), in) },
		"shape":  func() (*Chain, error) { return shared.Bind(specs("3"), Chunk{in.Type, []int{5}, in.Fill}) },
		"fill":   func() (*Chain, error) { return shared.Bind(specs("3"), Chunk{in.Type, in.Shape, []byte{1, 0, 0, 0}}) },
		"no fill": func() (*Chain, error) {
			return shared.Bind(specs("3"), Chunk{in.Type, in.Shape, nil})
		},
		"type": func() (*Chain, error) { return shared.Bind(specs("3"), Chunk{dtype.Uint32, in.Shape, in.Fill}) },
	} {
		chain, err := other()
		if err != nil || chain == first || chain == nil {
			t.Errorf("%s: the chain is that of other chunks (%v)", name, err)
		}
	}
	if _, err := shared.Bind([]Spec{{Name: "nonsense"}}, in); err == nil {
		t.Error("an unknown codec is bound")
	}
}
