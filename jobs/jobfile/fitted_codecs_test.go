package jobfile

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

func TestFit(t *testing.T) {
	registry := standard.Registry(dtype.Standard())
	text, err := dtype.Standard().ParseV3([]byte(`"string"`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, chain string
		typ         dtype.Type
		want        string // of Fit
		lossless    string // of FitLossless with the chain of the defaults
		leftOut     []string
	}{
		{"nothing to add", `["bytes"]`, dtype.Int16, `["bytes"]`, `["bytes"]`, nil},
		{"numbers", `["zstd"]`, dtype.Int16, `["bytes","zstd"]`, `["bytes","zstd"]`, nil},
		{"strings", `["zstd"]`, text, `["vlen-utf8","zstd"]`, `["vlen-utf8","zstd"]`, nil},
		{"no type", `["zstd"]`, nil, `["bytes","zstd"]`, "", nil},
		{"behind array → array codecs", `[{"name":"transpose","configuration":{"order":[0]}},"zstd"]`, dtype.Int16,
			`[{"name":"transpose","configuration":{"order":[0]}},"bytes","zstd"]`, `[{"name":"transpose","configuration":{"order":[0]}},"bytes","zstd"]`, nil},
		{"in shards", `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["zstd"]}}]`, dtype.Int16,
			`[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"},{"name":"zstd"}]}}]`,
			`[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"},{"name":"zstd"}]}}]`, nil},
		{"unknown", `["no-such-codec"]`, dtype.Int16, `["no-such-codec"]`, `["no-such-codec"]`, nil},
		{"wrong order", `["zstd",{"name":"transpose","configuration":{"order":[0]}}]`, dtype.Int16,
			`["bytes","zstd",{"name":"transpose","configuration":{"order":[0]}}]`, `["bytes","zstd",{"name":"transpose","configuration":{"order":[0]}}]`, nil},
		{"lossy", `[{"name":"bitround","configuration":{"keepbits":3}},"zstd"]`, dtype.Float32,
			`[{"name":"bitround","configuration":{"keepbits":3}},"bytes","zstd"]`, `["bytes","zstd"]`, []string{"bitround"}},
		{"lossy alone", `[{"name":"zfp","configuration":{"mode":"fixed_accuracy","tolerance":0.5}}]`, dtype.Float32,
			`[{"name":"zfp","configuration":{"mode":"fixed_accuracy","tolerance":0.5}}]`,
			`["bytes",{"name":"zstd","configuration":{"level":3}}]`, []string{"zfp"}},
		{"as it is configured, lossless", `[{"name":"zfp","configuration":{"mode":"reversible"}}]`, dtype.Float32,
			`[{"name":"zfp","configuration":{"mode":"reversible"}}]`, `[{"name":"zfp","configuration":{"mode":"reversible"}}]`, nil},
		{"of no use for the type", `[{"name":"zfp","configuration":{"mode":"reversible"}}]`, text,
			`[{"name":"zfp","configuration":{"mode":"reversible"}}]`, `["vlen-utf8",{"name":"zstd","configuration":{"level":3}}]`, []string{"zfp"}},
		{"lossy in shards", `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bitround","configuration":{"keepbits":3}},"bytes"]}}]`, dtype.Float32,
			`[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bitround","configuration":{"keepbits":3}},"bytes"]}}]`,
			`[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"}]}}]`, []string{"bitround"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			own := Codecs{Inherited: true}
			if err := json.Unmarshal([]byte(c.chain), &own.Chain); err != nil {
				t.Fatal(err)
			}
			long := func(text string) string {
				var specs []codecs.Spec
				if err := json.Unmarshal([]byte(text), &specs); err != nil {
					t.Fatal(err)
				}
				return CodecsText(specs)
			}
			if got := CodecsText(own.Fit(registry, c.typ).Chain); got != long(c.want) {
				t.Errorf("got %s, want %s", got, long(c.want))
			}
			if c.typ == nil {
				return
			}
			in := codecs.Chunk{Type: c.typ, Shape: []int{4}, Fill: c.typ.Default()}
			got := own.FitLossless(registry, registry.Bind, in)
			if chain := CodecsText(got.Chain); chain != long(c.lossless) {
				t.Errorf("lossless: got %s, want %s", chain, long(c.lossless))
			}
			if diff := cmp.Diff(c.leftOut, got.LeftOut); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			own.Inherited = false
			if named := own.FitLossless(registry, registry.Bind, in); CodecsText(named.Chain) != CodecsText(own.Fit(registry, c.typ).Chain) {
				t.Errorf("an array's own chain became %s", CodecsText(named.Chain))
			}
		})
	}
}
