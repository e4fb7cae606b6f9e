package standard_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/dtype/ndarray"
)

// TestBloscNames gives Blosc its two names, in every form that Zarr v2 has of it. Under
// both names it makes the same bytes, and the former name is what it was before.
func TestBloscNames(t *testing.T) {
	wide := dtype.NullTerminated(300)
	for name, test := range map[string]struct {
		typ               dtype.Type
		chain             string
		preferred, former string // the last codec of both
	}{
		"numbers": {dtype.Int16, `["bytes", {"name": "numcodecs.blosc", "configuration": {"cname": "zstd", "blocksize": 64}}]`,
			`blosc {"cname":"zstd","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":64}`, `numcodecs.blosc {"cname":"zstd","clevel":5,"shuffle":1,"typesize":2,"blocksize":64}`},
		"numbers by the preferred name": {dtype.Int16, `["bytes", {"name": "blosc", "configuration": {"cname": "zstd", "shuffle": "bitshuffle"}}]`,
			`blosc {"cname":"zstd","clevel":5,"shuffle":"bitshuffle","typesize":2,"blocksize":0}`, `numcodecs.blosc {"cname":"zstd","clevel":5,"shuffle":2,"typesize":2,"blocksize":0}`},
		"bytes": {dtype.Uint8, `["bytes", {"name": "numcodecs.blosc", "configuration": {"shuffle": -1}}]`,
			`blosc {"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":1,"blocksize":0}`, `numcodecs.blosc {"cname":"lz4","clevel":5,"shuffle":2,"typesize":1,"blocksize":0}`},
		"wide elements": {wide, `["bytes", {"name": "numcodecs.blosc", "configuration": {"shuffle": -1}}]`,
			`blosc {"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}`, `numcodecs.blosc {"cname":"lz4","clevel":5,"shuffle":1,"typesize":300,"blocksize":0}`},
		"wide elements by the preferred name": {wide, `["bytes", {"name": "blosc", "configuration": {"typesize": 1}}]`,
			`blosc {"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}`, `numcodecs.blosc {"cname":"lz4","clevel":5,"shuffle":1,"typesize":300,"blocksize":0}`},
		"texts": {dtype.StringType, `["vlen-utf8", {"name": "numcodecs.blosc", "configuration": {"shuffle": 0}}]`,
			`blosc {"cname":"lz4","clevel":5,"shuffle":"noshuffle","typesize":1,"blocksize":0}`, `numcodecs.blosc {"cname":"lz4","clevel":5,"shuffle":0,"typesize":1,"blocksize":0}`},
		"in shards": {dtype.Int16, `[{"name": "sharding_indexed", "configuration": {"chunk_shape": [2], "codecs": ["bytes", "numcodecs.blosc"]}}]`,
			`blosc {"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}`, `numcodecs.blosc {"cname":"lz4","clevel":5,"shuffle":1,"typesize":2,"blocksize":0}`},
	} {
		t.Run(name, func(t *testing.T) {
			registry := standard.Registry(dtype.Standard())
			var specs []codecs.Spec
			if err := json.Unmarshal([]byte(test.chain), &specs); err != nil {
				t.Fatal(err)
			}
			in := codecs.Chunk{Type: test.typ, Shape: []int{4}, Fill: test.typ.Default()}
			chain, err := registry.Bind(specs, in)
			if err != nil {
				t.Fatal(err)
			}
			preferred, other := chain.Preferred()
			former, otherwise := chain.Former()
			if byFormer := strings.Contains(test.chain, "numcodecs.blosc"); other != byFormer || otherwise == byFormer {
				t.Errorf("changed: %v to the preferred name, %v to the former", other, otherwise)
			}
			values := ndarray.New(in.Type, in.Shape)
			n := 0
			if err := values.SetItems(func() ([]byte, error) {
				n++
				item := make([]byte, max(test.typ.Size(), 1))
				item[0] = byte('a' + n)
				return item, nil
			}); err != nil {
				t.Fatal(err)
			}
			want, err := chain.AppendEncode(&ndarray.Pool{}, nil, values)
			if err != nil {
				t.Fatal(err)
			}
			for text, specs := range map[string][]codecs.Spec{test.preferred: preferred, test.former: former} {
				again, err := registry.Bind(specs, in)
				if err != nil {
					t.Fatal(err)
				}
				last := again
				if shards, ok := again.Shards(); ok {
					last = shards.Inner()
				}
				spec := last.Specs()[len(last.Specs())-1]
				if got := spec.Name + " " + string(spec.Configuration); got != text {
					t.Errorf("got %s, want %s", got, text)
				}
				data, err := again.AppendEncode(&ndarray.Pool{}, nil, values)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, data); diff != "" {
					t.Errorf("%s makes other bytes:\n%s", text, diff)
				}
				if own, _ := again.Former(); !cmp.Equal(own, former) {
					t.Errorf("%s: the former names are %s, want %s", text, own, former)
				}
			}
		})
	}
}
