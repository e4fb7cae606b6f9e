package jobfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/zmigrate/zmigrate/codecs"
	"github.com/zmigrate/zmigrate/codecs/standard"
	"github.com/zmigrate/zmigrate/dtype"
)

func TestCheckAcceptsGoodJobs(t *testing.T) {
	for name, text := range map[string]string{
		"netcdf": small + `
defaults: {codecs: [bytes, {zstd: {level: 3}}, crc32c]}
arrays:
  SST: {chunks: [1, 2], codecs: [{transpose: {order: [1, 0]}}, bytes, {gzip: {level: 1}}], data_type: float32, fill_value: .nan}
`,
		"raw": `zmigrate: 1
source:
  driver: raw
  arrays:
    a: {url: a.bin, data_type: "<f4", endian: little, shape: [4, 6], dimension_names: [y, x]}
    b: {url: "t*.bin", stack: t, data_type: uint8, shape: [6]}
    c: {url: [1.bin, 2.bin], concat: t, dimension_names: [t], data_type: int64, shape: [6]}
target: {url: out.zarr}
arrays:
  a: {chunks: [2, 3], codecs: [{transpose: {order: F}}, {bytes: {endian: big}}], data_type: float32, fill_value: "0x7fc00001"}
  b: {chunks: [1, 6]}
  c: {fill_value: -9223372036854775808}
`,
	} {
		if ps := mustParse(t, text).Check(standard.Registry(dtype.Standard())); ps != nil {
			t.Errorf("%s: %v", name, ps)
		}
	}
}

func TestRawArrayType(t *testing.T) {
	for _, tt := range []struct {
		dataType, endian string
		name, order      string // of the result
		field            string // at fault
	}{
		{`"float32"`, "", "float32", "little", ""},
		{`"float32"`, "big", "float32", "big", ""},
		{`">i2"`, "", "int16", "big", ""},
		{`">i2"`, "big", "int16", "big", ""},
		{`">i2"`, "little", "", "", "endian"},
		{`"|u1"`, "big", "uint8", "none", ""},
		{`"uint8"`, "little", "uint8", "none", ""},
		{`"<q9"`, "", "", "", "data_type"},
		{`"flaot32"`, "", "", "", "data_type"},
	} {
		typ, order, field, err := RawArray{DataType: []byte(tt.dataType), Endian: tt.endian}.Type(dtype.Standard())
		if field != tt.field || (err != nil) != (tt.field != "") {
			t.Errorf("%s %s: field %q, %v", tt.dataType, tt.endian, field, err)
		}
		if err == nil && (typ.Name() != tt.name || order.String() != tt.order) {
			t.Errorf("%s %s: %s %s", tt.dataType, tt.endian, typ.Name(), order)
		}
	}
}

func TestCheckAddsToWhatLoadFound(t *testing.T) {
	j, ps := parseWith(t, small+"arrays:\n  A: {codecs: [bites], chunk: [1]}\n")
	ps = append(ps, j.Check(standard.Registry(dtype.Standard()))...)
	ps.Sort()
	want := []string{
		`job.yaml:5:16: arrays.A.codecs[0]: unknown codec "bites" (did you mean "bytes"?)`,
		`job.yaml:5:24: arrays.A.chunk: unknown key (did you mean "chunks"?)`,
	}
	if diff := cmp.Diff(want, lines(ps)); diff != "" {
		t.Error(diff)
	}
}

// The offline check finds what is wrong with a URL.
func TestURLProblems(t *testing.T) {
	const raw = "zmigrate: 1\nsource: {driver: netcdf, url: %q}\ntarget: {url: %q}\n"
	for _, c := range []struct{ source, target, want string }{
		{"s3://b/x.nc?anonymous=perhaps", "out.zarr", `job.yaml:2:31: source.url: s3://b/x.nc: anonymous: want true or false, not "perhaps"`},
		{"x.nc", "azblob://c/x?protocol=ftp", `job.yaml:3:15: target.url: azblob://c/x: protocol: want http or https, not "ftp"`},
		{"x.nc", "s3://b/x?request_checksum_calculation=no", `job.yaml:3:15: target.url: s3://b/x: request_checksum_calculation: want when_supported or when_required, not "no"`},
		{"s3:/b/x.nc", "out.zarr", `job.yaml:2:31: source.url: a URL that begins with "s3:" needs two slashes behind it: write s3://bucket/prefix, or ./s3:… for a local path`},
		{"x.nc", "foo://b/x", `job.yaml:3:15: target.url: foo://b/x: scheme "foo": unsupported operation (supported: file, mem, s3, gs, azblob, http, https and bare paths)`},
		{"x.nc", "s3://b?region=r", `job.yaml:3:15: target.url: s3://b?region=r is a whole bucket and has nothing beside it: use a prefix in it (or name a place for the checkpoint, outside of the target, in run.checkpoint.url)`},
		{"https://h/x.nc?X-Amz-Signature=s", "out.zarr", ""},
		{"x.nc", "~/x.zarr", `job.yaml:3:15: target.url: ~/x.zarr: a shell replaces ~ only where it stands without quotes: write $HOME, or ${HOME} in a job file (a folder of that very name needs its file:/// URL)`},
		{"x.nc", "/scratch/$USER/x.zarr", `job.yaml:3:15: target.url: /scratch/$USER/x.zarr: a shell replaces $USER only outside of single quotes, and a job file has ${USER} (a folder of that very name needs its file:/// URL)`},
		{"x.nc", "file:///~/$USER/x.zarr", ""},
		{"x.nc", "/a/~/$x/b$USER", ""},
	} {
		j, ps := parseWith(t, fmt.Sprintf(raw, c.source, c.target))
		if ps == nil {
			ps = j.Check(standard.Registry(dtype.Standard()))
		}
		if diff := cmp.Diff(c.want, strings.Join(lines(ps), "\n")); diff != "" {
			t.Errorf("%s to %s (-want +got):\n%s", c.source, c.target, diff)
		}
	}
}

// TestShardsOffline has shards that the offline check can judge without a source.
func TestShardsOffline(t *testing.T) {
	for _, c := range []struct {
		options string
		field   string // at fault; "": none
		want    string
	}{
		{"{data_type: float32, dimension_names: [y, x], codecs: [{sharding_indexed: {chunk_shape: [4, 4], codecs: [bytes, zstd]}}]}", "", ""},
		{"{data_type: float32, codecs: [{sharding_indexed: {chunk_shape: [4, 4], codecs: [vlen-utf8]}}]}", "arrays.SST.codecs[0].codecs[0]", "float32"},
		{"{data_type: float32, shards: [1048576, 1048576], chunks: [1, 1], codecs: [bytes]}", "arrays.SST.shards", "too many"},
		{"{data_type: float32, shards: [100, 100], codecs: [bytes, {numcodecs.shuffle: {elementsize: 7}}]}", "arrays.SST.codecs[1].elementsize", "40000 bytes"},
		{"{dimension_names: [y, x], codecs: [{reshape: {shape: [8, -1]}}, bytes], data_type: float32}", "", ""},
	} {
		err := mustParse(t, small+"arrays: {SST: "+c.options+"}\n").Check(standard.Registry(dtype.Standard())).Err()
		var found Problems
		if !errors.As(err, &found) {
			if c.field != "" {
				t.Errorf("%s: valid, want a problem of %s", c.options, c.field)
			}
			continue
		}
		if len(found) != 1 || found[0].Field != c.field || !strings.Contains(found[0].Message, c.want) {
			t.Errorf("%s: %v, want one of %q with %q", c.options, found, c.field, c.want)
		}
	}
}

// swapCodec stands for a codec of another program. It swaps two dimensions, and refuses
// arrays of another number of dimensions.
type swapCodec struct{ bound codecs.ArrayToArray }

func (c swapCodec) BindArrayToArray(in codecs.Chunk) (codecs.ArrayToArray, error) {
	if len(in.Shape) != 2 {
		return nil, fmt.Errorf("%d dimensions cannot be swapped", len(in.Shape))
	}
	return c.bound, nil
}

// TestRankOffline has chains of arrays whose data types are not known without the source.
func TestRankOffline(t *testing.T) {
	for byRank, want := range map[bool]string{true: "job.yaml:4:44: arrays.SST.codecs[0]: 3 dimensions cannot be swapped", false: ""} {
		r := standard.Registry(dtype.Standard())
		if err := r.Register(codecs.Definition{
			Name: "example.swap", Kind: codecs.KindArrayToArray, ByRank: byRank,
			Parse: func(json.RawMessage) (codecs.Codec, error) { return swapCodec{}, nil },
		}); err != nil {
			t.Fatal(err)
		}
		j := mustParse(t, small+"arrays: {SST: {chunks: [1, 2, 3], codecs: [example.swap, bytes]}}\n")
		if got := strings.Join(lines(j.Check(r)), "\n"); got != want {
			t.Errorf("by rank %v: got %q, want %q", byRank, got, want)
		}
	}
}
