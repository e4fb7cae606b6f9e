package plan

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
	"github.com/zmigrate/zmigrate/jobs/environment"
	"github.com/zmigrate/zmigrate/jobs/internal/jobtest"
	"github.com/zmigrate/zmigrate/jobs/jobfile"
)

// casting is a codec that changes nothing and claims to be an inexact cast.
type casting struct{ codecs.ArrayToArray }

func (casting) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	d, err := standard.Registry(dtype.Standard()).Lookup("transpose")
	if err != nil {
		return nil, err
	}
	c, err := d.Parse(json.RawMessage(`{"order":"C"}`))
	if err != nil {
		return nil, err
	}
	b, err := c.(codecs.ArrayToArrayCodec).BindArrayToArray(in)
	return casting{b}, err
}

func (casting) Hazards() []codecs.Hazard {
	return []codecs.Hazard{{Field: "data_type", Code: codecs.InexactCast, Message: "float64 cannot hold every int64", Hint: "choose int64"}}
}

func withCasting(t *testing.T) environment.Environment {
	t.Helper()
	env := jobtest.Environment()
	err := env.Codecs.Register(codecs.Definition{
		Name: "casting", Kind: codecs.KindArrayToArray, Summary: "claims to be inexact",
		Fields: []codecs.Field{{Name: "data_type", Type: "data type", Doc: "unused"}},
		Parse:  func(json.RawMessage) (codecs.Codec, error) { return casting{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func lines(ps jobfile.Problems) []string {
	if len(ps) == 0 {
		return nil
	}
	return strings.Split(ps.Error(), "\n")
}

const lossy = `
arrays:
  group/a:
    chunks: [4, 4]
    fill_value: 1.3
    codecs:
      - {transpose: {order: [1, 0]}}
      - bitround: {keepbits: 3}
      - bytes
`

const changes = `bitround: the fill value 1.2999999523162842 comes back as 1.25: readers see 1.25 in chunks that also hold ` +
	`other values, such as those at the edges, and 1.2999999523162842 in chunks that are not stored ` +
	`(set a fill_value that the codec keeps, or leave the codec out) [fill-value-changes]`

// TestHazards has chains whose hazards validate and plan find alike.
func TestHazards(t *testing.T) {
	inexact := "casting: float64 cannot hold every int64 (choose int64) [inexact-cast]"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"none", "arrays: {group/a: {codecs: [bytes, zstd]}}\n", nil},
		{"fill value", lossy, []string{"job.yaml:15:9: warning: arrays.group/a.codecs[1]: " + changes}},
		{"in shards", strings.Replace(lossy, "chunks: [4, 4]", "chunks: [4, 4]\n    shards: [8, 8]", 1),
			[]string{"job.yaml:16:9: warning: arrays.group/a.codecs[1]: " + changes}},
		{"inner chain", `
arrays:
  group/a:
    chunks: [4, 4]
    fill_value: 1.3
    codecs: [{sharding_indexed: {chunk_shape: [2, 2], codecs: [{bitround: {keepbits: 3}}, bytes]}}]
`, []string{"job.yaml:13:64: warning: arrays.group/a.codecs[0].codecs[0]: " + changes}},
		{"from the defaults", "defaults: {codecs: [{bitround: {keepbits: 3}}, bytes], fill_value: 1.3}\narrays: {group/a: {chunks: [5, 6]}}\n",
			[]string{"job.yaml:8:21: warning: defaults.codecs[0]: " + changes}},
		{"inexact", "arrays: {group/a: {codecs: [{casting: {data_type: x}}, bytes]}}\n",
			[]string{"job.yaml:8:51: arrays.group/a.codecs[0].data_type: " + inexact}},
		{"inexact and allowed", "arrays: {group/a: {allow_inexact: true, codecs: [{casting: {data_type: x}}, bytes]}}\n",
			[]string{"job.yaml:8:72: warning: arrays.group/a.codecs[0].data_type: casting: float64 cannot hold every int64 (choose int64) [inexact-cast]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := withCasting(t)
			j := jobtest.Raw(t, c.text)
			if diff := cmp.Diff(c.want, lines(j.Check(env.Codecs))); diff != "" {
				t.Errorf("check (-want +got):\n%s", diff)
			}
			p, err := New(t.Context(), j, env)
			var found jobfile.Problems
			if !errors.As(err, &found) {
				if err != nil {
					t.Fatal(err)
				}
				found = p.Findings
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(c.want, lines(found)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHazardsOffline has sources whose data types and fill values are known only if the job
// gives them, until the sources are opened.
func TestHazardsOffline(t *testing.T) {
	const bits, cast = "codecs: [{bitround: {keepbits: 3}}, bytes]", "codecs: [{casting: {data_type: x}}, bytes]"
	for _, c := range []struct {
		options string
		want    []string // codes
	}{
		{"{data_type: float32, fill_value: 1.3, chunks: [2], " + bits + "}", []string{"fill-value-changes"}},
		{"{data_type: float32, fill_value: 1.3, " + bits + "}", []string{"fill-value-changes"}},
		{"{data_type: float32, fill_value: 1.25, " + bits + "}", nil},
		{"{data_type: float32, " + bits + "}", nil}, // the source may have any fill value
		{"{fill_value: 1.3, " + bits + "}", nil},
		{"{data_type: float32, " + cast + "}", []string{"inexact-cast"}},
		{"{data_type: float32, fill_value: 1.3, codecs: [{transpose: {order: [2, 0, 1]}}, {bitround: {keepbits: 3}}, bytes]}", []string{"fill-value-changes"}},
		{"{data_type: float32, fill_value: 1.3, dimension_names: [y, x], codecs: [{sharding_indexed: {chunk_shape: [4, 4], codecs: [{bitround: {keepbits: 3}}, bytes]}}]}", []string{"fill-value-changes"}},
	} {
		var codes []string
		env := withCasting(t)
		j := jobtest.Parse(t, "", "zmigrate: 1\nsource: {driver: netcdf, url: a.nc}\ntarget: {url: out.zarr}\narrays: {SST: "+c.options+"}\n")
		for _, p := range j.Check(env.Codecs) {
			codes = append(codes, p.Code)
			if p.Code == "" {
				t.Errorf("%s: %s", c.options, p)
			}
		}
		if !slices.Equal(c.want, codes) {
			t.Errorf("%s: %q, want %q", c.options, codes, c.want)
		}
	}
}
