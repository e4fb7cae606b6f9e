package jobfile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const normalYAML = `zmigrate: 1
name: one
source: {driver: netcdf, url: "data/*.nc", include: [SST]}
target: {url: out.zarr}
defaults: {codecs: [bytes, {zstd: {level: 3, checksum: false}}]}
arrays:
  SST:
    chunks: [12, 90]
    fill_value: -9223372036854775808
    attributes: {big: 18446744073709551615, hex: 0xff, octal: 0o17, ten: 010, float: +.50, nan: .nan, html: "<&>", no: off}
  AIRT: {fill_value: 1e400, dimension_names: [a, null], codecs: keep}
run: {memory: 1GiB}
`

const normalJSON = `{
	"run": {"workers": {"read": 3}, "lock_ttl": "9s"},
	"arrays": {
		"AIRT": {"codecs": "keep", "dimension_names": ["a", null], "fill_value": 1e400},
		"SST": {
			"attributes": {"no": "off", "html": "<&>", "nan": "NaN", "float": 0.50, "ten": 10, "octal": 15, "hex": 255, "big": 18446744073709551615},
			"fill_value": -9223372036854775808,
			"chunks": [12, 90]
		}
	},
	"defaults": {"codecs": [{"name": "bytes", "configuration": {}}, {"name": "zstd", "configuration": {"checksum": false, "level": 3}}]},
	"target": {"existing": "fail", "consolidated": true, "url": "./out.zarr/"},
	"source": {"cf": "keep", "include": ["SST"], "url": ["data//*.nc"], "driver": "netcdf"},
	"zmigrate": 1
}`

func TestNormalised(t *testing.T) {
	const chain = `"codecs":[{"name":"bytes"},{"configuration":{"checksum":false,"level":3},"name":"zstd"}]`
	const want = `{"arrays":{"AIRT":{"codecs":"keep","dimension_names":["a",null],"fill_value":1e400},` +
		`"SST":{"attributes":{"big":18446744073709551615,"float":0.50,"hex":255,"html":"<&>","nan":"NaN","no":"off","octal":15,"ten":10},` +
		`"chunks":[12,90],` + chain + `,"fill_value":-9223372036854775808}},"defaults":{` + chain + `},"run":{"path":"auto"},` +
		`"source":{"cf":"keep","driver":"netcdf","include":["SST"],"url":["data/*.nc"]},` +
		`"target":{"consolidated":true,"store_empty_chunks":false,"url":"out.zarr"},"zmigrate":1}`
	if diff := cmp.Diff(want, string(mustParse(t, normalYAML).Normalised())); diff != "" {
		t.Errorf("YAML: %s", diff)
	}
	if diff := cmp.Diff(want, string(mustParse(t, normalJSON).Normalised())); diff != "" {
		t.Errorf("JSON: %s", diff)
	}
}

// TestNormalisedDriver has jobs that name drivers by aliases. A job means the same with each.
func TestNormalisedDriver(t *testing.T) {
	for name, others := range map[string][]string{"netcdf": {"hdf5"}, "arrow": {"parquet", "feather"}} {
		want := mustParse(t, normalYAML, "source.driver="+name, "arrays.AIRT=null")
		for _, other := range others {
			got := mustParse(t, normalYAML, "source.driver="+other, "arrays.AIRT=null")
			if diff := cmp.Diff(string(want.Normalised()), string(got.Normalised())); diff != "" || got.Source.Driver != name {
				t.Errorf("%s, which is %s: %s", other, got.Source.Driver, diff)
			}
		}
	}
}

func TestNormalisedGlobOrder(t *testing.T) {
	const ab, ba = "arrays: {\"a*\": {cf: keep}, \"*b\": {}, c: {}}\n", "arrays: {c: {}, \"*b\": {}, \"a*\": {cf: keep}}\n"
	got := Differences(mustParse(t, small+ab).Normalised(), mustParse(t, small+ba).Normalised())
	if diff := cmp.Diff([]string{`glob_order: was ["a*","*b"], is ["*b","a*"]`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDifferences(t *testing.T) {
	was := mustParse(t, normalYAML)
	for _, tt := range []struct {
		set  []string
		want []string
	}{
		{[]string{"run.memory=64MiB", "name=two", "target.existing=overwrite"}, nil},
		{[]string{"arrays.SST.chunks=[6,90,180]"}, []string{"arrays.SST.chunks: was [12,90], is [6,90,180]"}},
		{[]string{"run.path=decode", "source.concat=t"}, []string{`run.path: was "auto", is "decode"`, `source.concat: was not given, is "t"`}},
		{[]string{"source.order=natural"}, nil},
		{[]string{"source.order=name", "source.time=rebase"}, nil},
		{[]string{"source.concat=t", "source.order=allow", "source.time=keep", "source.overlap=last"}, []string{
			`source.concat: was not given, is "t"`, `source.order: was not given, is "allow"`, `source.overlap: was not given, is "last"`, `source.time: was not given, is "keep"`,
		}},
		{[]string{"source.time.units=days since 2000-01-01"}, []string{`source.time: was not given, is {"units":"days since 2000-01-01"}`}},
		{[]string{"source.stack=t", "source.join=override", "source.order=x"}, []string{
			`source.join: was not given, is "override"`, `source.order: was not given, is "x"`, `source.stack: was not given, is "t"`,
		}},
		{[]string{"source.driver=zarr", "source.missing_chunks=error"}, []string{
			`source.driver: was "netcdf", is "zarr"`, `source.missing_chunks: was not given, is "error"`,
		}},
		{[]string{"source.compound=struct", "source.references=path"}, nil},
		{[]string{"source.compound=fields", "source.references=skip"}, []string{`source.compound: was not given, is "fields"`, `source.references: was not given, is "skip"`}},
		{[]string{"source.follow=folder"}, nil},
		{[]string{"source.follow=none"}, []string{`source.follow: was not given, is "none"`}},
		{[]string{"source.follow=[parts]"}, []string{`source.follow: was not given, is ["parts"]`}},
		{[]string{"source.unsupported=error"}, nil},
		{[]string{"source.unsupported=skip"}, []string{`source.unsupported: was not given, is "skip"`}},
		{[]string{"arrays.AIRT.fill_value=null"}, []string{`arrays.AIRT.fill_value: was 1e400, is not given`}},
		{[]string{"arrays.SST.fill_value=-9223372036854775807"}, []string{
			"arrays.SST.fill_value: was -9223372036854775808, is -9223372036854775807",
		}},
		{[]string{"defaults.codecs[1].level=4"}, []string{
			"arrays.SST.codecs[1].level: was 3, is 4", "defaults.codecs[1].level: was 3, is 4",
		}},
		{[]string{"arrays.AIRT.codecs=[bytes]"}, []string{`arrays.AIRT.codecs: was "keep", is [{"name":"bytes"}]`}},
	} {
		got := Differences(was.Normalised(), mustParse(t, normalYAML, tt.set...).Normalised())
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v: %s", tt.set, diff)
		}
	}
	if got := Differences([]byte("{"), was.Normalised()); len(got) != 1 {
		t.Errorf("broken record: %q", got)
	}
}
